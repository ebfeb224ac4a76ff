//! HTTP/1.1 connections between exchanges.

use crate::support::{Ask, Bench, HTTP1, WAYS, Way, next};
use punctual_core::{Kind, Pieces, Progress};
use punctual_upstream::{Answer, Pools, TargetSpec, Upstreams};
use std::{
    future::poll_fn,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    task::{Context, Poll, Wake, Waker},
};

#[tokio::test]
async fn a_connection_serves_one_exchange_after_another() {
    for way in WAYS {
        let bench = Bench::new(way).await;
        for n in 0..3 {
            for ask in [
                Ask::unary("sim:tokens=2"),
                Ask::unary("sim:tokens=2,chunked"),
                Ask::stream("sim:tokens=2"),
                Ask::unary("sim:status=429"),
            ] {
                let progress = Progress::new();
                if let Ok(answer) = bench.send_noting(&ask, &progress).await {
                    crate::support::read(answer).await.complete();
                }
                let first = n == 0 && ask.model == "sim:tokens=2" && !ask.stream;
                assert_eq!(progress.reused(), !first, "{way:?} {n} {}", ask.model);
            }
        }
        let stats = bench.pools.stats();
        let stats = stats.first().unwrap();
        assert_eq!((stats.dials, stats.reuses, stats.open), (1, 11, 1));
        assert_eq!(stats.idle, usize::from(!way.http2));
        assert_eq!(bench.sim.connections().len(), 1);
    }
}

#[tokio::test]
async fn a_pooled_connection_that_died_is_replaced_and_the_request_served() {
    for tls in [false, true] {
        for death in ["fin", "rst", "stale-fin", "stale-rst"] {
            let bench = Bench::new(Way { tls, http2: false }).await;
            let dies = Ask::unary(&format!("sim:idle={death}"));
            for n in 0..4 {
                let progress = Progress::new();
                let answer = bench.send_noting(&dies, &progress).await;
                let answer = answer.unwrap_or_else(|f| panic!("{death} {n} {f:?}"));
                crate::support::read(answer).await.complete();
                assert!(!progress.reused(), "{death}");
            }
            assert_eq!(bench.sim.connections().len(), 4, "{death}");
            let found_dead = bench.pools.stats()[0].found_dead;
            // what closes when the next request comes cannot be seen before it is sent
            assert_eq!(
                found_dead == 3,
                death.starts_with("stale"),
                "{death} {found_dead}"
            );
        }
    }
}

#[tokio::test]
async fn an_exchange_left_early_takes_its_connection_along() {
    let bench = Bench::new(HTTP1).await;
    let mut answer = bench
        .send(&Ask::stream("sim:tokens=9,gap=20ms"))
        .await
        .unwrap();
    while !matches!(
        next(&mut answer).await.unwrap().unwrap().kind,
        Kind::Content { .. }
    ) {}
    drop(answer);
    let stats = bench.pools.stats();
    assert_eq!((stats[0].idle, stats[0].open), (0, 0));
    bench.hear(&Ask::unary("m")).await.complete();
    assert_eq!(bench.sim.connections().len(), 2);
}

#[tokio::test]
async fn a_connection_the_upstream_closes_is_not_pooled() {
    let bench = Bench::new(HTTP1).await;
    for _ in 0..2 {
        bench.hear(&Ask::unary("sim:close")).await.complete();
        bench.hear(&Ask::stream("sim:until-close")).await.complete();
    }
    assert_eq!(bench.pools.stats()[0].idle, 0);
}

#[tokio::test]
async fn pools_outlive_a_reload_and_differ_by_what_matters() {
    let bench = Bench::new(HTTP1).await;
    bench.hear(&Ask::unary("m")).await.complete();
    let spec = TargetSpec::new("renamed", format!("{}/v1/", bench.sim.url()));
    let mut other = spec.clone();
    other.endpoint.http2 = true;
    let again = Upstreams::new(vec![spec.clone(), other], &bench.pools).unwrap();
    let stats = bench.pools.stats();
    assert_eq!(stats.len(), 2);
    assert_eq!(stats.iter().map(|s| s.idle).sum::<usize>(), 1);
    drop(again);
    assert_eq!(bench.pools.stats().len(), 1);
}

#[tokio::test]
async fn shutting_down_closes_what_rests_and_leaves_no_task() {
    for way in WAYS {
        let bench = Bench::new(way).await;
        bench.hear(&Ask::unary("m")).await.complete();
        assert_eq!(bench.pools.stats()[0].open, 1);
        bench.pools.shutdown().await;
        assert_eq!(bench.pools.stats()[0].open, 0, "{way:?}");
    }
    let pools = Pools::new();
    pools.shutdown().await;
}

/// Counts how often a task is woken.
struct Counted(Waker, Arc<AtomicUsize>);

impl Wake for Counted {
    fn wake(self: Arc<Self>) {
        self.1.fetch_add(1, Relaxed);
        self.0.wake_by_ref();
    }
}

/// Reads an answer and counts its wake-ups.
async fn wake_ups(answer: &mut Answer) -> usize {
    let wakes = Arc::new(AtomicUsize::new(0));
    let task = poll_fn(|cx| Poll::Ready(cx.waker().clone())).await;
    let waker = Waker::from(Arc::new(Counted(task, wakes.clone())));
    while let Some(piece) = poll_fn(|_| answer.poll_piece(&mut Context::from_waker(&waker))).await {
        piece.unwrap();
    }
    wakes.load(Relaxed)
}

#[tokio::test]
async fn a_chunk_wakes_its_reader_once() {
    let bench = Bench::new(HTTP1).await;
    let ask = Ask::stream("sim:tokens=30,gap=3ms");
    let mut answer = bench.send(&ask).await.unwrap();
    let wakes = wake_ups(&mut answer).await;
    assert!((1..=36).contains(&wakes), "{wakes}");
    assert_eq!(bench.pools.stats()[0].idle, 1);
}
