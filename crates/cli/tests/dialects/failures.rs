//! Every failure of the contract, in every dialect, told on every surface: alone, and with a good member
//! behind it. `docs/dialects.md` has its table from here.

use crate::{
    peers::{PEERS, Peer},
    stage::{Mark, Stage, at_once, beside},
    support::Answer,
    table::{FAILURES, Failure, Row, When, rule},
    voices::{VOICES, Voice, is_stream},
};
use punctual_sim::Seen;
use serde_json::{Value, json};
use std::{collections::HashMap, sync::Arc};

#[derive(Clone, Copy, Debug)]
struct Trial {
    n: usize,
    peer: Peer,
    failure: Failure,
    when: When,
    voice: Voice,
    /// A good member stands behind.
    backed: bool,
}

struct Ran {
    trial: Trial,
    mark: Mark,
    answer: Answer,
}

impl Trial {
    fn all() -> Vec<Self> {
        let mut all = Vec::new();
        let times = [When::Unary, When::BeforeContent, When::AfterContent];
        for peer in PEERS {
            for (failure, when) in FAILURES
                .into_iter()
                .flat_map(|f| times.map(|when| (f, when)))
            {
                if failure.code(when).is_none() {
                    continue;
                }
                for (voice, backed) in VOICES.into_iter().flat_map(|v| [(v, false), (v, true)]) {
                    all.push(Self {
                        n: all.len(),
                        peer,
                        failure,
                        when,
                        voice,
                        backed,
                    });
                }
            }
        }
        all
    }

    fn what(&self) -> String {
        let Self {
            peer,
            failure,
            when,
            voice,
            backed,
            ..
        } = self;
        format!("{peer:?} / {failure:?} / {when:?} / {voice:?} / backed {backed}")
    }

    fn name(&self) -> String {
        format!("b{}", self.n)
    }

    /// The contract's row, but for what a dialect has no words for.
    fn row(&self) -> Row {
        rule(match (self.peer, self.failure, self.when) {
            // its errors inside an answer are words without a code
            (Peer::Ollama, Failure::InBand, _) => "stream_error",
            (Peer::Ollama, Failure::InBandLimit | Failure::InBandQuota, _) => "stream_error",
            // a 429 whose words nothing tells from those of a rate limit
            (
                Peer::Gemini | Peer::Vertex | Peer::Bedrock | Peer::BedrockInvoke | Peer::Ollama,
                Failure::Quota | Failure::InBandQuota,
                _,
            ) => "rate_limited",
            // it has no errors inside a whole answer
            (Peer::Bedrock | Peer::BedrockInvoke, Failure::InBand, When::Unary) => {
                "malformed_response"
            }
            _ => self.failure.code(self.when).unwrap(),
        })
    }

    /// Whether the member behind must be asked.
    fn moves_on(&self) -> bool {
        self.backed && self.when != When::AfterContent && self.row().falls_back
    }
}

fn config(origin: &str, nowhere: &str, trials: &[Trial]) -> String {
    let (mut targets, mut routes) = (String::new(), String::new());
    for t in trials {
        let name = t.name();
        let origin = match t.failure {
            Failure::ConnectRefused => nowhere,
            _ => origin,
        };
        targets += &t.peer.target(&name, origin, t.failure.clocks());
        let plan = match t.backed {
            true => format!("[ {name}, good ]"),
            false => name.clone(),
        };
        routes += &format!("  {name}: {{ plan: {plan} }}\n");
    }
    let good = Peer::Generic.target("good", origin, "");
    format!("targets:\n{good}{targets}routes:\n{routes}")
}

#[test]
fn every_failure_in_every_dialect_is_told_on_every_surface_as_the_contract_says() {
    beside(async {
        // an address where nobody listens, as long as this holds it
        let nowhere = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", nowhere.local_addr().unwrap());
        drop(nowhere);
        let trials = Trial::all();
        let stage = Arc::new(Stage::open(|origin| config(origin, &address, &trials)).await);
        for t in &trials {
            let script = t.failure.script(t.peer, t.when);
            stage.sim.set(t.peer.model(&t.name()), script);
        }
        stage.plays("good", "tokens=4");
        let (n, shared) = (trials.len(), stage.clone());
        let ran = at_once(24, trials, move |trial| ask(shared.clone(), trial)).await;
        let records = stage.records(n);
        let mut asked: HashMap<String, Vec<Seen>> = HashMap::new();
        for seen in stage.sim.report() {
            let trace = seen.header("traceparent").unwrap_or_default().to_owned();
            let trace = trace.split('-').nth(1).unwrap_or_default().to_owned();
            asked.entry(trace).or_default().push(seen);
        }
        assert_page(&ran, &records);
        let wrong: Vec<String> = ran
            .iter()
            .filter_map(|r| {
                let seen = asked.get(&r.mark.0).map_or(&[][..], Vec::as_slice);
                std::panic::catch_unwind(|| judge(r, &records[&r.mark.0], seen))
                    .err()
                    .map(|_| r.trial.what())
            })
            .collect();
        assert!(wrong.is_empty(), "{} of {n}: {wrong:#?}", wrong.len());
        assert!(n > 3_000, "{n} cells");
    });
}

