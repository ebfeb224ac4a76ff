//! Thoughts and calls of a stream while they are written.
//!
//! A thought is told as a summary, the one form of it that every SDK shows. Calls stay open beside one another
//! until they are said to be whole, at the latest at the end.

use bytes::BytesMut;

use super::{
    super::sealed::Sealed,
    event::{Event, Piece},
    item::{Item, Reasoning, Summary},
    parts::input,
    writer::Writer,
};

impl Writer {
    pub(super) fn think(&mut self, text: &str, out: &mut BytesMut) {
        if !self.open || !matches!(self.items.last(), Some(Item::Reasoning(_))) {
            self.shut("completed", out);
            let thought = self.ids.reasoning(self.items.len());
            self.add(Item::Reasoning(thought), out);
            self.open = true;
            if let Some(Item::Reasoning(thought)) = self.items.last_mut() {
                thought.summary.push(Summary::new(String::new()));
            }
            self.summary("response.reasoning_summary_part.added", out, |summary| {
                Event {
                    part: Some(Piece::Summary(summary)),
                    ..Event::default()
                }
            });
        }
        if let Some(Item::Reasoning(thought)) = self.items.last_mut()
            && let Some(summary) = thought.summary.last_mut()
        {
            summary.text.push_str(text);
        }
        self.summary("response.reasoning_summary_text.delta", out, |_| Event {
            delta: Some(text),
            ..Event::default()
        });
    }

    /// Closes the summary that goes on, if there is one.
    pub(super) fn end_summary(&mut self, out: &mut BytesMut) {
        self.summary("response.reasoning_summary_text.done", out, |summary| {
            Event {
                text: Some(&summary.text),
                ..Event::default()
            }
        });
        self.summary("response.reasoning_summary_part.done", out, |summary| {
            Event {
                part: Some(Piece::Summary(summary)),
                ..Event::default()
            }
        });
    }

    /// An event about the last item's summary; nothing if it has none.
    fn summary<'e>(
        &'e mut self,
        kind: &str,
        out: &mut BytesMut,
        event: impl FnOnce(&'e Summary) -> Event<'e>,
    ) {
        let at = self.items.len().saturating_sub(1);
        let Some(Item::Reasoning(thought)) = self.items.last() else {
            return;
        };
        if let Some(summary) = thought.summary.last() {
            let event = Event {
                item_id: Some(&thought.id),
                output_index: Some(at),
                summary_index: Some(thought.summary.len().saturating_sub(1)),
                ..event(summary)
            };
            self.numbers.write(out, kind, event);
        }
    }

    /// What proves or hides a thought: it completes the one that goes on, or is one of its own.
    pub(super) fn seal(&mut self, sealed: Sealed<'_>, out: &mut BytesMut) {
        match self.items.last_mut() {
            Some(Item::Reasoning(thought)) if self.open => {
                thought.encrypted_content = Some(sealed.write());
                self.shut("completed", out);
            }
            _ => {
                self.shut("completed", out);
                let thought = Item::Reasoning(Reasoning {
                    encrypted_content: Some(sealed.write()),
                    ..self.ids.reasoning(self.items.len())
                });
                let at = self.add(thought, out);
                self.end_item(at, "completed", out);
            }
        }
    }

    pub(super) fn call(&mut self, index: u32, id: &str, name: &str, out: &mut BytesMut) {
        self.shut("completed", out);
        let call = self.ids.call(self.items.len(), id, name);
        let at = self.add(Item::Call(call), out);
        if let Some(before) = self.calls.insert(index, at) {
            self.end_call(before, "completed", out);
        }
    }

    pub(super) fn input(&mut self, at: usize, json: &str, out: &mut BytesMut) {
        if let Some(Item::Call(call)) = self.items.get_mut(at) {
            call.arguments.push_str(json);
            let event = Event {
                item_id: Some(&call.id),
                output_index: Some(at),
                delta: Some(json),
                ..Event::default()
            };
            let kind = "response.function_call_arguments.delta";
            self.numbers.write(out, kind, event);
        }
    }

    pub(super) fn end_call(&mut self, at: usize, status: &'static str, out: &mut BytesMut) {
        let none = match self.items.get(at) {
            Some(Item::Call(call)) => call.arguments.is_empty(),
            _ => return,
        };
        // one that was cut had perhaps only begun
        if none && status == "completed" {
            self.input(at, input(""), out);
        }
        if let Some(Item::Call(call)) = self.items.get(at) {
            let event = Event {
                item_id: Some(&call.id),
                output_index: Some(at),
                name: Some(&call.name),
                arguments: Some(&call.arguments),
                ..Event::default()
            };
            let kind = "response.function_call_arguments.done";
            self.numbers.write(out, kind, event);
        }
        self.end_item(at, status, out);
    }
}
