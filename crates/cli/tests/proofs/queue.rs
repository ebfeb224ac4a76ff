//! T2: a queued request expires on its own timer, and its place is free at once.

use crate::{
    gates::{Gates, Mark, records, target, until},
    ground::{Ground, alone},
    guest::{Asks, Guest, Way, everybody},
    slots::{Slot, Stall, Up, late, play, slots},
    spans::hex,
    support::{Collector, collector::attribute, ms},
    tally::{Tally, cell},
};
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;

const BUDGET: Duration = ms(200);

struct Ran {
    asks: Asks,
    way: Way,
    waiter: Mark,
    late: Duration,
}

#[test]
fn a_queued_request_expires_on_its_own_timer() {
    alone(|| async {
        let ground = Ground::new();
        let collector = Collector::start().await;
        let (slots, config) = slots(8, |target, _| target.to_owned()).await;
        let gates = Arc::new(Gates::open("", &config, &collector.env()));
        let mut table = Tally::of(
            "T2",
            everybody().iter().map(|(asks, way)| cell(&[asks, way])),
        );
        let shared = gates.clone();
        // often enough that one in a hundred may be late
        let trials = (0..5).flat_map(|_| everybody()).collect();
        let ran = play(&slots, trials, move |slot, (asks, way)| {
            run(shared.clone(), slot, asks, way)
        })
        .await;
        ran.iter()
            .for_each(|r| table.ran(&cell(&[&r.asks, &r.way]), r.late));
        table.close(5);
        println!("T2 canary p99 {:.1?}", ground.late());
        ground.mostly("p99", table.p99(), ms(5));
        assert_waits(&collector, &ran, &ground).await;
        for gateway in [&gates.plain, &gates.tls] {
            // holder, waiter and third of each
            records(gateway, ran.len() / 2 * 3);
        }
    });
}

async fn run(gates: Arc<Gates>, slot: Arc<Slot>, asks: Asks, way: Way) -> Ran {
    let (sim, gateway) = (slot.sim(Stall::Queue, Up::H1), gates.at(way));
    let route = slot.route(Stall::Queue, Up::H1);
    let queued = |n: u64| {
        until(gateway, "queued", {
            let route = route.clone();
            move |s| target(s, &route)["queued"] == n
        })
    };
    let [holds, waits, follows] = [Mark::new(), Mark::new(), Mark::new()];
    let before = sim.report().len();
    let holder = Guest::arrive(&gates, way)
        .await
        .start(&holds.on(asks.of(&route)))
        .await;
    slot.seen(sim, &holds, |s| s.received.is_some()).await;

    let mut waiter = Guest::arrive(&gates, way).await;
    let request = waits
        .on(asks.of(&route))
        .with("x-request-deadline-ms", "200");
    let started = Instant::now();
    let answer = waiter.ask(&request).await;
    let due = started + BUDGET;
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (504, "request_deadline_exceeded")
    );
    assert_eq!(answer.json()["error"]["phase"], "queued");
    assert!(answer.head_at + ms(2) >= due, "too early");

    let third = Guest::arrive(&gates, way)
        .await
        .start(&follows.on(asks.of(&route)))
        .await;
    queued(1).await;
    let seen = slot.seen(sim, &holds, |_| true).await;
    assert_eq!(seen.closed, None, "the holder is disturbed");
    assert_eq!(
        sim.report().len() - before,
        1,
        "only the holder was accepted upstream"
    );
    drop(holder);
    slot.seen(sim, &follows, |_| true).await;
    queued(0).await;
    drop(third);
    slot.seen(sim, &follows, |s| s.closed.is_some()).await;
    Ran {
        asks,
        way,
        waiter: waits,
        late: late(answer.ended_at, due),
    }
}

/// One wait of each waiter, as long as its budget, not admitted, because of the deadline.
async fn assert_waits(collector: &Collector, ran: &[Ran], ground: &Ground) {
    for r in ran {
        let mine =
            |s: &&opentelemetry_proto::tonic::trace::v1::Span| hex(&s.trace_id) == r.waiter.0;
        let spans = collector
            .wait(|spans| {
                spans
                    .iter()
                    .filter(mine)
                    .any(|s| s.name.starts_with("request."))
            })
            .await;
        let mine: Vec<_> = spans.iter().filter(mine).collect();
        let waits: Vec<_> = mine.iter().filter(|s| s.name == "queue.wait").collect();
        assert_eq!((mine.len(), waits.len()), (2, 1), "{:?}", r.asks);
        let said = |name: &str| attribute(&waits[0].attributes, name);
        assert_eq!(said("punctual.queue.admitted").as_deref(), Some("false"));
        assert_eq!(said("punctual.reason").as_deref(), Some("deadline"));
        // the budget began with the head
        let request = mine
            .iter()
            .find(|s| s.name.starts_with("request."))
            .unwrap();
        let ended = waits[0].end_time_unix_nano - request.start_time_unix_nano;
        ground.at("the wait's end", Duration::from_nanos(ended), BUDGET);
    }
}
