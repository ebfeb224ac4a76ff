use super::*;
use tokio::time::advance;

const MS: Duration = Duration::from_millis(1);

fn fail(h: &Arc<Health>, n: u32) {
    (0..n).for_each(|_| h.enter(Pass::Healthy).unwrap().fail());
}

#[tokio::test(start_paused = true)]
async fn five_failures_in_a_row_open_it_and_one_probe_closes_it() {
    let h = Arc::new(Health::default());
    fail(&h, 4);
    h.enter(Pass::Healthy).unwrap().succeed();
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
    let probe = h.enter(Pass::Healthy).unwrap();
    assert!(h.enter(Pass::Healthy).unwrap_err().probing);
    probe.succeed();
    assert_eq!(h.state(), "closed");
    assert!(h.enter(Pass::Healthy).is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_failed_probe_opens_it_for_twice_as_long_up_to_two_minutes() {
    let h = Arc::new(Health::default());
    fail(&h, 5);
    let mut lengths = vec![h.resting().unwrap().left];
    for _ in 0..6 {
        advance(h.resting().unwrap().left + MS).await;
        h.enter(Pass::Healthy).unwrap().fail();
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
    drop(h.enter(Pass::Healthy).unwrap());
    assert!(h.enter(Pass::Healthy).is_ok());
}

#[tokio::test(start_paused = true)]
async fn half_of_twenty_within_ten_seconds_opens_it_and_old_samples_do_not() {
    let h = Arc::new(Health::default());
    let pair = || {
        h.enter(Pass::Healthy).unwrap().succeed();
        h.enter(Pass::Healthy).unwrap().fail();
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
    let probe = h.enter(Pass::Probe).unwrap();
    assert!(h.enter(Pass::Probe).is_err());
    probe.succeed();
    assert_eq!(h.state(), "closed");
}

#[tokio::test(start_paused = true)]
async fn an_attempt_from_before_a_bench_neither_ends_nor_lengthens_it() {
    let h = Arc::new(Health::default());
    let early: Vec<_> = (0..6).map(|_| h.enter(Pass::Healthy).unwrap()).collect();
    let mut early = early.into_iter();
    early.next().unwrap().bench(None);
    let first = h.resting().unwrap().left;
    early.next().unwrap().succeed();
    assert!(h.resting().is_some(), "the bench holds");
    early.by_ref().for_each(|e| e.bench(None));
    assert!(h.resting().unwrap().left <= first && first < Duration::from_secs(6));
}

#[tokio::test(start_paused = true)]
async fn a_401_of_the_probe_benches_again_at_once() {
    let h = Arc::new(Health::default());
    (0..2).for_each(|_| h.enter(Pass::Healthy).unwrap().unauthorized());
    advance(h.resting().unwrap().left + MS).await;
    h.enter(Pass::Healthy).unwrap().unauthorized();
    assert!(h.resting().unwrap().left >= Duration::from_secs(10));
}

#[tokio::test(start_paused = true)]
async fn a_probe_gives_its_verdict_when_its_stream_begins() {
    let h = Arc::new(Health::default());
    h.bench(Some(Duration::from_secs(1)));
    advance(Duration::from_millis(1001)).await;
    let streaming = h.enter(Pass::Healthy).unwrap().begun();
    assert!(h.enter(Pass::Healthy).is_ok());
    streaming.fail();
    assert_eq!(h.state(), "closed", "one failure after that is one failure");
}

#[tokio::test(start_paused = true)]
async fn a_cooldown_waited_out_is_passed_and_an_open_breaker_is_not() {
    let h = Arc::new(Health::default());
    h.cool(Duration::from_secs(5));
    assert!(h.enter(Pass::Healthy).is_err());
    assert!(h.enter(Pass::Cooling).is_ok());
    h.bench(Some(Duration::from_secs(9)));
    assert!(h.enter(Pass::Cooling).is_err());
}
