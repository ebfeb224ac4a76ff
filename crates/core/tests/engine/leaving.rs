use crate::support::*;
use punctual_core::*;
use std::{panic::AssertUnwindSafe, sync::Arc};
use tokio::time::{Instant, sleep, timeout};

/// Drops the request after `at` and says what was recorded.
async fn leave(b: &Bench, plan: &Arc<Plan>, at: u64) -> Report {
    let left = timeout(ms(at), b.run(plan)).await;
    assert!(left.is_err(), "it was still running");
    let report = b.lines.report();
    assert!(b.idle(), "nothing of it remains");
    report
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_leaves_ends_everything_in_every_phase() {
    let narrow = || {
        Lane::new(LaneLimits {
            max_concurrency: 1,
            max_queue: 5,
            shed: Shed::Expired,
        })
    };
    let hang = |acts: Vec<Act>| Bench::new(vec![(none(), vec![acts]), (none(), good())]);
    let plan = fallback([leaf(0), leaf(1)]);
    for (acts, phase) in [
        (vec![Hang], Phase::Connecting),
        (vec![Connected, Hang], Phase::AwaitingHeaders),
        (vec![Head, Role, Hang], Phase::AwaitingContent),
        (vec![Head, Text("x"), Hang], Phase::Streaming),
    ] {
        let b = hang(acts);
        let report = leave(&b, &plan, 100).await;
        assert_eq!(
            (report.outcome, report.reason, report.phase),
            (Some(Outcome::Cancelled), Some(Reason::Gone), phase)
        );
        assert_eq!(report.status, Some(499));
        assert_eq!((b.order().as_str(), report.attempts.len()), ("a", 1));
        assert_eq!(report.error_type(), Some("client_disconnected"));
        assert_eq!(b.engine.targets[0].health.state(), "closed");
    }
    let b = hang(vec![Hang]).edit(|t| t[0].lane = narrow());
    let held = b.engine.targets[0].lane.try_admit().unwrap();
    let left = timeout(ms(100), b.run(&leaf(0))).await;
    assert!(left.is_err());
    let report = b.lines.report();
    assert_eq!(
        (report.phase, report.queue_waits[0].refused),
        (Phase::Queued, Some("cancelled"))
    );
    drop(held);
    assert!(b.idle());
    let b = Bench::new(vec![(none(), always(Code::EmptyResponse))]);
    let report = loop {
        // the drawn pause may be shorter than the caller's patience: then ask again
        let b = Bench::new(vec![(none(), always(Code::EmptyResponse))]);
        if timeout(ms(100), b.run(&retry_after(leaf(0), 3, 3_600_000)))
            .await
            .is_err()
        {
            break b.lines.report();
        }
    };
    assert_eq!((report.phase, report.backoffs.len()), (Phase::Backoff, 1));
    assert!(b.idle());
}

#[tokio::test(start_paused = true)]
async fn a_panic_is_one_failed_outcome_and_returns_the_permit() {
    let b = Bench::new(vec![(none(), vec![vec![Panic]])]);
    let plan = leaf(0);
    let caught = CatchUnwind(Box::pin(b.run(&plan))).await;
    assert!(caught.is_err());
    let report = b.lines.report();
    assert_eq!(
        (report.outcome, report.error_type()),
        (Some(Outcome::Failed), Some("internal"))
    );
    assert!(b.idle());
}

struct CatchUnwind<F>(std::pin::Pin<Box<F>>);

impl<F: Future> Future for CatchUnwind<F> {
    type Output = Result<F::Output, ()>;
    fn poll(
        mut self: std::pin::Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Self::Output> {
        match std::panic::catch_unwind(AssertUnwindSafe(|| self.0.as_mut().poll(cx))) {
            Ok(poll) => poll.map(Ok),
            Err(_) => std::task::Poll::Ready(Err(())),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_parts_of_a_request_add_up() {
    let b = Bench::new(vec![(
        none(),
        vec![
            vec![Wait(100), Fail(Code::ServerError, None)],
            vec![Wait(30), Head, Text("x"), Wait(70), Stop],
        ],
    )]);
    let _ = b.run(&retry_after(leaf(0), 2, 500)).await.unwrap();
    let r = b.lines.report();
    let parts = r.receive + r.queue + r.attempt + r.backoff + r.send();
    assert!(
        r.elapsed.abs_diff(parts) <= ms(5),
        "{:?} {parts:?}",
        r.elapsed
    );
    assert_eq!(r.attempts.len(), 2);
    assert_eq!(
        r.queue_waits.len(),
        2,
        "one wait per admission, also when it took no time"
    );
    assert_eq!(r.attempts[1].first_content.unwrap(), ms(30));
}

#[tokio::test(start_paused = true)]
async fn a_permit_is_back_before_a_unary_answer_is_written_and_during_a_backoff() {
    let b = Bench::new(vec![(none(), good())]).unary();
    let Ok(open) = b.open(&leaf(0)).await else {
        panic!("no answer")
    };
    assert_eq!(b.engine.targets[0].lane.in_use(), 0);
    drop(open);
    let b = Bench::new(vec![(
        none(),
        vec![vec![Fail(Code::EmptyResponse, None)], vec![Hang]],
    )]);
    let plan = retry_after(leaf(0), 2, 3_600_000);
    let lane = b.engine.targets[0].lane.clone();
    tokio::select! {
        _ = b.run(&plan) => panic!("still backing off"),
        () = async { sleep(ms(1)).await; } => assert_eq!(lane.in_use(), 0),
    }
}

#[tokio::test(start_paused = true)]
async fn a_permit_is_back_at_the_upstreams_last_byte_whatever_is_still_made_of_it() {
    for stream in [false, true] {
        let first = match stream {
            false => vec![Head, Wait(10), Read, Busy(100), Text("x;"), Eof],
            true => vec![Head, Text("x;"), Wait(10), Read, Busy(100), Stop, Eof],
        };
        let targets = vec![(none(), vec![first, vec![Head, Text("y;"), Stop, Eof]])];
        let one = LaneLimits {
            max_concurrency: 1,
            ..LaneLimits::default()
        };
        let mut b = Bench::new(targets).edit(|t| t[0].lane = Lane::new(one));
        b.stream = stream;
        let (plan, start) = (leaf(0), Instant::now());
        let ended = async || b.run(&plan).await.map(|_| start.elapsed().as_millis());
        let (made, next) = tokio::join!(ended(), ended());
        assert!(made.unwrap() >= 109, "still worked on");
        let next = next.unwrap();
        assert!((9..=12).contains(&next), "{next} ms, streamed {stream}");
        assert!(b.idle());
    }
}

/// Polls `n` frames of a stream and drops it.
async fn read_and_leave(b: &Bench, n: usize) -> Report {
    let Ok(open) = b.open(&leaf(0)).await else {
        panic!("no answer")
    };
    let mut relay = Relay::answer(open, Arc::new(Text_), Pace::default());
    for _ in 0..n {
        let _ = std::future::poll_fn(|cx| {
            http_body::Body::poll_frame(std::pin::Pin::new(&mut relay), cx)
        })
        .await;
    }
    drop(relay);
    assert!(b.idle());
    b.lines.report()
}

#[tokio::test(start_paused = true)]
async fn what_was_delivered_before_the_caller_left_stays_on_record() {
    let b = Bench::new(vec![(
        none(),
        vec![vec![
            Head,
            Text("a;"),
            Text("b;"),
            Wait(10),
            Text("c;"),
            Hang,
        ]],
    )]);
    let report = read_and_leave(&b, 2).await;
    assert_eq!(
        (report.outcome, report.reason),
        (Some(Outcome::Cancelled), Some(Reason::Gone))
    );
    assert_eq!(report.attempts[0].content_events, 2);
    assert_eq!(report.attempts[0].failed, None);
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_leaves_with_the_end_in_hand_was_served() {
    let script = vec![Head, Text("a;"), Stop, Done, Hang];
    let b = Bench::new(vec![(none(), vec![script.clone()])]);
    let report = read_and_leave(&b, 3).await;
    assert_eq!(report.outcome, Some(Outcome::Ok));
    assert!(report.attempts[0].completed);
    let b = Bench::new(vec![(none(), vec![script])]);
    assert_eq!(
        read_and_leave(&b, 1).await.outcome,
        Some(Outcome::Cancelled),
        "the end was not yet in hand"
    );
}
