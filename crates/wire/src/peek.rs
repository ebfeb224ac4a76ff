//! What the gateway must know of a request body before it forwards it, and nothing more.
//!
//! The body goes upstream as it came; this is one borrowed pass that finds a handful of top-level
//! members and where they stand. What is not read is not judged: lone surrogates, numbers beyond
//! a double, 200,000 nested arrays pass. What is read must be unambiguous: a member that decides
//! routing and comes twice (spelled differently or not) is refused, because the upstream could
//! take the other one. Messages name class, line and column, never a value of the body.

use std::ops::Range;

use bytes::Bytes;

use crate::{
    Surface, json,
    splice::Edit,
    state::{self, Carried},
};

pub(crate) mod fault;
#[cfg(test)]
mod tests;

pub use fault::BadBody;
use fault::{fault, missing, object, syntax};

/// The most bytes to read or write where others wait for it: so many take about a millisecond. Nearly all
/// bodies and events are smaller, and waking a thread for them would take longer than the work.
pub const LARGE: usize = 1 << 20;

/// What a request body says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peek {
    /// The `model` asked for, decoded; never empty.
    pub model: String,
    /// Where its JSON string stands in the body, quotes included.
    pub model_span: Range<usize>,
    /// Whether a stream is asked for; absent and `null` are false.
    pub stream: bool,
    /// How many choices will be answered, at least 1: `n` of chat completions; on completions times the number
    /// of prompts; 1 on surfaces that have no `n`. An unusable `n` counts as 1; the upstream is the one to refuse it.
    pub n: u32,
    /// Whether `stream_options.include_usage` is true already.
    pub include_usage: bool,
    /// The edit that makes it true and leaves everything else; `None` if it is, or if
    /// `stream_options` is neither an object nor null.
    pub usage_edit: Option<Edit>,
    /// `prompt_cache_key`, for affinity.
    pub prompt_cache_key: Option<String>,
    /// What it carries that only its maker can serve.
    pub state: Carried,
}

/// The members that decide where a request goes and how its answer is judged.
const NAMES: [&str; 12] = [
    "model",
    "stream",
    "messages",
    "prompt",
    "input",
    "n",
    "stream_options",
    "max_tokens",
    "max_completion_tokens",
    "prompt_cache_key",
    "previous_response_id",
    "conversation",
];

/// Reads `body` as a request on `surface`.
///
/// # Errors
/// Not UTF-8, not exactly one JSON object, a deciding member twice, or `model`, `stream` or the
/// surface's input missing or of the wrong type.
pub fn peek(surface: Surface, body: &Bytes) -> Result<Peek, BadBody> {
    let text = object(body)?;
    // Some upstreams match keys without regard to case (Go's encoding/json), so to them `Model`
    // beside `model` is the same key twice.
    let found = json::read(text, &NAMES, true).map_err(|_| syntax(text))?;
    if let Some((slot, value)) = found.repeated {
        let name = NAMES.get(slot).copied().unwrap_or_default();
        return Err(fault(
            text,
            value,
            name,
            "is given more than once; send it once",
        ));
    }
    let [
        model,
        stream,
        messages,
        prompt,
        input,
        n,
        options,
        _,
        _,
        cache_key,
        previous,
        conversation,
    ] = found.values;
    match surface {
        Surface::Chat | Surface::Messages | Surface::CountTokens => {
            expect(text, messages, "messages", json::is_array, "an array")?;
        }
        Surface::Responses => {
            let usable = |v: &str| json::is_null(v) || json::is_string(v) || json::is_array(v);
            // absent where a stored prompt or an earlier response says it all
            let input = input.or(Some("null"));
            expect(text, input, "input", usable, "a string or an array")?;
        }
        Surface::Images => expect(text, prompt, "prompt", json::is_string, "a string")?,
        Surface::SystemOne | Surface::Passthrough => {}
        Surface::Completions => {
            let usable = |v: &str| json::is_null(v) || json::is_string(v) || json::is_array(v);
            expect(
                text,
                prompt.or(Some("null")),
                "prompt",
                usable,
                "a string or an array",
            )?;
        }
        Surface::Embeddings => {
            let usable = |v: &str| json::is_string(v) || json::is_array(v);
            expect(text, input, "input", usable, "a string or an array")?;
        }
    }
    let (model, model_span) = named_model(text, model)?;
    let (include_usage, usage_edit) = usage(text, options)?;
    // elsewhere there is one answer, whatever a member of that name says
    let n = match surface {
        Surface::Chat => choices(n),
        Surface::Completions => choices(n).saturating_mul(prompts(prompt)),
        _ => 1,
    };
    Ok(Peek {
        model,
        model_span,
        stream: flag(text, stream)?,
        n,
        include_usage,
        usage_edit,
        prompt_cache_key: cache_key.and_then(json::text).map(Into::into),
        state: state::carried(surface, text, [previous, conversation]),
    })
}

