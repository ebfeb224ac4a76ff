//! A whole answer where a stream was asked for, over every API.

use super::*;
use crate::frame::{Framing, Splitter};
use crate::middle::{Delta, Json, Part, Seen};

/// A whole answer of each API: a thought where the API has them, text, a call of a tool, counts.
const ANSWERS: [(Api, &str); 8] = [
    (
        Api::Chat,
        r#"{"id":"a","object":"chat.completion","created":5,"model":"m","choices":[{"index":0,
        "message":{"role":"assistant","reasoning_content":"hm","content":"Ciao","tool_calls":[{"id":"c1","type":"function",
        "function":{"name":"weather","arguments":"{\"at\":\"Rome\"}"}}]},"finish_reason":"tool_calls"}],
        "usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}}"#,
    ),
    (
        Api::Responses,
        r#"{"id":"a","object":"response","created_at":5,"status":"completed","model":"m","output":[
        {"type":"reasoning","id":"r","summary":[{"type":"summary_text","text":"hm"}]},
        {"type":"message","id":"t","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Ciao","annotations":[]}]},
        {"type":"function_call","id":"f","call_id":"c1","name":"weather","arguments":"{\"at\":\"Rome\"}","status":"completed"}],
        "usage":{"input_tokens":7,"output_tokens":3,"total_tokens":10}}"#,
    ),
    (Api::Messages, MESSAGE),
    (Api::VertexMessages, MESSAGE),
    (Api::InvokeMessages, MESSAGE),
    (
        Api::Gemini,
        r#"{"responseId":"a","modelVersion":"m","candidates":[{"index":0,"content":{"role":"model","parts":[
        {"text":"hm","thought":true},{"text":"Ciao"},{"functionCall":{"id":"c1","name":"weather","args":{"at":"Rome"}}}]},
        "finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":3,"totalTokenCount":10}}"#,
    ),
    (
        Api::Converse,
        r#"{"output":{"message":{"role":"assistant","content":[
        {"reasoningContent":{"reasoningText":{"text":"hm","signature":"s"}}},
        {"text":"Ci"},{"citationsContent":{"content":[{"text":"ao"}],"citations":[{"title":"t"}]}},
        {"toolUse":{"toolUseId":"c1","name":"weather","input":{"at": "Rome"}}},
        {"reasoningContent":{"redactedContent":"b3BhcXVl"}}]}},
        "stopReason":"tool_use","usage":{"inputTokens":7,"outputTokens":3,"totalTokens":10},"metrics":{"latencyMs":9}}"#,
    ),
    (
        Api::Ollama,
        r#"{"model":"m","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","thinking":"hm","content":"Ciao",
        "tool_calls":[{"id":"c1","function":{"name":"weather","arguments":{"at":"Rome"}}}]},
        "done":true,"done_reason":"stop","prompt_eval_count":7,"eval_count":3}"#,
    ),
];

const MESSAGE: &str = r#"{"id":"a","type":"message","role":"assistant","model":"m","content":[
    {"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"Ciao"},
    {"type":"tool_use","id":"c1","name":"weather","input":{"at":"Rome"}}],
    "stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":7,"output_tokens":3}}"#;

/// What an answer says, however it was cut.
#[derive(Debug, Default, PartialEq)]
struct Heard {
    texts: String,
    thoughts: String,
    signed: Vec<String>,
    calls: Vec<[String; 3]>,
    citations: Vec<String>,
    finish: Option<String>,
    usage: [Option<u64>; 2],
    ended: bool,
}

impl Heard {
    fn hear(&mut self, delta: &Delta<'_>) {
        match delta {
            Delta::Text { text, .. } => self.texts += text,
            Delta::Reasoning { text, .. } => self.thoughts += text,
            Delta::Signature { value, .. } | Delta::Opaque { value, .. } => {
                self.signed.push(value.to_string());
            }
            Delta::ToolCall { id, name, .. } => {
                let call = [id.to_string(), name.to_string(), String::new()];
                self.calls.push(call);
            }
            Delta::ToolInput { json, .. } => self.calls.last_mut().unwrap()[2] += json,
            Delta::Citation { json, .. } => self.citations.push((*json).to_owned()),
            Delta::Finish { finish, .. } => self.finish = Some(finish.as_str().to_owned()),
            Delta::Usage(usage) => self.usage = [usage.input, usage.output],
            Delta::Ended => self.ended = true,
            _ => {}
        }
    }
}

fn whole(api: Api, body: &str) -> Heard {
    let mut heard = Heard::default();
    let answer = (api.codec().unwrap().answer)(body.as_bytes()).unwrap();
    unroll(&answer, &mut |delta| heard.hear(&delta));
    heard
}

