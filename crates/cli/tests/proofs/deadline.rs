//! T1: when the deadline passes, the caller is answered and the upstream is closed, wherever the request
//! stood.

use crate::{
    gates::{Gates, Mark},
    ground::{Ground, alone},
    guest::{Asks, Guest, SURFACES, WAYS, Way},
    slots::{STALLS, Slot, Stall, UPS, Up, late, play, slots},
    support::{Answer, ms},
    tally::{Tally, cell},
};
use punctual_sim::Sim;
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, sleep};

const DEADLINE: Duration = ms(300);

#[derive(Clone, Copy, Debug)]
struct Trial {
    stall: Stall,
    asks: Asks,
    way: Way,
    up: Up,
}

impl Trial {
    fn cell(&self) -> String {
        cell(&[&self.stall, &self.asks, &self.way])
    }

    /// Every surface and way in, in each place where it can stop; ways out take turns.
    fn all() -> Vec<Self> {
        let mut out = Vec::new();
        for stall in STALLS {
            for asks in SURFACES {
                for way in WAYS {
                    let up = UPS[out.len() % UPS.len()];
                    // over HTTP/2 a request goes out whether or not anybody reads: nothing is there to close
                    let up = match up {
                        Up::H2 | Up::H2Tls if stall == Stall::Accept => Up::H1,
                        other => other,
                    };
                    let needs_stream = matches!(stall, Stall::Preamble | Stall::ThirdToken);
                    if !needs_stream || asks.streams() {
                        out.push(Self {
                            stall,
                            asks,
                            way,
                            up,
                        });
                    }
                }
            }
        }
        out
    }

    fn is_committed(&self) -> bool {
        self.asks.streams() && matches!(self.stall, Stall::ThirdToken | Stall::Generating)
    }

    fn phases(&self) -> &'static [&'static str] {
        match self.stall {
            // an accepted connection takes the request into its buffers
            Stall::Accept | Stall::Request => &["awaiting_headers"],
            Stall::TlsHello => &["connecting"],
            Stall::Headers | Stall::Preamble => &["awaiting_content"],
            Stall::Generating if !self.asks.streams() => &["awaiting_content"],
            Stall::ThirdToken | Stall::Generating => &["streaming"],
            // no pause is as long as the time left: it passes in the retry
            Stall::Backoff => &["awaiting_headers"],
            Stall::Queue => &["queued"],
        }
    }
}

struct Ran {
    trial: Trial,
    caller: Duration,
    upstream: Duration,
}

#[test]
fn deadline_ends_every_phase_on_every_surface() {
    alone(|| async {
        let ground = Ground::new();
        let (slots, config) =
            slots(8, |target, _| format!("{{ retry: {{ of: {target} }} }}")).await;
        let gates = Arc::new(Gates::open("", &config, &[]));
        let trials = Trial::all();
        let mut callers = Tally::of("T1 caller answered", trials.iter().map(Trial::cell));
        let mut upstreams = Tally::of("T1 upstream closed", trials.iter().map(Trial::cell));
        let shared = gates.clone();
        let ran = play(&slots, trials, move |slot, trial| {
            run(shared.clone(), slot, trial)
        })
        .await;
        for r in &ran {
            callers.ran(&r.trial.cell(), r.caller);
            upstreams.ran(&r.trial.cell(), r.upstream);
        }
        let before: Vec<_> = slots.iter().map(|s| s.counts()).collect();
        sleep(ms(2_000)).await;
        let after: Vec<_> = slots.iter().map(|s| s.counts()).collect();
        assert_eq!(before, after, "requests and connections when all was over");
        callers.close(1);
        upstreams.close(1);
        println!("T1 canary p99 {:?}", ground.late());
        ground.mostly("p99 of answers", callers.p99(), ms(5));
        ground.mostly("p99 of upstream closes", upstreams.p99(), ms(10));
    });
}

