//! The messages of a question.
//!
//! Results of tools name the call that they answer, so the names of tools are remembered along the
//! conversation; the legacy single call has no id and gets one made up, the same for the call and for its
//! result.

use std::collections::HashMap;

use super::{super::body::Body, content, thought};
use crate::{
    BadBody, json,
    middle::{Json, Message, Part, Role, ToolCall, ToolResult},
};

const PARAM: &str = "messages";

/// All messages, in order.
pub(super) fn all(body: Body<'_>, messages: &str) -> Result<Vec<Message>, BadBody> {
    let mut talk = Talk {
        body,
        names: HashMap::new(),
        legacy: 0,
    };
    let messages = body.elements(messages, PARAM)?.into_iter();
    messages.map(|message| talk.message(message)).collect()
}

struct Talk<'a> {
    body: Body<'a>,
    /// Which tool each call was of.
    names: HashMap<String, String>,
    /// How many legacy calls there were.
    legacy: usize,
}

impl<'a> Talk<'a> {
    fn message(&mut self, message: &'a str) -> Result<Message, BadBody> {
        let body = self.body;
        let names = ["role", "content", "name", "cache_control"];
        let [role, content, name, cache] = body.named(message, PARAM, &names)?;
        let word = body.needed(message, role, PARAM, "has a message without a `role`")?;
        let name = name.map(|v| body.text(v, PARAM)).transpose()?;
        let cache = cache.map(|v| body.any(v, PARAM)).transpose()?;
        let mut parts = content::parts(body, content)?;
        let role = match word.as_str() {
            "system" => Role::System,
            "developer" => Role::Developer,
            "user" => Role::User,
            "assistant" => {
                parts = self.assistant(message, parts)?;
                Role::Assistant
            }
            "tool" | "function" => {
                let id = self.id(&word, message)?;
                let name = name.or_else(|| self.names.get(&id).cloned());
                return Ok(Message {
                    role: Role::Tool,
                    parts: vec![Part::ToolResult(ToolResult {
                        id,
                        name,
                        parts,
                        is_error: false,
                        cache,
                    })],
                    name: None,
                });
            }
            _ => {
                let what = "has a role that is none of system, developer, user, assistant, tool";
                return Err(body.fault(role.unwrap_or(message), PARAM, what));
            }
        };
        if let Some(cache) = cache {
            breakpoint(&mut parts, cache);
        }
        Ok(Message { role, parts, name })
    }

    /// The call that a result answers.
    fn id(&mut self, role: &str, message: &str) -> Result<String, BadBody> {
        if role == "function" {
            return Ok(format!("call_{}", self.legacy.saturating_sub(1)));
        }
        let id = json::member(message, "tool_call_id");
        let what = "has a tool's message without a `tool_call_id`";
        self.body.needed(message, id, PARAM, what)
    }

    fn assistant(&mut self, message: &'a str, said: Vec<Part>) -> Result<Vec<Part>, BadBody> {
        let body = self.body;
        let names = ["refusal", "audio", "tool_calls", "function_call"];
        let [refusal, audio, calls, call] = body.named(message, PARAM, &names)?;
        let mut parts = thought::parts(body, message)?;
        // an empty string beside calls says nothing
        let silent = calls.or(call).is_some();
        parts.extend(said.into_iter().filter(|part| {
            !(silent && matches!(part, Part::Text { text, .. } if text.is_empty()))
        }));
        if let Some(refusal) = refusal {
            let text = body.text(refusal, PARAM)?;
            parts.push(Part::Refusal { text });
        }
        if let Some(audio) = audio {
            parts.push(Part::Other {
                kind: "audio".to_owned(),
                value: body.object(audio, PARAM)?,
            });
        }
        if let Some(calls) = calls {
            for call in body.elements(calls, PARAM)? {
                parts.push(Part::ToolCall(self.call(call)?));
            }
        }
        if let Some(call) = call {
            let id = format!("call_{}", self.legacy);
            self.legacy += 1;
            parts.push(Part::ToolCall(self.function(call, id)?));
        }
        Ok(parts)
    }

    fn call(&mut self, call: &'a str) -> Result<ToolCall, BadBody> {
        let body = self.body;
        let names = ["id", "function", "custom", "extra_content"];
        let [id, function, custom, extra] = body.named(call, PARAM, &names)?;
        let id = body.needed(call, id, PARAM, "has a tool call without an `id`")?;
        let Some(function) = function.or(custom) else {
            let what = "has a tool call without its `function`";
            return Err(body.fault(call, PARAM, what));
        };
        let mut call = self.function(function, id)?;
        call.signature = extra
            .and_then(|extra| json::member(extra, "google"))
            .and_then(|google| json::member(google, "thought_signature"))
            .map(|v| body.text(v, PARAM))
            .transpose()?;
        Ok(call)
    }

    /// Input is a string; an object, which some callers send, is taken as it is spelled.
    fn function(&mut self, function: &'a str, id: String) -> Result<ToolCall, BadBody> {
        let body = self.body;
        let [name, arguments, input] =
            body.named(function, PARAM, &["name", "arguments", "input"])?;
        let name = body.needed(function, name, PARAM, "has a tool call without a `name`")?;
        let input = match arguments.or(input) {
            Some(input) if json::is_object(input) => input.to_owned(),
            Some(input) => body.text(input, PARAM)?,
            None => String::new(),
        };
        self.names.insert(id.clone(), name.clone());
        Ok(ToolCall {
            id,
            name,
            input,
            signature: None,
        })
    }
}

/// A breakpoint on a whole message is one after its last part.
fn breakpoint(parts: &mut [Part], breakpoint: Json) {
    if let Some(Part::Text { cache, .. } | Part::Image { cache, .. } | Part::File { cache, .. }) =
        parts.last_mut()
    {
        cache.get_or_insert(breakpoint);
    }
}
