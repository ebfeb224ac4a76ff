//! T8: a trickle cannot outlast the deadline: not an upstream's, streamed or unary, and not a caller's upload.

use crate::{
    gates::{Gates, Mark},
    ground::{Ground, alone},
    guest::{Asks, Guest, Way, everybody},
    slots::{Slot, Stall, UPS, Up, late, play, slots},
    support::{Answer, ms},
    tally::{Tally, cell},
};
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;

const DEADLINE: Duration = ms(500);

/// Who trickles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    Upstream,
    Caller,
}

#[derive(Clone, Copy)]
struct Trial {
    who: Who,
    asks: Asks,
    way: Way,
    up: Up,
}

impl Trial {
    fn name(&self) -> String {
        cell(&[&self.who, &self.asks, &self.way, &self.up])
    }

    fn all() -> Vec<Self> {
        let mut out = Vec::new();
        for (asks, way) in everybody() {
            out.extend(UPS.map(|up| Self {
                who: Who::Upstream,
                asks,
                way,
                up,
            }));
            out.push(Self {
                who: Who::Caller,
                asks,
                way,
                up: Up::H1,
            });
        }
        out
    }
}

#[test]
fn a_trickle_cannot_outlast_the_deadline() {
    alone(|| async {
        let ground = Arc::new(Ground::new());
        let (slots, config) = slots(8, |target, _| target.to_owned()).await;
        let gates = Arc::new(Gates::open("", &config, &[]));
        let trials = Trial::all();
        let mut callers = Tally::of("T8 caller answered", trials.iter().map(Trial::name));
        let mut upstreams = Tally::of("T8 upstream closed", trials.iter().map(Trial::name));
        let bounds = ground.clone();
        let ran = play(&slots, trials, move |slot, t| {
            run(gates.clone(), slot, t, bounds.clone())
        })
        .await;
        for (t, caller, upstream) in &ran {
            callers.ran(&t.name(), *caller);
            upstreams.ran(&t.name(), *upstream);
        }
        callers.close(1);
        upstreams.close(1);
        println!("T8 canary p99 {:.1?}", ground.late());
        ground.mostly("p99 of answers", callers.p99(), ms(5));
        ground.mostly("p99 of upstream closes", upstreams.p99(), ms(10));
    });
}

type Ran = (Trial, Duration, Option<Duration>);

async fn run(gates: Arc<Gates>, slot: Arc<Slot>, t: Trial, ground: Arc<Ground>) -> Ran {
    let (what, mark) = (t.name(), Mark::new());
    let request = mark
        .on(t.asks.of(&slot.route(Stall::Generating, t.up)))
        .with("x-request-deadline-ms", "500");
    let guest = Guest::arrive(&gates, t.way).await;
    let conns = slot.counts();
    let asked = Instant::now();
    let answer = match t.who {
        Who::Upstream => guest.start(&request).await.answer().await,
        Who::Caller => {
            let started = guest.start_upload(&request, Some(ms(50))).await;
            started.trickle(ms(50)).await
        }
    };
    let due = asked + DEADLINE;
    ground.at(&what, answer.ended_at - asked, DEADLINE);
    let caller = late(answer.ended_at, due);
    if t.who == Who::Caller {
        assert_refused(&what, &answer, "receiving");
        assert_eq!(
            slot.counts(),
            conns,
            "{what}: work was done for a request that was never whole"
        );
        return (t, caller, None);
    }
    if t.asks.streams() {
        let errors = answer.error_events();
        assert_eq!(
            (answer.status, errors.len()),
            (200, 1),
            "{what}: {}",
            answer.text()
        );
        assert_eq!(errors[0]["code"], "request_deadline_exceeded", "{what}");
        let text = answer.text();
        assert!(
            !answer.done() && !text.contains("\"finish_reason\":\"") && answer.complete,
            "{what}: {text}"
        );
    } else {
        assert_refused(&what, &answer, "awaiting_content");
    }
    let sim = slot.sim(Stall::Generating, t.up);
    let closed = slot
        .seen(sim, &mark, |s| s.closed.is_some())
        .await
        .closed
        .unwrap()
        .0;
    (t, caller, Some(late(closed, due)))
}

fn assert_refused(what: &str, answer: &Answer, phase: &str) {
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (504, "request_deadline_exceeded"),
        "{what}"
    );
    assert_eq!(answer.json()["error"]["phase"], phase, "{what}");
}
