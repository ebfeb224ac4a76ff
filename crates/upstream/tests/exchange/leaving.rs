//! Whoever drops an exchange ends it, on the upstream's socket, at once.

use crate::support::{Ask, Bench, HTTP1, PATIENCE, WAYS, next};
use punctual_core::Kind;
use punctual_sim::{Close, Listen};
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// 10 ms is promised; the rest is for a busy test machine.
const AT_ONCE: Duration = Duration::from_millis(60);

#[tokio::test]
async fn leaving_while_the_head_is_awaited_closes_the_upstream() {
    for way in WAYS {
        let bench = Bench::new(way).await;
        let ask = Ask::unary("sim:silent-headers");
        let exchange = bench.send(&ask);
        let arrived = bench
            .sim
            .wait(PATIENCE, |seen| seen.iter().any(|s| s.received.is_some()));
        tokio::select! {
            _ = exchange => panic!("answered"),
            seen = arrived => drop(seen.unwrap()),
        }
        let left = Instant::now();
        let seen = bench.seen(|seen| seen.closed.is_some()).await;
        let (at, how) = seen.closed.unwrap();
        assert!(at.saturating_duration_since(left) < AT_ONCE, "{way:?}");
        assert_eq!(how == Close::StreamReset, way.http2, "{way:?} {how:?}");
    }
}

#[tokio::test]
async fn leaving_in_the_middle_of_a_stream_closes_the_upstream() {
    for way in WAYS {
        let bench = Bench::new(way).await;
        for script in ["sim:forever,gap=5ms", "sim:tokens=9,stall-after=2"] {
            let mut answer = bench.send(&Ask::stream(script)).await.unwrap();
            while !matches!(
                next(&mut answer).await.unwrap().unwrap().kind,
                Kind::Content { .. }
            ) {}
            let left = Instant::now();
            drop(answer);
            let seen = bench.seen(|seen| seen.closed.is_some()).await;
            let (at, _) = seen.closed.unwrap();
            assert!(
                at.saturating_duration_since(left) < AT_ONCE,
                "{way:?} {script}"
            );
        }
    }
}

#[tokio::test]
async fn leaving_while_a_unary_answer_trickles_closes_the_upstream() {
    for way in WAYS {
        let bench = Bench::new(way).await;
        let mut answer = bench.send(&Ask::unary("sim:trickle=5ms")).await.unwrap();
        let cut = timeout(Duration::from_millis(50), next(&mut answer));
        assert!(cut.await.is_err());
        let left = Instant::now();
        drop(answer);
        let seen = bench.seen(|seen| seen.closed.is_some()).await;
        assert!(
            seen.closed.unwrap().0.saturating_duration_since(left) < AT_ONCE,
            "{way:?}"
        );
    }
}

#[tokio::test]
async fn leaving_while_a_large_body_is_uploaded_closes_the_connection() {
    let bench = Bench::new(HTTP1).await;
    bench.sim.set_accept("silent-accept".parse().unwrap());
    let mut ask = Ask::unary("m");
    ask.padding = 30 << 20;
    let cut = timeout(Duration::from_millis(100), async {
        let asked = bench.send(&ask);
        let ((), _) = tokio::join!(
            async {
                while bench.pools.stats()[0].open == 0 {
                    tokio::task::yield_now().await;
                }
            },
            asked
        );
    });
    assert!(cut.await.is_err());
    // a peer that never reads sees nothing: the socket's own end is what can be asked
    let stats = bench.pools.stats();
    assert_eq!((stats[0].dials, stats[0].open), (1, 0));
}

#[tokio::test]
async fn leaving_during_the_tls_handshake_closes_the_connection() {
    for http2 in [false, true] {
        let way = crate::support::Way { tls: true, http2 };
        let silent = Listen::loopback().accept("silent-tls".parse().unwrap());
        let bench = Bench::with(way, silent, |_| {}).await;
        let cut = timeout(Duration::from_millis(100), bench.send(&Ask::unary("m"))).await;
        assert!(cut.is_err());
        let left = Instant::now();
        let closed = bench
            .sim
            .wait_connections(PATIENCE, |all| all.iter().any(|c| c.closed.is_some()));
        let (at, _) = closed.await.unwrap().pop().unwrap().closed.unwrap();
        assert!(at.saturating_duration_since(left) < AT_ONCE, "{way:?}");
    }
}
