//! T3: a caller that leaves costs nothing: in each way, in each phase, over everything that lies between.

use crate::{
    gates::{Gates, Mark, Records, target, until},
    ground::{Ground, alone},
    guest::{Guest, Leaves, Way},
    slots::{Slot, late, play, slots},
    support::{Collector, ms},
    tally::{Tally, cell},
};
use std::{sync::Arc, time::Duration};
use tokio::time::sleep;

mod records;
mod trial;
use crate::guest::Started;
use records::{assert_nothing_left, assert_recorded};
use trial::PHASES;
pub use trial::{Phase, Trial, possible};

pub struct Ran {
    pub trial: Trial,
    pub mark: Mark,
    /// From the caller's leaving to the upstream's close, where there is an exchange or a dial.
    pub late: Option<Duration>,
}

impl Ran {
    /// The phase on record. That bytes on their way to the gateway have arrived cannot be seen from outside:
    /// a run counts for where its request really stood.
    fn recorded(&self, records: &Records) -> Phase {
        let said = &records.of(&self.mark)["phase"];
        *PHASES.iter().find(|p| said == p.name()).unwrap()
    }
}

#[test]
fn a_caller_that_leaves_costs_nothing() {
    alone(|| async {
        let ground = Ground::new();
        let collector = Collector::start().await;
        let (slots, config) = slots(8, |target, backup| {
            format!("{{ fallback: [ {{ retry: {{ of: {target}, initial: 24h, max: 24h }} }}, {backup} ] }}")
        })
        .await;
        let gates = Arc::new(Gates::open("", &config, &collector.env()));
        let trials = Trial::all(36);
        let mut cells = Tally::of("T3 upstream closed", trials.iter().map(Trial::cell));
        let mut sides = Tally::of("T3 by side", trials.iter().flat_map(Trial::sides));
        let shared = gates.clone();
        let ran = play(&slots, trials, move |slot, trial| {
            run(shared.clone(), slot, trial)
        })
        .await;
        assert_nothing_left(&gates, &slots, &ground).await;
        let records = assert_recorded(&gates, &collector, &ran).await;
        for r in &ran {
            cells.ran(&cell(&[&r.recorded(&records), &r.trial.leaves]), r.late);
            r.trial
                .sides()
                .iter()
                .for_each(|side| sides.ran(side, r.late));
        }
        cells.close(20);
        sides.close(20);
        println!("T3 canary p99 {:.1?}", ground.late());
        ground.mostly("p99 of upstream closes", cells.p99(), ms(10));
    });
}

/// One caller: brings its request to its place, leaves, and waits for the end.
pub async fn run(gates: Arc<Gates>, slot: Arc<Slot>, trial: Trial) -> Ran {
    let sim = slot.sim(trial.stall, trial.up);
    let (mark, conns) = (Mark::new(), sim.connections().len());
    let route = slot.route(trial.stall, trial.up);
    let request = mark.on(trial.asks.of(&route));
    let holder = match trial.phase {
        Phase::Queued => Some(hold(&gates, &slot, trial).await),
        _ => None,
    };
    sim.set("backoff", "status=429".parse().unwrap());
    let guest = Guest::arrive(&gates, trial.way).await;
    let gateway = gates.at(trial.way);
    let started = match trial.phase {
        Phase::Receiving => guest.start_upload(&request, None).await,
        _ => guest.start(&request).await,
    };
    let started = match trial.phase {
        Phase::Receiving => started,
        Phase::Queued => {
            until(gateway, "queued", |s| target(s, &route)["queued"] == 1).await;
            started
        }
        Phase::Connecting => {
            slot.conn(sim, conns, |c| c.bytes_read > 0).await;
            started
        }
        Phase::Headers => {
            slot.seen(sim, &mark, |s| s.received.is_some()).await;
            started
        }
        Phase::Content => {
            slot.seen(sim, &mark, |s| s.headers_sent.is_some()).await;
            after(started, ms(10)).await
        }
        Phase::Backoff => {
            slot.seen(sim, &mark, |s| s.finished.is_some()).await;
            // a permit is given back for the pause
            until(gateway, "the pause", |s| target(s, &route)["in_use"] == 0).await;
            started
        }
        Phase::Streaming => started.see("tok2").await,
    };
    let left = started.leave(trial.leaves).await;
    let ended = match trial.phase {
        Phase::Connecting => slot
            .conn(sim, conns, |c| c.closed.is_some())
            .await
            .closed
            .map(|c| c.0),
        p if p.has_exchange() => slot
            .seen(sim, &mark, |s| s.closed.is_some())
            .await
            .closed
            .map(|c| c.0),
        Phase::Queued => {
            until(gateway, "left the queue", |s| {
                target(s, &route)["queued"] == 0
            })
            .await;
            None
        }
        _ => None,
    };
    let asked = sim.report().iter().filter(|s| mark.is_of(s)).count();
    let once = !matches!(
        trial.phase,
        Phase::Receiving | Phase::Queued | Phase::Connecting
    );
    assert_eq!(asked, usize::from(once), "{trial:?}");
    if let Some(holder) = holder {
        drop(holder.1.leave(Leaves::Fin).await);
        slot.seen(sim, &holder.0, |s| s.closed.is_some()).await;
    }
    Ran {
        trial,
        mark,
        late: ended.map(|at| late(at, left.at)),
    }
}

async fn after(started: Started, time: Duration) -> Started {
    sleep(time).await;
    started
}

/// Takes the only permit.
async fn hold(gates: &Gates, slot: &Slot, trial: Trial) -> (Mark, Started) {
    let mark = Mark::new();
    let request = mark.on(trial.asks.of(&slot.route(trial.stall, trial.up)));
    let way = if trial.way.is_tls() {
        Way::H1Tls
    } else {
        Way::H1
    };
    let started = Guest::arrive(gates, way).await.start(&request).await;
    slot.seen(slot.sim(trial.stall, trial.up), &mark, |_| true)
        .await;
    (mark, started)
}
