//! A member's own time runs out.

use crate::support::*;
use punctual::{Code, Fallback, RoundRobin, Timeouts};

/// A member that is silent, its clock of 100 ms, and the clock's name, for whole answers and for streams.
fn silent(log: &Log, name: &'static str, stream: bool) -> Vec<(Fake, &'static str)> {
    let quick = ms(100);
    let silent = fake(log, name, &[&[Hang]]);
    let mut cells = vec![(silent.clone().within(quick), "timeout")];
    match stream {
        true => cells.push((
            silent.within(Timeouts::none().first_token(quick)),
            "first_token_timeout",
        )),
        false => cells.push((
            silent.within(Timeouts::none().unary(quick)),
            "unary_timeout",
        )),
    }
    cells
}

#[tokio::test(start_paused = true)]
async fn a_members_own_timeout_is_a_failed_attempt_in_retry_and_fallback() {
    let log = Log::default();
    for stream in [false, true] {
        for (a, clock) in silent(&log, "a", stream) {
            let came = ask(&Fallback::new((a.clone(), good(&log, "b"))), &hi(), stream).await;
            assert_eq!((came.text(), order(&log).as_str()), ("b", "ab"), "{clock}");
            assert!(
                came.took >= ms(99) && came.took < ms(110),
                "{:?}",
                came.took
            );

            let came = ask(&retry(a.clone(), 3), &hi(), stream).await;
            assert_eq!(order(&log), "aaa");
            let timeout = came.error().timeout().unwrap();
            assert_eq!(timeout.timeout_type, clock);

            let nested = Fallback::new((retry(a, 2), good(&log, "b")));
            assert_eq!(ask(&nested, &hi(), stream).await.text(), "b");
            assert_eq!(order(&log), "aab");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_timeout_after_the_first_content_is_terminal() {
    let log = Log::default();
    for clocks in [
        Timeouts::none().stream_token(ms(100)),
        Timeouts::none().total(ms(100)),
    ] {
        let a = fake(&log, "a", &[&[Text("x"), Hang]]).within(clocks);
        let plan = Fallback::new((retry(a, 3), good(&log, "b")));
        let came = ask(&plan, &hi(), true).await;
        assert_eq!(
            (came.error().kind(), order(&log).as_str()),
            (Code::Timeout, "a")
        );
        assert_eq!(came.records.len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn round_robin_does_not_fail_over() {
    let log = Log::default();
    for stream in [false, true] {
        for (a, _) in silent(&log, "a", stream) {
            let came = ask(&RoundRobin::new((a, good(&log, "b"))), &hi(), stream).await;
            assert_eq!(
                (came.error().kind(), order(&log).as_str()),
                (Code::Timeout, "a")
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn with_nothing_left_the_last_members_timeout_surfaces_with_all_about_it() {
    let log = Log::default();
    for stream in [false, true] {
        let a = bad(&log, "a", Code::ServerError);
        for (b, clock) in silent(&log, "b", stream) {
            let came = ask(&Fallback::new((a.clone(), b)), &hi(), stream).await;
            let (error, timeout) = (came.error(), came.error().timeout().unwrap());
            assert_eq!((error.code(), timeout.timeout_type), ("timeout", clock));
            assert_eq!(timeout.configured, ms(100));
            assert!(timeout.elapsed >= ms(99) && timeout.elapsed < ms(110));
            assert!(error.may_be_tried_again());
            order(&log);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_member_can_opt_out_of_replay_after_a_timeout() {
    let log = Log::default();
    for stream in [false, true] {
        for (a, _) in silent(&log, "a", stream) {
            let plan = Fallback::new((retry(a.once(), 3), good(&log, "b")));
            let came = ask(&plan, &hi(), stream).await;
            assert_eq!(
                (came.error().kind(), order(&log).as_str()),
                (Code::Timeout, "a")
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_calls_timeouts_replace_the_clients_for_that_call() {
    let log = Log::default();
    for stream in [false, true] {
        let a = fake(&log, "a", &[&[Wait(500), Text("a"), End]]).within(ms(100));
        assert!(ask(&a, &hi(), stream).await.result.is_err());
        let call = hi().timeouts(ms(800));
        assert_eq!(ask(&a, &call, stream).await.text(), "a");
        assert_eq!(ask(&a, &hi(), stream).await.error().kind(), Code::Timeout);
        let call = hi().timeouts(ms(50));
        let timeout = ask(&a, &call, stream).await.error().timeout().unwrap();
        assert_eq!(timeout.configured, ms(50));
    }
}

#[tokio::test(start_paused = true)]
async fn in_full_size_a_second_against_three_moves_on_in_a_second() {
    let log = Log::default();
    for stream in [false, true] {
        let a = fake(&log, "a", &[&[Wait(3000), Text("a"), End]]).within(ms(1000));
        let came = ask(&Fallback::new((a.clone(), good(&log, "b"))), &hi(), stream).await;
        assert!(
            came.took >= ms(999) && came.took < ms(1050),
            "{:?}",
            came.took
        );
        let came = ask(&punctual::Retry::new(a, 3), &hi(), stream).await;
        // backoffs are drawn below 250 and 500 ms
        assert!(
            came.took >= ms(2995) && came.took < ms(3800),
            "{:?}",
            came.took
        );
        assert_eq!((came.records.len(), order(&log).as_str()), (3, "abaaa"));
    }
}
