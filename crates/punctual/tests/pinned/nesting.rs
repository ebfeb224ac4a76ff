//! Clients in clients.

use crate::support::*;
use punctual::{Client, Code, Fallback, Node, RoundRobin};

fn down(log: &Log, name: &'static str) -> Fake {
    bad(log, name, Code::ServerError)
}

async fn tried(client: &impl Client, log: &Log, stream: bool) -> String {
    ask(client, &hi(), stream).await;
    order(log)
}

#[tokio::test(start_paused = true)]
async fn a_fallback_of_fallbacks_is_a_flat_one() {
    let log = Log::default();
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| down(&log, name));
    for stream in [false, true] {
        let nested = Fallback::new((
            Fallback::new([a.clone(), b.clone()]),
            Fallback::new([c.clone(), d.clone()]),
        ));
        assert_eq!(tried(&nested, &log, stream).await, "abcd");
    }
}

#[tokio::test(start_paused = true)]
async fn retries_and_fallbacks_nest_both_ways() {
    let log = Log::default();
    let [a, b, c] = ["a", "b", "c"].map(|name| down(&log, name));
    for stream in [false, true] {
        let plan = Fallback::new((retry(a.clone(), 2), c.clone()));
        assert_eq!(tried(&plan, &log, stream).await, "aac");
        let plan = retry(Fallback::new([a.clone(), b.clone()]), 2);
        assert_eq!(tried(&plan, &log, stream).await, "abab");
        let plan = Fallback::new((retry(a.clone(), 2), RoundRobin::new([b.clone(), c.clone()])));
        assert_eq!(tried(&plan, &log, stream).await, "aab");
        assert_eq!(tried(&plan, &log, stream).await, "aac");
    }
}

#[tokio::test(start_paused = true)]
async fn a_retry_of_a_round_robin_rotates() {
    let log = Log::default();
    for stream in [false, true] {
        let plan = retry(RoundRobin::new([down(&log, "a"), down(&log, "b")]), 3);
        assert_eq!(tried(&plan, &log, stream).await, "aba");
        assert_eq!(tried(&plan, &log, stream).await, "bab");
    }
}

#[tokio::test(start_paused = true)]
async fn a_reused_wrapper_starts_again() {
    let log = Log::default();
    for stream in [false, true] {
        let plan = Fallback::new((retry(down(&log, "a"), 3), down(&log, "b")));
        for _ in 0..20 {
            assert_eq!(tried(&plan, &log, stream).await, "aaab");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_single_member_behaves_as_itself() {
    let log = Log::default();
    for stream in [false, true] {
        for client in [
            Fallback::new([good(&log, "a")]).node(),
            RoundRobin::new([good(&log, "a")]).node(),
            retry(good(&log, "a"), 1).node(),
            good(&log, "a").node(),
        ] {
            assert_eq!(ask(&client, &hi(), stream).await.text(), "a");
        }
        for client in [
            Fallback::new([down(&log, "a")]).node(),
            RoundRobin::new([down(&log, "a")]).node(),
            retry(down(&log, "a"), 1).node(),
        ] {
            order(&log);
            let came = ask(&client, &hi(), stream).await;
            assert_eq!(
                (came.error().kind(), order(&log).as_str()),
                (Code::ServerError, "a")
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn one_client_that_stands_in_a_list_twice_is_tried_once_a_pass() {
    let log = Log::default();
    let a: Node = down(&log, "a").node();
    for stream in [false, true] {
        let plan = Fallback::new((a.clone(), a.clone(), down(&log, "b")));
        assert_eq!(tried(&plan, &log, stream).await, "ab");
    }
}

#[tokio::test]
async fn turns_stay_fair_under_concurrency() {
    let log = Log::default();
    let plan = RoundRobin::new(["a", "b", "c"].map(|name| good(&log, name)));
    let mut calls = tokio::task::JoinSet::new();
    for n in 0..300 {
        let plan = plan.clone();
        calls.spawn(async move { ask(&plan, &hi(), n % 2 == 0).await.result.is_ok() });
    }
    assert!(calls.join_all().await.into_iter().all(|ok| ok));
    let order = order(&log);
    for name in ["a", "b", "c"] {
        assert_eq!(order.matches(name).count(), 100);
    }
}

#[tokio::test(start_paused = true)]
async fn a_hint_is_waited_for_only_where_nobody_else_follows() {
    let log = Log::default();
    for stream in [false, true] {
        let a = || {
            fake(
                &log,
                "a",
                &[&[Hint(Code::RateLimited, 3_000)], &[Text("a"), End]],
            )
        };
        let came = ask(
            &Fallback::new((retry(a(), 2), good(&log, "b"))),
            &hi(),
            stream,
        )
        .await;
        assert_eq!((came.text(), came.took < ms(100)), ("b", true));
        let came = ask(&retry(a(), 2), &hi(), stream).await;
        assert!(
            came.took >= ms(3_000) && came.took < ms(3_400),
            "{:?}",
            came.took
        );
        let came = ask(&retry(a(), 2), &hi().limit(ms(1_000)), stream).await;
        assert_eq!(
            (came.error().kind(), came.took < ms(100)),
            (Code::RateLimited, true)
        );
        assert_eq!(came.error().hint(), Some(ms(3_000)));
    }
}
