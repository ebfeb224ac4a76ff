//! Calls that only their maker can serve, targets that cannot serve a call, and bodies that have no words for
//! a failure.

use crate::support::*;
use bytes::Bytes;
use punctual_core::*;
use std::sync::Arc;

fn bound(bond: Bond, a: Vec<Act>) -> Bench {
    let targets = vec![(none(), vec![a]), (none(), good()), (none(), good())];
    Bench::new(targets).upstream(|u| u.bond = bond)
}

fn to(ids: &[u16]) -> Bond {
    Bond::To(ids.iter().map(|id| TargetId(*id)).collect())
}

#[tokio::test(start_paused = true)]
async fn a_bound_call_goes_to_its_maker_and_nowhere_else() {
    let b = bound(to(&[1]), vec![Head, Text("a"), Stop]);
    let plan = fallback([leaf(0), turns([leaf(2), leaf(1)])]);
    assert_eq!(b.run(&plan).await.unwrap(), "role;hi;stop;[DONE]");
    assert_eq!(b.order(), "b");
}

#[tokio::test(start_paused = true)]
async fn a_bound_call_is_retried_and_never_failed_over() {
    let b = bound(to(&[0]), vec![Fail(Code::ServerError, None)]);
    let plan = fallback([retry(leaf(0), 3), leaf(1)]);
    assert_eq!(b.run(&plan).await.unwrap_err().code, Code::ServerError);
    assert_eq!(b.order(), "aaa");
    assert!(b.idle());
}

#[tokio::test(start_paused = true)]
async fn a_maker_that_is_gone_or_not_of_this_plan_is_said_to_be_gone_and_nobody_is_asked() {
    for bond in [Bond::Lost, to(&[2])] {
        let b = bound(bond, vec![Head, Text("a"), Stop]);
        let failure = b.run(&fallback([leaf(0), leaf(1)])).await.unwrap_err();
        assert_eq!(failure.code, Code::BoundStateUnavailable);
        assert_eq!(failure.http_status(), 409);
        assert_eq!(b.order(), "");
        assert_eq!(b.lines.report().outcome, Some(Outcome::Failed));
    }
}

#[tokio::test(start_paused = true)]
async fn a_maker_that_rests_is_unavailable_with_the_time_it_has_left() {
    let limited = vec![Status(Code::RateLimited, 429, Some(60_000))];
    let b = bound(to(&[0]), limited);
    assert_eq!(b.run(&leaf(0)).await.unwrap_err().code, Code::RateLimited);
    let failure = b.run(&fallback([leaf(0), leaf(1)])).await.unwrap_err();
    assert_eq!(failure.code, Code::BoundStateUnavailable);
    assert!(failure.retry_after.is_some());
    assert_eq!(b.order(), "a");
}

#[tokio::test(start_paused = true)]
async fn a_target_that_cannot_serve_is_passed_by_before_it_is_queued_for() {
    let b = bound(Bond::Free, vec![]).upstream(|u| u.unsuited = vec![0]);
    assert!(b.run(&fallback([leaf(0), leaf(1)])).await.is_ok());
    assert_eq!(b.order(), "b");
    assert!(!b.lines.all().iter().any(|line| line.contains("queue a")));
}

#[tokio::test(start_paused = true)]
async fn what_no_target_can_serve_is_the_callers_matter_and_hides_no_real_failure() {
    let b = bound(Bond::Free, vec![]).upstream(|u| u.unsuited = vec![0, 1]);
    let failure = b.run(&fallback([leaf(0), leaf(1)])).await.unwrap_err();
    assert_eq!(
        (failure.code, failure.http_status().as_u16()),
        (Code::Unsupported, 400)
    );
    assert_eq!(b.lines.report().outcome, Some(Outcome::Rejected));

    let b =
        bound(Bond::Free, vec![Fail(Code::ServerError, None)]).upstream(|u| u.unsuited = vec![1]);
    let failure = b.run(&fallback([leaf(0), leaf(1)])).await.unwrap_err();
    assert_eq!(failure.code, Code::ServerError);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_knows_its_own_end_is_closed_with_it() {
    for acts in [
        vec![Head, Text("x;"), Stop, Eof],
        vec![Head, Text("x;"), Stop, Hang],
    ] {
        let b = bound(Bond::Free, acts).upstream(|u| u.closing = Some("end"));
        assert_eq!(b.run(&leaf(0)).await.unwrap(), "x;stop;end");
        assert_eq!(b.lines.report().outcome, Some(Outcome::Ok));
    }
}

/// Has no words for a failure.
struct Mute;

impl Voice for Mute {
    fn error_event(&self, _: &Failure, _: &Report, _: Option<u64>) -> Option<Bytes> {
        None
    }
    fn heartbeat(&self) -> Bytes {
        Bytes::new()
    }
    fn done(&self) -> Option<Bytes> {
        None
    }
}

#[tokio::test(start_paused = true)]
async fn where_there_are_no_words_for_a_failure_the_body_breaks_off() {
    let b = bound(Bond::Free, vec![Head, Text("x"), Eof]);
    let open = b.open(&leaf(0)).await.ok().unwrap();
    let mut relay = Relay::answer(open, Arc::new(Mute), Pace::default());
    let mut frame = async || {
        let relay = std::pin::Pin::new(&mut relay);
        let mut relay = relay;
        std::future::poll_fn(|cx| http_body::Body::poll_frame(relay.as_mut(), cx)).await
    };
    assert_eq!(frame().await.unwrap().unwrap().into_data().unwrap(), "x");
    assert_eq!(frame().await.unwrap().unwrap_err(), BrokenOff);
    assert!(frame().await.is_none());
    assert_eq!(b.lines.report().outcome, Some(Outcome::Truncated));
    assert!(b.idle());
}

#[tokio::test(start_paused = true)]
async fn an_error_passed_on_to_a_caller_that_stalls_is_still_its_attempts_failure() {
    let b = bound(Bond::Free, vec![Head, Text("x"), Text("y"), Hang])
        .upstream(|u| u.refused = Some(Code::ServerError));
    let open = b.open(&leaf(0)).await.ok().unwrap();
    let stall = Some(ms(1000));
    let pace = Pace {
        heartbeat: None,
        stall,
    };
    let mut relay = Relay::answer(open, Arc::new(Mute), pace);
    let vigil = Vigil::default();
    vigil.watch(relay.watched());
    std::future::poll_fn(|cx| {
        http_body::Body::poll_frame(std::pin::Pin::new(&mut relay), cx).map(drop)
    })
    .await;
    tokio::select! { () = vigil.run(|| among(0)) => {}, () = tokio::time::sleep(ms(3000)) => {} }
    let report = b.lines.report();
    assert_eq!(report.reason, Some(Reason::Stalled));
    assert_eq!(report.attempts[0].failed, Some(Code::ServerError));
}
