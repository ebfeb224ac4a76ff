use crate::support::*;
use punctual_core::*;
use std::sync::Arc;
use tokio::time::Instant;

fn one(script: Vec<Act>) -> Bench {
    Bench::new(vec![(none(), vec![script]), (none(), good())])
}

async fn both(script: Vec<Act>) -> (Bench, Result<String, Box<Failure>>) {
    let b = one(script);
    let r = b.run(&fallback([leaf(0), leaf(1)])).await;
    (b, r)
}

#[tokio::test(start_paused = true)]
async fn every_data_event_of_the_winner_is_delivered_and_comments_of_the_preamble_are_not() {
    let (_, r) = both(vec![
        Head,
        Comment,
        Role,
        Comment,
        Role,
        Text("x;"),
        Comment,
        Stop,
        Done,
    ])
    .await;
    assert_eq!(r.unwrap(), "role;role;x;: c\nstop;[DONE]");
}

#[tokio::test(start_paused = true)]
async fn an_error_or_end_before_content_fails_over() {
    for script in [
        vec![Head, Role, Error(Code::Overloaded)],
        vec![Head, Role, Eof],
        vec![Head, Role, Stop, Done],
        vec![Head, Done],
        vec![Head, Fail(Code::Truncated, None)],
    ] {
        let (b, r) = both(script.clone()).await;
        assert_eq!(
            (r.unwrap().as_str(), b.order().as_str()),
            ("role;hi;stop;[DONE]", "ab"),
            "{script:?}"
        );
        let report = b.lines.report();
        let said: Vec<_> = report.attempts.iter().map(|a| a.status).collect();
        assert_eq!(
            said,
            [Some(200), Some(200)],
            "as the heads said: {script:?}"
        );
        assert!(b.idle());
    }
}

