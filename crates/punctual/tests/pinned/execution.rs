//! The end of the run that a call belongs to.

use crate::support::*;
use punctual::{Call, Code, EXECUTION_DEADLINE_EXCEEDED, Execution, Fallback, Retry};
use std::time::Duration;

fn until(n: u64) -> Call {
    hi().deadline(Execution::within(ms(n)))
}

#[tokio::test(start_paused = true)]
async fn with_under_five_seconds_left_nothing_begins() {
    let log = Log::default();
    for stream in [false, true] {
        let came = ask(&good(&log, "a"), &until(4_900), stream).await;
        assert_eq!(
            (came.error().code(), order(&log).as_str()),
            (EXECUTION_DEADLINE_EXCEEDED, "")
        );
        assert_eq!(came.took, Duration::ZERO);
        assert_eq!(came.error().reason(), Some("below_min_attempt"));
        assert_eq!(
            ask(&good(&log, "a"), &until(5_000), stream).await.text(),
            "a"
        );
        let low = hi().deadline(Execution::within(ms(4_900)).floor(ms(100)));
        assert_eq!(ask(&good(&log, "a"), &low, stream).await.text(), "a");
        order(&log);
    }
}

#[tokio::test(start_paused = true)]
async fn no_attempt_follows_that_would_begin_under_the_floor() {
    let log = Log::default();
    for stream in [false, true] {
        let a = fake(&log, "a", &[&[Wait(2_000), Fail(Code::ServerError)]]);
        let plan = Fallback::new((retry(a, 3), good(&log, "b")));
        let came = ask(&plan, &until(6_000), stream).await;
        assert_eq!(
            (came.error().code(), order(&log).as_str()),
            (EXECUTION_DEADLINE_EXCEEDED, "a")
        );
        let last = came.error().last_upstream().unwrap();
        assert_eq!((last.failed, last.number), (Some(Code::ServerError), 1));
        assert!(came.error().to_string().contains("server_error"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_hint_that_does_not_fit_is_not_slept_and_the_refusal_is_carried_along() {
    let log = Log::default();
    for stream in [false, true] {
        let a = fake(&log, "a", &[&[Hint(Code::Overloaded, 60_000)]]);
        let call = hi().deadline(Execution::within(ms(700)).floor(ms(100)));
        let came = ask(&Retry::new(a, 3), &call, stream).await;
        assert_eq!(came.error().code(), EXECUTION_DEADLINE_EXCEEDED);
        assert!(came.took < ms(701), "{:?}", came.took);
        assert_eq!(
            came.error().last_upstream().unwrap().failed,
            Some(Code::Overloaded)
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_is_clamped_in_total_and_not_by_piece() {
    let log = Log::default();
    let drip: Vec<Act> = (0..1000).flat_map(|_| [Text("x"), Wait(50)]).collect();
    let came = ask(&fake(&log, "a", &[&drip]), &until(6_000), true).await;
    assert_eq!(came.error().code(), EXECUTION_DEADLINE_EXCEEDED);
    assert!(
        came.took >= ms(5_999) && came.took < ms(6_010),
        "{:?}",
        came.took
    );
    let timeout = came.error().timeout().unwrap();
    assert_eq!(
        (timeout.timeout_type, timeout.configured),
        ("limit", ms(6_000))
    );
}

#[tokio::test(start_paused = true)]
async fn a_limit_of_the_call_is_no_end_of_the_run_and_has_no_floor() {
    let log = Log::default();
    for stream in [false, true] {
        let call = until(60_000).limit(ms(300));
        assert_eq!(ask(&good(&log, "a"), &call, stream).await.text(), "a");
        let came = ask(&fake(&log, "a", &[&[Hang]]), &call, stream).await;
        assert_eq!(came.error().code(), "request_deadline_exceeded");
        // the run has less than its floor left, however short the call's own limit is
        let came = ask(&good(&log, "a"), &until(3_000).limit(ms(300)), stream).await;
        assert!(came.result.is_err());
    }
}

#[tokio::test(start_paused = true)]
async fn a_scope_binds_what_is_awaited_in_it_and_only_tightens() {
    let log = Log::default();
    for stream in [false, true] {
        let hung = fake(&log, "a", &[&[Hang]]);
        let call = until(3_600_000);
        let came = Execution::within(ms(7_000))
            .scope(ask(&hung, &call, stream))
            .await;
        assert_eq!(came.error().code(), EXECUTION_DEADLINE_EXCEEDED);
        assert!(came.took < ms(7_010), "{:?}", came.took);
    }
    assert_eq!(Execution::remaining(), None);
}
