use crate::support::*;
use punctual_core::*;
use tokio::time::Instant;

fn near(start: Instant, expected: u64) {
    let took = start.elapsed().as_millis() as u64;
    assert!(
        took >= expected.saturating_sub(3) && took <= expected + 3,
        "{took} instead of {expected} ms"
    );
}

#[tokio::test(start_paused = true)]
async fn a_members_own_timeout_moves_on_streamed_and_unary() {
    for stream in [true, false] {
        let mut b = Bench::new(vec![(first_token(200), vec![vec![Hang]]), (none(), good())]);
        b.stream = stream;
        let start = Instant::now();
        assert!(b.run(&fallback([leaf(0), leaf(1)])).await.is_ok());
        near(start, 200);
        let first = &b.lines.report().attempts[0];
        assert_eq!(first.failed, Some(Code::Timeout));
        let clock = if stream {
            Clock::FirstToken
        } else {
            Clock::Unary
        };
        assert_eq!(first.timeout, Some((clock, ms(200))));
    }
}

#[tokio::test(start_paused = true)]
async fn retries_of_a_silent_member_end_with_its_timeout() {
    let limits = Limits {
        attempt: Some(ms(200)),
        attempt_streamed: Some(ms(200)),
        ..none()
    };
    let b = Bench::new(vec![(limits, vec![vec![Hang]])]);
    let start = Instant::now();
    let f = b.run(&retry(leaf(0), 3)).await.unwrap_err();
    near(start, 600);
    let limit = f.limit.unwrap();
    assert_eq!(
        (f.code, limit.clock, limit.limit),
        (Code::Timeout, Clock::Attempt, ms(200))
    );
    assert_eq!(b.order(), "aaa");
}

