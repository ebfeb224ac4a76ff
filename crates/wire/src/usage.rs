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
        self.reasoning = later.reasoning.or(self.reasoning);
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Reads an OpenAI-style `usage` object: also DeepSeek's cache hits, Together's top-level
    /// `cached_tokens` and the Responses API's `input_tokens`; `None` if it tells nothing.
    pub(crate) fn read(object: &str) -> Option<Self> {
        const NAMES: [&str; 11] = [
            "prompt_tokens",
            "completion_tokens",
            "total_tokens",
            "prompt_tokens_details",
            "completion_tokens_details",
            "input_tokens",
            "output_tokens",
            "input_tokens_details",
            "output_tokens_details",
            "cached_tokens",
            "prompt_cache_hit_tokens",
        ];
        let [
            prompt,
            completion,
            total,
            prompt_parts,
            completion_parts,
            input,
            output,
            input_parts,
            output_parts,
            cached,
            hits,
        ] = json::members(object, &NAMES)?;
        let count = |value: Option<&str>| value.and_then(json::count);
        let inside = |parts: Option<&str>, name| count(parts.and_then(|p| json::member(p, name)));
        let usage = Self {
            input: count(prompt).or_else(|| count(input)),
            output: count(completion).or_else(|| count(output)),
            total: count(total),
            cached_input: inside(prompt_parts.or(input_parts), "cached_tokens")
                .or_else(|| count(cached))
                .or_else(|| count(hits)),
            reasoning: inside(completion_parts.or(output_parts), "reasoning_tokens"),
        };
        (!usage.is_empty()).then_some(usage)
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
