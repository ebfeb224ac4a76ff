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

const MS: &str = "x-request-deadline-ms";
const TIMEOUT_MS: &str = "x-request-timeout-ms";
const AT: &str = "x-request-deadline-at";

/// Which gateway is asked: by its ceiling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Server {
    Ms400,
    S100,
    None,
    Compat,
}

const SERVERS: [(Server, &str, &str); 4] = [
    (Server::Ms400, "request_deadline: 400ms", ""),
    (Server::S100, "request_deadline: 100s", ""),
    (Server::None, "", ""),
    (Server::Compat, "", "compat: agent-proxy\n"),
];

#[derive(Clone, Copy, Debug)]
enum Expect {
    /// 504 at this many ms, by this source.
    Ends(u64, &'static str),
    Refused,
    Spent,
    Served,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    name: &'static str,
    server: Server,
    headers: &'static [(&'static str, &'static str)],
    expect: Expect,
}

const fn row(
    name: &'static str,
    server: Server,
    headers: &'static [(&'static str, &'static str)],
    expect: Expect,
) -> Row {
    Row {
        name,
        server,
        headers,
        expect,
    }
}

const ROWS: [Row; 20] = [
    row(
        "the server's is earlier",
        Server::Ms400,
        &[(MS, "5000")],
        Expect::Ends(400, "server"),
    ),
    row(
        "the caller's is earlier",
        Server::S100,
        &[(MS, "1000")],
        Expect::Ends(1000, "header"),
    ),
    row(
        "both names",
        Server::None,
        &[(MS, "300"), (TIMEOUT_MS, "600")],
        Expect::Ends(300, "header"),
    ),
    row(
        "both names, turned",
        Server::None,
        &[(MS, "600"), (TIMEOUT_MS, "300")],
        Expect::Ends(300, "header"),
    ),
    row(
        "two lines",
        Server::None,
        &[(MS, "600"), (MS, "300")],
        Expect::Ends(300, "header"),
    ),
    row(
        "the caller alone",
        Server::None,
        &[(MS, "300")],
        Expect::Ends(300, "header"),
    ),
    row(
        "a fraction",
        Server::None,
        &[(MS, "299.5")],
        Expect::Ends(299, "header"),
    ),
    row("nobody", Server::None, &[], Expect::Served),
    row(
        "zero is not declared",
        Server::None,
        &[(MS, "0")],
        Expect::Served,
    ),
    row("abc", Server::S100, &[(MS, "abc")], Expect::Refused),
    row("1e3", Server::S100, &[(MS, "1e3")], Expect::Refused),
    row("inf", Server::S100, &[(TIMEOUT_MS, "inf")], Expect::Refused),
    row("empty", Server::S100, &[(MS, "")], Expect::Refused),
    row("1,2", Server::S100, &[(MS, "1,2")], Expect::Refused),
    row(
        "one line is unreadable",
        Server::S100,
        &[(MS, "300"), (MS, "abc")],
        Expect::Refused,
    ),
    row(
        "seconds for ms",
        Server::S100,
        &[(AT, "1760000000")],
        Expect::Refused,
    ),
    row("negative", Server::S100, &[(MS, "-5")], Expect::Spent),
    row(
        "in the past",
        Server::S100,
        &[(AT, "1760000000000")],
        Expect::Spent,
    ),
    row(
        "junk under compat",
        Server::Compat,
        &[(MS, "abc")],
        Expect::Served,
    ),
    row(
        "1e3 under compat",
        Server::Compat,
        &[(TIMEOUT_MS, "1e3")],
        Expect::Served,
    ),
];

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
        ground.within("p99", table.p99(), ms(5));
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