#[tokio::test(start_paused = true)]
async fn connect_timeout_binds_only_until_there_is_a_connection() {
    let limits = Limits {
        connect: Some(ms(100)),
        ..none()
    };
    let b = Bench::new(vec![(limits, vec![vec![Hang]])]);
    let start = Instant::now();
    assert_eq!(
        b.run(&leaf(0)).await.unwrap_err().limit.unwrap().clock,
        Clock::Connect
    );
    near(start, 100);
    let b = Bench::new(vec![(
        limits,
        vec![vec![Wait(50), Connected, Wait(500), Head, Text("x"), Stop]],
    )]);
    assert!(b.run(&leaf(0)).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn preambles_and_comments_do_not_stop_the_first_token_clock() {
    let mut script = vec![Head];
    for _ in 0..40 {
        script.extend([Wait(10), Role, Comment]);
    }
    script.push(Hang);
    let b = Bench::new(vec![(first_token(100), vec![script]), (none(), good())]);
    let start = Instant::now();
    let got = b.run(&fallback([leaf(0), leaf(1)])).await.unwrap();
    near(start, 100);
    assert_eq!(
        got, "role;hi;stop;[DONE]",
        "the discarded preamble never reaches the caller"
    );
}

#[tokio::test(start_paused = true)]
async fn only_content_resets_the_clock_between_tokens() {
    let limits = Limits {
        stream_token: Some(ms(150)),
        ..none()
    };
    let script = vec![
        Head,
        Text("a;"),
        Wait(100),
        Text("b;"),
        Wait(100),
        Role,
        Wait(100),
        Role,
        Text("never;"),
    ];
    let b = Bench::new(vec![(limits, vec![script])]);
    let start = Instant::now();
    assert_eq!(b.run(&leaf(0)).await.unwrap(), "a;b;role;<error timeout>");
    near(start, 250);
    let report = b.lines.report();
    assert_eq!(report.outcome, Some(Outcome::Truncated));
    assert_eq!(
        report.attempts[0].timeout,
        Some((Clock::StreamToken, ms(150)))
    );
}

#[tokio::test(start_paused = true)]
async fn a_slow_caller_is_never_charged_to_the_provider() {
    let limits = Limits {
        stream_token: Some(ms(150)),
        attempt_streamed: Some(ms(300)),
        ..none()
    };
    let b = Bench::new(vec![(
        limits,
        vec![vec![
            Head,
            Text("a;"),
            Text("b;"),
            Wait(100),
            Text("c;"),
            Stop,
        ]],
    )]);
    let Ok(open) = b.open(&leaf(0)).await else {
        panic!("no answer")
    };
    let mut relay = Relay::answer(open, std::sync::Arc::new(Text_), Pace::default());
    let mut got = String::new();
    while let Some(frame) =
        std::future::poll_fn(|cx| http_body::Body::poll_frame(std::pin::Pin::new(&mut relay), cx))
            .await
    {
        got.push_str(std::str::from_utf8(frame.unwrap().data_ref().unwrap()).unwrap());
        tokio::time::sleep(ms(500)).await;
    }
    assert_eq!(got, "a;b;c;stop;[DONE]");
}

#[tokio::test(start_paused = true)]
async fn a_trickle_is_cut_by_the_whole_attempts_clock() {
    let limits = Limits {
        attempt_streamed: Some(ms(500)),
        ..none()
    };
    let script = [Head]
        .into_iter()
        .chain((0..100).flat_map(|_| [Wait(50), Text("t")]))
        .collect();
    let b = Bench::new(vec![(limits, vec![script])]);
    let start = Instant::now();
    let got = b.run(&leaf(0)).await.unwrap();
    near(start, 500);
    assert!(
        got.ends_with("<error timeout>") && !got.contains("[DONE]"),
        "{got}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_silent_first_member_leaves_time_for_the_next() {
    for (behind, within, cut) in [(1, 6000, 3000), (1, 60_000, 50_000), (2, 60_000, 40_000)] {
        let mut members = vec![(none(), vec![vec![Hang]])];
        members.extend((0..behind).map(|_| (none(), good())));
        let b = Bench::new(members).within(within);
        let start = Instant::now();
        let plan = fallback((0..=behind).map(leaf));
        assert!(b.run(&plan).await.is_ok());
        near(start, cut);
        let report = b.lines.report();
        assert_eq!(report.attempts[0].timeout.unwrap().0, Clock::Reserve);
        assert_eq!(b.engine.targets[0].health.state(), "closed");
    }
}

#[tokio::test(start_paused = true)]
async fn a_reserve_cut_is_passed_on_never_retried_never_counted() {
    let b = Bench::new(vec![(none(), vec![vec![Hang]]), (none(), good())]).within(6000);
    for _ in 0..6 {
        assert!(b.run(&fallback([retry(leaf(0), 3), leaf(1)])).await.is_ok());
        b.lines.1.lock().unwrap().clear();
    }
    assert_eq!(b.order(), "abababababab");
    assert_eq!(b.engine.targets[0].health.state(), "closed");
}

#[tokio::test(start_paused = true)]
async fn without_a_deadline_there_is_no_reserve() {
    let b = Bench::new(vec![
        (none(), vec![vec![Wait(3_600_000), Head, Text("x"), Stop]]),
        (none(), good()),
    ]);
    assert!(b.run(&fallback([leaf(0), leaf(1)])).await.is_ok());
    assert_eq!(b.order(), "a");
}

#[tokio::test(start_paused = true)]
async fn a_queued_request_expires_on_its_own_timer() {
    let b = Bench::new(vec![(none(), vec![vec![Hang]])])
        .edit(|t| {
            t[0].lane = Lane::new(LaneLimits {
                max_concurrency: 1,
                max_queue: 1,
                shed: Shed::Expired,
            })
        })
        .within(200);
    let held = b.engine.targets[0].lane.try_admit().unwrap();
    let start = Instant::now();
    let f = b.run(&leaf(0)).await.unwrap_err();
    near(start, 200);
    assert_eq!((f.code, b.order().as_str()), (Code::DeadlineExceeded, ""));
    let report = b.lines.report();
    assert_eq!(report.phase, Phase::Queued);
    assert_eq!(report.queue_waits.len(), 1);
    assert_eq!(report.queue_waits[0].refused, Some("deadline"));
    drop(held);
    assert!(b.idle());
}

#[tokio::test(start_paused = true)]
async fn a_queue_is_left_for_the_next_member_when_it_is_too_slow_or_full() {
    let narrow = |max_queue| {
        Lane::new(LaneLimits {
            max_concurrency: 1,
            max_queue,
            shed: Shed::Expired,
        })
    };
    let b = Bench::new(vec![(none(), good()), (none(), good())]).edit(|t| {
        t[0].lane = narrow(5);
        t[0].max_queue_wait = Some(ms(300));
    });
    let _held = b.engine.targets[0].lane.try_admit().unwrap();
    let start = Instant::now();
    assert!(b.run(&fallback([leaf(0), leaf(1)])).await.is_ok());
    near(start, 300);
    assert_eq!(b.lines.all()[0], "queue a timeout");
    let b = Bench::new(vec![(none(), good())]).edit(|t| t[0].lane = narrow(0));
    let _held = b.engine.targets[0].lane.try_admit().unwrap();
    let f = b.run(&leaf(0)).await.unwrap_err();
    assert_eq!(f.code, Code::QueueFull);
    assert_eq!(b.lines.report().outcome, Some(Outcome::Overloaded));
}

fn on_text(limits: Limits, script: Vec<Act>) -> Bench {
    let mut b = Bench::new(vec![(limits, vec![script]), (none(), good())]);
    b.policy.commit_on = CommitOn::Text;
    b
}

#[tokio::test(start_paused = true)]
async fn reasoning_is_content_to_the_clocks_also_where_text_commits() {
    let limits = Limits {
        stream_token: Some(ms(150)),
        ..first_token(100)
    };
    let thinking = (0..8).flat_map(|_| [Reasoning("r;"), Wait(100)]);
    let script: Vec<_> = [Head]
        .into_iter()
        .chain(thinking)
        .chain([Text("t;"), Stop])
        .collect();
    let b = on_text(limits, script).within(1500);
    let got = b.run(&fallback([leaf(0), leaf(1)])).await.unwrap();
    assert!(
        got.ends_with("t;stop;[DONE]"),
        "neither the first-token clock nor the reserve cut it: {got}"
    );
    assert_eq!(b.lines.report().attempts[0].first_content, Some(ms(0)));
    let b = on_text(limits, vec![Head, Reasoning("r;"), Hang]);
    let start = Instant::now();
    assert!(b.run(&fallback([leaf(0), leaf(1)])).await.is_ok());
    near(start, 150);
    assert_eq!(
        b.lines.report().attempts[0].timeout,
        Some((Clock::StreamToken, ms(150)))
    );
}

#[tokio::test(start_paused = true)]
async fn a_commit_without_content_keeps_the_first_token_clock() {
    let script = [vec![Head], vec![Role; 20], vec![Hang]].concat();
    let mut b = Bench::new(vec![(first_token(200), vec![script])]);
    b.policy.hold_back_events = 8;
    let start = Instant::now();
    let got = b.run(&leaf(0)).await.unwrap();
    near(start, 200);
    assert!(got.ends_with("<error timeout>"), "{got}");
    assert_eq!(
        b.lines.report().attempts[0].timeout,
        Some((Clock::FirstToken, ms(200)))
    );
}

#[tokio::test(start_paused = true)]
async fn pings_after_the_end_keep_nothing_open() {
    let pings = (0..100).flat_map(|_| [Wait(500), Comment]);
    let script: Vec<_> = [Head, Text("x;"), Stop].into_iter().chain(pings).collect();
    let b = Bench::new(vec![(none(), vec![script])]);
    let start = Instant::now();
    assert!(b.run(&leaf(0)).await.unwrap().starts_with("x;stop;"));
    near(start, 1000);
    assert_eq!(b.lines.report().outcome, Some(Outcome::Ok));
}

#[tokio::test(start_paused = true)]
async fn a_redial_has_the_whole_connect_timeout_again() {
    let limits = Limits {
        connect: Some(ms(100)),
        ..none()
    };
    let b = Bench::new(vec![(
        limits,
        vec![vec![Connected, Wait(150), StartsOver, Hang]],
    )]);
    let start = Instant::now();
    assert_eq!(
        b.run(&leaf(0)).await.unwrap_err().limit.unwrap().clock,
        Clock::Connect
    );
    near(start, 250);
}

#[tokio::test(start_paused = true)]
async fn a_members_clocks_stand_still_while_its_answer_is_worked_on() {
    let script = |behind, stream| {
        let mut acts = vec![Head, Wait(100), Busy(1000), Wait(behind), Text("x;")];
        acts.extend(if stream {
            vec![Stop, Done, Eof]
        } else {
            vec![Eof]
        });
        vec![acts]
    };
    for stream in [true, false] {
        let bench = |behind| {
            let targets = vec![(first_token(200), script(behind, stream)), (none(), good())];
            let mut b = Bench::new(targets);
            b.stream = stream;
            b
        };
        let plan = fallback([leaf(0), leaf(1)]);
        let b = bench(50);
        assert!(b.run(&plan).await.is_ok());
        assert_eq!(b.order(), "a", "150 ms of 200 were the member's");
        let (b, start) = (bench(150), Instant::now());
        assert!(b.run(&plan).await.is_ok());
        assert_eq!(b.order(), "ab");
        near(start, 1200);
        let (b, start) = (bench(50).within(500), Instant::now());
        let failure = b.run(&plan).await.unwrap_err();
        assert_eq!(failure.code, Code::DeadlineExceeded);
        near(start, 500);
    }
}
