//! Faults that gateways have had with single dialects, played against the built binary; `docs/known-faults.md`
//! names each with its test.

use crate::{
    peers::{PEERS, Peer},
    stage::{Mark, Stage, at_once, beside},
    support::Answer,
    voices::{VOICES, Voice},
};
use base64::{Engine, prelude::BASE64_STANDARD};
use punctual_sim::{Cuts, Script};
use serde_json::{Value, json};
use std::sync::Arc;

/// One target of each dialect with the dialect's name, and a good member behind those named `backed-…`.
pub async fn stage(more: &str) -> Arc<Stage> {
    let stage = Stage::open(|origin| {
        let good = Peer::Generic.target("good", origin, "");
        let (mut targets, mut routes) = (good, String::new());
        for peer in PEERS {
            let name = name(peer);
            targets += &peer.target(&name, origin, more);
            routes += &format!("  {name}: {{ plan: {name} }}\n");
            routes += &format!("  backed-{name}: {{ plan: [ {name}, good ] }}\n");
        }
        format!("targets:\n{targets}routes:\n{routes}")
    });
    Arc::new(stage.await)
}

pub fn name(peer: Peer) -> String {
    format!("{peer:?}").to_lowercase()
}

pub fn streamed(label: &str, body: impl Into<Vec<u8>>, cuts: Cuts) -> Script {
    Script::raw(200, label, &[], body.into(), cuts)
}

/// Server-sent events with these data, named by their type where they have one.
pub fn sse(data: &[Value]) -> String {
    let one = |v: &Value| match v["type"].as_str() {
        Some(kind) => format!("event: {kind}\ndata: {v}\n\n"),
        None => format!("data: {v}\n\n"),
    };
    data.iter().map(one).collect()
}

impl Stage {
    /// What this dialect's target says next, as that voice hears it, with the log line.
    pub async fn hear(&self, peer: Peer, voice: Voice, script: Script) -> (Answer, Value) {
        self.sim.set(peer.model(&name(peer)), script);
        let mark = Mark::new();
        let answer = self.ask(&mark.on(voice.asks(&name(peer), true))).await;
        (answer, self.record(&mark))
    }
}

/// Gemini's event with one candidate.
pub fn candidate(candidate: Value) -> Value {
    json!({ "candidates": [candidate], "modelVersion": "m", "responseId": "r",
        "usageMetadata": { "promptTokenCount": 10, "candidatesTokenCount": 3, "totalTokenCount": 13 } })
}

#[test]
fn an_exception_of_bedrock_is_what_its_name_says() {
    let peers = [Peer::Bedrock, Peer::BedrockInvoke];
    beside(async {
        for (exception, code, status, moves_on) in [
            ("throttlingException", "rate_limited", 429, true),
            ("serviceUnavailableException", "overloaded", 503, true),
            ("internalServerException", "server_error", 502, true),
            ("modelStreamErrorException", "server_error", 502, true),
            ("validationException", "invalid_request", 400, false),
        ] {
            for (peer, voice) in peers.into_iter().flat_map(|p| VOICES.map(|v| (p, v))) {
                // health is kept by target
                let stage = stage("").await;
                stage.plays("good", "tokens=4");
                let (what, name) = (format!("{exception} / {peer:?} / {voice:?}"), name(peer));
                let (model, route) = (peer.model(&name), format!("backed-{name}"));
                let script = format!("tokens=5,error={exception},error-after=3");
                stage.plays(&model, &script);
                let behind = stage.ask(&voice.asks(&route, true)).await;
                let error = voice.last_error(&what, &behind);
                assert_eq!(error["code"], code, "{what}: {}", behind.text());
                assert_eq!(error["status"], status, "{what}: {}", behind.text());
                stage.plays(&model, &format!("error={exception},error-first"));
                let before = stage.ask(&voice.asks(&route, true)).await;
                let served = if moves_on { 200 } else { status };
                assert_eq!(before.status, served, "{what}: {}", before.text());
                let by = if moves_on { "good" } else { name.as_str() };
                assert_eq!(before.header("x-punctual-target"), Some(by), "{what}");
            }
        }
    });
}

