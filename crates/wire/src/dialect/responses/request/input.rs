//! The conversation: items in a row, which become messages.
//!
//! Here a turn of the model is a row of items: a thought, a text, calls. Elsewhere it is one message, and
//! some APIs demand that the results follow the very message that made the calls. So neighbouring items of
//! the model are one message; a text begins another one only right after a text, where no calls wait.

use std::collections::HashMap;

use super::{super::sealed::Sealed, content, reader::Reader};
use crate::{
    BadBody, json,
    middle::{Message, Part, Role, ToolCall, ToolResult},
};

/// Reads `input` and appends its messages.
pub(super) fn read<'a>(
    reader: Reader<'a>,
    input: &'a str,
    messages: &mut Vec<Message>,
) -> Result<(), BadBody> {
    if json::is_string(input) {
        messages.push(Message::text(Role::User, reader.string(input, "input")?));
        return Ok(());
    }
    if !json::is_array(input) {
        return Err(reader.fault(input, "input", "must be a string or an array"));
    }
    let mut conversation = Conversation {
        messages,
        names: HashMap::new(),
    };
    for item in reader.elements(input, "input")? {
        conversation.item(reader, item)?;
    }
    Ok(())
}

struct Conversation<'m> {
    messages: &'m mut Vec<Message>,
    /// The tools that were called, by the call's id.
    names: HashMap<String, String>,
}

impl Conversation<'_> {
    fn item<'a>(&mut self, reader: Reader<'a>, item: &'a str) -> Result<(), BadBody> {
        let [kind, role, id] = reader.named(item, &["type", "role", "id"], "input[]")?;
        let kind = match kind {
            Some(kind) => reader.string(kind, "input[].type")?,
            None if role.is_some() => "message".to_owned(),
            None if id.is_some() => "item_reference".to_owned(),
            None => return Err(reader.fault(item, "input[].type", "is missing; send one")),
        };
        match kind.as_str() {
            "message" => self.message(reader, item)?,
            "function_call" => {
                let call = call(reader, item)?;
                self.names.insert(call.id.clone(), call.name.clone());
                self.said(Role::Assistant, Part::ToolCall(call));
            }
            "function_call_output" => {
                let result = self.result(reader, item)?;
                self.said(Role::Tool, Part::ToolResult(result));
            }
            "reasoning" => self.said(Role::Assistant, reasoning(reader, item)?),
            _ => {
                let value = reader.value(item, "input[]")?;
                self.said(Role::Assistant, Part::Other { kind, value });
            }
        }
        Ok(())
    }

    /// A part of the turn that is going on, or the first of a new one.
    fn said(&mut self, role: Role, part: Part) {
        match self.messages.last_mut().filter(|last| last.role == role) {
            Some(last) => last.parts.push(part),
            None => self.messages.push(Message {
                role,
                parts: vec![part],
                name: None,
            }),
        }
    }

    fn message<'a>(&mut self, reader: Reader<'a>, item: &'a str) -> Result<(), BadBody> {
        let [role, text] = reader.named(item, &["role", "content"], "input[]")?;
        let role = match reader.required(role, item, "input[].role")?.as_str() {
            "user" => Role::User,
            "assistant" => Role::Assistant,
            "system" => Role::System,
            "developer" => Role::Developer,
            _ => {
                let known = "must be user, assistant, system or developer";
                return Err(reader.fault(item, "input[].role", known));
            }
        };
        let parts = match text {
            Some(text) => content::read(reader, text, "input[].content")?,
            None => return Err(reader.fault(item, "input[].content", "is missing; send it")),
        };
        match self.messages.last_mut() {
            Some(last) if role == Role::Assistant && continues(last) => last.parts.extend(parts),
            _ => self.messages.push(Message {
                role,
                parts,
                name: None,
            }),
        }
        Ok(())
    }

    fn result<'a>(&self, reader: Reader<'a>, item: &'a str) -> Result<ToolResult, BadBody> {
        let [id, output] = reader.named(item, &["call_id", "output"], "input[]")?;
        let id = reader.required(id, item, "input[].call_id")?;
        Ok(ToolResult {
            name: self.names.get(&id).cloned(),
            id,
            parts: match output {
                Some(output) => content::read(reader, output, "input[].output")?,
                None => return Err(reader.fault(item, "input[].output", "is missing; send it")),
            },
            is_error: false,
            cache: None,
        })
    }
}

/// Whether a text of the model belongs to the turn that `last` is.
fn continues(last: &Message) -> bool {
    let text = |part: &Part| matches!(part, Part::Text { .. } | Part::Refusal { .. });
    let call = |part: &Part| matches!(part, Part::ToolCall(_));
    let follows = last.parts.last().is_some_and(text) && !last.parts.iter().any(call);
    last.role == Role::Assistant && !follows
}

fn call<'a>(reader: Reader<'a>, item: &'a str) -> Result<ToolCall, BadBody> {
    let names = ["call_id", "name", "arguments"];
    let [id, name, input] = reader.named(item, &names, "input[]")?;
    Ok(ToolCall {
        id: reader.required(id, item, "input[].call_id")?,
        name: reader.required(name, item, "input[].name")?,
        input: reader.required(input, item, "input[].arguments")?,
        signature: None,
    })
}

/// Its words, or a summary of them where there are none.
fn reasoning<'a>(reader: Reader<'a>, item: &'a str) -> Result<Part, BadBody> {
    let names = ["id", "summary", "content", "encrypted_content"];
    let [id, summary, words, opaque] = reader.named(item, &names, "input[]")?;
    let mut texts = Vec::new();
    for (list, param) in [(words, "input[].content"), (summary, "input[].summary")] {
        let pieces = match list.filter(|_| texts.is_empty()) {
            Some(list) => reader.elements(list, param)?,
            None => continue,
        };
        for piece in pieces {
            let [text] = reader.named(piece, &["text"], param)?;
            texts.extend(reader.optional(text, param)?);
        }
    }
    let text = texts.join("\n\n");
    let id = reader.optional(id, "input[].id")?;
    let opaque = reader.optional(opaque, "input[].encrypted_content")?;
    let (signature, opaque, id) = match opaque.as_deref().map(Sealed::read) {
        Some(Sealed::Signature(value)) => (Some(value.to_owned()), None, None),
        Some(Sealed::Hidden(value)) => (None, Some(value.to_owned()), None),
        // an id, if only an empty one, tells that it is of this API
        Some(Sealed::Own(value)) => (None, Some(value.to_owned()), id.or(Some(String::new()))),
        None => (None, None, id),
    };
    Ok(Part::Reasoning {
        text,
        signature,
        opaque,
        id,
    })
}
