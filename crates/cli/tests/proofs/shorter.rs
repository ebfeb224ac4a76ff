//! T4: a caller can only shorten, and what it declares is taken at its word or refused before any work.

use crate::{
    gates::Gates,
    ground::{Ground, alone},
    guest::{Asks, Guest, Way, everybody},
    slots::{at_once, late},
    support::{Request, ms},
    tally::{Tally, cell},
};
use punctual_sim::{Listen, Sim};
use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};
use tokio::time::Instant;

mod rows;
use rows::{AT, Expect, ROWS, Row, SERVERS, Server, row};

#[derive(Clone, Copy)]
struct Trial(Row, Asks, Way);

#[test]
fn a_caller_only_shortens() {
    alone(|| async {
        let ground = Arc::new(Ground::new());
        let sim = Sim::start(Listen::loopback()).await.unwrap();
        let idle = Sim::start(Listen::loopback()).await.unwrap();
        let mut gates = Vec::new();
        for (server, section, top) in SERVERS {
            gates.push((server, Gates::open(section, &config(top, &sim, &idle), &[])));
        }
        let gates = Arc::new(gates);
        let rows = ROWS.into_iter().chain([in_a_while()]);
        let trials: Vec<_> = rows
            .flat_map(|row| {
                everybody()
                    .into_iter()
                    .map(move |(asks, way)| Trial(row, asks, way))
            })
            .collect();
        let name = |t: &Trial| cell(&[&t.0.name, &t.1, &t.2]);
        let mut table = Tally::of("T4", trials.iter().map(name));
        let bounds = ground.clone();
        let ran = at_once(8, trials, move |trial| {
            run(gates.clone(), trial, bounds.clone())
        })
        .await;
        ran.iter()
            .for_each(|(trial, late)| table.ran(&name(trial), *late));
        table.close(1);
        println!("T4 canary p99 {:.1?}", ground.late());
        ground.mostly("p99", table.p99(), ms(5));
        assert_eq!(
            idle.connections().len(),
            0,
            "work was done for what was refused or spent"
        );
    });
}

/// What is refused must not reach `idle`; what is served takes 1.5 s.
fn config(top: &str, sim: &Sim, idle: &Sim) -> String {
    format!(
        "{top}providers:\n  slow: {{ dialect: openai, base_url: \"{}/v1\", api_key: sk-proof }}\n  idle: {{ dialect: openai, base_url: \"{}/v1\", api_key: sk-proof }}\n\
         targets:\n  slow: {{ provider: slow, model: \"sim:delay:1500ms\" }}\n  idle: {{ provider: idle, model: sim }}\n\
         routes:\n  slow: {{ plan: slow }}\n  idle: {{ plan: idle }}\n",
        sim.url(),
        idle.url()
    )
}

/// An instant 400 ms ahead, as the clock stands when it is sent.
fn in_a_while() -> Row {
    row(
        "at an instant",
        Server::S100,
        &[(AT, "")],
        Expect::Ends(400, "header"),
    )
}

fn request(trial: Trial) -> Request {
    let Trial(row, asks, _) = trial;
    let idle = matches!(row.expect, Expect::Refused | Expect::Spent);
    let asked = asks.of(if idle { "idle" } else { "slow" });
    if row.name == in_a_while().name {
        let now = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap();
        return asked.with(AT, &(now + ms(400)).as_millis().to_string());
    }
    row.headers
        .iter()
        .fold(asked, |asked, (name, value)| asked.with(name, value))
}

async fn run(
    gates: Arc<Vec<(Server, Gates)>>,
    trial: Trial,
    ground: Arc<Ground>,
) -> (Trial, Option<Duration>) {
    let Trial(row, asks, way) = trial;
    let gates = &gates
        .iter()
        .find(|(server, _)| *server == row.server)
        .unwrap()
        .1;
    let mut guest = Guest::arrive(gates, way).await;
    let started = Instant::now();
    let answer = guest.ask(&request(trial)).await;
    let what = format!(
        "{row:?} {asks:?} {way:?}: {} {}",
        answer.status,
        answer.text()
    );
    let took = answer.ended_at - started;
    let code = || answer.code();
    match row.expect {
        Expect::Ends(after, source) => {
            assert_eq!(
                (answer.status, code().as_str()),
                (504, "request_deadline_exceeded"),
                "{what}"
            );
            assert_eq!(answer.json()["error"]["source"], source, "{what}");
            ground.at(&what, took, ms(after));
            return (trial, Some(late(answer.ended_at, started + ms(after))));
        }
        Expect::Refused => {
            assert_eq!(
                (answer.status, code().as_str()),
                (400, "invalid_request_deadline"),
                "{what}"
            );
            let (name, value) = row.headers.last().unwrap();
            assert!(
                answer.text().to_lowercase().contains(name) && answer.text().contains(value),
                "{what}"
            );
        }
        Expect::Spent => {
            assert_eq!(
                (answer.status, code().as_str()),
                (504, "request_deadline_exceeded"),
                "{what}"
            );
            assert_eq!(answer.json()["error"]["phase"], "receiving", "{what}");
            ground.within(&what, took, ms(20));
        }
        Expect::Served => assert_eq!(answer.status, 200, "{what}"),
    }
    (trial, None)
}
