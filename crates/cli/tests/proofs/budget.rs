//! T5: one budget for all retries and members: it is not spent on what cannot help, and each attempt is told
//! what is left of it.

use crate::{
    gates::{Gates, Mark},
    ground::{Ground, alone},
    guest::{Asks, Guest, Way, everybody},
    slots::{at_once, late},
    support::{Answer, ms},
    tally::{Tally, cell},
};
use punctual_sim::{Listen, Script, Sim};
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;

const BUDGET: Duration = ms(700);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Row {
    /// A says 503 at once, B is silent.
    SilentMember,
    /// 503 each time: what each attempt is told.
    Forwarded,
    /// A says 429 and asks for 30 s.
    HintAlone,
    HintAndHealthy,
}

const ROWS: [Row; 4] = [
    Row::SilentMember,
    Row::Forwarded,
    Row::HintAlone,
    Row::HintAndHealthy,
];

impl Row {
    fn a(self) -> &'static str {
        match self {
            Self::SilentMember => "status=503",
            Self::Forwarded => "delay=20ms,status=503",
            Self::HintAlone | Self::HintAndHealthy => "status=429,retry-after=30",
        }
    }

    fn b(self) -> &'static str {
        if self == Self::SilentMember {
            "silent-headers"
        } else {
            "tokens=2"
        }
    }

    fn plan(self, a: &str, b: &str) -> String {
        let of = match self {
            Self::SilentMember | Self::HintAndHealthy => format!("{{ fallback: [ {a}, {b} ] }}"),
            Self::Forwarded | Self::HintAlone => a.to_owned(),
        };
        format!("{{ retry: {{ of: {of}, max_attempts: 3, initial: 400ms, max: 400ms }} }}")
    }
}

/// Two targets and a route of their own for each trial: a cooldown of one must not be seen by another.
#[derive(Clone)]
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
        rows.enumerate()
            .map(|(n, (row, (asks, way)))| Self { n, row, asks, way })
            .collect()
    }

    fn config(&self) -> (String, String) {
        let (n, names) = (self.n, (format!("a{}", self.n), format!("b{}", self.n)));
        let target = |name: &str| {
            format!(
                "  {name}: {{ provider: sim, model: {name}, forward_deadline: X-Request-Deadline-Ms }}\n"
            )
        };
        let route = format!(
            "  r{n}: {{ plan: {} }}\n",
            self.row.plan(&names.0, &names.1)
        );
        (target(&names.0) + &target(&names.1), route)
    }
}

#[test]
fn the_budget_holds_across_retries_and_members() {
    alone(|| async {
        let ground = Arc::new(Ground::new());
        let sim = Arc::new(Sim::start(Listen::loopback()).await.unwrap());
        let trials = Trial::all();
        let (targets, routes): (String, String) = trials.iter().map(Trial::config).unzip();
        let config = format!(
            "providers:\n  sim: {{ dialect: generic, base_url: \"{}/v1\" }}\ntargets:\n{targets}routes:\n{routes}",
            sim.url()
        );
        for t in &trials {
            sim.set(format!("a{}", t.n), t.row.a().parse::<Script>().unwrap());
            sim.set(format!("b{}", t.n), t.row.b().parse::<Script>().unwrap());
        }
        let gates = Arc::new(Gates::open("", &config, &[]));
        let mut table = Tally::of("T5", trials.iter().map(Trial::name));
        let bounds = ground.clone();
        let ran = at_once(8, trials, move |t| {
            run(gates.clone(), sim.clone(), t, bounds.clone())
        })
        .await;
        ran.iter().for_each(|(t, late)| table.ran(&t.name(), *late));
        table.close(1);
        println!("T5 canary p99 {:.1?}", ground.late());
        ground.mostly("p99", table.p99(), ms(5));
    });
}

async fn run(
    gates: Arc<Gates>,
    sim: Arc<Sim>,
    t: Trial,
    ground: Arc<Ground>,
) -> (Trial, Option<Duration>) {
    let mark = Mark::new();
    let mut guest = Guest::arrive(&gates, t.way).await;
    let asked = t.asks.of(&format!("r{}", t.n));
    let request = mark.on(asked.clone()).with("x-request-deadline-ms", "700");
    let started = Instant::now();
    let answer = guest.ask(&request).await;
    let (what, took) = (t.name(), answer.ended_at - started);
    let told = |model: &str| -> Vec<f64> {
        let mine = sim
            .report()
            .into_iter()
            .filter(|s| mark.is_of(s) && s.model.starts_with(model));
        mine.map(|s| {
            s.header("x-request-deadline-ms")
                .expect("a budget")
                .parse()
                .unwrap()
        })
        .collect()
    };
    match t.row {
        Row::SilentMember => {
            ground.at(&what, took, BUDGET);
            assert_eq!(
                (answer.status, answer.code().as_str()),
                (504, "request_deadline_exceeded"),
                "{what}"
            );
            let attempts = answer.json()["error"]["attempts"].clone();
            assert_eq!(
                (&attempts[0]["code"], &attempts[0]["status"]),
                (&"overloaded".into(), &503.into()),
                "{attempts}"
            );
            assert_falls(&what, &told(""), 2);
            return (t, Some(late(answer.ended_at, started + BUDGET)));
        }
        Row::Forwarded => {
            assert_eq!(answer.status, 503, "{what}: {}", answer.text());
            assert!(took <= BUDGET + ground.slack(), "{what}: {took:?}");
            assert_falls(&what, &told(""), 3);
        }
        Row::HintAlone => {
            ground.within(&what, took, ms(50));
            assert_limited(&what, &answer);
            assert_eq!(told("").len(), 1, "{what}");
        }
        Row::HintAndHealthy => {
            ground.within(&what, took, ms(100));
            assert_eq!(answer.status, 200, "{what}: {}", answer.text());
            assert_falls(&what, &told(""), 2);
            // while it cools nobody else is sent there
            assert_eq!(guest.ask(&asked).await.status, 200, "{what}");
            let a = sim
                .report()
                .into_iter()
                .filter(|s| s.model == format!("a{}", t.n));
            assert_eq!(a.count(), 1, "{what}: asked while it cools");
        }
    }
    (t, None)
}

fn assert_limited(what: &str, answer: &Answer) {
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (429, "rate_limited"),
        "{what}: {}",
        answer.text()
    );
    let hint: u64 = answer
        .header("retry-after")
        .expect("a hint")
        .parse()
        .unwrap();
    assert!((29..=30).contains(&hint), "{what}: {hint}");
}

/// What each attempt was told: never more, never nothing, and less whenever a millisecond had passed.
fn assert_falls(what: &str, told: &[f64], attempts: usize) {
    assert_eq!(told.len(), attempts, "{what}: {told:?}");
    let falls = |w: &[f64]| w[1] < w[0] || (attempts == 2 && w[1] == w[0]);
    assert!(told.windows(2).all(falls), "{what}: {told:?}");
    assert!(
        told.iter().all(|t| (1.0..=650.0).contains(t)),
        "{what}: {told:?}"
    );
}
