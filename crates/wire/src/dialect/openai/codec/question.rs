//! Reading a question: the body of `POST /v1/chat/completions`.
//!
//! Everything OpenAI defines is read, with what other servers added and callers use (OpenRouter's
//! `reasoning`, cache breakpoints, thinking that is sent back). What the middle form has no place for is kept
//! by name. `null` is the same as absent.

use bytes::Bytes;

use super::body::Body;
use crate::{
    BadBody,
    dialect::{stray::Strays, user},
    json,
    middle::{Json, Request},
    peek::fault::{missing, object},
};

mod content;
mod message;
mod options;
mod reasoning;
mod stray;
mod thought;
mod tool;

/// These decide where a request goes and how its answer is read: they must not come twice.
const DECIDING: [&str; 5] = ["model", "messages", "stream", "stream_options", "n"];

/// Reads a question.
///
/// # Errors
/// What is not JSON, lacks `model` or `messages`, or has a wrong type somewhere; with its place.
pub(super) fn read(bytes: &Bytes) -> Result<Request, BadBody> {
    let body = Body(object(bytes)?);
    let members = body.members()?;
    for name in DECIDING {
        let mut same = members.iter().filter(|(n, _)| n.eq_ignore_ascii_case(name));
        if let (Some(_), Some((_, again))) = (same.next(), same.next()) {
            let what = "is given more than once; send it once";
            return Err(body.fault(again, name, what));
        }
    }
    let mut reader = Reader {
        body,
        request: Request::default(),
        messages: None,
    };
    for (name, value) in &members {
        if !json::is_null(value) {
            reader.member(name, value)?;
        }
    }
    let messages = reader.messages.ok_or_else(|| missing("messages"))?;
    reader.request.messages = message::all(body, messages)?;
    let mut strays = Strays(&mut reader.request.extra);
    for (name, value) in &members {
        match name.as_str() {
            "messages" => stray::messages(&mut strays, value),
            "tools" => stray::tools(&mut strays, value),
            "response_format" => stray::format(&mut strays, value),
            _ => {}
        }
    }
    match reader.request.model.is_empty() {
        true => Err(missing("model")),
        false => Ok(reader.request),
    }
}

struct Reader<'a> {
    body: Body<'a>,
    request: Request,
    messages: Option<&'a str>,
}

type Read = Result<(), BadBody>;

impl<'a> Reader<'a> {
    fn member(&mut self, name: &str, value: &'a str) -> Read {
        let (body, request) = (self.body, &mut self.request);
        match name {
            "model" => {
                request.model = body.text(value, "model")?;
                if request.model.is_empty() {
                    return Err(body.fault(value, "model", "must be a non-empty string"));
                }
            }
            "messages" => self.messages = Some(value),
            "stream" => request.stream = body.flag(value, "stream")?,
            "stream_options" => return self.stream_options(value),
            "tools" => request.tools.extend(tool::all(body, value)?),
            "functions" => request.tools.extend(tool::legacy(body, value)?),
            "tool_choice" | "function_call" => match tool::choice(body, value)? {
                Some(choice) => request.tool_choice = Some(choice),
                None => return self.extra(name, value),
            },
            "parallel_tool_calls" => {
                request.parallel_tools = Some(body.flag(value, "parallel_tool_calls")?);
            }
            "response_format" => return self.format(value),
            "user" => request.user = Some(body.text(value, "user")?),
            "service_tier" => request.service_tier = Some(body.text(value, "service_tier")?),
            "prompt_cache_key" => request.cache_key = Some(body.text(value, "prompt_cache_key")?),
            "store" => request.store = Some(body.flag(value, "store")?),
            "metadata" => request.metadata = Some(body.object(value, "metadata")?),
            "verbosity" => request.verbosity = Some(body.text(value, "verbosity")?),
            user::IDENTIFIER => {
                body.text(value, user::IDENTIFIER)?;
                return self.extra(name, value);
            }
            "reasoning_effort" => {
                let effort = body.text(value, "reasoning_effort")?;
                self.reasoning().effort = Some(effort);
            }
            "reasoning" => return self.openrouter(value),
            "include_reasoning" => {
                let include = body.flag(value, "include_reasoning")?;
                self.reasoning().include = Some(include);
            }
            "thinking" => return self.thinking(value),
            _ => return self.sampling(name, value),
        }
        Ok(())
    }

    fn sampling(&mut self, name: &str, value: &'a str) -> Read {
        let (body, sampling) = (self.body, &mut self.request.sampling);
        let (place, param) = match name {
            "max_completion_tokens" => (&mut sampling.max_tokens, "max_completion_tokens"),
            // the newer name counts where both are given
            "max_tokens" if sampling.max_tokens.is_some() => {
                return body.number(value, "max_tokens").map(drop);
            }
            "max_tokens" => (&mut sampling.max_tokens, "max_tokens"),
            "temperature" => (&mut sampling.temperature, "temperature"),
            "top_p" => (&mut sampling.top_p, "top_p"),
            "top_k" => (&mut sampling.top_k, "top_k"),
            "frequency_penalty" => (&mut sampling.frequency_penalty, "frequency_penalty"),
            "presence_penalty" => (&mut sampling.presence_penalty, "presence_penalty"),
            "seed" => (&mut sampling.seed, "seed"),
            "n" => (&mut sampling.n, "n"),
            "top_logprobs" => (&mut sampling.top_logprobs, "top_logprobs"),
            "logit_bias" => {
                sampling.logit_bias = Some(body.object(value, "logit_bias")?);
                return Ok(());
            }
            "logprobs" => {
                sampling.logprobs = Some(body.flag(value, "logprobs")?);
                return Ok(());
            }
            "stop" => return self.stop(value),
            _ => return self.extra(name, value),
        };
        *place = Some(body.number(value, param)?);
        Ok(())
    }

    fn stop(&mut self, value: &'a str) -> Read {
        let all = match json::is_string(value) {
            true => vec![value],
            false => self.body.elements(value, "stop")?,
        };
        for sequence in all {
            let sequence = self.body.text(sequence, "stop")?;
            self.request.sampling.stop.push(sequence);
        }
        Ok(())
    }

    fn extra(&mut self, name: &str, value: &str) -> Read {
        let value = Json::parse(value).unwrap_or_else(|| Json::of(&()));
        self.request.extra.push((name.to_owned(), value));
        Ok(())
    }
}