async fn ask(stage: Arc<Stage>, trial: Trial) -> Ran {
    let mark = Mark::new();
    let stream = trial.when != When::Unary;
    let request = mark.on(trial.voice.asks(&trial.name(), stream));
    let answer = stage.ask(&request).await;
    Ran {
        trial,
        mark,
        answer,
    }
}

fn judge(ran: &Ran, record: &Value, seen: &[Seen]) {
    let (t, answer) = (&ran.trial, &ran.answer);
    let (what, row) = (t.what(), t.row());
    let model = t.peer.model(&t.name());
    let of = |name: &str| seen.iter().filter(|s| s.model == name).count();
    let reached = usize::from(t.failure != Failure::ConnectRefused);
    let told = (of(&model), of("good"));
    let text = answer.text();
    assert_eq!(told, (reached, usize::from(t.moves_on())), "{what}: {text}");
    let attempts = record["attempts"].as_array().unwrap();
    assert_eq!(attempts[0]["code"], row.code, "{what}: {record:#} {text}");
    if let Some(clock) = t.failure.clock(t.when) {
        assert_eq!(attempts[0]["timeout_type"], clock, "{what}: {record:#}");
    }
    let count = attempts.len().to_string();
    assert_eq!(attempts.len(), told.1 + 1, "{what}: {record:#}");
    assert_eq!(
        answer.header("x-punctual-attempts"),
        Some(match t.when {
            // said with the head, when the first was under way
            When::AfterContent => "1",
            _ => count.as_str(),
        }),
        "{what}"
    );
    match (t.moves_on(), t.when) {
        (true, _) => served(t, answer, record),
        (false, When::AfterContent) => {
            broke_off(t, answer, record);
            assert_eq!(record["outcome"], "truncated", "{what}: {record:#}");
        }
        (false, _) => {
            failed(t, answer);
            assert_eq!(record["outcome"], row.outcome, "{what}: {record:#}");
        }
    }
    if !t.moves_on() {
        assert_eq!(record["error"], row.code, "{what}: {record:#}");
    }
    assert_eq!(record["status"], answer.status, "{what}: {record:#}");
}

/// By the member behind, with nothing left of the first.
fn served(t: &Trial, answer: &Answer, record: &Value) {
    let (what, text) = (t.what(), answer.text());
    assert_eq!(answer.status, 200, "{what}: {text}");
    let said = t.voice.text(answer);
    assert_eq!(said.trim(), "tok0 tok1 tok2 tok3", "{what}: {text}");
    let trace = format!("\"{}\"", t.peer.model(&t.name()));
    assert!(!text.contains(&trace), "{what}: {text}");
    if t.when == When::BeforeContent {
        assert!(t.voice.ended(answer) && answer.complete, "{what}: {text}");
    }
    assert_eq!(record["outcome"], "ok", "{what}: {record:#}");
    assert_eq!(record["served_by"], "good", "{what}: {record:#}");
    assert_eq!(record["fallback_index"], 1, "{what}: {record:#}");
    assert_eq!(answer.header("x-punctual-target"), Some("good"), "{what}");
}

/// Before a head was sent: an error body with its own status.
fn failed(t: &Trial, answer: &Answer) {
    let (what, row) = (t.what(), t.row());
    let text = answer.text();
    assert_eq!(answer.status, row.status, "{what}: {text}");
    let error = t.voice.error(&what, answer);
    if row.outcome == "failed" {
        assert_eq!(error["code"], row.code, "{what}: {text}");
        let first = &error["attempts"][0];
        assert_eq!(first["target"], json!(t.name()), "{what}: {text}");
        assert_eq!(first["code"], row.code, "{what}: {text}");
    }
    if let Some(clock) = t.failure.clock(t.when) {
        assert_eq!(error["timeout_type"], clock, "{what}: {text}");
        assert_eq!(error["limit_ms"], 300, "{what}: {text}");
    }
    let hint = answer.header("retry-after");
    let asked_for = (t.failure == Failure::RateLimited).then_some("7");
    assert_eq!(hint, asked_for, "{what}");
    let again = answer.header("x-should-retry");
    let banned = (row.status >= 500).then_some("false");
    assert_eq!(again, banned, "{what}");
    for secret in ["key-of-", "127.0.0.1"] {
        assert!(!text.contains(secret), "{what}: {text}");
    }
}