/// Whether a request for embeddings wants them as base64.
pub fn wants_base64(body: &[u8]) -> bool {
    let text = std::str::from_utf8(body).unwrap_or_default();
    json::member(text, "encoding_format") == Some("\"base64\"")
}

fn expect(
    text: &str,
    value: Option<&str>,
    param: &'static str,
    usable: impl Fn(&str) -> bool,
    kind: &str,
) -> Result<(), BadBody> {
    match value {
        Some(value) if usable(value) => Ok(()),
        Some(value) => Err(fault(text, value, param, &format!("must be {kind}"))),
        None => Err(missing(param)),
    }
}

fn named_model(text: &str, value: Option<&str>) -> Result<(String, Range<usize>), BadBody> {
    let value = value.ok_or_else(|| missing("model"))?;
    match json::text(value) {
        Some(model) if !model.is_empty() => {
            let start = json::offset(text, value);
            Ok((model.into_owned(), start..start + value.len()))
        }
        _ => Err(fault(text, value, "model", "must be a non-empty string")),
    }
}

fn flag(text: &str, value: Option<&str>) -> Result<bool, BadBody> {
    match value {
        None | Some("null" | "false") => Ok(false),
        Some("true") => Ok(true),
        Some(value) => Err(fault(text, value, "stream", "must be true or false")),
    }
}

fn choices(n: Option<&str>) -> u32 {
    let n = n.and_then(json::count).unwrap_or(1);
    u32::try_from(n.max(1)).unwrap_or(u32::MAX)
}

/// How many prompts: an array of strings or of token arrays is a batch, one of tokens is not.
fn prompts(prompt: Option<&str>) -> u32 {
    let (mut batch, mut length) = (false, 0_u32);
    json::elements(prompt.unwrap_or_default(), |element| {
        batch |= json::is_string(element) || json::is_array(element);
        length = length.saturating_add(1);
    });
    if batch { length.max(1) } else { 1 }
}

fn usage(text: &str, options: Option<&str>) -> Result<(bool, Option<Edit>), BadBody> {
    let edit = |at: Range<usize>, text| {
        Some(Edit {
            at,
            text: Bytes::from_static(text),
        })
    };
    let Some(options) = options else {
        // the object holds `model` at the least, so the comma is always right
        let open = text.find('{').map_or(0, |at| at + 1);
        return Ok((
            false,
            edit(open..open, b"\"stream_options\":{\"include_usage\":true},"),
        ));
    };
    let start = json::offset(text, options);
    if json::is_null(options) {
        return Ok((
            false,
            edit(start..start + options.len(), b"{\"include_usage\":true}"),
        ));
    }
    if !json::is_object(options) {
        return Ok((false, None));
    }
    let found = json::read(options, &["include_usage"], true).map_err(|_| syntax(options))?;
    if let Some((_, value)) = found.repeated {
        return Err(fault(
            text,
            value,
            "stream_options",
            "has a member twice; send it once",
        ));
    }
    let [include] = found.values;
    Ok(match include {
        Some("true") => (true, None),
        Some(other) => {
            let start = json::offset(text, other);
            (false, edit(start..start + other.len(), b"true"))
        }
        None => {
            let empty = options
                .get(1..)
                .is_some_and(|rest| rest.trim_start().starts_with('}'));
            let insert: &[u8] = match empty {
                true => b"\"include_usage\":true",
                false => b"\"include_usage\":true,",
            };
            (false, edit(start + 1..start + 1, insert))
        }
    })
}