fn streamed(api: Api, bytes: Bytes) -> Heard {
    let mut heard = Heard::default();
    let mut decode = (api.codec().unwrap().stream)(1);
    let mut splitter = Splitter::new(api.framing().written(), 1 << 20);
    splitter.push(bytes);
    while let Some(frame) = splitter.next() {
        let seen = decode.decode(&frame.unwrap(), &mut |delta| heard.hear(&delta));
        let fits = matches!(seen, Seen::Data | Seen::Last | Seen::Comment);
        assert!(fits, "{api:?}: {seen:?}");
    }
    assert_eq!(splitter.held(), 0, "{api:?}");
    heard
}

fn surface(api: Api) -> Surface {
    match api {
        Api::Responses => Surface::Responses,
        Api::Messages | Api::VertexMessages => Surface::Messages,
        _ => Surface::Chat,
    }
}

#[test]
fn whoever_speaks_an_api_reads_its_whole_answer_as_a_stream_of_that_api() {
    for (api, body) in ANSWERS {
        let said = whole(api, body);
        assert_eq!(said.texts, "Ciao", "{api:?}");
        assert_eq!(said.usage, [Some(7), Some(3)], "{api:?}");
        assert_eq!(said.calls.len(), 1, "{api:?}: {said:?}");
        let body = Bytes::from(body);
        let made = Via::Relay.as_stream(surface(api), api, &body, &Asked::default());
        let made = made.unwrap_or_else(|verdict| panic!("{api:?}: {verdict:?}"));
        assert!(made.summary.has_content, "{api:?}");
        assert_eq!(streamed(api, made.bytes), said, "{api:?}");
    }
}

#[test]
fn whoever_speaks_another_api_reads_it_as_a_stream_of_that_one() {
    for (api, body) in ANSWERS {
        for spoken in [Surface::Chat, Surface::Responses, Surface::Messages] {
            let via = Via::between(spoken, api).unwrap();
            let body = Bytes::from(body);
            let made = via.as_stream(spoken, api, &body, &Asked::default());
            let made = made.unwrap_or_else(|verdict| panic!("{api:?} {spoken}: {verdict:?}"));
            let heard = streamed(Api::of(spoken), made.bytes);
            assert_eq!(heard.texts, "Ciao", "{api:?} {spoken}");
            assert_eq!(heard.calls.len(), 1, "{api:?} {spoken}");
            assert!(heard.finish.is_some(), "{api:?} {spoken}");
        }
    }
}

#[test]
fn a_failure_in_place_of_an_answer_is_no_stream() {
    for (api, _) in ANSWERS {
        for body in [r#"{"error":{"message":"overloaded"}}"#, "[]", "{}", ""] {
            let body = Bytes::from(body);
            let made = Via::Relay.as_stream(surface(api), api, &body, &Asked::default());
            assert!(made.is_err(), "{api:?} {body:?}");
        }
    }
}

#[test]
fn what_is_taken_over_as_it_was_spelled_breaks_no_event() {
    let citation =
        "{\"type\":\"char_location\",\n\"cited_text\":\r\"a\",\"url\":\"https://example.com\"}";
    let block = "{\"type\":\"server_tool_use\",\n\r\n\"id\":\"s\",\"name\":\"n\",\"input\":{}}";
    let deltas = [
        Delta::Text {
            choice: 0,
            text: "a".into(),
            logprobs: Some("{\"content\":[\n{\"token\":\"a\",\r\"logprob\":-0.10}]}"),
        },
        Delta::Citation {
            choice: 0,
            reach: None,
            json: citation,
        },
        Delta::Whole {
            choice: 0,
            part: Part::Other {
                kind: "server_tool_use".into(),
                value: Json::parse(block).unwrap(),
            },
        },
    ];
    for surface in [Surface::Chat, Surface::Messages, Surface::Responses] {
        let mut encode = (surface_codec(surface).unwrap().stream)(&Asked::default());
        let mut out = BytesMut::new();
        deltas
            .iter()
            .for_each(|delta| encode.delta(delta, &mut out));
        encode.close(&mut out);
        let mut splitter = Splitter::new(Framing::Sse, 1 << 20);
        splitter.push(out.freeze());
        while let Some(event) = splitter.next() {
            let event = event.unwrap();
            let data = event.data().unwrap();
            let is_json = serde_json::from_slice::<serde::de::IgnoredAny>(&data).is_ok();
            assert!(is_json || *data == *b"[DONE]", "{surface}: {event:?}");
        }
    }
}
