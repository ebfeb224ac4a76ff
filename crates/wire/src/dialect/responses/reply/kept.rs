//! How much of a stream is kept for its last event, which holds the whole answer once more.
//!
//! An upstream that never ends would otherwise take all memory there is, one small piece after the other.

use super::item::{Content, Item};
use crate::middle::{Delta, Part, Source};

/// Bytes that may be kept: far more than any model says.
const MOST: usize = 64 << 20;
/// Bytes that an item, a part or an annotation takes beside its text, at the most.
const EACH: usize = 512;
const _: () = assert!(size_of::<Item>() + size_of::<Content>() < EACH);

/// The bytes that are kept, estimated from above.
#[derive(Debug)]
pub(super) struct Kept {
    bytes: usize,
    most: usize,
}

impl Default for Kept {
    fn default() -> Self {
        Self {
            bytes: 0,
            most: MOST,
        }
    }
}

impl Kept {
    /// Counts what a step adds.
    pub(super) fn add(&mut self, delta: &Delta<'_>) {
        self.bytes = self.bytes.saturating_add(bytes(delta));
    }

    /// Counts something that was begun.
    pub(super) fn begin(&mut self) {
        self.bytes = self.bytes.saturating_add(EACH);
    }

    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn is_over(&self) -> bool {
        self.bytes > self.most
    }
}

fn bytes(delta: &Delta<'_>) -> usize {
    match delta {
        Delta::Text { text, logprobs, .. } => text.len() + 2 * logprobs.map_or(0, str::len),
        Delta::Refusal { text, .. } | Delta::Reasoning { text, .. } => text.len(),
        Delta::Signature { value, .. } | Delta::Opaque { value, .. } => value.len(),
        Delta::ToolCall { id, name, .. } => id.len() + name.len(),
        Delta::ToolInput { json, .. } => json.len(),
        Delta::Citation { json, .. } => json.len() + EACH,
        Delta::Whole { part, .. } => match part {
            Part::Other { value, .. } => value.as_str().len(),
            Part::Image {
                source: Source::Inline { data, .. },
                ..
            } => data.len(),
            _ => 0,
        },
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use bytes::BytesMut;

    use super::{super::writer::Writer, *};
    use crate::{
        Class,
        middle::{Asked, Encode, Json},
    };

    /// What a writer that may keep 64 KiB makes of steps that do not end: how many it takes.
    fn taken(step: impl Fn(u32) -> Delta<'static>) -> u32 {
        let mut writer = Writer::new(Asked::default());
        writer.kept.most = 64 << 10;
        let mut out = BytesMut::new();
        let mut count = 0;
        while writer.failure().is_none() && count < 1 << 20 {
            out.clear();
            writer.delta(&step(count), &mut out);
            count += 1;
        }
        assert_eq!(writer.failure().unwrap().class, Class::Malformed);
        out.clear();
        writer.delta(&step(count), &mut out);
        writer.close(&mut out);
        assert!(out.is_empty(), "nothing that looks complete");
        count
    }

    #[test]
    fn an_answer_that_does_not_end_is_a_failure_and_not_kept() {
        let choice = 0;
        let text = || "x".repeat(1 << 10).into();
        let whole = |value: String| Part::Other {
            kind: "web_search_call".into(),
            value: Json::of(&value),
        };
        let steps: [&dyn Fn(u32) -> Delta<'static>; 6] = [
            &|_| Delta::Text {
                choice,
                text: text(),
                logprobs: None,
            },
            &|_| Delta::Reasoning {
                choice,
                text: text(),
            },
            &|_| Delta::Opaque {
                choice,
                value: text(),
            },
            &|_| Delta::Whole {
                choice,
                part: whole("x".repeat(1 << 10)),
            },
            &|index| match index {
                0 => Delta::ToolCall {
                    choice,
                    index,
                    id: "c".into(),
                    name: "f".into(),
                },
                _ => Delta::ToolInput {
                    choice,
                    index: 0,
                    json: text(),
                },
            },
            // next to nothing, and still an item each
            &|index| match index % 2 {
                0 => Delta::Refusal {
                    choice,
                    text: "x".into(),
                },
                _ => Delta::Reasoning {
                    choice,
                    text: "x".into(),
                },
            },
        ];
        for step in steps {
            let count = taken(step);
            // 64 texts, or 128 items
            assert!((32..=128).contains(&count), "{count}");
        }
    }

    #[test]
    fn no_answer_of_any_model_is_too_large() {
        let mut kept = Kept::default();
        for _ in 0..1 << 20 {
            kept.add(&Delta::Text {
                choice: 0,
                text: "a token".into(),
                logprobs: None,
            });
        }
        assert!(!kept.is_over());
        kept.add(&Delta::ToolInput {
            choice: 0,
            index: 0,
            json: "x".repeat(MOST).into(),
        });
        assert!(kept.is_over());
    }
}
