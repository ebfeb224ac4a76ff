//! The outermost object of an event or of a whole answer, read in one pass.
//!
//! Leaves stay spelled as they are until somebody asks. Every member may be absent, `null` or of a
//! surprising type: then it tells nothing.

use std::borrow::Cow;

use super::said::Said;
use crate::{Usage, json};

#[derive(Debug, Default)]
pub(super) struct Event<'a> {
    pub(super) choices: Vec<Choice<'a>>,
    id: Option<&'a str>,
    model: Option<&'a str>,
    created: Option<&'a str>,
    tier: Option<&'a str>,
    usage: Option<&'a str>,
    groq: Option<&'a str>,
    error: Option<&'a str>,
    object: Option<&'a str>,
    /// Perplexity: addresses beside the choices, the same in each event.
    pub(super) citations: Option<&'a str>,
}

impl<'a> json::Sink<'a> for Event<'a> {
    fn member(&mut self, key: &[u8], value: json::Value<'_, 'a>) -> Result<(), json::Fault> {
        let place = match key {
            b"choices" => return value.objects(&mut self.choices),
            b"id" => &mut self.id,
            b"model" => &mut self.model,
            b"created" => &mut self.created,
            b"service_tier" => &mut self.tier,
            b"usage" => &mut self.usage,
            b"x_groq" => &mut self.groq,
            b"error" => &mut self.error,
            b"object" => &mut self.object,
            b"citations" => &mut self.citations,
            _ => return value.skip(),
        };
        *place = value.given()?;
        Ok(())
    }
}

impl<'a> Event<'a> {
    /// A top-level `error` that says something, or vLLM's `"object":"error"`.
    pub(super) fn is_error(&self) -> bool {
        let says = |error| !matches!(error, "false" | "\"\"");
        self.error.is_some_and(says) || self.object == Some("\"error\"")
    }

    /// Not empty, as all of these.
    pub(super) fn id(&self) -> Option<Cow<'a, str>> {
        word(self.id)
    }

    pub(super) fn model(&self) -> Option<Cow<'a, str>> {
        word(self.model)
    }

    pub(super) fn tier(&self) -> Option<Cow<'a, str>> {
        word(self.tier)
    }

    /// Azure's first event and Snowflake say 0 for "not told".
    pub(super) fn created(&self) -> Option<u64> {
        self.created.and_then(json::count).filter(|at| *at > 0)
    }

    /// From `usage`, or from Groq's `x_groq.usage`.
    pub(super) fn usage(&self) -> Option<Usage> {
        let groq = || json::member(self.groq?, "usage").and_then(counts);
        self.usage.and_then(counts).or_else(groq)
    }
}

/// The counts, with OpenRouter's tokens that were written to a cache.
fn counts(usage: &str) -> Option<Usage> {
    let written = || {
        let details = json::member(usage, "prompt_tokens_details")?;
        json::count(json::member(details, "cache_write_tokens")?)
    };
    let mut counts = Usage::read(usage)?;
    counts.cache_write = counts.cache_write.or_else(written);
    Some(counts)
}

fn word(value: Option<&str>) -> Option<Cow<'_, str>> {
    value.and_then(json::text).filter(|text| !text.is_empty())
}

/// One element of `choices`.
#[derive(Debug, Default)]
pub(super) struct Choice<'a> {
    /// Absent means the first.
    pub(super) index: u32,
    delta: Option<Said<'a>>,
    message: Option<Said<'a>>,
    /// Legacy completions; Together repeats the delta's text here.
    pub(super) text: Option<&'a str>,
    /// Not empty.
    pub(super) finish: Option<Cow<'a, str>>,
    /// vLLM: the stop sequence, or the number of a token.
    stop_reason: Option<&'a str>,
    pub(super) logprobs: Option<&'a str>,
}

impl<'a> json::Sink<'a> for Choice<'a> {
    fn member(&mut self, key: &[u8], value: json::Value<'_, 'a>) -> Result<(), json::Fault> {
        match key {
            b"index" => {
                let index = json::count(value.raw()?).unwrap_or(0);
                self.index = u32::try_from(index).unwrap_or(u32::MAX);
            }
            b"delta" => self.delta = Said::read(value)?,
            b"message" => self.message = Said::read(value)?,
            b"text" => self.text = value.given()?,
            b"finish_reason" => self.finish = word(value.given()?),
            b"stop_reason" => self.stop_reason = value.given()?,
            b"logprobs" => self.logprobs = value.given()?,
            _ => value.skip()?,
        }
        Ok(())
    }
}

impl<'a> Choice<'a> {
    /// What it says. Perplexity repeats all text so far in `message` beside the delta.
    pub(super) fn said(&self) -> Said<'a> {
        self.delta.or(self.message).unwrap_or_default()
    }

    pub(super) fn stop_sequence(&self) -> Option<Cow<'a, str>> {
        word(self.stop_reason)
    }

    /// Log probabilities that hold any.
    pub(super) fn logprobs(&self) -> Option<&'a str> {
        let filled = |logprobs: &&str| {
            let lists = json::members(logprobs, &["content", "refusal", "tokens"]);
            lists.is_some_and(|lists| lists.iter().any(Option::is_some))
        };
        self.logprobs.filter(filled)
    }
}
