//! One event, read in one pass: which item it belongs to, and what it says of it.

use crate::json;

/// The members of an event that is not about the whole response, spelled as they are.
#[derive(Debug, Default)]
pub(super) struct Event<'a> {
    pub(super) kind: Option<&'a str>,
    pub(super) response: Option<&'a str>,
    pub(super) error: Option<&'a str>,
    pub(super) item: Option<&'a str>,
    pub(super) delta: Option<&'a str>,
    pub(super) text: Option<&'a str>,
    pub(super) refusal: Option<&'a str>,
    pub(super) arguments: Option<&'a str>,
    pub(super) annotation: Option<&'a str>,
    pub(super) logprobs: Option<&'a str>,
    /// Which item of the output.
    pub(super) output: u64,
    /// Which part of a message or of a thought.
    pub(super) content: u64,
    /// Which part of a thought's summary.
    pub(super) summary: u64,
}

impl<'a> json::Sink<'a> for Event<'a> {
    fn member(&mut self, key: &[u8], value: json::Value<'_, 'a>) -> Result<(), json::Fault> {
        let number = match key {
            b"output_index" => &mut self.output,
            b"content_index" => &mut self.content,
            b"summary_index" => &mut self.summary,
            _ => {
                let member = match key {
                    b"type" => &mut self.kind,
                    b"response" => &mut self.response,
                    b"error" => &mut self.error,
                    b"item" => &mut self.item,
                    b"delta" => &mut self.delta,
                    b"text" => &mut self.text,
                    b"refusal" => &mut self.refusal,
                    b"arguments" => &mut self.arguments,
                    b"annotation" => &mut self.annotation,
                    b"logprobs" => &mut self.logprobs,
                    _ => return value.skip(),
                };
                *member = value.given()?;
                return Ok(());
            }
        };
        *number = json::count(value.raw()?).unwrap_or(0);
        Ok(())
    }
}
