//! T3: a caller that leaves costs nothing: in each way, in each phase, over everything that lies between.

use crate::{
    gates::{Gates, Mark, Records, status, target, until},
    ground::{Ground, alone},
    guest::{Asks, Guest, Leaves, STREAMS, SURFACES, Started, WAYS, Way},
    slots::{Slot, Stall, UPS, Up, late, play, slots},
    support::{Collector, collector::attribute, ms},
    tally::{Tally, cell},
};
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, sleep};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    Receiving,
    Queued,
    Connecting,
    Headers,
    Content,
    Backoff,
    Streaming,
}

const PHASES: [Phase; 7] = [
    Phase::Receiving,
    Phase::Queued,
    Phase::Connecting,
    Phase::Headers,
    Phase::Content,
    Phase::Backoff,
    Phase::Streaming,
];

const LEAVINGS: [Leaves; 4] = [
    Leaves::Fin,
    Leaves::Rst,
    Leaves::StreamReset,
    Leaves::FinBehindStrayLine,
];

impl Phase {
    fn name(self) -> &'static str {
        match self {
            Self::Receiving => "receiving",
            Self::Queued => "queued",
            Self::Connecting => "connecting",
            Self::Headers => "awaiting_headers",
            Self::Content => "awaiting_content",
            Self::Backoff => "backoff",
            Self::Streaming => "streaming",
        }
    }

    fn stall(self) -> Stall {
        match self {
            Self::Queued => Stall::Queue,
            Self::Connecting => Stall::TlsHello,
            Self::Receiving | Self::Headers => Stall::Request,
            Self::Content => Stall::Headers,
            Self::Backoff => Stall::Backoff,
            Self::Streaming => Stall::ThirdToken,
        }
    }

    fn has_exchange(self) -> bool {
        matches!(self, Self::Headers | Self::Content | Self::Streaming)
    }
}

/// One caller that leaves.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    pub leaves: Leaves,
    pub phase: Phase,
    pub stall: Stall,
    pub asks: Asks,
    pub way: Way,
    pub up: Up,
}

impl Trial {
    fn cell(&self) -> String {
        cell(&[&self.phase, &self.leaves])
    }

    /// The rest of the table, each with its own count.
    fn sides(&self) -> [String; 3] {
        [
            cell(&[&"surface", &self.asks]),
            cell(&[&"caller", &self.way]),
            cell(&[&"upstream", &self.up]),
        ]
    }

    /// `n` of each cell; surfaces, callers and upstreams take turns at different paces.
    fn all(n: usize) -> Vec<Self> {
        let mut out = Vec::new();
        for turn in 0..n {
            for phase in PHASES {
                for leaves in LEAVINGS {
                    let ways: Vec<Way> =
                        WAYS.into_iter().filter(|w| possible(*w, leaves)).collect();
                    let surfaces: &[Asks] = if phase == Phase::Streaming {
                        &STREAMS
                    } else {
                        &SURFACES
                    };
                    out.push(Self {
                        leaves,
                        phase,
                        stall: phase.stall(),
                        asks: surfaces[turn % surfaces.len()],
                        way: ways[turn / 2 % ways.len()],
                        up: UPS[turn / 3 % UPS.len()],
                    });
                }
            }
        }
        out
    }
}

/// Whether a caller of this kind can leave so.
pub fn possible(way: Way, leaves: Leaves) -> bool {
    match leaves {
        Leaves::Fin => true,
        Leaves::StreamReset => way.is_http2(),
        Leaves::Rst | Leaves::FinBehindStrayLine => !way.is_http2(),
    }
}

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
        ground.within("p99 of upstream closes", cells.p99(), ms(10));
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
        // nothing outside tells that a head has been read; the record must say that it was
        Phase::Receiving => after(started, ms(20)).await,
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

/// Permits, queues, breakers and the backup are as they were, and the next request is served at once.
async fn assert_nothing_left(gates: &Gates, slots: &[Arc<Slot>], ground: &Ground) {
    for slot in slots {
        assert_eq!(slot.backup.report().len(), 0, "somebody was passed on");
    }
    for (gateway, way) in [(&gates.plain, Way::H1), (&gates.tls, Way::H1Tls)] {
        until(gateway, "all is over", |s| s["in_flight"] == 0).await;
        let now = status(gateway).await;
        for t in now["targets"].as_array().unwrap() {
            assert_eq!((&t["in_use"], &t["queued"]), (&0.into(), &0.into()), "{t}");
            assert_eq!(t["breaker"], "closed", "{t}");
        }
        for slot in slots {
            let mut guest = Guest::arrive(gates, way).await;
            let asked = Instant::now();
            let answer = guest.ask(&Asks::Chat.of(&format!("good-{}", slot.n))).await;
            assert_eq!(answer.status, 200);
            ground.within("the next request", asked.elapsed(), ms(50));
        }
    }
}

/// One record each: cancelled, in its phase, with the status that was sent; and spans that say the same.
async fn assert_recorded(gates: &Gates, collector: &Collector, ran: &[Ran]) -> Records {
    let count = |tls: bool| {
        let of = ran.iter().filter(|r| r.trial.way.is_tls() == tls);
        of.map(|r| 1 + usize::from(r.trial.phase == Phase::Queued))
            .sum::<usize>()
    };
    let records = gates.records(count(false), count(true));
    ran.iter().for_each(|r| assert_record(&records, r));
    let all = count(false) + count(true);
    let is_request =
        |s: &&opentelemetry_proto::tonic::trace::v1::Span| s.name.starts_with("request.");
    let spans = collector
        .wait(|spans| spans.iter().filter(is_request).count() >= all)
        .await;
    for r in ran {
        let mine: Vec<_> = spans
            .iter()
            .filter(|s| hex(&s.trace_id) == r.mark.0)
            .collect();
        let kinds = |name: &str| mine.iter().filter(|s| s.name.starts_with(name)).count();
        let attempts = usize::from(!matches!(r.trial.phase, Phase::Receiving | Phase::Queued));
        let names = (
            kinds("request."),
            kinds("resilience.attempt"),
            kinds("upstream."),
            kinds("queue.wait"),
        );
        let queues = usize::from(r.trial.phase != Phase::Receiving);
        assert_eq!(names, (1, attempts, attempts, queues), "{:?}", r.trial);
        for span in mine {
            let was_open = match r.trial.phase {
                Phase::Backoff => {
                    span.name.starts_with("request.") || span.name == "resilience.backoff"
                }
                Phase::Queued | Phase::Receiving => true,
                _ => span.name != "queue.wait",
            };
            let said = attribute(&span.attributes, "error.type");
            let expected = was_open.then(|| "client_disconnected".to_owned());
            let closed_before = !was_open && span.name != "queue.wait";
            assert!(
                said == expected || closed_before,
                "{:?}: {}: {said:?}",
                r.trial,
                span.name
            );
        }
    }
    records
}

fn assert_record(records: &Records, r: &Ran) {
    let line = records.of(&r.mark);
    let status = if r.trial.phase == Phase::Streaming {
        200
    } else {
        499
    };
    let said = (&line["outcome"], &line["reason"], &line["status"]);
    let expected = (&"cancelled".into(), &"gone".into(), &status.into());
    assert_eq!(said, expected, "{:?}: {line:#}", r.trial);
    let phase = r.recorded(records);
    let just_before = (phase, r.trial.phase) == (Phase::Headers, Phase::Content);
    assert!(
        phase == r.trial.phase || just_before,
        "{:?}: {line:#}",
        r.trial
    );
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
