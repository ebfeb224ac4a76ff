//! Aborted streams leave nothing behind: permits, connections, file descriptors, threads and memory of the
//! gateway are back where they were. `PUNCTUAL_SOAK` says how many; `scripts/soak.sh` runs 100,000.

use crate::{
    gates::{Gates, gateway_files, gateway_memory, metric, status, until},
    ground::alone,
    guest::{Guest, Leaves, STREAMS, SURFACES, WAYS},
    leaving::possible,
    slots::at_once,
    support::{Gateway, ms},
};
use punctual_sim::{Listen, Sim};
use std::sync::Arc;
use tokio::time::{Instant, sleep};

const AT_ONCE: usize = 32;
const LEAVINGS: [Leaves; 4] = [
    Leaves::Fin,
    Leaves::Rst,
    Leaves::StreamReset,
    Leaves::FinBehindStrayLine,
];
/// What the allocator may keep beyond what a warmed-up process has.
const MEMORY: u64 = 32 << 20;

#[test]
fn aborted_streams_leave_nothing_behind() {
    let count = std::env::var("PUNCTUAL_SOAK")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(2_000);
    alone(|| async move {
        let sim = Arc::new(Sim::start(Listen::loopback()).await.unwrap());
        let provider = |name: &str, http2: bool| {
            format!(
                "  {name}: {{ dialect: openai, base_url: \"{}/v1\", api_key: sk-proof, http2: {http2} }}\n",
                sim.url()
            )
        };
        let target = |name: &str, up: &str, model: &str| {
            format!(
                "  {name}: {{ provider: {up}, model: \"{model}\", max_concurrency: {AT_ONCE} }}\n"
            )
        };
        let config = format!(
            "providers:\n{}{}targets:\n{}{}{}{}routes:\n  a: {{ plan: a }}\n  b: {{ plan: b }}\n  c: {{ plan: c }}\n  d: {{ plan: d }}\n",
            provider("one", false),
            provider("two", true),
            target("a", "one", "sim:tokens:9/trickle:20ms"),
            target("b", "two", "sim:tokens:9/trickle:20ms"),
            target("c", "one", "sim:silent-headers"),
            target("d", "two", "sim:silent-headers"),
        );
        let gates = Arc::new(Gates::open("", &config, &[]));
        abort(&gates, &sim, 500).await;
        let before = [at_rest(&gates.plain).await, at_rest(&gates.tls).await];
        let started = Instant::now();
        abort(&gates, &sim, count).await;
        let after = [at_rest(&gates.plain).await, at_rest(&gates.tls).await];
        println!("soak: {count} aborted streams in {:.1?}", started.elapsed());
        for (name, before, after) in [("plain", before[0], after[0]), ("tls", before[1], after[1])]
        {
            println!("soak: {name}: before {before:?}");
            println!("soak: {name}: after  {after:?}");
            assert!(after.files <= before.files + 4, "file descriptors");
            // one of the blocking pool may be there that was not before
            assert!(after.threads <= before.threads + 2, "threads");
            assert!(after.memory <= before.memory + MEMORY, "memory");
        }
    });
}

async fn abort(gates: &Arc<Gates>, sim: &Arc<Sim>, count: usize) {
    let (gates, sim) = (gates.clone(), sim.clone());
    at_once(AT_ONCE, (0..count).collect(), move |n| {
        let (gates, sim) = (gates.clone(), sim.clone());
        async move {
            if n % 1_000 == 999 {
                sim.reset();
            }
            let way = WAYS[n % WAYS.len()];
            let leavings: Vec<_> = LEAVINGS.into_iter().filter(|l| possible(way, *l)).collect();
            let leaves = leavings[n / 4 % leavings.len()];
            let route = ["a", "b", "c", "d"][n / 7 % 4];
            let generates = n / 7 % 4 < 2;
            let asks = if generates {
                STREAMS[n % 2]
            } else {
                SURFACES[n % 5]
            };
            let started = Guest::arrive(&gates, way)
                .await
                .start(&asks.of(route))
                .await;
            let started = if generates && n % 3 > 0 {
                started.see("tok0").await
            } else {
                sleep(ms(n as u64 % 5)).await;
                started
            };
            drop(started.leave(leaves).await);
        }
    })
    .await;
}

/// What a gateway has when nothing is asked of it.
#[derive(Clone, Copy, Debug)]
struct Rest {
    files: usize,
    threads: usize,
    memory: u64,
}

async fn at_rest(gateway: &Gateway) -> Rest {
    until(gateway, "all is over", |s| {
        let targets = s["targets"].as_array().unwrap();
        let free = targets.iter().all(|t| t["in_use"] == 0 && t["queued"] == 0);
        s["in_flight"] == 0 && s["connections"] == 0 && free
    })
    .await;
    assert_eq!(status(gateway).await["memory_bytes"], 0);
    assert_eq!(metric(gateway, "punctual_requests_in_flight").await, 0.0);
    let (files, threads) = gateway_files(gateway);
    Rest {
        files,
        threads,
        memory: gateway_memory(gateway),
    }
}
