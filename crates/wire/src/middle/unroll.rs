//! A whole answer as the steps of a stream, for a caller that asked for a stream and an upstream that did
//! not give one.

use std::borrow::Cow;

use super::{Answer, Choice, Delta, Part, Start, ToolCall};

/// Tells the steps of `answer`, its end included.
pub fn unroll(answer: &Answer, sink: &mut dyn FnMut(Delta<'_>)) {
    sink(Delta::Start(Start {
        id: answer.id.as_deref().map(Cow::Borrowed),
        model: answer.model.as_deref().map(Cow::Borrowed),
        created: answer.created,
    }));
    for choice in &answer.choices {
        parts(choice, sink);
        if let Some(finish) = &choice.finish {
            sink(Delta::Finish {
                choice: choice.index,
                finish: finish.clone(),
                stop_sequence: choice.stop_sequence.as_deref().map(Cow::Borrowed),
            });
        }
    }
    if let Some(usage) = answer.usage {
        sink(Delta::Usage(usage));
    }
    sink(Delta::Ended);
}

fn parts(said: &Choice, sink: &mut dyn FnMut(Delta<'_>)) {
    let (choice, mut calls) = (said.index, 0);
    // log probabilities of a whole answer belong to all of its text, and so to the first piece of it
    let mut logprobs = said.logprobs.as_ref().map(super::Json::as_str);
    for part in &said.parts {
        match part {
            Part::Text {
                text, citations, ..
            } => {
                if !text.is_empty() {
                    let logprobs = logprobs.take();
                    let text = Cow::Borrowed(text.as_str());
                    sink(Delta::Text {
                        choice,
                        text,
                        logprobs,
                    });
                }
                if let Some(citations) = citations {
                    let length = text.chars().count();
                    let reach = (length > 0).then_some(length);
                    let each = |json: &str| {
                        sink(Delta::Citation {
                            choice,
                            json,
                            reach,
                        });
                    };
                    each_of(citations.as_str(), each);
                }
            }
            Part::Refusal { text } if !text.is_empty() => {
                let text = Cow::Borrowed(text.as_str());
                sink(Delta::Refusal { choice, text });
            }
            Part::Reasoning {
                text,
                signature,
                opaque,
                ..
            } => {
                if !text.is_empty() {
                    let text = Cow::Borrowed(text.as_str());
                    sink(Delta::Reasoning { choice, text });
                }
                if let Some(value) = signature.as_deref().map(Cow::Borrowed) {
                    sink(Delta::Signature { choice, value });
                }
                if let Some(value) = opaque.as_deref().map(Cow::Borrowed) {
                    sink(Delta::Opaque { choice, value });
                }
            }
            Part::ToolCall(call) => {
                tool(choice, calls, call, sink);
                calls += 1;
            }
            Part::Image { .. } | Part::Audio { .. } | Part::File { .. } | Part::Other { .. } => {
                let part = part.clone();
                sink(Delta::Whole { choice, part });
            }
            _ => {}
        }
    }
}

fn tool(choice: u32, index: u32, call: &ToolCall, sink: &mut dyn FnMut(Delta<'_>)) {
    sink(Delta::ToolCall {
        choice,
        index,
        id: Cow::Borrowed(&call.id),
        name: Cow::Borrowed(&call.name),
    });
    if let Some(value) = call.signature.as_deref().map(Cow::Borrowed) {
        sink(Delta::CallSignature {
            choice,
            index,
            value,
        });
    }
    if !call.input.is_empty() {
        let json = Cow::Borrowed(call.input.as_str());
        sink(Delta::ToolInput {
            choice,
            index,
            json,
        });
    }
    sink(Delta::ToolDone { choice, index });
}

/// The elements of an array, or what is none itself.
fn each_of(json: &str, mut each: impl FnMut(&str)) {
    if !crate::json::elements(json, &mut each) {
        each(json);
    }
}
