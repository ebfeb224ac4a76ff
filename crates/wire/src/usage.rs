//! Token counts, as upstreams report them.
//!
//! They come once at the end, cumulatively in every event, or in pieces, under names that differ
//! by provider. So each field stands alone and the last value of a field wins; a field that was
//! never reported stays unknown rather than 0.

use crate::json;

/// Tokens of one exchange; `None` is "not reported".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Prompt tokens, cached ones included.
    pub input: Option<u64>,
    /// Completion tokens, reasoning included.
    pub output: Option<u64>,
    /// The sum as the upstream states it, which need not be the sum of the others.
    pub total: Option<u64>,
    /// Prompt tokens that were read from a cache.
    pub cached_input: Option<u64>,
    /// Prompt tokens that were written to a cache.
    pub cache_write: Option<u64>,
    /// Completion tokens spent on reasoning.
    pub reasoning: Option<u64>,
}

impl Usage {
    /// Takes over every field that `later` knows.
    pub fn update(&mut self, later: Self) {
        self.input = later.input.or(self.input);
        self.output = later.output.or(self.output);
        self.total = later.total.or(self.total);
        self.cached_input = later.cached_input.or(self.cached_input);
        self.cache_write = later.cache_write.or(self.cache_write);
        self.reasoning = later.reasoning.or(self.reasoning);
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Reads an OpenAI-style `usage` object; `None` if it tells nothing.
    pub(crate) fn read(object: &str) -> Option<Self> {
        let mut counts = Counts::default();
        json::walk(object, &mut counts).ok()?;
        counts.usage()
    }
}

/// The members of an OpenAI-style `usage` object: also DeepSeek's cache hits, Together's top-level
/// `cached_tokens` and the Responses API's `input_tokens`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    prompt: Option<u64>,
    input: Option<u64>,
    completion: Option<u64>,
    output: Option<u64>,
    total: Option<u64>,
    cached: Option<u64>,
    hits: Option<u64>,
    prompt_parts: Parts,
    input_parts: Parts,
    completion_parts: Parts,
    output_parts: Parts,
}

impl Counts {
    /// What they tell; `None` if nothing.
    pub(crate) fn usage(&self) -> Option<Usage> {
        let given = |a: Parts, b: Parts| if a.given { a } else { b };
        let read = given(self.prompt_parts, self.input_parts);
        let written = given(self.completion_parts, self.output_parts);
        let usage = Usage {
            input: self.prompt.or(self.input),
            output: self.completion.or(self.output),
            total: self.total,
            cached_input: read.cached.or(self.cached).or(self.hits),
            reasoning: written.reasoning,
            cache_write: None,
        };
        (!usage.is_empty()).then_some(usage)
    }
}

impl<'a> json::Sink<'a> for Counts {
    fn member(&mut self, key: &[u8], value: json::Value<'_, 'a>) -> Result<(), json::Fault> {
        let count = match key {
            b"prompt_tokens" => &mut self.prompt,
            b"input_tokens" => &mut self.input,
            b"completion_tokens" => &mut self.completion,
            b"output_tokens" => &mut self.output,
            b"total_tokens" => &mut self.total,
            b"cached_tokens" => &mut self.cached,
            b"prompt_cache_hit_tokens" => &mut self.hits,
            b"prompt_tokens_details" => return self.prompt_parts.enter(value),
            b"input_tokens_details" => return self.input_parts.enter(value),
            b"completion_tokens_details" => return self.completion_parts.enter(value),
            b"output_tokens_details" => return self.output_parts.enter(value),
            _ => return value.skip(),
        };
        *count = json::count(value.raw()?);
        Ok(())
    }
}

/// What a sum is made of.
#[derive(Clone, Copy, Debug, Default)]
struct Parts {
    given: bool,
    cached: Option<u64>,
    reasoning: Option<u64>,
}

impl Parts {
    fn enter(&mut self, value: json::Value<'_, '_>) -> Result<(), json::Fault> {
        self.given = value.object(self)?;
        Ok(())
    }
}

impl<'a> json::Sink<'a> for Parts {
    fn member(&mut self, key: &[u8], value: json::Value<'_, 'a>) -> Result<(), json::Fault> {
        match key {
            b"cached_tokens" => self.cached = json::count(value.raw()?),
            b"reasoning_tokens" => self.reasoning = json::count(value.raw()?),
            _ => value.skip()?,
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_of_each_field_wins_and_unknown_is_not_zero() {
        let all = |n| Usage {
            input: Some(n),
            output: Some(n),
            total: Some(n),
            cached_input: Some(n),
            cache_write: Some(n),
            reasoning: Some(n),
        };
        let mut usage = all(1);
        usage.update(all(2));
        assert_eq!(usage, all(2));
        usage.update(Usage::default());
        assert_eq!(usage, all(2));
        let read = Usage::read(r#"{"prompt_tokens":25,"completion_tokens":0,"total_tokens":null}"#);
        let expected = Usage {
            input: Some(25),
            output: Some(0),
            ..Usage::default()
        };
        assert_eq!(read, Some(expected));
    }

    #[test]
    fn every_providers_names_are_understood() {
        let cached = |text| Usage::read(text).unwrap().cached_input;
        assert_eq!(
            cached(r#"{"prompt_tokens_details":{"cached_tokens":7}}"#),
            Some(7)
        );
        assert_eq!(
            cached(r#"{"prompt_tokens_details":null,"prompt_cache_hit_tokens":8}"#),
            Some(8)
        );
        assert_eq!(cached(r#"{"cached_tokens":9.0}"#), Some(9));
        let responses = r#"{"input_tokens":1,"output_tokens":2,"output_tokens_details":{"reasoning_tokens":3}}"#;
        let usage = Usage::read(responses).unwrap();
        assert_eq!(
            (usage.input, usage.output, usage.reasoning),
            (Some(1), Some(2), Some(3))
        );
    }

    #[test]
    fn nonsense_tells_nothing() {
        for text in [
            "null",
            "[]",
            "{}",
            r#"{"prompt_tokens":-1}"#,
            r#"{"prompt_tokens":"x"}"#,
            "1e400",
            "{",
        ] {
            assert_eq!(Usage::read(text), None, "{text}");
        }
    }
}
