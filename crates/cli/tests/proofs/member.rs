//! T6: a member's own timeout moves on: to the next member or the next try, never past what the caller has
//! seen, never past the request's own deadline.

use crate::{
    gates::{Gates, Mark},
    ground::{Ground, alone},
    guest::{Asks, Guest, Way, everybody},
    slots::{at_once, late, seen},
    support::{Answer, ms},
    tally::{Tally, cell},
};
use punctual_sim::{Listen, Sim};
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;

const LIMIT: Duration = ms(200);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Row {
    Fallback,
    /// In full size: 1 s against an answer held for 3 s.
    FullSize,
    Retry,
    AfterOneDelta,
    OuterDeadline,
}

const ROWS: [Row; 5] = [
    Row::Fallback,
    Row::FullSize,
    Row::Retry,
    Row::AfterOneDelta,
    Row::OuterDeadline,
];

impl Row {
    /// The first member and the plan. Each trial has a target of its own: five timeouts in a row rest one.
    fn config(self, n: usize) -> (String, String) {
        let (target, plan) = match self {
            Self::Fallback => ("\"sim:delay:3s\", timeout: 200ms", "fallback: [ A, good ]"),
            Self::FullSize => ("\"sim:delay:3s\", timeout: 1s", "fallback: [ A, good ]"),
            Self::Retry => (
                "\"sim:delay:3s\", timeout: 200ms",
                "retry: { of: A, max_attempts: 3, initial: 1ms, max: 1ms }",
            ),
            Self::AfterOneDelta => (
                "\"sim:stall-after:1\", timeout: 200ms",
                "fallback: [ { retry: { of: A } }, good ]",
            ),
            Self::OuterDeadline => (
                "\"sim:delay:3s\", timeout: 200ms, reserve: none",
                "fallback: [ A, good ]",
            ),
        };
        let outer = if self == Self::OuterDeadline {
            "deadline: 100ms, "
        } else {
            ""
        };
        let plan = plan.replace('A', &format!("a{n}"));
        (
            format!("  a{n}: {{ provider: a, model: {target} }}\n"),
            format!("  r{n}: {{ {outer}plan: {{ {plan} }} }}\n"),
        )
    }
}

struct World {
    gates: Gates,
    /// Holds its answers.
    a: Sim,
    b: Sim,
    ground: Ground,
}

#[derive(Clone, Copy)]
struct Trial {
    n: usize,
    row: Row,
    asks: Asks,
    way: Way,
}

impl Trial {
    fn name(&self) -> String {
        cell(&[&self.row, &self.asks, &self.way])
    }

    fn all() -> Vec<Self> {
        let rows = ROWS
            .into_iter()
            .flat_map(|row| everybody().into_iter().map(move |e| (row, e)));
        rows.filter(|(row, (asks, _))| *row != Row::AfterOneDelta || asks.streams())
            .enumerate()
            .map(|(n, (row, (asks, way)))| Self { n, row, asks, way })
            .collect()
    }
}

#[test]
fn a_members_own_timeout_moves_on() {
    alone(|| async {
        let (a, b) = (
            Sim::start(Listen::loopback()).await.unwrap(),
            Sim::start(Listen::loopback()).await.unwrap(),
        );
        let trials = Trial::all();
        let (targets, routes): (String, String) = trials.iter().map(|t| t.row.config(t.n)).unzip();
        let config = format!(
            "providers:\n  a: {{ dialect: openai, base_url: \"{}/v1\", api_key: sk-proof }}\n  b: {{ dialect: generic, base_url: \"{}/v1\" }}\n\
             targets:\n  good: {{ provider: b, model: sim }}\n{targets}routes:\n{routes}",
            a.url(),
            b.url()
        );
        let gates = Gates::open("", &config, &[]);
        let world = Arc::new(World {
            gates,
            a,
            b,
            ground: Ground::new(),
        });
        let mut table = Tally::of("T6 socket closed", trials.iter().map(Trial::name));
        let shared = world.clone();
        let ran = at_once(8, trials, move |t| run(shared.clone(), t)).await;
        ran.iter().for_each(|(t, late)| table.ran(&t.name(), *late));
        table.close(1);
        println!("T6 canary p99 {:.1?}", world.ground.late());
        world.ground.mostly("p99", table.p99(), ms(10));
    });
}

async fn run(world: Arc<World>, t: Trial) -> (Trial, Duration) {
    let Trial { n, row, asks, way } = t;
    let what = t.name();
    let mark = Mark::new();
    let mut guest = Guest::arrive(&world.gates, way).await;
    let request = mark.on(asks.of(&format!("r{n}")));
    let started = Instant::now();
    let answer = guest.ask(&request).await;
    let took = answer.ended_at - started;
    let limit = match row {
        Row::OuterDeadline => ms(100),
        Row::FullSize => ms(1_000),
        _ => LIMIT,
    };
    let asked = |sim: &Sim| sim.report().iter().filter(|s| mark.is_of(s)).count();
    let (mut a, mut b) = (1, 0);
    let ground = &world.ground;
    match row {
        Row::Fallback | Row::FullSize => {
            ground.at(&what, took, limit);
            assert_eq!(answer.status, 200, "{what}");
            assert!(
                !answer.text().contains("delay"),
                "{what}: bytes of the first member: {}",
                answer.text()
            );
            b = 1;
        }
        Row::Retry => {
            ground.at(&what, took, limit * 3);
            assert_timeout(&what, &answer);
            a = 3;
        }
        Row::AfterOneDelta => {
            ground.at(&what, took, limit);
            let errors = answer.error_events();
            assert_eq!(
                (answer.status, errors.len(), answer.done()),
                (200, 1, false),
                "{what}: {}",
                answer.text()
            );
            assert_eq!(
                (&errors[0]["code"], &errors[0]["timeout_type"]),
                (&"timeout".into(), &"timeout".into()),
                "{what}"
            );
            assert_eq!(answer.content(), "tok0 ", "{what}");
        }
        Row::OuterDeadline => {
            ground.at(&what, took, limit);
            assert_eq!(
                (answer.status, answer.code().as_str()),
                (504, "request_deadline_exceeded"),
                "{what}"
            );
        }
    }
    let last = seen(&world.a, &mark, |s| s.closed.is_some()).await;
    assert_eq!((asked(&world.a), asked(&world.b)), (a, b), "{what}");
    let due = match row {
        Row::Retry => last.arrived + LIMIT,
        _ => started + limit,
    };
    (t, late(last.closed.unwrap().0, due))
}

fn assert_timeout(what: &str, answer: &Answer) {
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (504, "timeout"),
        "{what}: {}",
        answer.text()
    );
    let error = answer.json()["error"].clone();
    assert_eq!(
        (&error["timeout_type"], &error["limit_ms"]),
        (&"timeout".into(), &200.into()),
        "{what}: {error}"
    );
    let attempts = error["attempts"].as_array().unwrap();
    assert_eq!(attempts.len(), 3, "{what}: {error}");
    assert!(
        attempts.iter().all(|a| a["timeout_type"] == "timeout"),
        "{what}: {error}"
    );
    assert_eq!(answer.header("x-should-retry"), Some("false"), "{what}");
}
