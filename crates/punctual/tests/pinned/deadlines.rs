//! The caller's own time is up, or the caller leaves.

use crate::support::*;
use punctual::{Call, Code, Fallback, RoundRobin};
use tokio::time::timeout;

fn limited(n: u64) -> Call {
    hi().limit(ms(n))
}

#[tokio::test(start_paused = true)]
async fn the_callers_deadline_is_never_retried_and_never_failed_over() {
    let log = Log::default();
    for stream in [false, true] {
        let a = fake(&log, "a", &[&[Hang]]);
        let last = Fallback::new((bad(&log, "x", Code::ServerError), retry(a.clone(), 3)));
        let came = ask(&last, &limited(100), stream).await;
        assert_eq!(
            (came.error().kind(), order(&log).as_str()),
            (Code::DeadlineExceeded, "xa")
        );
        let timeout = came.error().timeout().unwrap();
        assert_eq!(
            (timeout.timeout_type, timeout.configured),
            ("limit", ms(100))
        );
        assert!(timeout.elapsed >= ms(99) && timeout.elapsed < ms(110));
        assert!(!came.error().may_be_tried_again());
        let nested = retry(RoundRobin::new((a.clone(), good(&log, "b"))), 3);
        assert_eq!(
            ask(&nested, &limited(100), stream).await.error().kind(),
            Code::DeadlineExceeded
        );
        assert_eq!(order(&log), "a");
    }
}

#[tokio::test(start_paused = true)]
async fn in_the_same_instant_as_a_members_clock_the_deadline_wins() {
    let log = Log::default();
    for stream in [false, true] {
        let a = fake(&log, "a", &[&[Hang]]).within(ms(100));
        let came = ask(&retry(a, 3), &limited(100), stream).await;
        assert_eq!(
            (came.error().kind(), order(&log).as_str()),
            (Code::DeadlineExceeded, "a")
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_member_that_sees_the_deadline_first_and_says_so_is_not_failed_over() {
    let log = Log::default();
    for stream in [false, true] {
        let a = fake(&log, "a", &[&[Wait(100), Fail(Code::Timeout)]]);
        let came = ask(&retry(a, 3), &limited(100), stream).await;
        assert_eq!(
            (came.error().kind(), order(&log).as_str()),
            (Code::DeadlineExceeded, "a")
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_deadline_covers_the_whole_stream_and_every_pause() {
    let log = Log::default();
    let drip: Vec<Act> = (0..100).flat_map(|_| [Text("x"), Wait(50)]).collect();
    let came = ask(&fake(&log, "a", &[&drip]), &limited(500), true).await;
    assert_eq!(came.error().timeout().unwrap().timeout_type, "limit");
    assert!(
        came.took >= ms(499) && came.took < ms(510),
        "{:?}",
        came.took
    );
    for stream in [false, true] {
        let a = bad(&log, "a", Code::ServerError);
        let pauses = punctual::Backoff {
            initial: ms(400),
            multiplier: 1.0,
            max: ms(400),
        };
        let plan = punctual::Retry::new(a, 16).backoff(pauses);
        let came = ask(&plan, &limited(300), stream).await;
        assert!(came.took <= ms(301), "{:?}", came.took);
    }
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_leaves_ends_everything_and_nobody_is_asked_any_more() {
    let log = Log::default();
    for stream in [false, true] {
        let a = fake(&log, "a", &[&[Hang]]);
        let plan = Fallback::new((retry(a, 3), good(&log, "b")));
        let call = hi();
        assert!(timeout(ms(50), ask(&plan, &call, stream)).await.is_err());
        tokio::time::sleep(ms(5_000)).await;
        assert_eq!(order(&log), "a");
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_first_member_leaves_time_for_the_next() {
    let log = Log::default();
    for stream in [false, true] {
        let plan = Fallback::new((fake(&log, "a", &[&[Hang]]), good(&log, "b")));
        let came = ask(&plan, &limited(1000), stream).await;
        assert_eq!(
            (came.text(), came.records[0].timeout.unwrap().0.as_str()),
            ("b", "reserve")
        );
        assert!(came.took >= ms(499) && came.took < ms(510));
    }
}
