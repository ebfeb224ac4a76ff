//! The caller's side: each surface's questions, and how its answers, errors and ends are read.

use crate::support::{Answer, Request};
use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    Chat,
    Responses,
    Messages,
}

pub const VOICES: [Voice; 3] = [Voice::Chat, Voice::Responses, Voice::Messages];

/// An event of a stream: its name, if it has one, and its data.
#[derive(Clone, Debug)]
pub struct Event {
    pub name: Option<String>,
    pub data: String,
}

impl Event {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.data).unwrap_or_default()
    }
}

impl Voice {
    pub const fn path(self) -> &'static str {
        match self {
            Self::Chat => "/v1/chat/completions",
            Self::Responses => "/v1/responses",
            Self::Messages => "/v1/messages",
        }
    }

    pub fn body(self, model: &str, stream: bool) -> Value {
        let said = json!([{ "role": "user", "content": "hi" }]);
        match self {
            Self::Chat => json!({ "model": model, "stream": stream, "messages": said }),
            Self::Responses => json!({ "model": model, "stream": stream, "input": said }),
            Self::Messages => {
                json!({ "model": model, "stream": stream, "max_tokens": 64, "messages": said })
            }
        }
    }

    pub fn asks(self, model: &str, stream: bool) -> Request {
        Request::post(self.path(), &self.body(model, stream).to_string())
    }

    /// The text of a whole answer or of a stream.
    pub fn text(self, answer: &Answer) -> String {
        let string = |v: &Value, at: &str| v.pointer(at).and_then(Value::as_str).map(str::to_owned);
        if is_stream(answer) {
            let at = match self {
                Self::Chat => "/choices/0/delta/content",
                Self::Responses => "/delta",
                Self::Messages => "/delta/text",
            };
            let texts = events(answer)
                .into_iter()
                .map(|e| e.json())
                .filter(|v| self != Self::Responses || v["type"] == "response.output_text.delta");
            return texts.filter_map(|v| string(&v, at)).collect();
        }
        let all = answer.json();
        let parts = |list: &Value, at: &str| -> String {
            let list = list.as_array().into_iter().flatten();
            list.filter_map(|v| string(v, at)).collect()
        };
        match self {
            Self::Chat => string(&all, "/choices/0/message/content").unwrap_or_default(),
            Self::Responses => parts(&all["output"], "/content/0/text"),
            Self::Messages => parts(&all["content"], "/text"),
        }
    }

    /// Whether anything in it says that the answer is complete.
    pub fn ended(self, answer: &Answer) -> bool {
        events(answer).iter().any(|e| {
            let v = e.json();
            let kind = v["type"].as_str().unwrap_or_default();
            match self {
                Self::Chat => e.data == "[DONE]" || !v["choices"][0]["finish_reason"].is_null(),
                Self::Responses => matches!(
                    kind,
                    "response.completed" | "response.incomplete" | "response.failed"
                ),
                Self::Messages => {
                    kind == "message_stop"
                        || v.pointer("/delta/stop_reason")
                            .is_some_and(|r| !r.is_null())
                }
            }
        })
    }

    /// The error object of an error body, which must be in this surface's form.
    pub fn error(self, what: &str, answer: &Answer) -> Value {
        let label = answer.header("content-type").unwrap_or_default();
        assert!(label.starts_with("application/json"), "{what}: {label}");
        let body = answer.json();
        let error = &body["error"];
        assert!(error["message"].is_string(), "{what}: {body}");
        assert!(error["type"].is_string(), "{what}: {body}");
        assert_eq!(
            self == Self::Messages,
            body["type"] == "error",
            "{what}: {body}"
        );
        if self == Self::Messages {
            assert_eq!(error["type"], family(answer.status), "{what}: {body}");
        }
        error.clone()
    }

    /// The error object of the one error event at the end of a stream, which must be in this surface's form.
    pub fn last_error(self, what: &str, answer: &Answer) -> Value {
        let text = answer.text();
        assert!(answer.complete, "{what}: badly framed: {text}");
        let all = events(answer);
        let is_error = |e: &&Event| {
            let v = e.json();
            let chat = v.get("error").is_some_and(|e| !e.is_null());
            chat || v["type"] == "error"
        };
        let errors: Vec<_> = all.iter().filter(is_error).collect();
        assert_eq!(errors.len(), 1, "{what}: {text}");
        let (last, v) = (all.last().unwrap(), errors[0].json());
        assert_eq!(last.data, errors[0].data, "{what}: not the last: {text}");
        assert!(text.ends_with("\n\n"), "{what}: {text}");
        let named = (self != Self::Chat).then_some("error");
        assert_eq!(last.name.as_deref(), named, "{what}: {text}");
        match self {
            Self::Chat => assert!(v["type"].is_null(), "{what}: {v}"),
            Self::Responses => {
                assert_eq!(v["type"], "error", "{what}: {v}");
                // a stream counts its events from 0, and this one goes on with it
                assert_eq!(v["sequence_number"], all.len() - 1, "{what}: {text}");
                assert_eq!(v["code"], v["error"]["code"], "{what}: {v}");
                assert!(v["message"].is_string(), "{what}: {v}");
            }
            Self::Messages => assert_eq!(v["type"], "error", "{what}: {v}"),
        }
        assert!(v["error"]["message"].is_string(), "{what}: {v}");
        assert!(!self.ended(answer), "{what}: {text}");
        v["error"].clone()
    }
}

/// Anthropic's `error.type` by status.
const fn family(status: u16) -> &'static str {
    match status {
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        503 | 529 => "overloaded_error",
        504 => "timeout_error",
        500.. => "api_error",
        _ => "invalid_request_error",
    }
}

pub fn is_stream(answer: &Answer) -> bool {
    answer
        .header("content-type")
        .is_some_and(|label| label.starts_with("text/event-stream"))
}

/// The events of a stream, comments left out.
pub fn events(answer: &Answer) -> Vec<Event> {
    let text = answer.text().replace("\r\n", "\n");
    let one = |block: &str| {
        let field = |name: &str| {
            let lines = block.lines().filter_map(|l| l.strip_prefix(name));
            lines.map(|l| l.trim_start().to_owned()).next()
        };
        let data = field("data:")?;
        Some(Event {
            name: field("event:"),
            data,
        })
    };
    text.split("\n\n").filter_map(one).collect()
}
