//! T9: a queue wait is a wait, a status is the status that was sent, and the parts of a request add up.

use crate::{
    gates::{Gates, Mark},
    ground::{Ground, alone},
    guest::{Asks, Guest, SURFACES, WAYS, Way},
    slots::{at_once, seen},
    spans::{hex, length, of, trees},
    support::{Collector, collector::attribute, ms},
    tally::{Tally, cell},
};
use opentelemetry_proto::tonic::trace::v1::Span;
use punctual_sim::{Listen, Sim};
use std::{sync::Arc, time::Duration};
use tokio::time::sleep;

mod fates;
use fates::{FATES, assert_fates, fates};

/// Requests over the free lane, and what the slowest takes: the fastest takes a 25th of it.
const REQUESTS: u64 = 29;
const SLOWEST: u64 = 500;
/// Requests that come at once to a lane of one.
const IN_LINE: u64 = 6;

fn config(sim: &Sim) -> String {
    let mut targets = String::new();
    let mut routes = String::new();
    for n in 0..REQUESTS {
        let delay = SLOWEST / 25 + n * (SLOWEST - SLOWEST / 25) / (REQUESTS - 1);
        targets += &format!("  t{n}: {{ provider: sim, model: \"sim:delay:{delay}ms\" }}\n");
        routes += &format!("  r{n}: {{ plan: t{n} }}\n");
    }
    for way in WAYS {
        targets += &format!(
            "  one-{way:?}: {{ provider: sim, model: \"sim:delay:40ms\", max_concurrency: 1 }}\n"
        );
        routes += &format!("  one-{way:?}: {{ plan: one-{way:?} }}\n");
        for (n, asks) in SURFACES.iter().enumerate() {
            for (name, model, ..) in FATES {
                let timeout = if name == "f504" {
                    ", timeout: 100ms"
                } else {
                    ""
                };
                targets += &format!(
                    "  {name}-{n}-{way:?}: {{ provider: sim, model: \"{model}\"{timeout} }}\n"
                );
                routes += &format!("  {name}-{asks:?}-{way:?}: {{ plan: {name}-{n}-{way:?} }}\n");
            }
        }
    }
    format!(
        "providers:\n  sim: {{ dialect: openai, base_url: \"{}/v1\", api_key: sk-proof }}\ntargets:\n{targets}routes:\n{routes}",
        sim.url()
    )
}

struct World {
    gates: Gates,
    sim: Sim,
    collector: Collector,
    ground: Ground,
}

#[test]
fn queue_wait_is_a_wait_and_statuses_are_true() {
    alone(|| async {
        let sim = Sim::start(Listen::loopback()).await.unwrap();
        let collector = Collector::start().await;
        let gates = Gates::open("", &config(&sim), &collector.env());
        let world = Arc::new(World {
            gates,
            sim,
            collector,
            ground: Ground::new(),
        });
        let free = free_lane(&world).await;
        let lines = one_at_a_time(&world).await;
        let fates = fates(&world).await;
        let count = |tls: bool| {
            let ways = free
                .iter()
                .chain(&lines)
                .map(|r| r.1)
                .chain(fates.iter().map(|f| f.0.2));
            ways.filter(|w| w.is_tls() == tls).count()
        };
        let records = world.gates.records(count(false), count(true));
        assert_free(&world, &free).await;
        assert_lines(&world, &lines).await;
        assert_fates(&world, &records, &fates).await;
        let marks = free
            .iter()
            .chain(&lines)
            .map(|r| &r.0)
            .chain(fates.iter().map(|f| &f.1));
        let trees = trees(&world.collector, marks.clone()).await;
        marks.for_each(|mark| assert_adds_up(&world, &trees[&mark.0]));
        println!("T9 canary p99 {:.1?}", world.ground.late());
    });
}

type Ran = (Mark, Way);

/// One request after another, each with its own service time.
async fn free_lane(world: &Arc<World>) -> Vec<Ran> {
    let shared = world.clone();
    at_once(8, (0..REQUESTS).collect(), move |n| {
        let world = shared.clone();
        async move {
            let (mark, i) = (Mark::new(), usize::try_from(n).unwrap());
            let way = WAYS[i % WAYS.len()];
            let request = mark.on(SURFACES[i % SURFACES.len()].of(&format!("r{n}")));
            let answer = Guest::arrive(&world.gates, way).await.ask(&request).await;
            assert_eq!(answer.status, 200);
            (mark, way)
        }
    })
    .await
}