#[test]
fn a_wrong_sum_is_no_bedrock() {
    beside(async {
        for part in ["message", "prelude"] {
            let stage = stage("").await;
            let peers = [Peer::Bedrock, Peer::BedrockInvoke].into_iter();
            for (peer, voice) in peers.flat_map(|peer| VOICES.map(|voice| (peer, voice))) {
                let script = format!("tokens=5,bad-crc={part}").parse().unwrap();
                let (answer, record) = stage.hear(peer, voice, script).await;
                let what = format!("{part} / {peer:?} / {voice:?}");
                let error = voice.last_error(&what, &answer);
                assert_eq!(error["code"], "malformed_response", "{what}: {record:#}");
                assert_eq!(record["outcome"], "truncated", "{what}: {record:#}");
            }
        }
    });
}

/// A message of AWS's event stream that says it is a chunk.
fn chunk(payload: &str) -> Vec<u8> {
    let number = |n: usize| u32::try_from(n).unwrap().to_be_bytes();
    let headers = b"\x0b:event-type\x07\x00\x05chunk";
    let length = 16 + headers.len() + payload.len();
    let mut out = [number(length), number(headers.len())].concat();
    out.extend(crc32fast::hash(&out).to_be_bytes());
    out.extend_from_slice(headers);
    out.extend_from_slice(payload.as_bytes());
    out.extend(crc32fast::hash(&out).to_be_bytes());
    out
}

#[test]
fn a_chunk_that_holds_no_event_breaks_the_stream() {
    beside(async {
        let stage = stage("").await;
        let event = |event: Value| {
            let bytes = BASE64_STANDARD.encode(event.to_string());
            chunk(&json!({ "bytes": bytes }).to_string())
        };
        let began = [
            json!({ "type": "message_start", "message": { "id": "m", "type": "message", "role": "assistant",
                "model": "claude", "content": [], "usage": { "input_tokens": 1, "output_tokens": 1 } } }),
            json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
            json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": "hi" } }),
        ];
        let began: Vec<u8> = began.into_iter().flat_map(event).collect();
        for payload in ["{}", r#"{"bytes":"%"}"#] {
            for voice in VOICES {
                for (before, outcome) in [(&[][..], "failed"), (&began, "truncated")] {
                    let what = format!("{payload} / {voice:?} / {outcome}");
                    let body = [before, &chunk(payload)].concat();
                    let script = streamed("application/vnd.amazon.eventstream", body, Cuts::Whole);
                    let (answer, record) = stage.hear(Peer::BedrockInvoke, voice, script).await;
                    assert_eq!(record["error"], "malformed_response", "{what}: {record:#}");
                    assert_eq!(record["outcome"], outcome, "{what}: {record:#}");
                    match outcome {
                        "failed" => assert_eq!(answer.status, 502, "{what}"),
                        _ => {
                            let error = voice.last_error(&what, &answer);
                            assert_eq!(error["code"], "malformed_response", "{what}");
                        }
                    }
                }
            }
        }
    });
}

#[test]
fn an_error_inside_a_stream_of_claude_has_the_status_it_stands_for() {
    beside(async {
        for (kind, code, status) in [
            ("overloaded_error", "overloaded", 503),
            ("rate_limit_error", "rate_limited", 429),
            ("api_error", "server_error", 502),
            ("timeout_error", "server_error", 502),
            ("authentication_error", "unauthorized", 502),
            ("invalid_request_error", "invalid_request", 400),
        ] {
            let stage = stage("").await;
            for peer in [Peer::Anthropic, Peer::VertexClaude] {
                for voice in VOICES {
                    let what = format!("{kind} / {peer:?} / {voice:?}");
                    let error =
                        json!({ "type": "error", "error": { "type": kind, "message": "no" } });
                    let script = streamed("text/event-stream", sse(&[error]), Cuts::Whole);
                    let (answer, record) = stage.hear(peer, voice, script).await;
                    assert_eq!(answer.status, status, "{what}: {}", answer.text());
                    assert_eq!(record["error"], code, "{what}: {record:#}");
                    voice.error(&what, &answer);
                }
            }
        }
    });
}

