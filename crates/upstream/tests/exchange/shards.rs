//! HTTP/2 connections, shared by many exchanges.

use crate::support::{Ask, Bench, HTTP2, PATIENCE, WAYS, Way};
use punctual_core::{Code, Pieces, Sent};
use punctual_sim::Listen;
use punctual_upstream::TargetSpec;
use std::{future::poll_fn, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional},
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::timeout,
};

#[tokio::test]
async fn one_who_leaves_during_the_dial_harms_nobody() {
    for way in WAYS {
        let bench = Bench::new(way).await;
        let ask = Ask::unary("sim:delay=50ms");
        let mut first = Box::pin(bench.send(&ask));
        // polled once, the dial is under way and nobody else has asked for it
        let polled = timeout(Duration::ZERO, first.as_mut()).await;
        assert!(polled.is_err());
        let others = async { tokio::join!(bench.hear(&ask), bench.hear(&ask), bench.hear(&ask)) };
        let leave = async move { drop(first) };
        let ((a, b, c), ()) = tokio::join!(others, leave);
        for heard in [a, b, c] {
            heard.complete();
        }
        if way.http2 {
            assert_eq!(bench.pools.stats()[0].dials, 1);
        }
    }
}

#[tokio::test]
async fn a_burst_spreads_over_connections_of_a_hundred_streams() {
    let bench = Arc::new(Bench::new(HTTP2).await);
    let mut tasks = JoinSet::new();
    for _ in 0..250 {
        let bench = bench.clone();
        tasks.spawn(async move { bench.hear(&Ask::unary("sim:delay=300ms")).await.complete() });
    }
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
    assert_eq!(bench.sim.connections().len(), 3);
    let most = bench.sim.connections().iter().map(|c| c.requests).max();
    assert_eq!(most, Some(100));
}

#[tokio::test]
async fn a_refused_stream_is_sent_again_at_no_cost_and_not_for_ever() {
    let bench = Bench::new(HTTP2).await;
    bench
        .sim
        .set("twice", "refused-stream,fail=2".parse().unwrap());
    bench.hear(&Ask::unary("twice")).await.complete();
    assert_eq!(bench.sim.report().len(), 3);
    bench.sim.reset();
    let failure = bench.fails(&Ask::unary("sim:refused-stream")).await;
    assert_eq!((failure.code, failure.sent), (Code::ServerError, Sent::No));
    assert_eq!(bench.sim.report().len(), 3);
}

#[tokio::test]
async fn after_goaway_running_streams_finish_and_new_ones_go_elsewhere() {
    let bench = Bench::new(HTTP2).await;
    bench.sim.set("goaway", "goaway-after=3".parse().unwrap());
    let slow = Ask::stream("sim:tokens=5,gap=50ms");
    let goaway = Ask::unary("goaway");
    let begun = || {
        let report = bench.sim.report();
        report.iter().filter(|s| s.first_content.is_some()).count()
    };
    let (a, b, c) = tokio::join!(bench.hear(&slow), bench.hear(&slow), async {
        while begun() < 2 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        bench.hear(&goaway).await
    });
    for heard in [a, b, c] {
        heard.complete();
    }
    bench.hear(&Ask::unary("m")).await.complete();
    assert_eq!(bench.sim.connections().len(), 2);
}

#[tokio::test]
async fn a_reset_stream_ends_itself_and_no_other() {
    let bench = Bench::new(HTTP2).await;
    let resets = Ask::stream("sim:tokens=5,reset-after=2");
    let goes_on = Ask::stream("sim:tokens=5,gap=20ms");
    let (reset, whole) = tokio::join!(bench.hear(&resets), bench.hear(&goes_on));
    assert_eq!(reset.code(), Some(Code::Truncated));
    whole.complete();
    assert_eq!(bench.sim.connections().len(), 1);
}

