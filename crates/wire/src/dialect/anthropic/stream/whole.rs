//! A block that only this API has, put together from the event that opens it and its deltas.
//!
//! A server's tool call gets its `input` in pieces, a compaction its `content`; results come whole in the
//! opening event.

use crate::{
    json,
    middle::{Json, Part},
};

/// What may be added to a block, in bytes; as much as a preamble may be.
const HELD: usize = 1 << 20;

#[derive(Debug)]
pub(super) struct Whole {
    kind: String,
    /// As it stood in the opening event.
    value: String,
    /// What the deltas made of `input`.
    input: String,
    /// What they made of `content`.
    content: String,
    over: bool,
}

impl Whole {
    pub(super) fn new(kind: String, value: &str) -> Self {
        Self {
            kind,
            value: value.to_owned(),
            input: String::new(),
            content: String::new(),
            over: false,
        }
    }

    pub(super) fn add_input(&mut self, piece: &str) {
        if self.fits(piece) {
            self.input.push_str(piece);
        }
    }

    pub(super) fn add_content(&mut self, piece: &str) {
        if self.fits(piece) {
            self.content.push_str(piece);
        }
    }

    fn fits(&mut self, piece: &str) -> bool {
        self.over |= self.input.len() + self.content.len() + piece.len() > HELD;
        !self.over
    }

    /// With what the deltas said in the place of what it began with; `None` if it cannot be read.
    pub(super) fn part(self) -> Option<Part> {
        let mut members = json::entries(&self.value)?;
        let content = serde_json::Value::from(self.content.as_str()).to_string();
        for (name, said, value) in [
            ("input", &self.input, self.input.as_str()),
            ("content", &self.content, content.as_str()),
        ] {
            if said.is_empty() {
                continue;
            }
            match members.iter_mut().find(|(member, _)| member == name) {
                Some((_, old)) => *old = value,
                None => members.push((name.to_owned(), value)),
            }
        }
        let member =
            |(name, value): (String, &str)| format!("{}:{value}", serde_json::Value::from(name));
        let all: Vec<String> = members.into_iter().map(member).collect();
        let value = Json::parse(&format!("{{{}}}", all.join(",")))?;
        (!self.over).then_some(Part::Other {
            kind: self.kind,
            value,
        })
    }
}
