//! The calls of one candidate.
//!
//! A call comes whole, or (Vertex AI, if asked) with its name first and its arguments in pieces: parts
//! without a name belong to the call that is open, and one that does not say `willContinue` ends it. That
//! last part can be missing.

use std::borrow::Cow;

use super::input::{Input, OutOfOrder};
use crate::{dialect::call_id::made, json, middle::Delta};

/// Calls so far.
#[derive(Debug, Default)]
pub(super) struct Calls {
    count: u32,
    open: Option<Input>,
}

/// Where the steps of a call go.
pub(super) type Sink<'s> = &'s mut dyn FnMut(Delta<'_>);

impl Calls {
    /// Whether there was any.
    pub(super) fn any(&self) -> bool {
        self.count > 0
    }

    /// Reads a `functionCall` of candidate `choice` in the answer `id`.
    pub(super) fn read(
        &mut self,
        call: &str,
        signature: Option<&str>,
        (id, choice): (&str, u32),
        sink: Sink<'_>,
    ) -> Result<(), OutOfOrder> {
        let names = ["id", "name", "args", "partialArgs", "willContinue"];
        let Some([own_id, name, args, pieces, goes_on]) = json::members(call, &names) else {
            return Ok(());
        };
        let goes_on = goes_on == Some("true");
        let filled = |value: Option<&'_ str>| {
            let text = value.and_then(json::text);
            text.map(Cow::into_owned).filter(|text| !text.is_empty())
        };
        if let Some(name) = filled(name) {
            self.close(choice, sink);
            let index = self.count;
            self.count = self.count.saturating_add(1);
            self.open = Some(Input::default());
            sink(Delta::ToolCall {
                choice,
                index,
                id: filled(own_id)
                    .unwrap_or_else(|| made(id, choice, index))
                    .into(),
                name: name.into(),
            });
        }
        let index = self.count.saturating_sub(1);
        let Some(open) = &mut self.open else {
            return Ok(());
        };
        if let Some(value) = signature.and_then(json::text).filter(|s| !s.is_empty()) {
            sink(Delta::CallSignature {
                choice,
                index,
                value,
            });
        }
        let mut text = String::new();
        let mut order = Ok(());
        json::elements(pieces.unwrap_or("[]"), |piece| {
            if order.is_ok() {
                order = open.write(piece, &mut text);
            }
        });
        let whole = args.filter(|args| json::is_object(args) && open.is_empty());
        tell(choice, index, whole.unwrap_or(&text), sink);
        if whole.is_some() {
            self.done(choice, sink);
        } else if !goes_on {
            self.close(choice, sink);
        }
        order
    }

    /// Ends the call that is open. One without arguments has an empty object of them.
    pub(super) fn close(&mut self, choice: u32, sink: Sink<'_>) {
        if let Some(open) = &mut self.open {
            let mut text = String::new();
            match open.is_empty() {
                true => text.push_str("{}"),
                false => open.close(&mut text),
            }
            tell(choice, self.count.saturating_sub(1), &text, sink);
            self.done(choice, sink);
        }
    }

    fn done(&mut self, choice: u32, sink: Sink<'_>) {
        self.open = None;
        let index = self.count.saturating_sub(1);
        sink(Delta::ToolDone { choice, index });
    }
}

fn tell(choice: u32, index: u32, json: &str, sink: Sink<'_>) {
    if !json.is_empty() {
        let json = Cow::Borrowed(json);
        sink(Delta::ToolInput {
            choice,
            index,
            json,
        });
    }
}
