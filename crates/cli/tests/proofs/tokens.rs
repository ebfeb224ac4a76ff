//! T7: only content moves the token clocks: not headers, preambles, pings, empty deltas or usage; and a slow
//! caller is never charged to the provider.

use crate::{
    gates::{Gates, Mark},
    ground::{Ground, alone},
    guest::{Asks, Guest, STREAMS, WAYS, Way},
    slots::at_once,
    support::{Answer, ms},
    tally::{Tally, cell},
};
use punctual_sim::{Listen, Script, Sim};
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, sleep};

mod rows;
use rows::{Expect, Trial, config};

#[test]
fn only_content_moves_the_token_clocks() {
    alone(|| async {
        let ground = Arc::new(Ground::new());
        let sim = Arc::new(Sim::start(Listen::loopback()).await.unwrap());
        let trials = Trial::all();
        let gates = Arc::new(Gates::open("", &config(&sim, &trials), &[]));
        for t in &trials {
            sim.set(format!("a{}", t.n), t.row.script.parse::<Script>().unwrap());
        }
        sim.set(
            "slow",
            "burst=5MiB,tokens=40,gap=20ms".parse::<Script>().unwrap(),
        );
        let slow = |asks: &Asks, way: &Way| cell(&[&"a slow caller", asks, way]);
        let patient = STREAMS.iter().flat_map(|asks| WAYS.map(|way| (*asks, way)));
        let mut table = Tally::of(
            "T7",
            trials
                .iter()
                .map(Trial::name)
                .chain(patient.clone().map(|(a, w)| slow(&a, &w))),
        );
        let (open, bounds, seen) = (gates.clone(), ground.clone(), sim.clone());
        let ran = at_once(8, trials, move |t| {
            run(open.clone(), seen.clone(), t, bounds.clone())
        })
        .await;
        ran.iter().for_each(|(t, late)| table.ran(&t.name(), *late));
        let ran = at_once(4, patient.collect(), move |(asks, way)| {
            resume(gates.clone(), asks, way)
        })
        .await;
        ran.iter()
            .for_each(|(asks, way)| table.ran(&slow(asks, way), None));
        table.close(1);
        println!("T7 canary p99 {:.1?}", ground.late());
        ground.mostly("p99", table.p99(), ms(10));
    });
}

async fn run(
    gates: Arc<Gates>,
    sim: Arc<Sim>,
    t: Trial,
    ground: Arc<Ground>,
) -> (Trial, Option<Duration>) {
    let (what, mark) = (t.name(), Mark::new());
    let mut guest = Guest::arrive(&gates, t.way).await;
    let started = Instant::now();
    let answer = guest.ask(&mark.on(t.asks.of(&format!("r{}", t.n)))).await;
    let took = answer.ended_at - started;
    let asked: Vec<_> = sim
        .report()
        .into_iter()
        .filter(|s| mark.is_of(s))
        .map(|s| s.model)
        .collect();
    let mine = format!("a{}", t.n);
    let due = match t.row.expect {
        Expect::FailsOver => {
            ground.at(&what, answer.head_at - started, ms(100));
            assert_eq!(asked, [mine.as_str(), "good"], "{what}");
            assert!(
                answer.done() && !answer.text().contains(&format!("\"{mine}\"")),
                "{what}: {}",
                answer.text()
            );
            assert!(answer.text().contains("tok1 "), "{what}: {}", answer.text());
            return (t, Some((answer.head_at - started).saturating_sub(ms(100))));
        }
        Expect::Served => {
            assert_eq!(
                (answer.status, asked),
                (200, vec![mine]),
                "{what}: {}",
                answer.text()
            );
            assert!(
                answer.error_events().is_empty() && (answer.done() || !t.row.streams),
                "{what}"
            );
            return (t, None);
        }
        Expect::Cut => {
            assert_cut(&what, &answer);
            assert_eq!(asked, [mine], "{what}");
            // from the only content there was
            let content = answer
                .pieces
                .iter()
                .find(|(_, p)| String::from_utf8_lossy(p).contains("tok0"));
            let after = answer.ended_at - content.unwrap().0;
            ground.at(
                &what,
                after + ms(10).min(ms(150).saturating_sub(after)),
                ms(150),
            );
            return (t, Some(after.saturating_sub(ms(150))));
        }
        Expect::TimesOut => ms(20),
    };
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (504, "timeout"),
        "{what}: {}",
        answer.text()
    );
    assert_eq!(answer.json()["error"]["limit_ms"], 20, "{what}");
    ground.at(&what, took, due);
    (t, Some(took.saturating_sub(due)))
}

fn assert_cut(what: &str, answer: &Answer) {
    let errors = answer.error_events();
    assert_eq!(
        (answer.status, errors.len(), answer.done()),
        (200, 1, false),
        "{what}: {}",
        answer.text()
    );
    let said = (
        &errors[0]["code"],
        &errors[0]["timeout_type"],
        &errors[0]["limit_ms"],
    );
    assert_eq!(
        said,
        (
            &"timeout".into(),
            &"stream_token_timeout".into(),
            &150.into()
        ),
        "{what}"
    );
}

/// Stops reading for longer than every clock of the target, then reads on: nothing is missing.
async fn resume(gates: Arc<Gates>, asks: Asks, way: Way) -> (Asks, Way) {
    let started = Guest::arrive(&gates, way)
        .await
        .start(&asks.of("slow"))
        .await;
    sleep(ms(500)).await;
    let answer = started.answer().await;
    assert!(
        answer.done() && answer.complete && answer.error_events().is_empty(),
        "{asks:?} {way:?}"
    );
    let content = answer.content();
    assert!(
        content.len() > 5 << 20 && content.ends_with("tok38 tok39 "),
        "{asks:?} {way:?}: {}",
        content.len()
    );
    (asks, way)
}
