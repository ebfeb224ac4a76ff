//! SHD-03: while others still route here, nobody is refused: through SIGTERM and as a lame duck every request
//! is served, and every answer says that its connection ends.

use crate::{
    house::{Asks, House, LONG, SURFACES},
    support::{Answer, Caller, ms},
};
use std::{sync::Arc, time::Duration};
use tokio::{
    task::JoinSet,
    time::{Instant, MissedTickBehavior, interval},
};

/// 50 requests a second.
const EVERY: Duration = ms(20);
const BEFORE: Duration = ms(400);
const LAME_DUCK: Duration = ms(2_000);
/// How long before its end the last request is sent.
const MARGIN: Duration = ms(700);
/// What the signal may take from its log line to the connections.
const SEEN: Duration = ms(100);

/// One request: when it was sent, and its answer.
type Asked = (Instant, Asks, Answer);

/// One connection for each request, as callers of an SDK behind a proxy have them.
async fn fresh(house: Arc<House>, n: usize) -> Asked {
    let (sent, asks) = (Instant::now(), SURFACES[n % SURFACES.len()]);
    // the connection itself must come up: a refused one ends the test here
    let answer = house.ask(&asks.of("m")).await;
    (sent, asks, answer)
}

/// One connection for as long as its answers let it live.
async fn kept(house: Arc<House>, until: Instant) -> Vec<Asked> {
    let mut all: Vec<Asked> = Vec::new();
    let mut caller = Caller::connect(house.gateway.addr).await;
    let mut ticks = interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while Instant::now() < until {
        ticks.tick().await;
        let (sent, asks) = (Instant::now(), SURFACES[all.len() % SURFACES.len()]);
        let answer = caller.ask(&asks.of("m")).await;
        if answer.header("connection") == Some("close") {
            caller = Caller::connect(house.gateway.addr).await;
        }
        all.push((sent, asks, answer));
    }
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_is_refused_while_others_still_route_here() {
    let config = "providers: { p: { dialect: openai, base_url: \"{sim}/v1\", api_key: sk-test } }\nroutes: { \"*\": { plan: { pass: p } } }\n";
    let server = format!("lame_duck: {}ms, drain_timeout: 10s", LAME_DUCK.as_millis());
    let house = Arc::new(House::open(&server, config).await);
    house.sim.set("m", "tokens=3,gap=10ms".parse().unwrap());
    let term_at = Instant::now() + BEFORE;
    let until = term_at + LAME_DUCK - MARGIN;
    let (mut single, mut lasting) = (JoinSet::new(), JoinSet::new());
    lasting.spawn(kept(house.clone(), until));
    let mut ticks = interval(EVERY);
    let (mut n, mut drains_at) = (0, None);
    while Instant::now() < until {
        ticks.tick().await;
        if drains_at.is_none() && Instant::now() >= term_at {
            house.gateway.signal("TERM");
            let said = house.gateway.said();
            let drains = said.find(LONG, |l| l.contains("draining").then_some(()));
            assert!(drains.is_some(), "{:?}", said.all());
            drains_at = Some(Instant::now());
        }
        single.spawn(fresh(house.clone(), n));
        n += 1;
    }
    let mut all: Vec<Asked> = single.join_all().await;
    all.extend(lasting.join_all().await.into_iter().flatten());
    let drains_at = drains_at.unwrap();
    let after = all.iter().filter(|(sent, ..)| *sent > drains_at).count();
    assert!(
        all.len() > 100 && after > 50,
        "{} requests, {after} behind the signal",
        all.len()
    );
    for (sent, asks, answer) in &all {
        let at = sent.saturating_duration_since(drains_at);
        let what = format!("{asks:?}, {at:?} behind the signal: {}", answer.text());
        assert!(answer.status == 200 && answer.complete, "{what}");
        assert!(!asks.streams() || answer.done(), "{what}");
        let closes = answer.header("connection") == Some("close");
        assert!(closes || at < SEEN, "no Connection: close {what}");
        assert!(
            !closes || answer.head_at >= term_at,
            "Connection: close too early {what}"
        );
    }
}
