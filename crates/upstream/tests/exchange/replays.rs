//! A request whose pooled connection dies: when it is sent again, and what is said of the first time.

use crate::support::{Ask, Bench, HTTP1, HTTP2, PATIENCE, Way};
use punctual_core::{Code, Progress, Sent};
use punctual_sim::Listen;
use punctual_upstream::TargetSpec;
use std::time::Duration;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional},
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::{Instant, sleep, timeout},
};

/// A PING that is no answer to anything.
const PING: &[u8] = &[0, 0, 8, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/// What a middlebox does with a connection once it has seen a second request on it.
#[derive(Clone, Copy, Debug)]
enum Death {
    Quiet,
    AfterAPing,
}

/// In front of the simulator; the first connection dies when its second request is there, the others live.
async fn behind_a_middlebox(way: Way, death: Death, replay: bool) -> (Bench, JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let front = listener.local_addr().unwrap();
    let bench = Bench::with(way, Listen::loopback(), |spec: &mut TargetSpec| {
        spec.endpoint.base_url = format!("http://{front}/v1");
        spec.replay = replay;
    });
    let bench = bench.await;
    let behind = bench.sim.addr();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let (mut first, _) = listener.accept().await.unwrap();
        let mut up = TcpStream::connect(behind).await.unwrap();
        relay_one(&mut first, &mut up).await;
        drop(up);
        let mut seen = Vec::new();
        // both bodies end so
        while !seen.ends_with(b"}") {
            first.read_buf(&mut seen).await.unwrap();
        }
        if let Death::AfterAPing = death {
            first.write_all(PING).await.unwrap();
            sleep(Duration::from_millis(50)).await;
        }
        drop(first);
        loop {
            let (mut next, _) = listener.accept().await.unwrap();
            let mut up = TcpStream::connect(behind).await.unwrap();
            let _ = copy_bidirectional(&mut next, &mut up).await;
        }
    });
    (bench, tasks)
}

/// Both ways until nothing has moved for a while.
async fn relay_one(down: &mut TcpStream, up: &mut TcpStream) {
    while timeout(Duration::from_millis(150), async {
        let (mut a, mut b) = ([0; 4096], [0; 4096]);
        tokio::select! {
            n = down.read(&mut a) => up.write_all(&a[..n.unwrap()]).await.unwrap(),
            n = up.read(&mut b) => down.write_all(&b[..n.unwrap()]).await.unwrap(),
        }
    })
    .await
    .is_ok()
    {}
}

#[tokio::test]
async fn a_send_that_may_have_been_processed_stays_counted() {
    for way in [HTTP1, HTTP2] {
        let (bench, _tasks) = behind_a_middlebox(way, Death::Quiet, true).await;
        bench.hear(&Ask::unary("m")).await.complete();
        sleep(Duration::from_millis(300)).await;
        let progress = Progress::new();
        let answer = bench.send_noting(&Ask::unary("m"), &progress).await;
        crate::support::read(answer.unwrap()).await.complete();
        assert_eq!(
            (progress.sends(), progress.sent()),
            (2, Sent::Yes),
            "{way:?}"
        );
        assert_eq!(bench.stats().found_dead, 1);
    }
}

#[tokio::test]
async fn a_target_that_wants_no_replays_gets_none() {
    for way in [HTTP1, HTTP2] {
        let (bench, _tasks) = behind_a_middlebox(way, Death::Quiet, false).await;
        bench.hear(&Ask::unary("m")).await.complete();
        sleep(Duration::from_millis(300)).await;
        let progress = Progress::new();
        let failure = bench.send_noting(&Ask::unary("m"), &progress).await;
        assert_eq!(failure.unwrap_err().code, Code::Truncated, "{way:?}");
        assert_eq!((progress.sends(), progress.sent()), (1, Sent::Maybe));
        assert_eq!(bench.sim.report().len(), 1);
    }
}

#[tokio::test]
async fn a_peer_that_was_heard_from_was_not_dead() {
    let (bench, _tasks) = behind_a_middlebox(HTTP2, Death::AfterAPing, true).await;
    bench.hear(&Ask::unary("m")).await.complete();
    sleep(Duration::from_millis(300)).await;
    assert_eq!(bench.fails(&Ask::unary("m")).await.code, Code::Truncated);
    assert_eq!(bench.sim.report().len(), 1);
}

#[tokio::test]
async fn a_connection_that_fell_silent_is_left_by_whoever_comes_next() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let front = listener.local_addr().unwrap();
    let fronted = |spec: &mut TargetSpec| spec.endpoint.base_url = format!("http://{front}/v1");
    let bench = Bench::with(HTTP2, Listen::loopback(), fronted).await;
    let behind = bench.sim.addr();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let (mut first, _) = listener.accept().await.unwrap();
        let mut up = TcpStream::connect(behind).await.unwrap();
        relay_one(&mut first, &mut up).await;
        // from here on nothing passes, and nobody is told
        let (mut next, _) = listener.accept().await.unwrap();
        let mut up = TcpStream::connect(behind).await.unwrap();
        let _ = copy_bidirectional(&mut next, &mut up).await;
    });
    let ask = Ask::unary("m");
    bench.hear(&ask).await.complete();
    sleep(Duration::from_millis(300)).await;
    let waits = timeout(Duration::from_millis(700), bench.send(&ask)).await;
    assert!(waits.is_err(), "given up by a clock");
    bench.hear(&ask).await.complete();
    assert_eq!(bench.stats().dials, 2);
}

#[tokio::test]
async fn one_who_leaves_quickly_says_nothing_about_the_connection() {
    let bench = Bench::new(HTTP2).await;
    bench.hear(&Ask::unary("m")).await.complete();
    let slow = Ask::unary("sim:delay=5s");
    assert!(
        timeout(Duration::from_millis(50), bench.send(&slow))
            .await
            .is_err()
    );
    bench.hear(&Ask::unary("m")).await.complete();
    assert_eq!(bench.stats().dials, 1);
}

#[tokio::test]
async fn a_dial_that_hangs_takes_nobody_new() {
    let way = Way {
        tls: true,
        http2: true,
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let front = listener.local_addr().unwrap();
    let bench = Bench::with(way, Listen::loopback(), |spec: &mut TargetSpec| {
        spec.endpoint.base_url = format!("https://localhost:{}/v1", front.port());
    });
    let bench = bench.await;
    let behind = bench.sim.addr();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        // no handshake ever
        let _first = listener.accept().await.unwrap();
        let (mut next, _) = listener.accept().await.unwrap();
        let mut up = TcpStream::connect(behind).await.unwrap();
        let _ = copy_bidirectional(&mut next, &mut up).await;
    });
    let ask = Ask::unary("m");
    let started = Instant::now();
    let mut stuck = Box::pin(bench.send(&ask));
    assert!(
        timeout(Duration::from_millis(3_100), stuck.as_mut())
            .await
            .is_err()
    );
    timeout(PATIENCE, bench.hear(&ask))
        .await
        .unwrap()
        .complete();
    assert!(started.elapsed() < Duration::from_secs(5));
}
