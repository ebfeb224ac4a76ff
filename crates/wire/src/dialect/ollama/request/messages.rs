//! The conversation.
//!
//! A message has one text and, beside it, pictures, thoughts and calls; so parts lose their order among one
//! another, and texts are put together as they stand. Pictures are base64 and nothing else. A result of a tool
//! is a message of its own, which names the tool; newer versions read the call's id as well.

use serde::Serialize;

use crate::middle::{Json, Lost, Part, Request, Role, Source, ToolCall, ToolResult};

/// A message.
#[derive(Default, Serialize)]
pub(super) struct Message<'a> {
    role: &'static str,
    content: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    thinking: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    images: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Call<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<&'a str>,
}

#[derive(Serialize)]
struct Call<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    id: &'a str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    arguments: Json,
}

/// Every message, one for each result of a tool.
pub(super) fn of<'a>(request: &'a Request, lost: &mut Lost) -> Vec<Message<'a>> {
    let called = request.called();
    let mut out = Vec::with_capacity(request.messages.len());
    for message in &request.messages {
        if message.name.is_some() {
            lost.parameter("messages[].name");
        }
        let mut written = Message {
            role: match message.role {
                Role::System | Role::Developer => "system",
                Role::User => "user",
                Role::Assistant => "assistant",
                Role::Tool => "tool",
            },
            ..Message::default()
        };
        for part in &message.parts {
            match part {
                Part::ToolResult(result) => {
                    let known = called.get(result.id.as_str()).copied();
                    out.push(Message::result(result, known, lost));
                }
                part => written.add(part, lost),
            }
        }
        // a tool's message is nothing but results
        if message.role != Role::Tool {
            out.push(written);
        }
    }
    out
}

impl<'a> Message<'a> {
    fn result(result: &'a ToolResult, known: Option<&'a str>, lost: &mut Lost) -> Self {
        let mut message = Self {
            role: "tool",
            tool_name: result.name.as_deref().or(known),
            tool_call_id: Some(result.id.as_str()).filter(|id| !id.is_empty()),
            ..Self::default()
        };
        if result.is_error {
            lost.parameter("messages[].content[].is_error");
        }
        lost.cache(result.cache.as_ref());
        result.parts.iter().for_each(|part| message.add(part, lost));
        message
    }

    fn add(&mut self, part: &'a Part, lost: &mut Lost) {
        match part {
            Part::Text {
                text,
                citations,
                cache,
            } => {
                self.content.push_str(text);
                if citations.is_some() {
                    lost.parameter("messages[].content[].annotations");
                }
                lost.cache(cache.as_ref());
            }
            Part::Refusal { text } => self.content.push_str(text),
            Part::Image {
                source,
                detail,
                cache,
            } => {
                match source {
                    Source::Inline { data, .. } => self.images.push(data),
                    Source::Url(_) | Source::Id(_) => {
                        lost.content("messages[].content[].image_url");
                    }
                }
                lost.detail(detail.as_deref());
                lost.cache(cache.as_ref());
            }
            Part::Reasoning {
                text,
                signature,
                opaque,
                ..
            } => {
                self.thinking.push_str(text);
                if signature.is_some() {
                    lost.parameter("messages[].content[].signature");
                }
                if opaque.is_some() {
                    lost.thought();
                }
            }
            Part::ToolCall(call) => self.call(call, lost),
            Part::File { .. } => lost.content("messages[].content[].file"),
            Part::Audio { .. } => lost.content("messages[].content[].input_audio"),
            Part::Other { kind, .. } => lost.content(format!("messages[].content[].{kind}")),
            Part::ToolResult(_) => lost.content("messages[].content[].tool_result"),
        }
    }

    fn call(&mut self, call: &'a ToolCall, lost: &mut Lost) {
        let arguments = call.arguments(lost);
        if call.signature.is_some() {
            lost.parameter("messages[].tool_calls[].signature");
        }
        self.tool_calls.push(Call {
            id: &call.id,
            function: Function {
                name: &call.name,
                arguments,
            },
        });
    }
}
