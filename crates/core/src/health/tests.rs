use super::*;
use tokio::time::advance;

const MS: Duration = Duration::from_millis(1);

fn fail(h: &Arc<Health>, n: u32) {
    (0..n).for_each(|_| h.enter(false).unwrap().fail());
}

#[tokio::test(start_paused = true)]
async fn five_failures_in_a_row_open_it_and_one_probe_closes_it() {
    let h = Arc::new(Health::default());
    fail(&h, 4);
    h.enter(false).unwrap().succeed();
    fail(&h, 4);
    assert_eq!(h.resting(), None);
    fail(&h, 1);
    assert!(matches!(
        h.resting(),
        Some(Resting {
            rest: Rest::Open,
            ..
        })
    ));
    advance(Duration::from_millis(5_501)).await;
    let probe = h.enter(false).unwrap();
    assert!(h.enter(false).unwrap_err().probing);
    probe.succeed();
    assert_eq!(h.state(), "closed");
    assert!(h.enter(false).is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_failed_probe_opens_it_for_twice_as_long_up_to_two_minutes() {
    let h = Arc::new(Health::default());
    fail(&h, 5);
    let mut lengths = vec![h.resting().unwrap().left];
    for _ in 0..6 {
        advance(h.resting().unwrap().left + MS).await;
        h.enter(false).unwrap().fail();
        lengths.push(h.resting().unwrap().left);
    }
    for (n, length) in lengths.iter().enumerate() {
        let base = Duration::from_secs(5 << n).min(Duration::from_secs(120));
        assert!(
            *length >= base && *length <= base.mul_f64(1.1) + MS,
            "{n}: {length:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_is_dropped_gives_no_verdict_and_returns_its_slot() {
    let h = Arc::new(Health::default());
    h.bench(Some(Duration::from_secs(1)));
    advance(Duration::from_millis(1001)).await;
    drop(h.enter(false).unwrap());
    assert!(h.enter(false).is_ok());
}

#[tokio::test(start_paused = true)]
async fn half_of_twenty_within_ten_seconds_opens_it_and_old_samples_do_not() {
    let h = Arc::new(Health::default());
    let pair = || {
        h.enter(false).unwrap().succeed();
        h.enter(false).unwrap().fail();
    };
    (0..9).for_each(|_| pair());
    advance(Duration::from_secs(11)).await;
    (0..9).for_each(|_| pair());
    assert_eq!(
        h.state(),
        "closed",
        "eighteen within ten seconds are too few"
    );
    pair();
    assert_eq!(h.state(), "open");
}

#[tokio::test(start_paused = true)]
async fn a_cooldown_ends_by_itself_and_is_at_most_ten_minutes() {
    let h = Arc::new(Health::default());
    h.cool(Duration::from_secs(86_400));
    assert_eq!(h.resting().unwrap().left, Duration::from_secs(600));
    advance(Duration::from_secs(601)).await;
    assert_eq!(h.resting(), None);
}

#[tokio::test(start_paused = true)]
async fn a_forced_entry_is_the_probe_and_only_one_goes() {
    let h = Arc::new(Health::default());
    fail(&h, 5);
    let probe = h.enter(true).unwrap();
    assert!(h.enter(true).is_err());
    probe.succeed();
    assert_eq!(h.state(), "closed");
}
