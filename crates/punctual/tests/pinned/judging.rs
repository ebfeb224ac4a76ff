//! What a program says of a failure.

use crate::support::*;
use punctual::{Code, Fallback, Safe};

#[tokio::test(start_paused = true)]
async fn a_judge_judges_typed_failures_and_timeouts_only_if_it_asks_to() {
    let log = Log::default();
    for stream in [false, true] {
        let never = |client: Fake| retry(client, 3).retry_if(|_| false);
        ask(&never(bad(&log, "a", Code::ServerError)), &hi(), stream).await;
        assert_eq!(order(&log), "a");
        let silent = fake(&log, "a", &[&[Hang]]).within(ms(50));
        ask(&never(silent.clone()), &hi(), stream).await;
        assert_eq!(order(&log), "aaa");
        ask(&never(silent).judging_timeouts(), &hi(), stream).await;
        assert_eq!(order(&log), "a");
    }
}

#[tokio::test(start_paused = true)]
async fn a_judge_sees_what_failed_and_can_have_a_refusal_retried() {
    let log = Log::default();
    for stream in [false, true] {
        let a = fake(
            &log,
            "a",
            &[&[Status(Code::InvalidRequest, 422)], &[Text("a"), End]],
        );
        let plan = retry(a, 2).retry_if(|failed| failed.status_code().is_some_and(|s| s == 422));
        assert_eq!(ask(&plan, &hi(), stream).await.text(), "a");
        assert_eq!(order(&log), "aa");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_not_known_to_be_safe_and_bugs_stop_everywhere() {
    let log = Log::default();
    for stream in [false, true] {
        for act in [
            Unsafe(Code::ServerError, Safe::Unknown),
            Unsafe(Code::ServerError, Safe::No),
            Fail(Code::Internal),
        ] {
            let a = fake(&log, "a", &[std::slice::from_ref(&act)]);
            let plan = Fallback::new((retry(a, 3).retry_if(|_| true), good(&log, "b")));
            let came = ask(&plan, &hi(), stream).await;
            assert_eq!(order(&log), "a", "{act:?}");
            assert!(!came.error().may_be_tried_again());
        }
        let a = fake(&log, "a", &[&[Unsafe(Code::ServerError, Safe::Yes)]]);
        assert_eq!(
            ask(&Fallback::new((a, good(&log, "b"))), &hi(), stream)
                .await
                .text(),
            "b"
        );
        order(&log);
    }
}

#[tokio::test(start_paused = true)]
async fn only_what_was_named_is_retried() {
    let log = Log::default();
    for stream in [false, true] {
        let only = |code| retry(bad(&log, "a", code), 2).only_on([Code::RateLimited]);
        ask(&only(Code::RateLimited), &hi(), stream).await;
        assert_eq!(order(&log), "aa");
        ask(&only(Code::ServerError), &hi(), stream).await;
        assert_eq!(order(&log), "a");
    }
}
