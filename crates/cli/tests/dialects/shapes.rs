//! What an answer says, carried over from one API to another without a change of meaning: why it ended, how
//! many tokens it took, which piece belongs to which call and block.

use crate::{
    faults::{candidate, sse, stage, streamed},
    peers::{PEERS, Peer},
    stage::{Mark, beside},
    support::{Answer, Caller, ms},
    voices::{VOICES, Voice, events},
};
use punctual_sim::Cuts;
use serde_json::{Value, json};

#[test]
fn a_candidate_of_gemini_without_content_says_why() {
    beside(async {
        let stage = stage("").await;
        for (reason, finish) in [("SAFETY", "content_filter"), ("MAX_TOKENS", "length")] {
            for peer in [Peer::Gemini, Peer::Vertex] {
                let what = format!("{reason} / {peer:?}");
                let bare = candidate(json!({ "finishReason": reason, "index": 0 }));
                let script = || {
                    streamed(
                        "text/event-stream",
                        sse(std::slice::from_ref(&bare)),
                        Cuts::Whole,
                    )
                };
                let (answer, record) = stage.hear(peer, Voice::Chat, script()).await;
                let text = answer.text();
                assert_eq!(record["outcome"], "ok", "{what}: {record:#}");
                let all: Vec<Value> = events(&answer).iter().map(|e| e.json()).collect();
                let choices = all.iter().filter_map(|v| v.pointer("/choices/0"));
                assert!(
                    choices.clone().all(|c| c["delta"].is_object()),
                    "{what}: {text}"
                );
                let finished = choices.filter(|c| c["finish_reason"] == finish).count();
                assert_eq!((finished, answer.done()), (1, true), "{what}: {text}");
                for voice in [Voice::Responses, Voice::Messages] {
                    let (answer, record) = stage.hear(peer, voice, script()).await;
                    assert!(voice.ended(&answer), "{what}: {}", answer.text());
                    assert_eq!(record["outcome"], "ok", "{what}: {record:#}");
                }
            }
        }
    });
}

#[test]
fn a_finish_that_gemini_says_on_every_event_is_told_once_at_the_end() {
    beside(async {
        let stage = stage("").await;
        let said = |text: &str| {
            candidate(
                json!({ "content": { "role": "model", "parts": [{ "text": text }] },
                "finishReason": "STOP", "index": 0 }),
            )
        };
        let body = sse(&[said("a"), said("b"), said("c")]);
        for voice in VOICES {
            let script = streamed("text/event-stream", body.clone(), Cuts::Events);
            let (answer, record) = stage.hear(Peer::Gemini, voice, script).await;
            let text = answer.text();
            assert_eq!(voice.text(&answer), "abc", "{voice:?}: {text}");
            assert_eq!(record["outcome"], "ok", "{voice:?}: {record:#}");
            assert_eq!(record["usage"]["output"], 3, "{voice:?}: {record:#}");
            let mark = match voice {
                Voice::Chat => "\"finish_reason\":\"stop\"",
                Voice::Responses => "event: response.completed\n",
                Voice::Messages => "event: message_stop\n",
            };
            let (before, after) = text.split_once(mark).unwrap();
            assert!(before.contains('c') && !after.contains(mark), "{text}");
        }
    });
}

#[test]
fn a_response_that_was_cut_by_its_length_is_an_answer() {
    beside(async {
        let stage = stage("").await;
        for voice in VOICES {
            let script = "tokens=3,finish=length".parse().unwrap();
            let (answer, record) = stage.hear(Peer::Responses, voice, script).await;
            let text = answer.text();
            let said = match voice {
                Voice::Chat => "\"finish_reason\":\"length\"",
                Voice::Responses => "event: response.incomplete\n",
                Voice::Messages => "\"stop_reason\":\"max_tokens\"",
            };
            assert_eq!(text.matches(said).count(), 1, "{voice:?}: {text}");
            assert_eq!(record["outcome"], "ok", "{voice:?}: {record:#}");
            assert_eq!(record["usage"]["output"], 3, "{voice:?}: {record:#}");
        }
    });
}

/// The beginning of a message of Claude, which has told 25 and 1.
fn begun() -> Vec<Value> {
    let mut all = vec![
        json!({ "type": "message_start", "message": { "id": "msg_1", "type": "message",
            "role": "assistant", "model": "m", "content": [], "stop_reason": null,
            "stop_sequence": null, "usage": { "input_tokens": 25, "output_tokens": 1 } } }),
        json!({ "type": "content_block_start", "index": 0,
            "content_block": { "type": "text", "text": "" } }),
    ];
    let delta = json!({ "type": "content_block_delta", "index": 0,
        "delta": { "type": "text_delta", "text": "seen" } });
    all.extend(vec![delta; 5]);
    all
}

#[test]
fn the_last_word_on_each_count_of_tokens_counts() {
    beside(async {
        let stage = stage("").await;
        let mut all = begun();
        all.extend([
            json!({ "type": "content_block_stop", "index": 0 }),
            json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn", "stop_sequence": null },
                "usage": { "output_tokens": 15 } }),
            json!({ "type": "message_stop" }),
        ]);
        for voice in VOICES {
            let script = streamed("text/event-stream", sse(&all), Cuts::Events);
            let (answer, record) = stage.hear(Peer::Anthropic, voice, script).await;
            assert!(voice.ended(&answer), "{voice:?}: {}", answer.text());
            let usage = &record["usage"];
            assert_eq!(
                (&usage["input"], &usage["output"]),
                (&json!(25), &json!(15)),
                "{usage}"
            );
        }
    });
}