#[tokio::test]
async fn a_connection_takes_no_more_streams_than_its_peer_allows() {
    let way = Way {
        tls: false,
        http2: true,
    };
    let bench = Bench::with(way, Listen::loopback().max_streams(2), |_| {}).await;
    bench.hear(&Ask::unary("m")).await.complete();
    let ask = Ask::unary("sim:delay=200ms");
    let all = async {
        tokio::join!(
            bench.hear(&ask),
            bench.hear(&ask),
            bench.hear(&ask),
            bench.hear(&ask)
        )
    };
    let (a, b, c, d) = timeout(PATIENCE, all).await.unwrap();
    for heard in [a, b, c, d] {
        heard.complete();
    }
    assert_eq!(bench.sim.connections().len(), 2);
}

#[tokio::test]
async fn a_peer_without_http2_is_a_connection_that_failed() {
    let way = Way {
        tls: true,
        http2: true,
    };
    let bench = Bench::with(way, Listen::loopback().http1_only(), |_| {}).await;
    let failure = bench.fails(&Ask::unary("m")).await;
    assert_eq!(failure.code, Code::ConnectFailed);
}

/// SETTINGS without a setting, and GOAWAY(NO_ERROR) with 0 as the last stream that was processed.
const SETTINGS: &[u8] = &[0, 0, 0, 4, 0, 0, 0, 0, 0];
const GOAWAY: &[u8] = &[0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

#[tokio::test]
async fn a_stream_beyond_the_last_id_of_a_goaway_is_sent_again() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let front = listener.local_addr().unwrap();
    let fronted = |spec: &mut TargetSpec| spec.endpoint.base_url = format!("http://{front}/v1");
    let bench = Bench::with(HTTP2, Listen::loopback(), fronted).await;
    let behind = bench.sim.addr();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let (mut first, _) = listener.accept().await.unwrap();
        first.write_all(SETTINGS).await.unwrap();
        let mut read = Vec::new();
        // the end of the caller's body is the end of its request
        while !read.ends_with(b"}") {
            first.read_buf(&mut read).await.unwrap();
        }
        first.write_all(GOAWAY).await.unwrap();
        let (mut second, _) = listener.accept().await.unwrap();
        let mut up = TcpStream::connect(behind).await.unwrap();
        let _ = copy_bidirectional(&mut second, &mut up).await;
    });
    bench.hear(&Ask::unary("m")).await.complete();
    assert_eq!(bench.sim.report().len(), 1);
    let stats = bench.pools.stats();
    assert_eq!((stats[0].dials, stats[0].found_dead), (2, 0));
}

#[tokio::test]
async fn streams_that_nobody_reads_hold_up_no_other() {
    let bench = Bench::new(HTTP2).await;
    let mut unread = Vec::new();
    for _ in 0..20 {
        unread.push(bench.send(&Ask::stream("sim:burst=4MiB")).await.unwrap());
    }
    let large = bench.hear(&Ask::stream("sim:burst=4MiB")).await.complete();
    assert!(large.text.len() > 4 << 20);
    assert_eq!(bench.sim.connections().len(), 1);
    let finished = bench
        .sim
        .report()
        .iter()
        .filter(|seen| seen.finished.is_some())
        .count();
    assert_eq!(finished, 1);
    drop(unread);
}

/// What arrives for a stream that was just reset must not count against the connection: callers who leave
/// would end it for everybody else.
#[tokio::test]
async fn thousands_who_leave_do_not_wear_a_connection_out() {
    let bench = Arc::new(Bench::new(HTTP2).await);
    let kept = Ask::stream("sim:tokens=2,gap=20ms,forever");
    let mut kept = bench.send(&kept).await.unwrap();
    let mut tasks = JoinSet::new();
    for _ in 0..16 {
        let bench = bench.clone();
        tasks.spawn(async move {
            for _ in 0..200 {
                let ask = Ask::stream("sim:burst=256KiB,tokens=1");
                drop(bench.send(&ask).await.unwrap());
            }
        });
    }
    tasks.join_all().await;
    let piece = poll_fn(|cx| kept.poll_piece(cx)).await.unwrap();
    assert!(piece.is_ok(), "{:?}", piece.err());
    assert_eq!((bench.stats().dials, bench.sim.connections().len()), (1, 1));
}
