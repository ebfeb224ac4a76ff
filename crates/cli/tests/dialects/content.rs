//! What is content, and what an answer says about itself, in every dialect: tool input and reasoning commit
//! like text, what is none leaves the next member open, and tokens are counted as the provider counts them.

use crate::{
    peers::{PEERS, Peer},
    stage::{Mark, Stage, at_once, beside},
    voices::{VOICES, Voice},
};
use std::sync::Arc;

/// How a first member ends, and whether the next may be asked.
struct Case {
    name: &'static str,
    script: &'static str,
    /// Clocks of the target.
    clocks: &'static str,
    /// More of the route.
    route: &'static str,
    moves_on: bool,
}

const CASES: [Case; 5] = [
    Case {
        name: "tool input",
        script: "tool-call,fin-after=1",
        clocks: "",
        route: "",
        moves_on: false,
    },
    Case {
        name: "a tool without input yet",
        script: "tool-at=3s",
        clocks: ", first_token_timeout: 300ms",
        route: "",
        moves_on: true,
    },
    Case {
        name: "reasoning",
        script: "reasoning=2,fin-after=1",
        clocks: "",
        route: "",
        moves_on: false,
    },
    Case {
        name: "reasoning where text commits",
        script: "reasoning=2,fin-after=1",
        clocks: "",
        route: "commit_on: text, ",
        moves_on: true,
    },
    Case {
        name: "comments and deltas without content",
        script: "empty-deltas=20ms",
        clocks: ", first_token_timeout: 300ms",
        route: "",
        moves_on: true,
    },
];

#[test]
fn tool_input_and_reasoning_commit_and_what_is_no_content_does_not() {
    beside(async {
        let mut trials = Vec::new();
        for peer in PEERS {
            for voice in VOICES {
                for case in &CASES {
                    trials.push((format!("c{}", trials.len()), peer, voice, case));
                }
            }
        }
        let config = |origin: &str| {
            let (mut targets, mut routes) = (String::new(), String::new());
            for (name, peer, _, case) in &trials {
                targets += &peer.target(name, origin, case.clocks);
                let more = case.route;
                routes += &format!("  {name}: {{ {more}plan: [ {name}, good ] }}\n");
            }
            let good = Peer::Generic.target("good", origin, "");
            format!("targets:\n{good}{targets}routes:\n{routes}")
        };
        let stage = Arc::new(Stage::open(config).await);
        stage.plays("good", "tokens=4");
        for (name, peer, _, case) in &trials {
            stage.plays(&peer.model(name), case.script);
        }
        let shared = stage.clone();
        let ran = at_once(12, trials, move |(name, peer, voice, case)| {
            let stage = shared.clone();
            async move { commits(&stage, &name, peer, voice, case).await }
        })
        .await;
        let wrong: Vec<String> = ran.into_iter().flatten().collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    });
}

async fn commits(
    stage: &Stage,
    name: &str,
    peer: Peer,
    voice: Voice,
    case: &Case,
) -> Option<String> {
    let what = format!("{peer:?} / {voice:?} / {}", case.name);
    let mark = Mark::new();
    let answer = stage.ask(&mark.on(voice.asks(name, true))).await;
    let record = stage.record(&mark);
    let (text, said) = (answer.text(), voice.text(&answer));
    let wrong = |why: &str| Some(format!("{what}: {why}: {text}\n{record:#}"));
    if case.moves_on {
        return match (&record["outcome"], said.trim()) {
            (o, "tok0 tok1 tok2 tok3") if o == "ok" && record["served_by"] == "good" => None,
            _ => wrong("not served by the next"),
        };
    }
    if record["outcome"] != "truncated" || answer.status != 200 {
        return wrong("not truncated");
    }
    let error = voice.last_error(&what, &answer);
    (error["code"] != "truncated").then(|| format!("{what}: {error}"))
}

/// Tokens of a prompt and of an answer, as the simulator counts them.
const INPUT: u64 = 7;
const OUTPUT: u64 = 4;

/// What makes a dialect tell its usage in streams.
const fn told(peer: Peer) -> &'static str {
    match peer {
        Peer::Openai | Peer::Azure | Peer::Openrouter => ", usage: inject",
        _ => "",
    }
}

#[test]
fn tokens_are_counted_as_each_provider_counts_them() {
    beside(async {
        let mut trials = Vec::new();
        for peer in PEERS {
            for voice in VOICES {
                // such servers are not asked for it, and tell it unasked or not at all
                let streams = if peer == Peer::Generic { 1 } else { 2 };
                for stream in [false, true].into_iter().take(streams) {
                    trials.push((peer, voice, stream));
                }
            }
        }
        let config = |origin: &str| {
            let (mut targets, mut routes) = (String::new(), String::new());
            for peer in PEERS {
                let name = format!("{peer:?}").to_lowercase();
                targets += &peer.target(&name, origin, told(peer));
                routes += &format!("  {name}: {{ plan: {name} }}\n");
            }
            format!("targets:\n{targets}routes:\n{routes}")
        };
        let stage = Arc::new(Stage::open(config).await);
        for peer in PEERS {
            let name = format!("{peer:?}").to_lowercase();
            stage.plays(&peer.model(&name), "tokens=4");
        }
        let shared = stage.clone();
        let ran = at_once(8, trials, move |(peer, voice, stream)| {
            let stage = shared.clone();
            async move {
                let what = format!("{peer:?} / {voice:?} / stream {stream}");
                let mark = Mark::new();
                let name = format!("{peer:?}").to_lowercase();
                let answer = stage.ask(&mark.on(voice.asks(&name, stream))).await;
                let record = stage.record(&mark);
                let usage = &record["usage"];
                let right = usage["input"] == INPUT && usage["output"] == OUTPUT;
                let finished = !record["finish"].is_null();
                (!right || !finished || record["outcome"] != "ok")
                    .then(|| format!("{what}: {usage} {} {}", record["finish"], answer.text()))
            }
        })
        .await;
        let wrong: Vec<String> = ran.into_iter().flatten().collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    });
}