#[test]
fn what_was_counted_before_the_caller_left_stays_on_record() {
    beside(async {
        let stage = stage("").await;
        // the rest of it comes after a second
        let mut script = begun();
        script.extend(vec![json!({ "type": "ping" }); 3]);
        for voice in VOICES {
            let body = sse(&script);
            let at = body.find("event: ping").unwrap();
            stage.sim.set(
                "anthropic",
                streamed("text/event-stream", body, Cuts::At(vec![at]))
                    .with("stall-after=1")
                    .unwrap(),
            );
            let mark = Mark::new();
            let mut caller = Caller::connect(stage.gateway.addr).await;
            caller.send(&mark.on(voice.asks("anthropic", true))).await;
            caller.hear(b"seen", ms(10_000)).await;
            caller.leave();
            let record = stage.record(&mark);
            assert_eq!(record["outcome"], "cancelled", "{voice:?}: {record:#}");
            assert_eq!(record["usage"]["input"], 25, "{voice:?}: {record:#}");
        }
    });
}

/// A chunk of a chat completion with this delta, or this finish.
fn chunk(delta: Value, finish: Value) -> Value {
    json!({ "id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] })
}

/// Tool calls as pieces of (index, id, input); only a piece with an id has a name.
fn called(pieces: &[(u32, &str, &str)]) -> String {
    let mut all = Vec::new();
    for (index, id, input) in pieces {
        let call = match *id {
            "" => json!({ "index": index, "function": { "arguments": input } }),
            id => json!({ "index": index, "id": id, "type": "function",
                "function": { "name": "f", "arguments": input } }),
        };
        all.push(chunk(json!({ "tool_calls": [call] }), Value::Null));
    }
    all.push(chunk(json!({}), json!("tool_calls")));
    sse(&all) + "data: [DONE]\n\n"
}

/// The whole input of each call that a voice other than chat was told, in order.
fn inputs(voice: Voice, answer: &Answer) -> Vec<String> {
    let mut calls: Vec<(Value, String)> = Vec::new();
    for v in events(answer).iter().map(|e| e.json()) {
        let (at, piece) = match voice {
            Voice::Messages => (&v["index"], &v["delta"]["partial_json"]),
            _ if v["type"] == "response.function_call_arguments.delta" => {
                (&v["output_index"], &v["delta"])
            }
            _ => continue,
        };
        let Some(piece) = piece.as_str() else {
            continue;
        };
        match calls.iter_mut().find(|(index, _)| index == at) {
            Some((_, input)) => *input += piece,
            None => calls.push((at.clone(), piece.to_owned())),
        }
    }
    calls.into_iter().map(|(_, input)| input).collect()
}

#[test]
fn calls_of_tools_stay_apart_whatever_their_indices_say() {
    beside(async {
        let stage = stage("").await;
        let (one, two) = (r#"{"p":1}"#, r#"{"p":2}"#);
        for (what, pieces, whole) in [
            (
                "two at one index",
                vec![(0, "a", one), (0, "b", two)],
                vec![one, two],
            ),
            (
                "interleaved",
                vec![
                    (0, "a", ""),
                    (1, "b", ""),
                    (0, "", r#"{"p""#),
                    (1, "", r#"{"p""#),
                    (0, "", ":1}"),
                    (1, "", ":2}"),
                ],
                vec![one, two],
            ),
            (
                "an index that was not opened",
                vec![(0, "a", ""), (1, "", r#"{"p""#), (1, "", ":1}")],
                vec![one],
            ),
        ] {
            let body = called(&pieces);
            let script = || streamed("text/event-stream", body.clone(), Cuts::Events);
            for voice in [Voice::Responses, Voice::Messages] {
                let (answer, record) = stage.hear(Peer::Openai, voice, script()).await;
                let text = answer.text();
                assert_eq!(inputs(voice, &answer), whole, "{what} / {voice:?}: {text}");
                assert_eq!(record["outcome"], "ok", "{what} / {voice:?}: {record:#}");
            }
            // in its own dialect it is left as it is
            let (answer, _) = stage.hear(Peer::Openai, Voice::Chat, script()).await;
            assert_eq!(answer.text(), body, "{what}");
        }
    });
}

#[test]
fn a_block_is_closed_before_the_next_is_opened_and_is_of_its_deltas_kind() {
    beside(async {
        let stage = stage("").await;
        for peer in PEERS {
            let script = "reasoning=2,tool-call,tokens=3".parse().unwrap();
            let (answer, record) = stage.hear(peer, Voice::Messages, script).await;
            let text = answer.text();
            assert_eq!(record["outcome"], "ok", "{peer:?}: {record:#}");
            let (mut open, mut next) = (None, 0);
            for v in events(&answer).iter().map(|e| e.json()) {
                match v["type"].as_str().unwrap_or_default() {
                    "content_block_start" => {
                        assert!(open.is_none(), "{peer:?}: {text}");
                        assert_eq!(v["index"], next, "{peer:?}: {text}");
                        open = v["content_block"]["type"].as_str().map(str::to_owned);
                        next += 1;
                    }
                    "content_block_delta" => {
                        let kind = match v["delta"]["type"].as_str().unwrap() {
                            "text_delta" => "text",
                            "input_json_delta" => "tool_use",
                            "thinking_delta" | "signature_delta" => "thinking",
                            other => panic!("{peer:?}: {other}"),
                        };
                        assert_eq!(open.as_deref(), Some(kind), "{peer:?}: {text}");
                    }
                    "content_block_stop" => {
                        assert!(open.take().is_some(), "{peer:?}: {text}");
                    }
                    _ => {}
                }
            }
            assert!(open.is_none() && next >= 2, "{peer:?}: {text}");
        }
    });
}
