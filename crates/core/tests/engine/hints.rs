use crate::support::*;
use punctual_core::*;
use std::time::Duration;
use tokio::time::Instant;

fn limited(hint: u64) -> Vec<Vec<Act>> {
    vec![
        vec![Status(Code::RateLimited, 429, Some(hint))],
        vec![Head, Text("late"), Stop],
    ]
}

fn bench(a: Vec<Vec<Act>>, b: Vec<Vec<Act>>) -> Bench {
    Bench::new(vec![(none(), a), (none(), b)])
}

#[tokio::test(start_paused = true)]
async fn a_hint_that_fits_is_a_floor_when_no_member_follows() {
    let b = bench(limited(4000), good()).within(10_000);
    let start = Instant::now();
    assert!(b.run(&retry(leaf(0), 3)).await.is_ok());
    assert!(
        (4000..=4402).contains(&(start.elapsed().as_millis() as u64)),
        "{:?}",
        start.elapsed()
    );
    assert_eq!(b.order(), "aa");
}

#[tokio::test(start_paused = true)]
async fn a_hint_that_does_not_fit_is_not_slept() {
    for (hint, within) in [(30_000, Some(10_000)), (61_000, None)] {
        let mut b = bench(limited(hint), good());
        b.budget = within;
        let start = Instant::now();
        let f = b.run(&retry(leaf(0), 3)).await.unwrap_err();
        assert_eq!(
            (f.code, f.retry_after, start.elapsed()),
            (Code::RateLimited, Some(ms(hint)), Duration::ZERO)
        );
    }
}

#[tokio::test(start_paused = true)]
async fn with_a_member_behind_only_a_short_hint_is_waited_for() {
    let b = bench(limited(30_000), good());
    let start = Instant::now();
    assert!(b.run(&fallback([retry(leaf(0), 3), leaf(1)])).await.is_ok());
    assert_eq!(
        (b.order().as_str(), start.elapsed()),
        ("ab", Duration::ZERO)
    );
    let b = bench(limited(800), good());
    assert!(b.run(&fallback([retry(leaf(0), 3), leaf(1)])).await.is_ok());
    assert_eq!(b.order(), "aa");
}

#[tokio::test(start_paused = true)]
async fn a_hint_cools_the_target_for_other_requests() {
    let b = bench(limited(30_000), good());
    let plan = fallback([leaf(0), leaf(1)]);
    b.run(&plan).await.unwrap();
    b.run(&plan).await.unwrap();
    assert_eq!(b.order(), "abb");
}

#[tokio::test(start_paused = true)]
async fn a_request_that_finds_only_cooling_targets_waits_if_that_fits() {
    let b = bench(good(), good());
    b.engine.targets[0].health.cool(ms(3000));
    let start = Instant::now();
    assert!(b.run(&leaf(0)).await.is_ok());
    assert!((3000..=3302).contains(&(start.elapsed().as_millis() as u64)));
    b.engine.targets[0].health.cool(ms(6000));
    let start = Instant::now();
    let f = b.run(&leaf(0)).await.unwrap_err();
    assert_eq!(
        (f.code, start.elapsed()),
        (Code::CoolingDown, Duration::ZERO)
    );
    assert_eq!(f.retry_after, Some(ms(6000)));
}

#[tokio::test(start_paused = true)]
async fn a_hint_inside_a_round_robin_cools_that_member_and_does_not_delay_the_next() {
    let b = bench(limited(30_000), good());
    let start = Instant::now();
    assert!(b.run(&retry(turns([leaf(0), leaf(1)]), 2)).await.is_ok());
    assert_eq!(
        (b.order().as_str(), start.elapsed()),
        ("ab", Duration::ZERO)
    );
}

