//! The messages of a stream while they are written: what opens, grows and closes.
//!
//! A message is open as long as its texts follow one another. A refusal is a part of its own, so that a text
//! before it is closed first.

use bytes::BytesMut;

use super::{
    super::annotation,
    event::{Event, Piece},
    item::{Content, Item},
    writer::Writer,
};
use crate::{json, middle::Json};

impl Writer {
    /// Writes the beginning of an item, and tells its place.
    pub(super) fn add(&mut self, item: Item, out: &mut BytesMut) -> usize {
        let at = self.items.len();
        self.items.push(item);
        self.kept.begin();
        let event = Event {
            output_index: Some(at),
            item: self.items.last(),
            ..Event::default()
        };
        self.numbers.write(out, "response.output_item.added", event);
        at
    }

    /// Writes the end of an item.
    pub(super) fn end_item(&mut self, at: usize, status: &'static str, out: &mut BytesMut) {
        let Some(item) = self.items.get_mut(at) else {
            return;
        };
        item.end(status);
        let event = Event {
            output_index: Some(at),
            item: Some(item),
            ..Event::default()
        };
        self.numbers.write(out, "response.output_item.done", event);
    }

    /// Closes the text or the thought that goes on.
    pub(super) fn shut(&mut self, status: &'static str, out: &mut BytesMut) {
        if std::mem::take(&mut self.open) {
            self.end_part(out);
            self.end_summary(out);
            self.end_item(self.items.len().saturating_sub(1), status, out);
        }
    }

    pub(super) fn text(&mut self, text: &str, logprobs: Option<&str>, out: &mut BytesMut) {
        self.part(Content::text, out);
        let at = self.items.len().saturating_sub(1);
        let Some(Item::Message(message)) = self.items.last_mut() else {
            return;
        };
        let place = message.content.len().saturating_sub(1);
        if let Some(Content::OutputText {
            text: whole,
            logprobs: all,
            length,
            ..
        }) = message.content.last_mut()
        {
            whole.push_str(text);
            *length = length.saturating_add(text.chars().count());
            let told = all.len();
            let content = logprobs.and_then(|chat| json::member(chat, "content"));
            json::elements(content.unwrap_or_default(), |one| {
                all.extend(Json::parse(one))
            });
            let event = Event {
                item_id: Some(&message.id),
                output_index: Some(at),
                content_index: Some(place),
                delta: Some(text),
                logprobs: Some(all.get(told..).unwrap_or_default()),
                ..Event::default()
            };
            self.numbers.write(out, "response.output_text.delta", event);
        }
    }

    pub(super) fn refuse(&mut self, text: &str, out: &mut BytesMut) {
        self.part(Content::refusal, out);
        let at = self.items.len().saturating_sub(1);
        let Some(Item::Message(message)) = self.items.last_mut() else {
            return;
        };
        let place = message.content.len().saturating_sub(1);
        if let Some(Content::Refusal { refusal }) = message.content.last_mut() {
            refusal.push_str(text);
            let event = Event {
                item_id: Some(&message.id),
                output_index: Some(at),
                content_index: Some(place),
                delta: Some(text),
                ..Event::default()
            };
            self.numbers.write(out, "response.refusal.delta", event);
        }
    }

    /// A citation of the text that goes on, or of the one that begins.
    /// `reach` is how many characters of what was told last it is of.
    pub(super) fn cite(&mut self, citation: &str, reach: Option<usize>, out: &mut BytesMut) {
        let said = match self.items.last() {
            Some(Item::Message(message)) => match message.content.last() {
                Some(Content::OutputText { length, .. }) => *length,
                _ => 0,
            },
            _ => 0,
        };
        let place = reach.map(|reach| said.saturating_sub(reach)..said);
        let Some(annotation) = annotation::of(citation, place) else {
            self.lost.content("citations");
            return;
        };
        self.part(Content::text, out);
        let at = self.items.len().saturating_sub(1);
        let Some(Item::Message(message)) = self.items.last_mut() else {
            return;
        };
        let place = message.content.len().saturating_sub(1);
        if let Some(Content::OutputText { annotations, .. }) = message.content.last_mut() {
            let index = annotations.len();
            annotations.push(annotation);
            let event = Event {
                item_id: Some(&message.id),
                output_index: Some(at),
                content_index: Some(place),
                annotation_index: Some(index),
                annotation: annotations.last(),
                ..Event::default()
            };
            let kind = "response.output_text.annotation.added";
            self.numbers.write(out, kind, event);
        }
    }

    /// Sees to it that the last item is an open message whose last part is of the kind that `new` makes.
    fn part(&mut self, new: fn() -> Content, out: &mut BytesMut) {
        if !self.open || !matches!(self.items.last(), Some(Item::Message(_))) {
            self.shut("completed", out);
            let message = self.ids.message(self.items.len());
            self.add(Item::Message(message), out);
            self.open = true;
        }
        let new = new();
        let kind = |content: &Content| std::mem::discriminant(content);
        let same = match self.items.last() {
            Some(Item::Message(message)) => message.content.last().map(kind) == Some(kind(&new)),
            _ => false,
        };
        if same {
            return;
        }
        self.end_part(out);
        let at = self.items.len().saturating_sub(1);
        if let Some(Item::Message(message)) = self.items.last_mut() {
            let place = message.content.len();
            message.content.push(new);
            self.kept.begin();
            let event = Event {
                item_id: Some(&message.id),
                output_index: Some(at),
                content_index: Some(place),
                part: message.content.last().map(Piece::Content),
                ..Event::default()
            };
            self.numbers
                .write(out, "response.content_part.added", event);
        }
    }

    /// Closes the part of a message that goes on, if there is one.
    fn end_part(&mut self, out: &mut BytesMut) {
        let at = self.items.len().saturating_sub(1);
        let Some(Item::Message(message)) = self.items.last() else {
            return;
        };
        let Some(part) = message.content.last() else {
            return;
        };
        let event = || Event {
            item_id: Some(&message.id),
            output_index: Some(at),
            content_index: Some(message.content.len().saturating_sub(1)),
            ..Event::default()
        };
        let (kind, done) = match part {
            Content::OutputText { text, logprobs, .. } => {
                let event = Event {
                    text: Some(text),
                    logprobs: Some(logprobs),
                    ..event()
                };
                ("response.output_text.done", event)
            }
            Content::Refusal { refusal } => {
                let event = Event {
                    refusal: Some(refusal),
                    ..event()
                };
                ("response.refusal.done", event)
            }
        };
        self.numbers.write(out, kind, done);
        let event = Event {
            part: Some(Piece::Content(part)),
            ..event()
        };
        self.numbers.write(out, "response.content_part.done", event);
    }
}