/// Several at once on a lane of one, over each way in.
async fn one_at_a_time(world: &Arc<World>) -> Vec<Ran> {
    let shared = world.clone();
    let all: Vec<_> = WAYS
        .iter()
        .flat_map(|way| (0..IN_LINE).map(|_| *way))
        .collect();
    at_once(all.len(), all, move |way| {
        let world = shared.clone();
        async move {
            let mark = Mark::new();
            let request = mark.on(Asks::Chat.of(&format!("one-{way:?}")));
            let answer = Guest::arrive(&world.gates, way).await.ask(&request).await;
            assert_eq!(answer.status, 200);
            (mark, way)
        }
    })
    .await
}

/// Waits of nothing, while attempts spread 25-fold.
async fn assert_free(world: &World, ran: &[Ran]) {
    let trees = trees(&world.collector, ran.iter().map(|r| &r.0)).await;
    let mut table = Tally::of("T9 free lane", [cell(&[&"queue.wait"])]);
    let mut attempts = Vec::new();
    for (mark, _) in ran {
        let tree = &trees[&mark.0];
        let waits: Vec<_> = tree.iter().filter(|s| s.name == "queue.wait").collect();
        assert_eq!(waits.len(), 1);
        assert!(
            !waits[0]
                .attributes
                .iter()
                .any(|a| a.key.starts_with("gen_ai.")),
            "{:?}",
            waits[0]
        );
        table.ran("queue.wait", length(waits[0]));
        attempts.push(length(of(tree, "resilience.attempt")));
    }
    table.close(usize::try_from(REQUESTS).unwrap());
    world
        .ground
        .mostly("waits on a free lane", table.p99(), ms(5));
    let (least, most) = (
        attempts.iter().min().unwrap(),
        attempts.iter().max().unwrap(),
    );
    assert!(
        *most > *least * 3 && *most >= ms(SLOWEST),
        "{least:?} to {most:?}"
    );
}

/// On a lane of one the next wait ends when the attempt before it does.
async fn assert_lines(world: &World, ran: &[Ran]) {
    let trees = trees(&world.collector, ran.iter().map(|r| &r.0)).await;
    let mut table = Tally::of("T9 lane of one", WAYS.map(|way| cell(&[&way])));
    for way in WAYS {
        let mut line: Vec<_> = ran
            .iter()
            .filter(|r| r.1 == way)
            .map(|r| &trees[&r.0.0])
            .collect();
        line.sort_by_key(|tree| of(tree, "resilience.attempt").start_time_unix_nano);
        for pair in line.windows(2) {
            let over = of(pair[0], "resilience.attempt").end_time_unix_nano;
            let granted = of(pair[1], "queue.wait").end_time_unix_nano;
            table.ran(&cell(&[&way]), Duration::from_nanos(over.abs_diff(granted)));
        }
    }
    table.close(usize::try_from(IN_LINE).unwrap() - 1);
    world
        .ground
        .mostly("a wait ends when its predecessor does", table.p99(), ms(5));
}

/// The parts of a request: its span is their sum to within 5 ms.
fn assert_adds_up(world: &World, tree: &[Span]) {
    let request = of(tree, "request.");
    let said = |key: &str| {
        attribute(&request.attributes, key)
            .unwrap()
            .parse::<f64>()
            .unwrap()
    };
    let millis = |span: &Span| length(span).as_secs_f64() * 1e3;
    let parts = ["queue.wait", "resilience.attempt", "resilience.backoff"];
    let spans = tree.iter().filter(|s| parts.contains(&s.name.as_str()));
    let known =
        said("punctual.receive_ms") + spans.map(millis).sum::<f64>() + said("punctual.send_ms");
    let rest = millis(request) - known;
    let nobodys = Duration::from_secs_f64(rest.abs() / 1e3);
    world.ground.within("what is nobody's", nobodys, ms(5));
}

#[test]
fn a_wait_is_exported_while_its_attempt_is_still_held() {
    alone(|| async {
        let sim = Sim::start(Listen::loopback()).await.unwrap();
        let collector = Collector::start().await;
        let gates = Gates::open("", &config(&sim), &collector.env());
        for way in WAYS {
            let mark = Mark::new();
            let request = mark.on(Asks::Chat.of(&format!("f499-Chat-{way:?}")));
            let held = Guest::arrive(&gates, way).await.start(&request).await;
            seen(&sim, &mark, |s| s.received.is_some()).await;
            let mine = |s: &&Span| hex(&s.trace_id) == mark.0;
            collector
                .wait(|spans| spans.iter().filter(mine).any(|s| s.name == "queue.wait"))
                .await;
            let open = collector
                .spans()
                .iter()
                .filter(mine)
                .all(|s| s.name == "queue.wait");
            assert!(open, "the attempt is over already");
            sleep(ms(1)).await;
            drop(held);
        }
    });
}