#[tokio::test(start_paused = true)]
async fn a_spent_budget_is_504_whatever_the_last_error_was() {
    let b = bench(always(Code::Overloaded), vec![vec![Hang]]).within(700);
    let start = Instant::now();
    let f = b
        .run(&retry_after(fallback([leaf(0), leaf(1)]), 3, 400))
        .await
        .unwrap_err();
    assert_eq!(f.code, Code::DeadlineExceeded);
    assert!(
        start.elapsed() >= ms(699) && start.elapsed() <= ms(701),
        "{:?}",
        start.elapsed()
    );
    assert_eq!(b.lines.report().outcome, Some(Outcome::DeadlineExceeded));
}

#[tokio::test(start_paused = true)]
async fn a_backoff_is_at_most_half_of_what_is_left() {
    let b = bench(always(Code::ServerError), good()).within(1000);
    let _ = b.run(&retry_after(leaf(0), 20, 60_000)).await;
    let report = b.lines.report();
    let mut left = ms(1000);
    for pause in &report.backoffs {
        assert!(
            pause.length() <= left / 2 + MS,
            "{:?} of {left:?}",
            pause.length()
        );
        left -= pause.length();
    }
    assert!(!report.backoffs.is_empty());
}

#[tokio::test(start_paused = true)]
async fn under_min_attempt_it_is_always_504() {
    let mut b = bench(vec![vec![Wait(600), Fail(Code::ServerError, None)]], good())
        .within(1000)
        .edit(|t| t[0].reserve = Reserve::None);
    b.policy.min_attempt = ms(500);
    let f = b.run(&fallback([leaf(0), leaf(1)])).await.unwrap_err();
    assert_eq!(
        (f.code, f.reason),
        (Code::DeadlineExceeded, Some("below_min_attempt"))
    );
    assert_eq!(b.order(), "a");
}

#[tokio::test(start_paused = true)]
async fn an_upstreams_word_on_retries_is_obeyed() {
    use punctual_core::{Ground, Next, TargetId, Walk};
    let b = bench(good(), good());
    let ground = b.engine.targets.as_slice();
    let policy = Policy::default();
    for (said, code, next) in [
        (Some(false), Code::ServerError, Next::Stop),
        (
            Some(true),
            Code::InvalidRequest,
            Next::After(Duration::ZERO),
        ),
    ] {
        let mut walk = Walk::new(retry(leaf(0), 2));
        let id = walk.next(ground).unwrap();
        walk.attempted();
        let mut f = Failure::new(code, "");
        f.should_retry = said;
        f.target = Some((id, "a".into()));
        assert_eq!(walk.fail(f, None, &policy, ground), next);
    }
    assert!(!ground.rests(TargetId(0)));
}

#[tokio::test(start_paused = true)]
async fn jitter_never_uses_up_the_time_that_a_hint_leaves() {
    for _ in 0..50 {
        let b = bench(limited(9500), good()).within(10_000);
        assert!(b.run(&retry(leaf(0), 3)).await.is_ok());
        let b = bench(good(), good()).within(5000);
        b.engine.targets[0].health.cool(ms(4900));
        assert!(b.run(&leaf(0)).await.is_ok());
    }
}

#[tokio::test(start_paused = true)]
async fn under_min_attempt_the_end_of_a_plan_is_504_too() {
    let mut b = bench(
        vec![vec![Wait(600), Fail(Code::EmptyResponse, None)]],
        good(),
    )
    .within(1000);
    b.policy.min_attempt = ms(500);
    let f = b.run(&retry(leaf(0), 3)).await.unwrap_err();
    assert_eq!(
        (f.code, f.reason),
        (Code::DeadlineExceeded, Some("below_min_attempt"))
    );
    let mut b = bench(
        vec![vec![Wait(600), Fail(Code::InvalidRequest, None)]],
        good(),
    )
    .within(1000);
    b.policy.min_attempt = ms(500);
    assert_eq!(
        b.run(&leaf(0)).await.unwrap_err().code,
        Code::InvalidRequest,
        "nothing could have followed"
    );
}
