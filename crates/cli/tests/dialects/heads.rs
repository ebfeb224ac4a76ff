//! The headers of an answer in the words of the caller's API, whatever its target speaks, on errors as on answers;
//! and what an answer lost on its way, named before its first byte.

use crate::{
    faults::{name, stage},
    peers::{PEERS, Peer},
    stage::{Mark, Stage, beside},
    support::{Answer, Request},
    voices::{VOICES, Voice},
};
use punctual_sim::{Cuts, Script};
use serde_json::json;

const OPENAI: &str = "header=x-ratelimit-limit-requests:60,header=x-ratelimit-remaining-requests:7,header=x-ratelimit-reset-requests:1m30s,header=x-ratelimit-reset-tokens:6ms";
const ANTHROPIC: &str = "header=anthropic-ratelimit-requests-limit:60,header=anthropic-ratelimit-requests-remaining:7,header=anthropic-ratelimit-requests-reset:2099-01-01T00:00:00Z,header=anthropic-ratelimit-tokens-reset:2099-01-01T00:00:00Z,header=anthropic-ratelimit-input-tokens-remaining:3,header=anthropic-ratelimit-output-tokens-limit:9";

/// Both ways in which this is said: name, and how its value begins and ends.
fn expected(voice: Voice) -> [(&'static str, &'static str, &'static str); 4] {
    match voice {
        Voice::Messages => [
            ("anthropic-ratelimit-requests-limit", "60", "60"),
            ("anthropic-ratelimit-requests-remaining", "7", "7"),
            ("anthropic-ratelimit-requests-reset", "20", "Z"),
            ("anthropic-ratelimit-tokens-reset", "20", "Z"),
        ],
        Voice::Chat | Voice::Responses => [
            ("x-ratelimit-limit-requests", "60", "60"),
            ("x-ratelimit-remaining-requests", "7", "7"),
            ("x-ratelimit-reset-requests", "", "s"),
            ("x-ratelimit-reset-tokens", "", "s"),
        ],
    }
}

fn assert_limits(what: &str, voice: Voice, answer: &Answer) {
    for (name, begins, ends) in expected(voice) {
        let value = answer
            .header(name)
            .unwrap_or_else(|| panic!("{what}: no {name}"));
        let right = value.starts_with(begins) && value.ends_with(ends);
        assert!(right, "{what}: {name}: {value}");
    }
    let foreign = match voice {
        Voice::Messages => "x-ratelimit-",
        Voice::Chat | Voice::Responses => "anthropic-ratelimit-",
    };
    let left: Vec<_> = answer
        .headers
        .iter()
        .filter(|(n, _)| n.starts_with(foreign))
        .collect();
    assert!(left.is_empty(), "{what}: {left:?}");
}

#[test]
fn rate_limits_are_told_in_the_callers_own_dialect_on_answers_and_on_errors() {
    beside(async {
        let stage = stage("").await;
        for peer in PEERS {
            let says = match peer {
                Peer::Anthropic | Peer::VertexClaude | Peer::BedrockInvoke => ANTHROPIC,
                _ => OPENAI,
            };
            for voice in VOICES {
                for (stream, does) in [
                    (false, ""),
                    (true, ""),
                    (false, "status=400,"),
                    (true, "status=400,"),
                ] {
                    let what = format!("{peer:?} / {voice:?} / stream {stream} / {does}");
                    stage.plays(&peer.model(&name(peer)), &format!("{does}{says}"));
                    let answer = stage.ask(&voice.asks(&name(peer), stream)).await;
                    let status = if does.is_empty() { 200 } else { 400 };
                    assert_eq!(answer.status, status, "{what}: {}", answer.text());
                    assert_limits(&what, voice, &answer);
                }
            }
        }
        // what a rate limit itself says
        for (peer, voice, says) in [
            (Peer::Openai, Voice::Messages, OPENAI),
            (Peer::Anthropic, Voice::Chat, ANTHROPIC),
        ] {
            stage.plays(&name(peer), &format!("status=429,retry-after=7,{says}"));
            let answer = stage.ask(&voice.asks(&name(peer), false)).await;
            assert_eq!(
                (answer.status, answer.header("retry-after")),
                (429, Some("7"))
            );
            assert_limits("429", voice, &answer);
        }
    });
}

#[test]
fn what_an_answer_lost_is_named_in_its_head_and_on_record() {
    beside(async {
        let stage: std::sync::Arc<Stage> = stage("").await;
        let body = json!({ "id": "msg_1", "type": "message", "role": "assistant", "model": "m",
            "content": [{ "type": "text", "text": "yes" }], "stop_reason": "end_turn", "stop_sequence": null,
            "container": { "id": "c_1", "expires_at": "2099-01-01T00:00:00Z" },
            "usage": { "input_tokens": 1, "output_tokens": 1 } });
        let script = Script::raw(200, "application/json", &[], body.to_string(), Cuts::Whole);
        stage.sim.set("anthropic", script);
        // the second is made a stream of a whole answer
        for stream in [false, true] {
            for (voice, dropped) in [
                (Voice::Chat, Some("container")),
                (Voice::Responses, Some("container")),
                // its own bytes; made a stream of, they are written anew
                (Voice::Messages, stream.then_some("container")),
            ] {
                let mark = Mark::new();
                let asks: Request = mark.on(voice.asks("anthropic", stream));
                let answer = stage.ask(&asks).await;
                let what = format!("{voice:?}, stream {stream}: {}", answer.text());
                assert_eq!(answer.status, 200, "{what}");
                assert_eq!(answer.header("x-punctual-dropped"), dropped, "{what}");
                let record = stage.record(&mark);
                let named = dropped.map_or(json!([]), |name| json!([name]));
                assert_eq!(record["dropped"], named, "{record:#}");
            }
        }
    });
}
