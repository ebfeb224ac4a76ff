//! Token counts in this API's words.
//!
//! `input_tokens` leaves out what was read from or written to the cache, and is the last sampling's alone
//! where there were several (`iterations`); the middle form's input is the sum. A stream repeats counts
//! or only some of them, so each field is kept by itself and the last one counts.

use serde::Serialize;

use crate::{Usage, json};

/// Counts as they were last said.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    input: Option<u64>,
    write: Option<u64>,
    read: Option<u64>,
    output: Option<u64>,
    thinking: Option<u64>,
}

impl Counts {
    /// Takes over what a `usage` object says, and tells the counts so far; `None` if nothing is known.
    pub(super) fn read(&mut self, object: &str) -> Option<Usage> {
        const NAMES: [&str; 5] = [
            "input_tokens",
            "cache_creation_input_tokens",
            "cache_read_input_tokens",
            "output_tokens",
            "output_tokens_details",
        ];
        let [input, write, read, output, details] = json::members(object, &NAMES)?;
        let thinking = details.and_then(|details| json::member(details, "thinking_tokens"));
        for (kept, said) in [
            (&mut self.input, input),
            (&mut self.write, write),
            (&mut self.read, read),
            (&mut self.output, output),
            (&mut self.thinking, thinking),
        ] {
            *kept = said.and_then(json::count).or(*kept);
        }
        let cached = |count: Option<u64>| count.unwrap_or(0);
        let all = |input: u64| {
            input
                .saturating_add(cached(self.write))
                .saturating_add(cached(self.read))
        };
        let usage = Usage {
            input: self.input.map(all),
            output: self.output,
            total: None,
            cached_input: self.read,
            cache_write: self.write,
            reasoning: self.thinking,
        };
        (!usage.is_empty()).then_some(usage)
    }
}

/// A `usage` object. SDKs need both counts, so one that is not known is 0.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Written<'a> {
    input_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_creation_input_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_read_input_tokens: Option<u64>,
    output_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_tokens_details: Option<Details>,
    #[serde(skip_serializing_if = "Option::is_none")]
    service_tier: Option<&'a str>,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Details {
    thinking_tokens: u64,
}

impl<'a> Written<'a> {
    pub(super) fn with_tier(self, service_tier: Option<&'a str>) -> Self {
        Self {
            service_tier,
            ..self
        }
    }

    pub(super) fn of(usage: &Usage) -> Self {
        let cached = usage
            .cached_input
            .unwrap_or(0)
            .saturating_add(usage.cache_write.unwrap_or(0));
        Self {
            input_tokens: usage.input.unwrap_or(0).saturating_sub(cached),
            cache_creation_input_tokens: usage.cache_write,
            cache_read_input_tokens: usage.cached_input,
            output_tokens: usage.output.unwrap_or(0),
            output_tokens_details: usage
                .reasoning
                .map(|thinking_tokens| Details { thinking_tokens }),
            service_tier: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Counts, Written};

    #[test]
    fn cached_tokens_are_part_of_the_input_here_and_not_there() {
        let said = r#"{"input_tokens":5,"cache_creation_input_tokens":20,"cache_read_input_tokens":300,"output_tokens":7,"output_tokens_details":{"thinking_tokens":4}}"#;
        let usage = Counts::default().read(said).unwrap();
        assert_eq!(
            (usage.input, usage.cached_input, usage.cache_write),
            (Some(325), Some(300), Some(20))
        );
        assert_eq!((usage.output, usage.reasoning), (Some(7), Some(4)));
        assert_eq!(serde_json::to_string(&Written::of(&usage)).unwrap(), said);
    }

    #[test]
    fn the_last_value_of_each_field_counts_and_what_is_not_repeated_stays() {
        let mut counts = Counts::default();
        counts.read(r#"{"input_tokens":25,"cache_read_input_tokens":100,"output_tokens":1}"#);
        let usage = counts.read(r#"{"output_tokens":15}"#).unwrap();
        assert_eq!((usage.input, usage.output), (Some(125), Some(15)));
        let usage = counts.read(r#"{"input_tokens":7,"cache_read_input_tokens":0}"#);
        assert_eq!(usage.unwrap().input, Some(7));
        assert_eq!(Counts::default().read(r#"{"input_tokens":"x"}"#), None);
        assert_eq!(Counts::default().read("[]"), None);
    }
}
