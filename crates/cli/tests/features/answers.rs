//! What is read of an answer's features, and told to callers of other APIs.

use super::{
    APIS, Row,
    place::{SURFACES, has_all, is_count, is_on_record, place},
    said::{anthropic, bedrock, chat, ended, gemini, message, ollama, responses, word},
};
use punctual_wire::{
    Api, Surface,
    dialect::Finish,
    middle::{Answer, Asked, Choice, Lost, Part},
    via::surface_codec,
};
use serde_json::{Value, json};

/// The answers that have a feature, one for each API in the order of [`APIS`], and whether it was read.
struct Feature {
    name: &'static str,
    said: [Option<Value>; 6],
    read: fn(&Answer) -> bool,
}

fn choices(answer: &Answer) -> impl Iterator<Item = &Choice> {
    answer.choices.iter()
}

fn part(answer: &Answer, is: fn(&Part) -> bool) -> bool {
    choices(answer).flat_map(|c| &c.parts).any(is)
}

fn finish(answer: &Answer) -> Option<&Finish> {
    choices(answer).find_map(|c| c.finish.as_ref())
}

fn features() -> Vec<Feature> {
    let call = json!({ "zone": "UTC" });
    let text = call.to_string();
    let cited = |annotations: Value| {
        message(json!([{ "type": "output_text", "text": "so", "annotations": annotations }]))
    };
    let url = json!({ "type": "url_citation", "url": "https://example.com/", "title": "t",
        "start_index": 0, "end_index": 2 });
    let mut probable = word();
    let one = json!([{ "token": "so", "logprob": -0.5, "bytes": null, "top_logprobs": [] }]);
    probable[0].as_mut().unwrap()["choices"][0]["logprobs"] = json!({ "content": one });
    probable[1].as_mut().unwrap()["output"][0]["content"][0]["logprobs"] = one.clone();
    let chosen = json!({ "chosenCandidates": [{ "token": "so", "logProbability": -0.5 }] });
    probable[3].as_mut().unwrap()["candidates"][0]["logprobsResult"] = chosen;
    probable[5].as_mut().unwrap()["logprobs"] = one;
    (probable[2], probable[4]) = (None, None);
    vec![
        Feature {
            name: "text",
            said: word(),
            read: |a| part(a, |p| matches!(p, Part::Text { text, .. } if text == "so")),
        },
        Feature {
            name: "tool calls",
            said: [
                Some(chat(
                    json!({ "role": "assistant", "content": null, "tool_calls": [
                    { "id": "c", "type": "function", "function": { "name": "now", "arguments": text } }
                ] }),
                    "tool_calls",
                )),
                Some(responses(
                    json!([{ "id": "fc_1", "type": "function_call", "call_id": "c",
                    "name": "now", "arguments": text, "status": "completed" }]),
                )),
                Some(anthropic(
                    json!([{ "type": "tool_use", "id": "c", "name": "now", "input": call }]),
                    "tool_use",
                )),
                Some(gemini(
                    json!([{ "functionCall": { "name": "now", "args": call } }]),
                    "STOP",
                )),
                Some(bedrock(
                    json!([{ "toolUse": { "toolUseId": "c", "name": "now", "input": call } }]),
                    "tool_use",
                )),
                Some(ollama(
                    json!({ "role": "assistant", "content": "", "tool_calls": [
                    { "function": { "name": "now", "arguments": call } }] }),
                    "stop",
                )),
            ],
            read: |a| {
                let told = part(
                    a,
                    |p| matches!(p, Part::ToolCall(c) if c.name == "now" && c.input.contains("UTC")),
                );
                told && finish(a) == Some(&Finish::ToolCalls)
            },
        },
        Feature {
            name: "reasoning in words",
            said: [
                Some(chat(
                    json!({ "role": "assistant", "content": "so", "reasoning_content": "hm" }),
                    "stop",
                )),
                Some(responses(json!([{ "id": "rs_1", "type": "reasoning",
                    "summary": [{ "type": "summary_text", "text": "hm" }] }]))),
                Some(anthropic(
                    json!([{ "type": "thinking", "thinking": "hm", "signature": "s" }]),
                    "end_turn",
                )),
                Some(gemini(json!([{ "text": "hm", "thought": true }]), "STOP")),
                Some(bedrock(
                    json!([{ "reasoningContent": { "reasoningText": { "text": "hm", "signature": "s" } } }]),
                    "end_turn",
                )),
                Some(ollama(
                    json!({ "role": "assistant", "content": "so", "thinking": "hm" }),
                    "stop",
                )),
            ],
            read: |a| {
                part(
                    a,
                    |p| matches!(p, Part::Reasoning { text, .. } if text == "hm"),
                )
            },
        },
        Feature {
            name: "signed or encrypted reasoning",
            said: [
                Some(chat(
                    json!({ "role": "assistant", "content": "so", "reasoning_details": [
                    { "type": "reasoning.encrypted", "data": "c2VhbGVk", "index": 0 }] }),
                    "stop",
                )),
                Some(responses(
                    json!([{ "id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "c2VhbGVk" }]),
                )),
                Some(anthropic(
                    json!([{ "type": "redacted_thinking", "data": "c2VhbGVk" }]),
                    "end_turn",
                )),
                Some(gemini(
                    json!([{ "text": "hm", "thought": true, "thoughtSignature": "c2VhbGVk" }]),
                    "STOP",
                )),
                Some(bedrock(
                    json!([{ "reasoningContent": { "redactedContent": "c2VhbGVk" } }]),
                    "end_turn",
                )),
                None,
            ],
            read: |a| {
                part(
                    a,
                    |p| matches!(p, Part::Reasoning { signature, opaque, .. } if signature.is_some() || opaque.is_some()),
                )
            },
        },
        Feature {
            name: "refusal in words",
            said: [
                Some(chat(
                    json!({ "role": "assistant", "content": null, "refusal": "no" }),
                    "stop",
                )),
                Some(responses(message(
                    json!([{ "type": "refusal", "refusal": "no" }]),
                ))),
                None,
                None,
                None,
                None,
            ],
            read: |a| part(a, |p| matches!(p, Part::Refusal { text } if text == "no")),
        },
        Feature {
            name: "citations",
            said: [
                Some(chat(
                    json!({ "role": "assistant", "content": "so", "annotations": [
                    { "type": "url_citation", "url_citation": url }] }),
                    "stop",
                )),
                Some(responses(cited(json!([url])))),
                Some(anthropic(
                    json!([{ "type": "text", "text": "so", "citations": [
                    { "type": "web_search_result_location", "url": "https://example.com/", "title": "t",
                      "cited_text": "so", "encrypted_index": "e" }] }]),
                    "end_turn",
                )),
                {
                    let mut said = gemini(json!([{ "text": "so" }]), "STOP");
                    said["candidates"][0]["groundingMetadata"] = json!({
                        "groundingChunks": [{ "web": { "uri": "https://example.com/", "title": "t" } }],
                        "groundingSupports": [{ "segment": { "startIndex": 0, "endIndex": 2, "text": "so" },
                            "groundingChunkIndices": [0] }]
                    });
                    Some(said)
                },
                Some(bedrock(
                    json!([{ "citationsContent": { "content": [{ "text": "so" }], "citations": [
                    { "title": "t", "location": { "web": { "url": "https://example.com/" } } }] } }]),
                    "end_turn",
                )),
                None,
            ],
            read: |a| {
                part(a, |p| {
                    matches!(
                        p,
                        Part::Text {
                            citations: Some(_),
                            ..
                        }
                    )
                })
            },
        },
        Feature {
            name: "images",
            said: [
                Some(chat(
                    json!({ "role": "assistant", "content": "", "images": [
                    { "type": "image_url", "image_url": { "url": "data:image/png;base64,aGk=" } }] }),
                    "stop",
                )),
                Some(responses(
                    json!([{ "id": "ig_1", "type": "image_generation_call", "status": "completed", "result": "aGk=" }]),
                )),
                None,
                Some(gemini(
                    json!([{ "inlineData": { "mimeType": "image/png", "data": "aGk=" } }]),
                    "STOP",
                )),
                Some(bedrock(
                    json!([{ "image": { "format": "png", "source": { "bytes": "aGk=" } } }]),
                    "end_turn",
                )),
                None,
            ],
            read: |a| part(a, |p| matches!(p, Part::Image { .. })),
        },
        Feature {
            name: "log probabilities",
            said: probable,
            read: |a| choices(a).any(|c| c.logprobs.is_some()),
        },
        Feature {
            name: "finish: length",
            said: ended([
                Some("length"),
                Some("max_output_tokens"),
                Some("max_tokens"),
                Some("MAX_TOKENS"),
                Some("max_tokens"),
                Some("length"),
            ]),
            read: |a| finish(a) == Some(&Finish::Length),
        },
        Feature {
            name: "finish: a filter",
            said: ended([
                Some("content_filter"),
                Some("content_filter"),
                Some("refusal"),
                Some("SAFETY"),
                Some("guardrail_intervened"),
                None,
            ]),
            read: |a| finish(a) == Some(&Finish::ContentFilter),
        },
        Feature {
            name: "which stop sequence ended it",
            said: [
                None,
                None,
                Some(anthropic(
                    json!([{ "type": "text", "text": "so" }]),
                    "stop_sequence",
                )),
                None,
                None,
                None,
            ],
            read: |a| choices(a).any(|c| c.stop_sequence.is_some()),
        },
        Feature {
            name: "tokens",
            said: word(),
            read: |a| {
                a.usage
                    .is_some_and(|u| (u.input, u.output) == (Some(9), Some(5)))
            },
        },
        Feature {
            name: "cached tokens",
            said: {
                let mut said = word();
                said[5] = None;
                said
            },
            read: |a| a.usage.is_some_and(|u| u.cached_input == Some(4)),
        },
        Feature {
            name: "tokens written to a cache",
            said: {
                let mut said = word();
                for at in [1, 3, 5] {
                    said[at] = None;
                }
                said
            },
            read: |a| a.usage.is_some_and(|u| u.cache_write == Some(2)),
        },
        Feature {
            name: "reasoning tokens",
            said: {
                let mut said = word();
                for at in [4, 5] {
                    said[at] = None;
                }
                said
            },
            read: |a| a.usage.is_some_and(|u| u.reasoning == Some(3)),
        },
        Feature {
            name: "durations",
            said: {
                let mut said = word();
                said[..5].fill(None);
                said
            },
            read: |a| a.durations.total.is_some(),
        },
    ]
}

pub fn rows() -> Vec<Row> {
    let all = features().into_iter().map(|feature| {
        let cells = APIS.iter().zip(&feature.said).map(|((api, _), said)| {
            let Some(said) = said else { return "–" };
            let answer = (api.codec().unwrap().answer)(said.to_string().as_bytes());
            let answer = answer.expect("an answer");
            cell(*api, &feature, &answer)
        });
        (feature.name.to_owned(), cells.collect())
    });
    all.collect()
}

/// What callers of the other APIs are told of it.
fn cell(api: Api, feature: &Feature, answer: &Answer) -> &'static str {
    let read = (feature.read)(answer);
    let others = SURFACES
        .iter()
        .filter(|(surface, _)| Api::of(*surface) != api);
    let mut told = Vec::new();
    let mut all = true;
    for (surface, name) in others {
        let (body, lost) = written(*surface, answer);
        let place = place(feature.name, *surface);
        let said = read && place.as_ref().is_some_and(|marks| has_all(&body, marks));
        let named = !lost.is_empty() || feature.name == "durations" || is_count(feature.name);
        assert!(
            said || named,
            "{} of {api:?} is lost on {name} in silence: {body}",
            feature.name
        );
        all &= said || place.is_none();
        told.extend(said.then_some(*name));
    }
    match (all && !told.is_empty(), told.is_empty()) {
        (true, _) => "yes",
        // time and tokens that no surface tells are on record
        (false, true) if read && is_on_record(feature.name) => "yes",
        (false, true) => "named",
        (false, false) => told.join(", ").leak(),
    }
}

/// The answer in the words of a surface, and what was lost of it.
fn written(surface: Surface, answer: &Answer) -> (Value, Lost) {
    let mut lost = answer.lost.clone();
    let codec = surface_codec(surface).unwrap();
    let body = (codec.answer)(answer, &Asked::default(), &mut lost);
    (serde_json::from_slice(&body).expect("JSON"), lost)
}
