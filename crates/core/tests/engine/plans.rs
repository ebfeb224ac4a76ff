use crate::support::*;
use punctual_core::*;
use std::{sync::Arc, time::Duration};

fn bench(scripts: Vec<Vec<Vec<Act>>>) -> Bench {
    Bench::new(scripts.into_iter().map(|s| (none(), s)).collect())
}

#[tokio::test(start_paused = true)]
async fn a_fallback_goes_in_declaration_order_and_the_last_error_is_the_answer() {
    let b = bench(vec![
        always(Code::ServerError),
        always(Code::Overloaded),
        always(Code::RateLimited),
    ]);
    let f = b
        .run(&fallback([leaf(0), leaf(1), leaf(2)]))
        .await
        .unwrap_err();
    assert_eq!((b.order().as_str(), f.code), ("abc", Code::RateLimited));
    assert_eq!(b.lines.report().attempts.len(), 3);
    assert!(b.idle());
}

#[tokio::test(start_paused = true)]
async fn nesting_composes() {
    let failing = || {
        bench(vec![
            always(Code::ServerError),
            always(Code::ServerError),
            always(Code::ServerError),
        ])
    };
    let b = failing();
    let plan = fallback([retry(leaf(0), 2), turns([leaf(1), leaf(2)])]);
    let _ = b.run(&plan).await;
    let _ = b.run(&plan).await;
    assert_eq!(b.order(), "aabaac");
    for (plan, order) in [
        (retry(fallback([leaf(0), leaf(1)]), 2), "abab"),
        (retry(turns([leaf(0), leaf(1)]), 3), "aba"),
        (fallback([fallback([leaf(0), leaf(1)]), leaf(2)]), "abc"),
        (fallback([leaf(0), retry(leaf(1), 3)]), "abbb"),
        (retry(leaf(0), 1), "a"),
        (turns([leaf(0), leaf(1)]), "a"),
        (fallback([leaf(0), leaf(0), leaf(1)]), "ab"),
    ] {
        let b = failing();
        let _ = b.run(&plan).await;
        assert_eq!(b.order(), order, "{plan:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_product_of_nested_nodes_is_bounded() {
    let mut b = bench(vec![
        always(Code::EmptyResponse),
        always(Code::EmptyResponse),
    ]);
    b.policy.max_attempts_total = 5;
    let _ = b
        .run(&retry(fallback([retry(leaf(0), 3), retry(leaf(1), 3)]), 3))
        .await;
    assert_eq!(b.order(), "aaabb");
}

#[tokio::test(start_paused = true)]
async fn the_table_of_failures_decides_who_is_asked_next() {
    let plan = fallback([retry(leaf(0), 2), leaf(1)]);
    for code in Code::ALL {
        let rule = code.rule();
        if !rule.attempted || code == Code::DeadlineExceeded {
            continue;
        }
        let b = bench(vec![always(code), good()]);
        let r = b.run(&plan).await;
        let expected = match (rule.retry, rule.fall_back) {
            (true, true) => "aab",
            (false, true) => "ab",
            (true, false) => "aa",
            (false, false) => "a",
        };
        assert_eq!(
            (b.order().as_str(), r.is_ok()),
            (expected, rule.fall_back),
            "{code:?}"
        );
        assert_eq!(
            b.engine
                .upstream
                .open
                .load(std::sync::atomic::Ordering::SeqCst),
            0
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_callers_mistake_falls_back_only_where_the_route_says_so() {
    let b = bench(vec![always(Code::InvalidRequest), good()]);
    let also_on = CodeSet::NONE.with(Code::InvalidRequest);
    let plan = Arc::new(Plan::Fallback {
        of: vec![leaf(0), leaf(1)],
        also_on,
    });
    assert!(b.run(&plan).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_target_that_failed_for_good_is_not_tried_again() {
    let b = bench(vec![always(Code::NotFound), always(Code::ServerError)])
        .edit(|t| t[0].benchable = false);
    let _ = b.run(&retry(fallback([leaf(0), leaf(1)]), 3)).await;
    assert_eq!(b.order(), "abbb");
}

#[tokio::test(start_paused = true)]
async fn a_skip_never_hides_a_real_failure() {
    let b = bench(vec![always(Code::ServerError), good()]);
    b.engine.targets[1]
        .health
        .bench(Some(Duration::from_secs(60)));
    let f = b.run(&fallback([leaf(0), leaf(1)])).await.unwrap_err();
    assert_eq!((f.code, b.order().as_str()), (Code::ServerError, "a"));
}

#[tokio::test(start_paused = true)]
async fn if_every_member_is_open_the_one_nearest_to_its_end_is_tried() {
    let b = bench(vec![good(), good()]);
    b.engine.targets[0]
        .health
        .bench(Some(Duration::from_secs(90)));
    b.engine.targets[1]
        .health
        .bench(Some(Duration::from_secs(30)));
    assert!(b.run(&fallback([leaf(0), leaf(1)])).await.is_ok());
    assert_eq!(b.order(), "b");
}

#[tokio::test(start_paused = true)]
async fn breaker_open_is_answered_only_while_the_probe_is_out() {
    let b = bench(vec![vec![vec![Wait(1000), Head, Text("x"), Stop]]]);
    b.engine.targets[0]
        .health
        .bench(Some(Duration::from_secs(30)));
    let plan = leaf(0);
    let first = b.open(&plan);
    let second = async {
        tokio::time::sleep(MS).await;
        b.open(&plan).await
    };
    let (first, second) = tokio::join!(first, second);
    assert!(first.is_ok());
    let f = second.err().unwrap().failure;
    assert_eq!(f.code, Code::BreakerOpen);
    assert!(f.retry_after.is_some());
}

#[tokio::test(start_paused = true)]
async fn cancels_deadlines_and_callers_mistakes_never_count_against_a_target() {
    let b = bench(vec![vec![vec![Hang]]]).within(50);
    for _ in 0..10 {
        assert_eq!(
            b.run(&leaf(0)).await.unwrap_err().code,
            Code::DeadlineExceeded
        );
    }
    assert_eq!(b.engine.targets[0].health.state(), "closed");
    let b = bench(vec![always(Code::InvalidRequest)]);
    for _ in 0..10 {
        let _ = b.run(&leaf(0)).await;
    }
    assert_eq!(b.engine.targets[0].health.state(), "closed");
}

#[tokio::test(start_paused = true)]
async fn a_model_the_caller_chose_never_benches_anything() {
    for code in [
        Code::ServerError,
        Code::NotFound,
        Code::Unauthorized,
        Code::QuotaExhausted,
        Code::RateLimited,
    ] {
        let b = bench(vec![vec![vec![Fail(code, Some(5000))]]]).edit(|t| t[0].benchable = false);
        for _ in 0..8 {
            assert_eq!(b.run(&leaf(0)).await.unwrap_err().code, code);
        }
        assert_eq!(b.order().len(), 8);
    }
}

#[tokio::test(start_paused = true)]
async fn credentials_and_models_are_benched_by_what_the_provider_said() {
    let b = bench(vec![vec![vec![Status(Code::Unauthorized, 401, None)]]]);
    let _ = b.run(&leaf(0)).await;
    assert_eq!(
        b.engine.targets[0].credential.resting(),
        None,
        "one 401 is not yet a pattern"
    );
    let _ = b.run(&leaf(0)).await;
    assert!(b.engine.targets[0].credential.resting().is_some());
    let b = bench(vec![vec![vec![Status(Code::Unauthorized, 403, None)]]]);
    let _ = b.run(&leaf(0)).await;
    assert!(
        b.engine.targets[0].health.resting().is_some()
            && b.engine.targets[0].credential.resting().is_none()
    );
    let b = bench(vec![always(Code::QuotaExhausted)]);
    let _ = b.run(&leaf(0)).await;
    assert_eq!(
        b.engine.targets[0]
            .credential
            .resting()
            .unwrap()
            .left
            .as_secs(),
        60
    );
}

#[tokio::test(start_paused = true)]
async fn an_empty_budget_uses_up_the_attempts_and_fallback_does_not_draw() {
    let b = bench(vec![always(Code::EmptyResponse), good()]);
    while b.engine.targets[0].budget.withdraw() {}
    assert!(b.run(&fallback([retry(leaf(0), 5), leaf(1)])).await.is_ok());
    assert_eq!(b.order(), "ab");
    assert!(b.lines.report().attempts[0].retry_budget_empty);
}

#[tokio::test(start_paused = true)]
async fn a_target_can_opt_out_of_being_replayed() {
    let limits = Limits {
        attempt_streamed: Some(ms(100)),
        ..none()
    };
    let script = vec![vec![Connected, Head, Hang]];
    let b = Bench::new(vec![(limits, script.clone()), (none(), good())])
        .edit(|t| t[0].replay_timeouts = false);
    assert_eq!(
        b.run(&fallback([retry(leaf(0), 3), leaf(1)]))
            .await
            .unwrap_err()
            .code,
        Code::Timeout
    );
    assert_eq!(b.order(), "a");
    let b = Bench::new(vec![(limits, vec![vec![Hang]]), (none(), good())])
        .edit(|t| t[0].replay_timeouts = false);
    assert!(
        b.run(&fallback([leaf(0), leaf(1)])).await.is_ok(),
        "nothing was sent, so nothing is replayed"
    );
}

#[tokio::test(start_paused = true)]
async fn round_robin_moves_by_one_per_call_and_passes_over_resting_members() {
    let b = bench(vec![good(), good(), good()]);
    let plan = turns([leaf(0), leaf(1), leaf(2)]);
    for _ in 0..4 {
        b.run(&plan).await.unwrap();
    }
    b.engine.targets[1]
        .health
        .bench(Some(Duration::from_secs(60)));
    b.run(&plan).await.unwrap();
    assert_eq!(b.order(), "abcac");
}

#[tokio::test(start_paused = true)]
async fn a_retry_never_enters_a_breaker_that_opened_meanwhile() {
    let b = bench(vec![always(Code::ServerError), good()]);
    for _ in 0..4 {
        b.engine.targets[0]
            .health
            .enter(Pass::Healthy)
            .unwrap()
            .fail();
    }
    assert!(b.run(&fallback([retry(leaf(0), 3), leaf(1)])).await.is_ok());
    assert_eq!(b.order(), "ab", "the fifth failure in a row opened it");
}

#[tokio::test(start_paused = true)]
async fn a_skip_takes_no_retry_away_from_the_failure_before_it() {
    let b = bench(vec![always(Code::EmptyResponse), good()]);
    b.engine.targets[1]
        .health
        .bench(Some(Duration::from_secs(60)));
    let _ = b.run(&retry(fallback([leaf(0), leaf(1)]), 3)).await;
    assert_eq!(b.order(), "aaa");
}

#[tokio::test(start_paused = true)]
async fn the_last_resort_under_a_round_robin_is_the_nearest_and_moves_the_turn_once() {
    let plan = turns([leaf(0), leaf(1)]);
    for (a, b_, asked) in [(90, 30, "b"), (30, 90, "a"), (90, 30, "b")] {
        let b = bench(vec![good(), good()]);
        b.engine.targets[0]
            .health
            .bench(Some(Duration::from_secs(a)));
        b.engine.targets[1]
            .health
            .bench(Some(Duration::from_secs(b_)));
        assert!(b.run(&plan).await.is_ok());
        assert_eq!(b.order(), asked);
    }
    let b = bench(vec![good(), good()]);
    b.run(&plan).await.unwrap();
    assert_eq!(b.order(), "b", "three calls, three turns");
}

#[tokio::test(start_paused = true)]
async fn a_member_that_is_only_full_is_no_reason_to_probe_another() {
    let full = Lane::new(LaneLimits {
        max_concurrency: 1,
        max_queue: 0,
        shed: Shed::Expired,
    });
    let b = bench(vec![good(), good()]).edit(|t| t[1].lane = full);
    let _held = b.engine.targets[1].lane.try_admit().unwrap();
    b.engine.targets[0]
        .health
        .bench(Some(Duration::from_secs(30)));
    let f = b.run(&fallback([leaf(0), leaf(1)])).await.unwrap_err();
    assert_eq!((f.code, b.order().as_str()), (Code::QueueFull, ""));
}

#[tokio::test(start_paused = true)]
async fn the_index_of_a_fallback_counts_members_not_attempts() {
    let b = bench(vec![always(Code::EmptyResponse), good()]);
    b.run(&fallback([retry(leaf(0), 3), leaf(1)]))
        .await
        .unwrap();
    let report = b.lines.report();
    assert_eq!((report.attempts.len(), report.fallback_index), (4, 1));
}
