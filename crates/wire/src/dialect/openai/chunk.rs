//! The outermost object of an event or of a whole answer, read in one pass.
//!
//! Events come by the thousand, so everything that a judge needs is picked up in a single walk;
//! leaves stay spelled as they are until somebody asks.

use super::choice::Choice;
use crate::{Usage, json, usage::Counts};

#[derive(Debug, Default)]
pub(super) struct Chunk<'a> {
    pub(super) choices: Vec<Choice<'a>>,
    pub(super) id: Option<&'a str>,
    pub(super) model: Option<&'a str>,
    /// Embeddings.
    pub(super) data: Option<&'a str>,
    counts: Counts,
    groq: Option<&'a str>,
    error: Option<&'a str>,
    object: Option<&'a str>,
}

impl<'a> json::Sink<'a> for Chunk<'a> {
    fn member(&mut self, key: &[u8], value: json::Value<'_, 'a>) -> Result<(), json::Fault> {
        match key {
            b"choices" => value.objects(&mut self.choices)?,
            b"id" => self.id = value.given()?,
            b"model" => self.model = value.given()?,
            b"data" => self.data = value.given()?,
            b"usage" => {
                value.object(&mut self.counts)?;
            }
            b"x_groq" => self.groq = value.given()?,
            b"error" => self.error = value.given()?,
            b"object" => self.object = value.given()?,
            _ => value.skip()?,
        }
        Ok(())
    }
}

impl Chunk<'_> {
    /// A top-level `error` that says something, or vLLM's `"object":"error"`.
    pub(super) fn is_error(&self) -> bool {
        self.error
            .is_some_and(|error| !matches!(error, "false" | "\"\""))
            || self.object == Some("\"error\"")
    }

    /// From `usage`, or from Groq's `x_groq.usage`.
    pub(super) fn usage(&self) -> Option<Usage> {
        let groq = || json::member(self.groq?, "usage").and_then(Usage::read);
        self.counts.usage().or_else(groq)
    }
}