#[test]
fn an_array_of_gemini_and_lines_of_ollama_are_read_wherever_they_are_cut() {
    beside(async {
        let stage = stage("").await;
        let said = |text: &str, finish: Value| {
            candidate(
                json!({ "content": { "role": "model", "parts": [{ "text": text }] },
                "finishReason": finish, "index": 0 }),
            )
        };
        let array = format!(
            "[{}\n,\r\n{}]",
            said("één ", Value::Null),
            said("twee", json!("STOP"))
        );
        let line = |text: &str, more: &str| {
            format!(
                r#"{{"model":"m","created_at":"2026-01-01T00:00:00Z","message":{{"role":"assistant","content":"{text}"}}{more}}}"#
            )
        };
        // no line end behind the last one
        let lines = format!(
            "{}\n{}\n{}",
            line("één ", r#","done":false"#),
            line("twee", r#","done":false"#),
            line(
                "",
                r#","done":true,"done_reason":"stop","prompt_eval_count":10,"eval_count":3"#
            )
        );
        for voice in VOICES {
            for cuts in [Cuts::Whole, Cuts::EveryByte, Cuts::Random(3)] {
                for (peer, label, body) in [
                    (Peer::Gemini, "application/json", &array),
                    (Peer::Ollama, "application/x-ndjson", &lines),
                    (Peer::Ollama, "text/plain", &lines),
                ] {
                    let what = format!("{peer:?} / {label} / {voice:?} / {cuts:?}");
                    let script = streamed(label, body.clone(), cuts.clone());
                    let (answer, record) = stage.hear(peer, voice, script).await;
                    let text = answer.text();
                    assert_eq!(voice.text(&answer), "één twee", "{what}: {text}");
                    assert!(voice.ended(&answer), "{what}: {text}");
                    let usage = &record["usage"];
                    assert_eq!(
                        (&usage["input"], &usage["output"]),
                        (&json!(10), &json!(3)),
                        "{what}"
                    );
                }
            }
        }
    });
}

#[test]
fn a_line_or_event_over_the_cap_is_a_failure_of_its_own_in_every_dialect() {
    beside(async {
        let stage = stage(", max_event_bytes: 64KiB").await;
        stage.plays("good", "tokens=4");
        let shared = stage.clone();
        at_once(4, PEERS.to_vec(), move |peer| {
            let stage = shared.clone();
            async move {
                stage.plays(&peer.model(&name(peer)), "huge-event=1MiB");
                let mark = Mark::new();
                let route = format!("backed-{}", name(peer));
                let answer = stage.ask(&mark.on(Voice::Chat.asks(&route, true))).await;
                let record = stage.record(&mark);
                let first = &record["attempts"][0]["code"];
                assert_eq!(first, "response_too_large", "{peer:?}: {record:#}");
                assert_eq!(answer.header("x-punctual-target"), Some("good"), "{peer:?}");
            }
        })
        .await;
    });
}

#[test]
fn what_cannot_be_read_ends_no_stream_and_each_ends_once() {
    beside(async {
        let stage = stage("").await;
        let mut trials = Vec::new();
        for peer in PEERS {
            for voice in VOICES {
                trials.push((peer, voice));
            }
            stage.plays(&peer.model(&name(peer)), "tokens=4,garbage");
        }
        let shared = stage.clone();
        let ran = at_once(8, trials, move |(peer, voice)| {
            let stage = shared.clone();
            async move {
                let mark = Mark::new();
                let answer = stage.ask(&mark.on(voice.asks(&name(peer), true))).await;
                let (record, text) = (stage.record(&mark), answer.text());
                let mark = match voice {
                    Voice::Chat => "data: [DONE]\n\n",
                    Voice::Responses => "event: response.completed\n",
                    Voice::Messages => "event: message_stop\n",
                };
                let said = voice.text(&answer);
                let right = said.trim() == "tok0 tok1 tok2 tok3"
                    && text.matches(mark).count() == 1
                    && record["outcome"] == "ok";
                (!right).then(|| format!("{peer:?} / {voice:?}: {text}"))
            }
        })
        .await;
        let wrong: Vec<String> = ran.into_iter().flatten().collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    });
}