/// Behind content: what came, one error event, nothing else.
fn broke_off(t: &Trial, answer: &Answer, record: &Value) {
    let (what, row) = (t.what(), t.row());
    let text = answer.text();
    assert!(answer.status == 200 && is_stream(answer), "{what}: {text}");
    assert!(t.voice.text(answer).starts_with("tok0"), "{what}: {text}");
    let error = t.voice.last_error(&what, answer);
    assert_eq!(error["code"], row.code, "{what}: {text}");
    assert_eq!(error["status"], row.status, "{what}: {text}");
    assert_eq!(record["phase"], "streaming", "{what}: {record:#}");
}

/// What the upstream does, as a reader calls it.
const fn title(failure: Failure) -> &'static str {
    match failure {
        Failure::ConnectRefused => "nobody listens",
        Failure::SilentHeaders => "no head in time",
        Failure::SilentBody => "a head and no content in time",
        Failure::Stall => "content stops coming",
        Failure::RateLimited => "429",
        Failure::Payment => "402",
        Failure::Quota => "429, nothing left to pay with",
        Failure::ServerError => "500",
        Failure::Timeout => "408",
        Failure::TooEarly => "425",
        Failure::Unavailable => "503",
        Failure::Overloaded => "529",
        Failure::Unauthorized => "401",
        Failure::Forbidden => "403",
        Failure::NotFound => "404",
        Failure::Redirect => "a redirect",
        Failure::Invalid => "400",
        Failure::TooLong => "400, the prompt is too long",
        Failure::Refused => "400, a policy",
        Failure::InBand => "overload, said inside a 200",
        Failure::InBandLimit => "a rate limit, said inside a 200",
        Failure::InBandQuota => "nothing left to pay with, said inside a 200",
        Failure::Truncated => "the connection ends too early",
        Failure::Reset => "the connection is reset",
        Failure::Garbage => "a 200 that is nothing known",
        Failure::TooLarge => "an answer or event over its bound",
        Failure::Empty => "an answer without content",
    }
}

/// Holds the page on dialects to the codes on record, or writes them into it when `UPDATE_DOCS` is set.
fn assert_page(ran: &[Ran], records: &HashMap<String, Value>) {
    let mut tables = String::from(
        "| the upstream | whole answers | streams, before content | behind content |\n|---|---|---|---|\n",
    );
    for failure in FAILURES {
        let cells = [When::Unary, When::BeforeContent, When::AfterContent].map(|when| {
            let mine = ran
                .iter()
                .filter(|r| r.trial.failure == failure && r.trial.when == when);
            let codes: Vec<(Peer, &str)> = mine
                .map(|r| {
                    (
                        r.trial.peer,
                        records[&r.mark.0]["attempts"][0]["code"].as_str().unwrap(),
                    )
                })
                .collect();
            cell(&codes)
        });
        tables += &format!("| {} | {} |\n", title(failure), cells.join(" | "));
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/dialects.md");
    let text = std::fs::read_to_string(path).unwrap();
    let begin = text.find("-->\n").unwrap() + 4;
    let end = text.find("<!-- failures: end").unwrap();
    let whole = format!("{}{tables}{}", &text[..begin], &text[end..]);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, &whole).unwrap();
    }
    let now = std::fs::read_to_string(path).unwrap();
    assert!(
        now == whole,
        "docs/dialects.md is not what the dialects do; UPDATE_DOCS=1 writes it:\n{tables}"
    );
}

/// The code that most dialects have, and those that have another.
fn cell(codes: &[(Peer, &str)]) -> String {
    let count = |code: &str| codes.iter().filter(|(_, c)| *c == code).count();
    let Some(common) = codes.iter().map(|(_, c)| *c).max_by_key(|c| (count(c), *c)) else {
        return "–".to_owned();
    };
    let mut cell = format!("`{common}`");
    for peer in PEERS {
        let mut other: Vec<&str> = codes
            .iter()
            .filter(|(p, c)| *p == peer && *c != common)
            .map(|(_, c)| *c)
            .collect();
        other.sort_unstable();
        other.dedup();
        for code in other {
            cell += &format!("; {}: `{code}`", peer.title());
        }
    }
    cell
}
