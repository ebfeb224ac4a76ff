//! STL-02: a heartbeat that comes due while half of an event has arrived stands before that event or behind it,
//! never inside, wherever the bytes were cut.

use crate::{
    house::{Asks, House, chunk, delta, stream},
    support::{Caller, ms},
};
use punctual_sim::Cuts;
use std::{collections::HashMap, time::Duration};
use tokio::task::JoinSet;

const CONFIG: &str = "\
providers: { p: { dialect: openai, base_url: \"{sim}/v1\", api_key: sk-test } }
routes: { \"*\": { plan: { pass: p } } }
";
const HEARTBEATS: &str = "heartbeat_interval: 100ms";
const BEAT: &str = ": waiting\n";
/// Several heartbeats long.
const GAP: Duration = ms(650);
/// Streams at once: more would only be late.
const AT_ONCE: usize = 32;

/// What comes before the event that is cut, that event, and what follows.
fn body(line_end: &str, blank: &str) -> [String; 3] {
    let role = delta("\"role\":\"assistant\",\"content\":\"\"");
    let first = delta("\"content\":\"one\"");
    let second = delta("\"content\":\"caf\u{e9} \u{1f422}\"");
    let end = chunk("\"delta\":{},\"finish_reason\":\"stop\"");
    let texts = [
        format!("{role}id: 1\nevent: message\n{first}"),
        format!("id: 2\n{second}"),
        format!("{end}data: [DONE]\n\n"),
    ];
    texts.map(|t| t.replace("\n\n", blank).replace('\n', line_end))
}

/// The data of each event as the official SDK for Python dispatches them: once an `id` was seen, a blank line
/// behind a comment is an event too.
fn dispatched(text: &str) -> Vec<String> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let (mut events, mut data, mut begun) = (Vec::new(), Vec::new(), false);
    for line in text.split('\n') {
        if line.is_empty() {
            events.extend(begun.then(|| data.join("\n")));
            (data, begun) = (Vec::new(), false);
            continue;
        }
        begun = true;
        let said = line.strip_prefix("data:").map(str::trim_start);
        data.extend(said.map(str::to_owned));
    }
    events
}

/// Places in an event: every seventh, and all at its edges.
fn places(length: usize) -> Vec<usize> {
    let edges = (1..3).chain(length - 6..=length);
    let mut all: Vec<usize> = (0..length).step_by(7).chain(edges).collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[tokio::test]
async fn a_heartbeat_is_never_inside_an_event() {
    let house = House::open(HEARTBEATS, CONFIG).await;
    let mut cases = Vec::new();
    for (name, line_end, blank) in [
        ("lf", "\n", "\n\n"),
        ("crlf", "\r\n", "\n\n"),
        ("cr", "\r", "\n\n"),
        ("blank-lines", "\n", "\n\n\n"),
    ] {
        let [before, cut, after] = body(line_end, blank);
        for at in places(cut.len()) {
            let (model, sent) = (format!("{name}-{at}"), format!("{before}{cut}{after}"));
            let halves = stream(sent.clone(), Cuts::At(vec![before.len() + at]));
            let gap = format!("gap={}ms", GAP.as_millis());
            house.sim.set(&model, halves.with(&gap).unwrap());
            cases.push((model, sent));
        }
    }
    let (mut played, mut beats) = (0, 0);
    for some in cases.chunks(AT_ONCE) {
        let asked: JoinSet<_> = some.iter().map(|(model, _)| ask(&house, model)).collect();
        let mut heard: HashMap<_, _> = asked.join_all().await.into_iter().collect();
        for (model, sent) in some {
            let text = heard.remove(model).unwrap();
            assert_eq!(dispatched(&text), dispatched(sent), "{model}: {text:?}");
            // one half in hand is no reason to fall silent
            assert!(text.contains(BEAT), "{model}: {text:?}");
            let quiet = text.replace(BEAT, "");
            assert_eq!(dispatched(&quiet), dispatched(sent), "{model}: {text:?}");
            played += 1;
            beats += text.matches(BEAT).count();
        }
    }
    assert!(
        played > 100 && beats > 3 * played,
        "{beats} in {played} streams"
    );
}

/// Asks for a model on a connection of its own.
fn ask(house: &House, model: &str) -> impl Future<Output = (String, String)> + Send + use<> {
    let (addr, model) = (house.gateway.addr, model.to_owned());
    async move {
        let mut caller = Caller::connect(addr).await;
        let answer = caller.ask(&Asks::ChatStream.of(&model)).await;
        (model, answer.text())
    }
}

#[tokio::test]
async fn a_byte_order_mark_behind_a_heartbeat_costs_no_event() {
    let house = House::open(HEARTBEATS, CONFIG).await;
    let sent = body("\n", "\n\n").concat();
    let marked = stream(format!("\u{feff}{sent}"), Cuts::At(vec![5]));
    house.sim.set("m", marked.with("gap=650ms").unwrap());
    let text = house.ask(&Asks::ChatStream.of("m")).await.text();
    assert!(text.starts_with(BEAT), "{text:?}");
    assert_eq!(dispatched(&text), dispatched(&sent), "{text:?}");
}
