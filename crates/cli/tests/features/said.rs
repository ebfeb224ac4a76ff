//! Whole answers of each API, all with the same counts: what is said is put in.

use super::APIS;
use punctual_wire::Api;
use serde_json::{Value, json};

pub fn chat(message: Value, finish: &str) -> Value {
    json!({ "id": "a", "object": "chat.completion", "created": 1, "model": "m", "choices": [
        { "index": 0, "message": message, "finish_reason": finish }
    ], "usage": { "prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14,
        "prompt_tokens_details": { "cached_tokens": 4, "cache_write_tokens": 2 },
        "completion_tokens_details": { "reasoning_tokens": 3 } } })
}

pub fn responses(output: Value) -> Value {
    json!({ "id": "a", "object": "response", "created_at": 1, "model": "m", "status": "completed",
        "error": null, "incomplete_details": null, "output": output,
        "usage": { "input_tokens": 9, "input_tokens_details": { "cached_tokens": 4 },
            "output_tokens": 5, "output_tokens_details": { "reasoning_tokens": 3 }, "total_tokens": 14 } })
}

pub fn message(content: Value) -> Value {
    json!([{ "id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": content }])
}

pub fn anthropic(content: Value, stop: &str) -> Value {
    json!({ "id": "a", "type": "message", "role": "assistant", "model": "m", "content": content,
        "stop_reason": stop, "stop_sequence": if stop == "stop_sequence" { json!("END") } else { Value::Null },
        "usage": { "input_tokens": 3, "cache_read_input_tokens": 4, "cache_creation_input_tokens": 2,
            "output_tokens": 5, "output_tokens_details": { "thinking_tokens": 3 } } })
}

pub fn gemini(parts: Value, finish: &str) -> Value {
    json!({ "responseId": "a", "modelVersion": "m", "candidates": [
        { "index": 0, "content": { "role": "model", "parts": parts }, "finishReason": finish }
    ], "usageMetadata": { "promptTokenCount": 9, "cachedContentTokenCount": 4,
        "candidatesTokenCount": 2, "thoughtsTokenCount": 3, "totalTokenCount": 14 } })
}

pub fn bedrock(content: Value, stop: &str) -> Value {
    json!({ "output": { "message": { "role": "assistant", "content": content } }, "stopReason": stop,
        "metrics": { "latencyMs": 1 }, "usage": { "inputTokens": 3, "cacheReadInputTokens": 4,
            "cacheWriteInputTokens": 2, "outputTokens": 5, "totalTokens": 14 } })
}

pub fn ollama(message: Value, done: &str) -> Value {
    json!({ "model": "m", "created_at": "2026-01-02T03:04:05Z", "message": message, "done": true,
        "done_reason": done, "prompt_eval_count": 9, "eval_count": 5, "total_duration": 7 })
}

/// The same answer, a word, in each API.
pub fn word() -> [Option<Value>; 6] {
    [
        Some(chat(
            json!({ "role": "assistant", "content": "so" }),
            "stop",
        )),
        Some(responses(message(
            json!([{ "type": "output_text", "text": "so", "annotations": [] }]),
        ))),
        Some(anthropic(
            json!([{ "type": "text", "text": "so" }]),
            "end_turn",
        )),
        Some(gemini(json!([{ "text": "so" }]), "STOP")),
        Some(bedrock(json!([{ "text": "so" }]), "end_turn")),
        Some(ollama(
            json!({ "role": "assistant", "content": "so" }),
            "stop",
        )),
    ]
}

/// The same, ended by these words.
pub fn ended(words: [Option<&str>; 6]) -> [Option<Value>; 6] {
    let mut said = word();
    for ((value, word), (api, _)) in said.iter_mut().zip(words).zip(APIS) {
        let (Some(value), Some(word)) = (value.as_mut(), word) else {
            *value = None;
            continue;
        };
        match api {
            Api::Chat => value["choices"][0]["finish_reason"] = word.into(),
            Api::Responses => {
                value["status"] = "incomplete".into();
                value["incomplete_details"] = json!({ "reason": word });
            }
            Api::Messages => value["stop_reason"] = word.into(),
            Api::Gemini => value["candidates"][0]["finishReason"] = word.into(),
            Api::Converse => value["stopReason"] = word.into(),
            _ => value["done_reason"] = word.into(),
        }
    }
    said
}
