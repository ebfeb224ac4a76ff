//! What is written is read again, however it is cut; and no bytes at all do harm.

use bytes::{Bytes, BytesMut};
use proptest::prelude::*;

use super::{asked, step, told};
use crate::{
    Usage,
    dialect::Finish,
    frame::{Framing, Splitter},
    middle::{
        Answer, Choice, Delta, Encode, Json, Lost, Message, Options, Part, Request, Role, Source,
        Tool, ToolCall, ToolResult,
    },
};

/// A piece of text, never empty, with all that JSON and event streams could trip over.
fn words() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z ]{1,8}", "[\"\\\\\n\r\u{0}é😀{}:]{1,4}"]
}

/// A piece of an answer.
#[derive(Clone, Debug)]
enum Said {
    Text(Vec<String>),
    Refusal(String),
    Reasoning(Vec<String>, Option<String>),
    Call(String, Vec<String>),
}

fn said() -> impl Strategy<Value = Vec<Said>> {
    let pieces = || prop::collection::vec(words(), 1..4);
    let one = prop_oneof![
        pieces().prop_map(Said::Text),
        words().prop_map(Said::Refusal),
        (pieces(), prop::option::of("[a-z]{1,5}")).prop_map(|(a, b)| Said::Reasoning(a, b)),
        ("[a-z_]{1,8}", pieces()).prop_map(|(a, b)| Said::Call(a, b)),
    ];
    prop::collection::vec(one, 0..6)
}

/// The steps of an answer.
fn deltas(all: &[Said], finish: Finish) -> Vec<Delta<'_>> {
    let mut deltas = Vec::new();
    let mut calls = 0;
    for said in all {
        let choice = 0;
        match said {
            Said::Text(pieces) => deltas.extend(pieces.iter().map(|text| Delta::Text {
                choice,
                text: text.into(),
                logprobs: None,
            })),
            Said::Refusal(text) => deltas.push(Delta::Refusal {
                choice,
                text: text.into(),
            }),
            Said::Reasoning(pieces, sealed) => {
                deltas.extend(pieces.iter().map(|text| Delta::Reasoning {
                    choice,
                    text: text.into(),
                }));
                deltas.extend(sealed.iter().map(|value| Delta::Opaque {
                    choice,
                    value: value.into(),
                }));
            }
            Said::Call(name, pieces) => {
                deltas.push(Delta::ToolCall {
                    choice,
                    index: calls,
                    id: format!("call_{calls}").into(),
                    name: name.into(),
                });
                deltas.extend(pieces.iter().map(|json| Delta::ToolInput {
                    choice,
                    index: calls,
                    json: json.into(),
                }));
                deltas.push(Delta::ToolDone {
                    choice,
                    index: calls,
                });
                calls += 1;
            }
        }
    }
    let finish = if calls > 0 && finish == Finish::Stop {
        Finish::ToolCalls
    } else {
        finish
    };
    deltas.push(Delta::Finish {
        choice: 0,
        finish,
        stop_sequence: None,
    });
    deltas.push(Delta::Usage(Usage {
        input: Some(3),
        output: Some(4),
        ..Usage::default()
    }));
    deltas.push(Delta::Ended);
    deltas
}

fn finishes() -> impl Strategy<Value = Finish> {
    prop_oneof![
        Just(Finish::Stop),
        Just(Finish::Length),
        Just(Finish::ContentFilter)
    ]
}

/// A part of a whole answer that this API has.
fn part(said: &Said, place: usize) -> Vec<Part> {
    match said {
        Said::Text(pieces) => pieces.iter().map(Part::text).collect(),
        Said::Refusal(text) => vec![Part::Refusal { text: text.clone() }],
        Said::Reasoning(pieces, sealed) => vec![Part::Reasoning {
            text: pieces.concat(),
            signature: None,
            opaque: sealed.clone(),
            id: Some(format!("rs_{place}")),
        }],
        Said::Call(name, pieces) => vec![Part::ToolCall(ToolCall {
            id: format!("call_{place}"),
            name: name.clone(),
            input: pieces.concat(),
            signature: None,
        })],
    }
}

fn parts(all: &[Said]) -> Vec<Part> {
    let each = all.iter().enumerate();
    each.flat_map(|(place, said)| part(said, place)).collect()
}

