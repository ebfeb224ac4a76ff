//! Legacy completions: OpenAI's question for `/api/generate`, and its answer as OpenAI's.
//!
//! As in Ollama's own rendering of this API the model's template is applied to the prompt. There is one text
//! for one prompt.

use bytes::Bytes;
use serde::Serialize;

use super::{answer::read, completions, settings::Settings};
use crate::{
    BadBody, Verdict,
    dialect::AnswerSummary,
    json,
    middle::{Asked, Json, Lost, Options, summary},
    peek::fault::{fault, object, syntax},
};

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    prompt: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    suffix: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    options: Option<Settings<'a>>,
    /// Always, because true is what is meant by leaving it out.
    stream: bool,
}

/// What is read, or decides nothing here.
const NAMES: [&str; 14] = [
    "prompt",
    "suffix",
    "stop",
    "stream",
    "max_tokens",
    "temperature",
    "top_p",
    "seed",
    "presence_penalty",
    "frequency_penalty",
    "n",
    "best_of",
    "model",
    "stream_options",
];

/// Writes the caller's question.
///
/// # Errors
/// The body is not a JSON object, or what it says of the prompt, the suffix or where to stop is no text.
pub fn request(body: &[u8], options: &Options<'_>, lost: &mut Lost) -> Result<Bytes, BadBody> {
    let text = object(body)?;
    let found = json::read(text, &NAMES, false).map_err(|_| syntax(text))?;
    let given = found
        .values
        .map(|value| value.filter(|v| !json::is_null(v)));
    let [prompt, suffix, stop, stream, ..] = given;
    let numbers = given.map(|value| value.and_then(Json::parse));
    let [
        _,
        _,
        _,
        _,
        max,
        temperature,
        top_p,
        seed,
        presence,
        frequency,
        n,
        best_of,
        ..,
    ] = &numbers;
    for (name, count) in [("n", n), ("best_of", best_of)] {
        if count
            .as_ref()
            .is_some_and(|count| count.as_u64() != Some(1))
        {
            lost.parameter(name);
        }
    }
    for (name, value) in json::entries(text).unwrap_or_default() {
        let unsaid = json::is_null(value) || (name == "echo" && value == "false");
        if !NAMES.contains(&name.as_str()) && !unsaid {
            lost.parameter(name);
        }
    }
    let stop = stops(text, stop)?;
    let settings = Settings {
        num_ctx: options.num_ctx,
        num_predict: max.as_ref(),
        temperature: temperature.as_ref(),
        top_p: top_p.as_ref(),
        seed: seed.as_ref(),
        stop: &stop,
        presence_penalty: presence.as_ref(),
        frequency_penalty: frequency.as_ref(),
        ..Settings::default()
    };
    let body = Body {
        model: options.model,
        prompt: self::prompt(text, prompt)?,
        suffix: suffix
            .map(|value| word(text, value, "suffix"))
            .transpose()?,
        options: settings.filled(),
        stream: stream == Some("true"),
    };
    Ok(serde_json::to_vec(&body).unwrap_or_default().into())
}

fn prompt(body: &str, prompt: Option<&str>) -> Result<String, BadBody> {
    let Some(value) = prompt else {
        return Ok(String::new());
    };
    let mut prompts = Vec::new();
    if !json::is_array(value) || !json::elements(value, |element| prompts.push(element)) {
        return word(body, value, "prompt");
    }
    let what = match prompts[..] {
        [one] if json::is_string(one) => return word(body, one, "prompt"),
        [one, ..] if json::is_string(one) => {
            "holds several texts; this target answers one at a time"
        }
        [] => "is empty; send a text",
        _ => "holds tokens; this target takes text only",
    };
    Err(fault(body, value, "prompt", what))
}

fn stops(body: &str, stop: Option<&str>) -> Result<Vec<String>, BadBody> {
    let mut values = Vec::new();
    match stop {
        None => {}
        Some(list) if json::is_array(list) => {
            json::elements(list, |value| values.push(value));
        }
        Some(one) => values.push(one),
    }
    let words = values.into_iter().map(|value| word(body, value, "stop"));
    words.collect()
}

fn word(body: &str, value: &str, param: &'static str) -> Result<String, BadBody> {
    let text = json::text(value).map(Into::into);
    text.ok_or_else(|| match json::is_string(value) {
        true => fault(
            body,
            value,
            param,
            "holds half of a surrogate pair; send whole characters",
        ),
        false => fault(body, value, param, "must be text"),
    })
}

/// Reads an answer and writes it for the caller.
///
/// # Errors
/// The in-band verdict for an error object; [`Class::Malformed`](crate::Class) for what is no answer.
pub fn answer(body: &[u8], asked: &Asked) -> Result<(Bytes, AnswerSummary), Verdict> {
    let answer = read(body)?;
    Ok((completions::answer(&answer, asked), summary(&answer)))
}