async fn run(gates: Arc<Gates>, slot: Arc<Slot>, trial: Trial) -> Ran {
    let sim = slot.sim(trial.stall, trial.up);
    let mark = Mark::new();
    let request = mark.on(trial.asks.of(&slot.route(trial.stall, trial.up)));
    let conns = sim.connections().len();
    let holder = match trial.stall {
        Stall::Queue => Some(hold(&gates, &slot, trial).await),
        _ => None,
    };
    let mut guest = Guest::arrive(&gates, trial.way).await;
    sim.set("backoff", "status=503,retry-after-ms=100".parse().unwrap());
    let request = request.with("x-request-deadline-ms", "300");
    let started = Instant::now();
    let (answer, ()) = tokio::join!(guest.ask(&request), async {
        if trial.stall == Stall::Backoff {
            slot.seen(sim, &mark, |s| s.finished.is_some()).await;
            sim.set("backoff", "silent-headers".parse().unwrap());
        }
    });
    let due = started + DEADLINE;
    assert!(
        answer.ended_at >= due - ms(2),
        "{trial:?}: after {:?}: {} {}",
        answer.ended_at - started,
        answer.status,
        answer.text()
    );
    assert_answer(trial, &answer);
    let closed = match trial.stall {
        Stall::Accept | Stall::TlsHello => {
            slot.conn(sim, conns, |c| c.closed.is_some())
                .await
                .closed
                .unwrap()
                .0
        }
        Stall::Queue => answer.ended_at,
        _ => {
            slot.seen(sim, &mark, |s| s.closed.is_some())
                .await
                .closed
                .unwrap()
                .0
        }
    };
    let requests = asked(sim, &mark);
    let expected = match trial.stall {
        Stall::Accept | Stall::TlsHello | Stall::Queue => 0,
        Stall::Backoff => 2,
        _ => 1,
    };
    assert_eq!(requests, expected, "{trial:?}");
    if let Some((sim_mark, guest)) = holder {
        let seen = slot.seen(sim, &sim_mark, |_| true).await;
        assert_eq!(seen.closed, None, "{trial:?}: the holder is disturbed");
        drop(guest);
        slot.seen(sim, &sim_mark, |s| s.closed.is_some()).await;
    }
    Ran {
        trial,
        caller: late(answer.ended_at, due),
        upstream: late(closed, due),
    }
}

/// How often an upstream was asked.
fn asked(sim: &Sim, mark: &Mark) -> usize {
    sim.report().iter().filter(|s| mark.is_of(s)).count()
}

/// Takes the only permit.
async fn hold(gates: &Gates, slot: &Slot, trial: Trial) -> (Mark, crate::guest::Started) {
    let mark = Mark::new();
    let request = mark.on(trial.asks.of(&slot.route(trial.stall, trial.up)));
    let started = Guest::arrive(gates, trial.way).await.start(&request).await;
    slot.seen(slot.sim(trial.stall, trial.up), &mark, |_| true)
        .await;
    (mark, started)
}

fn assert_answer(trial: Trial, answer: &Answer) {
    let error = if trial.is_committed() {
        assert_eq!(answer.status, 200, "{trial:?}");
        let errors = answer.error_events();
        assert_eq!(errors.len(), 1, "{trial:?}: {}", answer.text());
        assert!(
            !answer.done() && !answer.text().contains("\"finish_reason\":\""),
            "{trial:?}: {}",
            answer.text()
        );
        errors[0].clone()
    } else {
        assert_eq!(answer.status, 504, "{trial:?}: {}", answer.text());
        assert_eq!(answer.header("x-should-retry"), Some("false"), "{trial:?}");
        answer.json()["error"].clone()
    };
    assert_eq!(
        error["code"], "request_deadline_exceeded",
        "{trial:?}: {error}"
    );
    let phase = error["phase"].as_str().unwrap();
    assert!(trial.phases().contains(&phase), "{trial:?}: {error}");
    assert!(answer.complete, "{trial:?}: the framing is broken");
}