/// A conversation with one turn of the model.
fn conversation(asked: &[String], all: &[Said]) -> Vec<Message> {
    let message = |role, parts| Message {
        role,
        parts,
        name: None,
    };
    let answered = parts(all);
    let results: Vec<Part> = answered
        .iter()
        .filter_map(|part| match part {
            Part::ToolCall(call) => Some(Part::ToolResult(ToolResult {
                id: call.id.clone(),
                name: Some(call.name.clone()),
                parts: vec![Part::text("done")],
                is_error: false,
                cache: None,
            })),
            _ => None,
        })
        .collect();
    let mut question: Vec<Part> = asked.iter().map(Part::text).collect();
    question.push(Part::Image {
        source: Source::Id("file_1".to_owned()),
        detail: Some("low".to_owned()),
        cache: None,
    });
    let turns = [
        (Role::System, vec![Part::text("Be brief")]),
        (Role::User, question),
        (Role::Assistant, answered),
        (Role::Tool, results),
    ];
    let spoken = turns.into_iter().filter(|(_, parts)| !parts.is_empty());
    spoken.map(|(role, parts)| message(role, parts)).collect()
}

fn stream_of(deltas: &[Delta<'_>]) -> Vec<u8> {
    let mut writer: Box<dyn Encode> = super::super::reply::stream(&asked());
    let mut out = BytesMut::new();
    for delta in deltas {
        writer.delta(delta, &mut out);
    }
    writer.close(&mut out);
    out.to_vec()
}

proptest! {
    #[test]
    fn a_stream_that_was_written_is_read_as_it_was_told(all in said(), finish in finishes(), cuts in prop::collection::vec(0..4096_usize, 0..6)) {
        let deltas = deltas(&all, finish);
        let stream = stream_of(&deltas);
        let mut cuts = cuts;
        cuts.iter_mut().for_each(|at| *at %= stream.len());
        cuts.sort_unstable();
        let (steps, _) = told(&stream, &cuts);
        let steps: Vec<_> = steps.iter().map(|step| step.replace("opaque hidden:", "opaque ")).collect();
        let expected: Vec<_> = ["start resp_abc chat".to_owned()].into_iter().chain(deltas.iter().map(step)).collect();
        prop_assert_eq!(steps, expected);
    }

    #[test]
    fn an_answer_that_was_written_is_read_as_it_was(all in said(), finish in finishes()) {
        let parts = parts(&all);
        let calls = parts.iter().any(|part| matches!(part, Part::ToolCall(_)));
        let answer = Answer {
            id: Some("resp_1".to_owned()),
            model: Some("m".to_owned()),
            created: Some(7),
            choices: vec![Choice {
                parts,
                finish: Some(if calls && finish == Finish::Stop { Finish::ToolCalls } else { finish }),
                ..Choice::default()
            }],
            ..Answer::default()
        };
        let mut lost = Lost::default();
        let body = super::super::reply::whole(&answer, &asked(), &mut lost);
        prop_assert_eq!(super::super::answer::read(&body), Ok(answer));
        prop_assert!(lost.is_empty());
    }

    #[test]
    fn a_question_that_was_written_is_read_as_it_was(asked in prop::collection::vec(words(), 1..3), all in said()) {
        let request = Request {
            model: "m".to_owned(),
            include_usage: true,
            messages: conversation(&asked, &all),
            tools: vec![Tool::Function {
                name: "f".to_owned(),
                description: None,
                parameters: Json::parse(r#"{"type":"object"}"#),
                strict: Some(true),
                cache: None,
            }],
            ..Request::default()
        };
        let mut lost = Lost::default();
        let body = super::super::question::write(&request, &Options::default(), &mut lost);
        prop_assert_eq!(super::super::request::read(&body), Ok(request));
        prop_assert!(lost.is_empty(), "{:?}", lost);
    }

    #[test]
    fn no_bytes_do_harm(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = super::super::answer::read(&bytes);
        let _ = super::super::request::read(&Bytes::from(bytes.clone()));
        told(&bytes, &[]);
        told(&[b"data: ", bytes.as_slice(), b"\n\n"].concat(), &[]);
    }

    #[test]
    fn no_json_does_harm(
        kind in "(response\\.)?(created|completed|incomplete|failed|output_item\\.(added|done)|output_text\\.(delta|done|annotation\\.added)|refusal\\.(delta|done)|reasoning(_summary)?_text\\.(delta|done)|function_call_arguments\\.(delta|done)|error|message|function_call|reasoning)",
        name in "(response|item|delta|text|refusal|arguments|annotation|logprobs|output|content|summary|usage|error|output_index|content_index|summary_index|input|tools|tool_choice|include|reasoning|metadata)",
        value in "[\\[{}\\]\":,\\\\u0-9a-z-]{0,30}",
    ) {
        let object = format!(r#"{{"type":"{kind}","model":"m","input":[],"output":[],"{name}":{value}}}"#);
        for text in [
            object.clone(),
            format!(r#"{{"type":"response.output_item.done","model":"m","item":{object},"input":[{object}],"output":[{object}],"tools":[{object}]}}"#),
            format!(r#"{{"type":"response.completed","model":"m","input":[{{"role":"user","content":[{object}]}}],"response":{{"output":[{{"type":"message","content":[{object}]}}]}}}}"#),
        ] {
            let _ = super::super::answer::read(text.as_bytes());
            let _ = super::super::request::read(&Bytes::from(text.clone()));
            told(format!("data: {text}\n\n").as_bytes(), &[]);
        }
    }

    #[test]
    fn no_steps_do_harm(order in prop::collection::vec((0..9_usize, 0..3_u32, "[a-z]{0,2}"), 0..30)) {
        let deltas: Vec<_> = order.iter().map(|(kind, index, text)| {
            let (choice, index, text) = (0, *index, text.as_str());
            match kind {
                0 => Delta::Text { choice, text: text.into(), logprobs: Some(text) },
                1 => Delta::Refusal { choice, text: text.into() },
                2 => Delta::Reasoning { choice, text: text.into() },
                3 => Delta::Signature { choice, value: text.into() },
                4 => Delta::Opaque { choice, value: text.into() },
                5 => Delta::ToolCall { choice, index, id: text.into(), name: text.into() },
                6 => Delta::ToolInput { choice, index, json: text.into() },
                7 => Delta::ToolDone { choice, index },
                _ => Delta::Citation { choice, json: r#"{"type":"file_path"}"#, reach: None },
            }
        }).collect();
        let stream = stream_of(&deltas);
        prop_assert!(well_formed(&stream).is_ok(), "{:?}\n{}", well_formed(&stream), String::from_utf8_lossy(&stream));
    }
}

/// Whether every item and part that opens closes, in its place, before the end, and the last event holds
/// exactly the items that were written.
fn well_formed(stream: &[u8]) -> Result<(), String> {
    let mut splitter = Splitter::new(Framing::Sse, 1 << 20);
    splitter.push(Bytes::copy_from_slice(stream));
    let (mut open, mut done) = (Vec::new(), Vec::new());
    let mut number = 0;
    while let Some(Ok(frame)) = splitter.next() {
        let data = frame.data().ok_or("no data")?.into_owned();
        let event: serde_json::Value = serde_json::from_slice(&data).map_err(|e| e.to_string())?;
        let kind = event["type"].as_str().ok_or("no type")?;
        if frame.name() != Some(kind) || event["sequence_number"] != number {
            return Err(format!("event {number} is {kind}"));
        }
        number += 1;
        let at = event["output_index"].as_u64();
        match kind {
            "response.output_item.added" => open.push(at),
            "response.output_item.done" => {
                open.retain(|other| *other != at);
                done.push((at, event["item"].clone()));
            }
            "response.completed" => {
                done.sort_by_key(|(at, _)| *at);
                let items: Vec<_> = done.iter().map(|(_, item)| item.clone()).collect();
                let whole = event["response"]["output"].as_array() == Some(&items);
                return match open.is_empty() && whole {
                    true => Ok(()),
                    false => Err(format!("open {open:?}, done {done:?}")),
                };
            }
            "response.created" | "response.in_progress" => {}
            _ if open.contains(&at) => {}
            _ => return Err(format!("{kind} of {at:?}, which is not open")),
        }
    }
    Err("no end".to_owned())
}
