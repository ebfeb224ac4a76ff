//! The messages that are written.
//!
//! Every result of a tool is a message of its own right behind the calls, and can only be text there:
//! pictures and files of results follow in the next message of the user. What the model said is one text, its
//! thoughts, a refusal and calls, in whatever order it said them.

use serde::Serialize;

use super::{
    content::{self, Content},
    form::{self, Call, Content as Form},
};
use crate::middle::{self, Json, Lost, Options, Part, Role, ToolResult};

#[derive(Debug, Default, Serialize)]
pub(super) struct Message<'a> {
    role: &'static str,
    /// `null` where there are only calls.
    content: Option<Content<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refusal: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    audio: Option<&'a Json>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Call<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<&'a str>,
}

/// All messages, in order.
pub(super) fn all<'a>(
    messages: &'a [middle::Message],
    options: &Options<'_>,
    lost: &mut Lost,
) -> Vec<Message<'a>> {
    let mut written = Vec::with_capacity(messages.len());
    // what results hold beside text, until the last of them is written
    let mut shown = Vec::new();
    for message in messages {
        if !matches!(message.role, Role::Tool | Role::User) {
            show(&mut written, &mut shown, options);
        }
        match message.role {
            Role::Tool => {
                for part in &message.parts {
                    match part {
                        Part::ToolResult(of) => written.push(result(of, &mut shown, options, lost)),
                        part => lost.content(form::lost_name(part)),
                    }
                }
            }
            Role::Assistant => written.push(assistant(message, options, lost)),
            Role::System => written.push(plain("system", vec![], message, options, lost)),
            Role::Developer => written.push(plain("developer", vec![], message, options, lost)),
            Role::User => {
                let shown = std::mem::take(&mut shown);
                written.push(plain("user", shown, message, options, lost));
            }
        }
    }
    show(&mut written, &mut shown, options);
    written
}

fn show<'a>(written: &mut Vec<Message<'a>>, shown: &mut Vec<Form<'a>>, options: &Options<'_>) {
    if !shown.is_empty() {
        written.push(Message {
            role: "user",
            content: Some(Content::of(std::mem::take(shown), options)),
            ..Message::default()
        });
    }
}

/// A message of one text or of parts, with `shown` before its own.
fn plain<'a>(
    role: &'static str,
    mut shown: Vec<Form<'a>>,
    message: &'a middle::Message,
    options: &Options<'_>,
    lost: &mut Lost,
) -> Message<'a> {
    let parts = message.parts.iter();
    shown.extend(parts.filter_map(|part| content::part(part, lost)));
    Message {
        role,
        content: Some(Content::of(shown, options)),
        name: message.name.as_deref(),
        ..Message::default()
    }
}

fn assistant<'a>(
    message: &'a middle::Message,
    options: &Options<'_>,
    lost: &mut Lost,
) -> Message<'a> {
    let mut written = Message {
        role: "assistant",
        name: message.name.as_deref(),
        ..Message::default()
    };
    let mut texts = Vec::new();
    for part in &message.parts {
        match part {
            Part::Refusal { text } if options.stream_options && written.refusal.is_none() => {
                written.refusal = Some(text);
            }
            Part::Text { .. } | Part::Refusal { .. } => texts.extend(content::part(part, lost)),
            Part::Reasoning { text, opaque, .. } => {
                if !text.is_empty() {
                    written
                        .reasoning_content
                        .get_or_insert_default()
                        .push_str(text);
                }
                // only good with whoever made it, and that was another API
                if opaque.is_some() {
                    lost.content("messages[].content[].redacted_thinking");
                }
            }
            Part::ToolCall(call) => written.tool_calls.push(Call::whole(call)),
            Part::Other { kind, value } if kind == "audio" => written.audio = Some(value),
            part => lost.content(form::lost_name(part)),
        }
    }
    let wordless = texts.is_empty()
        && (!written.tool_calls.is_empty() || written.refusal.is_some() || written.audio.is_some());
    if !wordless {
        written.content = Some(Content::of(texts, options));
    }
    written
}

fn result<'a>(
    result: &'a ToolResult,
    shown: &mut Vec<Form<'a>>,
    options: &Options<'_>,
    lost: &mut Lost,
) -> Message<'a> {
    if result.is_error {
        lost.content("messages[].content[].is_error");
    }
    lost.cache(result.cache.as_ref());
    let mut texts = Vec::new();
    for part in &result.parts {
        match content::part(part, lost) {
            Some(text @ Form::Text { .. }) => texts.push(text),
            Some(other) => shown.push(other),
            None => {}
        }
    }
    Message {
        role: "tool",
        content: Some(Content::of(texts, options)),
        tool_call_id: Some(&result.id),
        ..Message::default()
    }
}