#[tokio::test(start_paused = true)]
async fn after_content_every_failure_is_one_error_event_and_no_end_marker() {
    for (last, code) in [
        (Error(Code::ServerError), "server_error"),
        (Eof, "truncated"),
        (Fail(Code::ResponseTooLarge, None), "response_too_large"),
    ] {
        let (b, r) = both(vec![Head, Text("x;"), last]).await;
        let got = r.unwrap();
        assert_eq!(got, format!("x;<error {code}>"));
        assert_eq!(b.lines.report().delivered_bytes, got.len() as u64);
        assert_eq!(
            (b.order().as_str(), b.lines.report().outcome),
            ("a", Some(Outcome::Truncated))
        );
        assert!(b.idle());
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_without_content_is_one_when_it_says_why() {
    let (b, r) = both(vec![Head, Role, Length, Done]).await;
    assert_eq!(
        (r.unwrap().as_str(), b.order().as_str()),
        ("role;length;[DONE]", "a")
    );
    let report = b.lines.report();
    assert!(report.committed.is_some() && report.first_content().is_none());
    assert_eq!(report.attempts[0].first_content, None);
    let b = one(vec![Head, Role, Stop, Done]).edit(|t| t[0].allow_empty = true);
    assert_eq!(b.run(&leaf(0)).await.unwrap(), "role;stop;[DONE]");
}

#[tokio::test(start_paused = true)]
async fn a_missing_end_marker_is_added_after_a_true_end_and_a_second_one_dropped() {
    let (_, r) = both(vec![Head, Text("x;"), Stop]).await;
    assert_eq!(r.unwrap(), "x;stop;[DONE]");
    let (_, r) = both(vec![Head, Text("x;"), Stop, Done, Text("y;"), Done]).await;
    assert_eq!(r.unwrap(), "x;stop;[DONE]y;");
}

#[tokio::test(start_paused = true)]
async fn after_its_end_a_stream_goes_on_to_eof_or_a_second_of_silence() {
    let (b, r) = both(vec![Head, Text("x;"), Stop, Wait(900), Role, Hang]).await;
    assert_eq!(r.unwrap(), "x;stop;role;[DONE]");
    assert_eq!(b.lines.report().outcome, Some(Outcome::Ok));
    let (b, r) = both(vec![Head, Text("x;"), Stop, Fail(Code::Truncated, None)]).await;
    assert_eq!(
        (r.unwrap().as_str(), b.lines.report().outcome),
        ("x;stop;[DONE]", Some(Outcome::Ok))
    );
}

#[tokio::test(start_paused = true)]
async fn work_on_what_came_is_no_silence() {
    let (b, r) = both(vec![Head, Text("x;"), Stop, Busy(1500), Role, Hang]).await;
    assert_eq!(r.unwrap(), "x;stop;role;[DONE]");
    assert_eq!(b.lines.report().outcome, Some(Outcome::Ok));
    // and what is not told yet is not complete
    let b = one(vec![Head, Text("x;"), Stop, Busy(1000), Role, Hang]).within(500);
    let open = b.open(&leaf(0)).await.ok().unwrap();
    let vigil = Vigil::default();
    let relay = Relay::answer(open, Arc::new(Text_), Pace::default());
    vigil.watch(relay.watched());
    let text = tokio::select! {
        text = read(relay) => text,
        () = vigil.run(|| among(0)) => unreachable!(),
    };
    assert_eq!(text, "x;stop;<error request_deadline_exceeded>");
}

#[tokio::test(start_paused = true)]
async fn a_route_may_wait_for_text_and_fail_over_during_reasoning() {
    let mut b = one(vec![Head, Reasoning("hm;"), Error(Code::Overloaded)]);
    b.policy.commit_on = CommitOn::Text;
    assert_eq!(
        b.run(&fallback([leaf(0), leaf(1)])).await.unwrap(),
        "role;hi;stop;[DONE]"
    );
    let (_, r) = both(vec![Head, Reasoning("hm;"), Error(Code::Overloaded)]).await;
    assert_eq!(r.unwrap(), "hm;<error overloaded>");
}

#[tokio::test(start_paused = true)]
async fn a_preamble_beyond_its_bound_commits_early_and_never_fails() {
    let mut b = one([vec![Head], vec![Role; 20], vec![Text("x;"), Stop]].concat());
    b.policy.hold_back_events = 8;
    let got = b.run(&leaf(0)).await.unwrap();
    assert_eq!(got, format!("{}x;stop;[DONE]", "role;".repeat(20)));
    assert_eq!(b.lines.report().committed_by, Some("holdback_full"));
}

fn opening(b: &Bench, plan: &Arc<Plan>, pace: Pace) -> Relay<Exchange> {
    let (call, mut record) = b.call(plan);
    let fate = record.fate();
    fate.head_sent(http::StatusCode::OK);
    let ends_at = call.deadline.at();
    let opening = Box::pin(punctual_core::open(b.engine.clone(), call, record));
    Relay::opening(opening, fate, ends_at, Arc::new(Text_), pace)
}

fn every(n: u64) -> Pace {
    Pace {
        heartbeat: Some(ms(n)),
        stall: None,
    }
}

#[tokio::test(start_paused = true)]
async fn failover_survives_heartbeats() {
    let b = Bench::new(vec![(first_token(350), vec![vec![Hang]]), (none(), good())]);
    let got = read(opening(&b, &fallback([leaf(0), leaf(1)]), every(100))).await;
    assert_eq!(got, "<beat><beat><beat><beat>role;hi;stop;[DONE]");
    let report = b.lines.report();
    assert_eq!(
        (report.outcome, report.status, report.heartbeats),
        (Some(Outcome::Ok), Some(200), 4)
    );
}

#[tokio::test(start_paused = true)]
async fn after_a_heartbeat_a_failure_is_one_error_event() {
    let b = Bench::new(vec![(
        none(),
        vec![vec![Wait(150), Fail(Code::ServerError, None)]],
    )]);
    let got = read(opening(&b, &leaf(0), every(100))).await;
    assert_eq!(got, "<beat><beat><error server_error>");
    let report = b.lines.report();
    let event = "<error server_error>".len() as u64;
    assert_eq!(report.delivered_bytes, event, "without heartbeats");
    assert_eq!(
        (report.outcome, report.status),
        (Some(Outcome::Failed), Some(200))
    );
}

#[tokio::test(start_paused = true)]
async fn heartbeats_go_on_after_the_commit_between_events() {
    let b = one(vec![Head, Text("x;"), Wait(250), Text("y;"), Stop, Eof]);
    let Ok(open) = b.open(&leaf(0)).await else {
        panic!("no answer")
    };
    let got = read(Relay::answer(open, Arc::new(Text_), every(100))).await;
    assert_eq!(got, "x;<beat><beat>y;stop;[DONE]");
}

/// Reads `n` frames and then never again, with the vigil beside it.
async fn stop_reading(relay: &mut Relay<Exchange>, n: usize, vigil: &Vigil) -> std::time::Duration {
    let start = Instant::now();
    vigil.watch(relay.watched());
    for _ in 0..n {
        let _ = std::future::poll_fn(|cx| {
            http_body::Body::poll_frame(std::pin::Pin::new(&mut *relay), cx)
        })
        .await;
    }
    vigil.run(|| among(0)).await;
    start.elapsed()
}

#[tokio::test(start_paused = true)]
async fn the_deadline_holds_for_a_caller_that_stopped_reading() {
    let b = one(vec![Head, Text("x;"), Text("y;"), Hang]).within(1000);
    let Ok(open) = b.open(&leaf(0)).await else {
        panic!("no answer")
    };
    let mut relay = Relay::answer(open, Arc::new(Text_), Pace::default());
    let vigil = Vigil::default();
    let took = stop_reading(&mut relay, 1, &vigil).await;
    assert!(
        took >= ms(1998) && took <= ms(2003),
        "one second, and one for the last words: {took:?}"
    );
    let report = b.lines.report();
    assert_eq!(
        (report.outcome, report.phase),
        (Some(Outcome::DeadlineExceeded), Phase::Streaming)
    );
    assert!(report.elapsed <= ms(1002), "{:?}", report.elapsed);
    assert!(
        b.idle(),
        "upstream and permit are back although nobody read"
    );
    assert_eq!(
        read(relay).await,
        "<error request_deadline_exceeded>",
        "the last event is still well formed"
    );
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_takes_nothing_is_cancelled_as_stalled_without_a_mark_on_the_target() {
    let b = one(vec![Head, Text("x;"), Text("y;"), Hang]);
    let Ok(open) = b.open(&leaf(0)).await else {
        panic!("no answer")
    };
    let mut relay = Relay::answer(
        open,
        Arc::new(Text_),
        Pace {
            heartbeat: None,
            stall: Some(ms(1000)),
        },
    );
    let vigil = Vigil::default();
    let took = stop_reading(&mut relay, 1, &vigil).await;
    assert!(took >= ms(999) && took <= ms(2002), "{took:?}");
    let report = b.lines.report();
    assert_eq!(
        (report.outcome, report.reason),
        (Some(Outcome::Cancelled), Some(Reason::Stalled))
    );
    assert!(b.idle());
    assert_eq!(b.engine.targets[0].health.state(), "closed");
}

#[tokio::test(start_paused = true)]
async fn the_deadline_ends_a_plan_behind_heartbeats_with_one_event() {
    let b = Bench::new(vec![(none(), vec![vec![Hang]])]).within(1000);
    let relay = opening(&b, &leaf(0), every(300));
    let vigil = Vigil::default();
    vigil.watch(relay.watched());
    let (got, ()) = tokio::join!(read(relay), async {
        tokio::select! { () = vigil.run(|| among(0)) => {}, () = tokio::time::sleep(ms(3000)) => {} }
    });
    assert_eq!(
        got,
        "<beat><beat><beat><beat><error request_deadline_exceeded>"
    );
    let report = b.lines.report();
    let event = "<error request_deadline_exceeded>".len() as u64;
    assert_eq!(report.delivered_bytes, event, "without heartbeats");
    assert_eq!(
        (report.outcome, report.attempts.len()),
        (Some(Outcome::DeadlineExceeded), 1)
    );
    assert!(b.idle());
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_ends_a_stream_with_its_own_error() {
    let b = one(vec![Head, Text("x;"), Hang]);
    let Ok(open) = b.open(&leaf(0)).await else {
        panic!("no answer")
    };
    let relay = Relay::answer(open, Arc::new(Text_), Pace::default());
    let vigil = Vigil::default();
    vigil.watch(relay.watched());
    let (got, ()) = tokio::join!(read(relay), async {
        tokio::time::sleep(ms(100)).await;
        vigil.drain();
    });
    assert_eq!(got, "x;<error shutting_down>");
    assert_eq!(b.lines.report().outcome, Some(Outcome::Shutdown));
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_stopped_does_not_end_its_neighbours() {
    let b = one(vec![Head, Text("x;"), Text("y;"), Hang]);
    let Ok(open) = b.open(&leaf(0)).await else {
        panic!("no answer")
    };
    let mut relay = Relay::answer(
        open,
        Arc::new(Text_),
        Pace {
            heartbeat: None,
            stall: Some(ms(1000)),
        },
    );
    let vigil = Vigil::default();
    vigil.watch(relay.watched());
    let _ =
        std::future::poll_fn(|cx| http_body::Body::poll_frame(std::pin::Pin::new(&mut relay), cx))
            .await;
    let others = std::cell::Cell::new(2);
    let start = Instant::now();
    tokio::select! {
        () = vigil.run(|| among(others.get())) => assert!(start.elapsed() >= ms(5000), "{:?}", start.elapsed()),
        () = async {
            tokio::time::sleep(ms(5000)).await;
            others.set(0);
            tokio::time::sleep(ms(3000)).await;
        } => panic!("the connection was kept for nobody"),
    }
    assert!(b.idle());
}

#[tokio::test(start_paused = true)]
async fn a_server_that_goes_on_taking_frames_hides_no_stall() {
    let b = one([Head]
        .into_iter()
        .chain((0..200).flat_map(|_| [Text("x;"), Wait(100)]))
        .collect());
    let Ok(open) = b.open(&leaf(0)).await else {
        panic!("no answer")
    };
    let pace = Pace {
        heartbeat: None,
        stall: Some(ms(1000)),
    };
    let mut relay = Relay::answer(open, Arc::new(Text_), pace);
    let vigil = Vigil::default();
    vigil.watch(relay.watched());
    let start = Instant::now();
    let blocked_since = Some(start + ms(1500));
    let standing = || Standing {
        requests: 1,
        blocked_since: blocked_since.filter(|at| *at <= Instant::now()),
    };
    tokio::select! {
        () = vigil.run(standing) => {}
        () = async { while relay_frame(&mut relay).await {} std::future::pending().await } => {}
    }
    let took = start.elapsed();
    assert!(took >= ms(2498) && took <= ms(2503), "{took:?}");
    assert_eq!(b.lines.report().reason, Some(Reason::Stalled));
}

async fn relay_frame(relay: &mut Relay<Exchange>) -> bool {
    let mut relay = std::pin::Pin::new(relay);
    std::future::poll_fn(|cx| http_body::Body::poll_frame(relay.as_mut(), cx))
        .await
        .is_some()
}

#[tokio::test(start_paused = true)]
async fn a_short_answer_that_is_never_taken_is_stalled_too() {
    let b = one(vec![]);
    let mut relay =
        Relay::<Exchange>::whole("{}".into(), b.record(Deadline::starting(Instant::now())))
            .with_stall(Some(ms(1000)));
    let vigil = Vigil::default();
    let took = stop_reading(&mut relay, 1, &vigil).await;
    assert!(took >= ms(999) && took <= ms(1003), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn a_response_that_begins_during_a_shutdown_is_told() {
    let b = one(vec![Head, Text("x;"), Hang]);
    let vigil = Vigil::default();
    vigil.drain();
    let Ok(open) = b.open(&leaf(0)).await else {
        panic!("no answer")
    };
    let relay = Relay::answer(open, Arc::new(Text_), Pace::default());
    vigil.watch(relay.watched());
    assert_eq!(read(relay).await, "<error shutting_down>");
}

#[derive(Debug, Default)]
struct Budget(std::sync::Mutex<(usize, usize)>);

impl Room for Budget {
    fn take(&self, bytes: usize) -> bool {
        let mut b = self.0.lock().unwrap();
        let fits = b.0 + bytes <= 128 << 10;
        b.0 += if fits { bytes } else { 0 };
        b.1 = b.1.max(b.0);
        fits
    }
    fn give(&self, bytes: usize) {
        self.0.lock().unwrap().0 -= bytes;
    }
}

#[tokio::test(start_paused = true)]
async fn a_preamble_beyond_the_processs_memory_commits_early_and_gives_it_back() {
    let big: &'static str = Box::leak("p".repeat(50_000).into_boxed_str());
    let budget = Arc::new(Budget::default());
    let mut b = one([vec![Head], vec![Preamble(big); 5], vec![Text("x;"), Stop]].concat());
    b.room = Some(budget.clone());
    let got = b.run(&leaf(0)).await.unwrap();
    assert_eq!(got, format!("{}x;stop;[DONE]", big.repeat(5)));
    assert_eq!(b.lines.report().committed_by, Some("holdback_full"));
    assert_eq!(*budget.0.lock().unwrap(), (0, 128 << 10));
}

#[tokio::test(start_paused = true)]
async fn a_deadline_in_the_silence_behind_a_complete_answer_ends_it_as_complete() {
    let b = one(vec![Head, Text("x;"), Stop, Hang]).within(500);
    let open = b.open(&leaf(0)).await.ok().unwrap();
    let vigil = Vigil::default();
    let relay = Relay::answer(open, Arc::new(Text_), Pace::default());
    vigil.watch(relay.watched());
    let text = tokio::select! {
        text = read(relay) => text,
        () = vigil.run(|| among(0)) => unreachable!(),
    };
    assert_eq!(text, "x;stop;[DONE]");
    let report = b.lines.report();
    assert_eq!(report.outcome, Some(Outcome::Ok));
    assert!(report.elapsed < ms(600), "{:?}", report.elapsed);
    assert!(b.idle());
}
