//! T11: a reader that stops still ends: at its deadline, and without one when it has taken nothing for
//! `caller_stall_timeout`.

use crate::{
    gates::{Gates, Mark, gateway_memory, target, until},
    ground::{Ground, alone},
    guest::{Asks, Guest, WAYS, Way},
    slots::{at_once, late, seen},
    support::ms,
    tally::{Tally, cell},
};
use punctual_sim::{Listen, Script, Sim};
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, sleep};

/// `max_concurrency`: so many stop at once, and then one more asks.
const READERS: usize = 4;
const LIMIT: Duration = ms(1_000);
/// What the gateway may hold for one of them: HTTP/1.1's write buffer and HTTP/2's windows, on both sides.
const HELD: u64 = 1 << 20;
/// What its allocator may take beyond that. All that is sent to the readers is twice both.
const ARENAS: u64 = 16 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ends {
    Deadline,
    Stall,
}

#[test]
fn a_reader_that_stops_still_ends() {
    alone(|| async {
        let ground = Ground::new();
        let sim = Sim::start(Listen::loopback()).await.unwrap();
        // 10 MiB at once, then a token each 50 ms
        sim.set(
            "much",
            "burst=10MiB,tokens=2,gap=50ms,forever"
                .parse::<Script>()
                .unwrap(),
        );
        let mut table = Tally::of(
            "T11 upstream closed",
            WAYS.iter()
                .flat_map(|way| [Ends::Deadline, Ends::Stall].map(|ends| cell(&[&ends, way]))),
        );
        sim.set("warm", "burst=10MiB,tokens=2".parse::<Script>().unwrap());
        let config = format!(
            "providers:\n  sim: {{ dialect: openai, base_url: \"{}/v1\", api_key: sk-proof }}\n\
             targets:\n  much: {{ provider: sim, model: much, lane: one, max_concurrency: {READERS} }}\n  brief: {{ provider: sim, model: sim, lane: one }}\n  warm: {{ provider: sim, model: warm }}\n\
             routes:\n  much: {{ plan: much }}\n  brief: {{ plan: brief }}\n  warm: {{ plan: warm }}\n",
            sim.url()
        );
        let gates = Arc::new(Gates::open("caller_stall_timeout: 1s", &config, &[]));
        warm(&gates).await;
        for ends in [Ends::Deadline, Ends::Stall] {
            for way in WAYS {
                for late in stop(&gates, &sim, way, ends, &ground).await {
                    table.ran(&cell(&[&ends, &way]), late);
                }
            }
        }
        table.close(READERS);
        println!("T11 canary p99 {:.1?}", ground.late());
        ground.mostly("p99", table.p99(), ms(10));
        // on each gateway those that stop and one more, of two ways and for two ends; and those before
        let each = 4 * (READERS + 1) + READERS;
        let records = gates.records(each, each);
        records
            .all()
            .filter(|line| line["route"] == "much")
            .for_each(|line| {
                let deadline = line["deadline"].is_object();
                let expected = if deadline {
                    ("deadline_exceeded", None)
                } else {
                    ("cancelled", Some("stalled"))
                };
                let said = (line["outcome"].as_str().unwrap(), line["reason"].as_str());
                assert_eq!(said, expected, "{line:#}");
            });
    });
}

/// As many readers as will stop, who do not: allocators keep what they once needed.
async fn warm(gates: &Arc<Gates>) {
    let all: Vec<_> = (0..READERS).flat_map(|_| [Way::H1, Way::H1Tls]).collect();
    let gates = gates.clone();
    at_once(all.len(), all, move |way| {
        let gates = gates.clone();
        async move {
            let answer = Guest::arrive(&gates, way)
                .await
                .ask(&Asks::ChatStream.of("warm"))
                .await;
            assert!(answer.done());
        }
    })
    .await;
}

/// As many as there are permits stop reading; how late each was ended.
async fn stop(
    gates: &Gates,
    sim: &Sim,
    way: Way,
    ends: Ends,
    ground: &Ground,
) -> Vec<Option<Duration>> {
    let what = cell(&[&ends, &way]);
    let gateway = gates.at(way);
    let before = gateway_memory(gateway);
    let mut readers = Vec::new();
    for _ in 0..READERS {
        let mark = Mark::new();
        let asked = mark.on(Asks::ChatStream.of("much"));
        let guest = Guest::arrive_narrow(gates, way).await;
        let request = if ends == Ends::Deadline {
            asked.with("x-request-deadline-ms", "1000")
        } else {
            asked
        };
        let started = Instant::now();
        let held = guest.start(&request).await.see("chatcmpl").await;
        readers.push((mark, started, held));
    }
    until(gateway, "all permits taken", |s| {
        target(s, "much")["in_use"] == READERS
    })
    .await;
    sleep(ms(500)).await;
    let held = gateway_memory(gateway).saturating_sub(before);
    println!("T11 {what}: {} KiB held for {READERS} readers", held >> 10);
    assert!(
        held < HELD * READERS as u64 + ARENAS,
        "{what}: {held} bytes held"
    );
    let mut out = Vec::new();
    for (mark, started, _) in &readers {
        let seen = seen(sim, mark, |s| s.closed.is_some()).await;
        let closed = seen.closed.unwrap().0;
        assert!(closed + ms(2) >= *started + LIMIT, "{what}: too early");
        match ends {
            Ends::Deadline => out.push(Some(late(closed, *started + LIMIT))),
            // the stall begins when the last buffer is full
            Ends::Stall => {
                let filled = closed - seen.headers_sent.unwrap();
                ground.within(&what, filled, LIMIT + ms(500));
                out.push(None);
            }
        }
    }
    until(gateway, "permits back", |s| {
        target(s, "much")["in_use"] == 0
    })
    .await;
    let asked = Instant::now();
    let answer = Guest::arrive(gates, way)
        .await
        .ask(&Asks::Chat.of("brief"))
        .await;
    assert_eq!(answer.status, 200, "{what}");
    ground.within(&what, asked.elapsed(), ms(50));
    out
}
