//! Reading a stream.
//!
//! Every event says what it is in `type`; which text, call or thought it belongs to, it says by the place of
//! the item in the output. Servers differ in which of the events they send: some send a call's input only
//! when it is whole, some close a message without having sent a delta. So what was told of each item is kept
//! in mind, and what an event closes is told if nothing of it was.

mod event;
mod items;

use std::borrow::Cow;

use event::Event;
use items::Items;

use super::{
    answer::finish,
    item::{self, filled},
    usage,
};
use crate::{
    Class, Verdict,
    frame::Frame,
    json,
    middle::{Decode, Delta, Seen, Start},
};

/// A reader of one stream. There is only ever one choice.
pub(super) fn reader(_choices: u32) -> Box<dyn Decode> {
    Box::new(Reader::default())
}

#[derive(Default)]
struct Reader {
    started: bool,
    ended: bool,
    items: Items,
}

impl Decode for Reader {
    fn decode(&mut self, frame: &Frame, sink: &mut dyn FnMut(Delta<'_>)) -> Seen {
        let (name, data) = match frame {
            Frame::Event(event) => {
                let lines = event.lines();
                if !lines.any {
                    return Seen::Comment;
                }
                if let Some(error) = lines.error {
                    return Seen::Error(Verdict::in_band(error));
                }
                (lines.name, lines.data)
            }
            _ => return Seen::Unparsed,
        };
        match (name, data) {
            (Some("error"), data) => failed(data.as_deref().unwrap_or_default()),
            (Some("ping" | "keepalive"), _) => Seen::Comment,
            (_, None) => Seen::Data,
            (_, Some(data)) => match std::str::from_utf8(&data).map(str::trim) {
                // not of this API, and no end by itself
                Ok("[DONE]") if self.ended => Seen::Last,
                Ok("[DONE]") => Seen::Data,
                Ok("") => Seen::Data,
                Ok(text) => self.event(name, text, sink),
                Err(_) => Seen::Unparsed,
            },
        }
    }
}

impl Reader {
    fn event(&mut self, name: Option<&str>, text: &str, sink: &mut dyn FnMut(Delta<'_>)) -> Seen {
        let mut event = Event::default();
        if json::walk(text, &mut event).is_err() {
            return Seen::Unparsed;
        }
        if event.error.is_some() {
            return failed(text.as_bytes());
        }
        let kind = event.kind.and_then(item::words);
        let kind = kind.as_deref().or(name).unwrap_or_default();
        let response = event.response.unwrap_or("{}");
        match kind {
            "error" | "response.error" | "response.failed" => return failed(text.as_bytes()),
            "response.cancelled" => {
                let said = "the upstream cancelled the response";
                return Seen::Error(Verdict::of(Class::StreamError, said));
            }
            "ping" | "keepalive" => return Seen::Comment,
            "response.created" | "response.queued" | "response.in_progress" => {
                self.start(response, sink);
            }
            "response.completed" | "response.incomplete" => {
                self.end(kind == "response.completed", response, sink);
                return Seen::Last;
            }
            _ => self.items.event(kind, &event, sink),
        }
        Seen::Data
    }

    fn start(&mut self, response: &str, sink: &mut dyn FnMut(Delta<'_>)) {
        let start = Start {
            id: filled(response, "id"),
            model: filled(response, "model"),
            created: json::member(response, "created_at").and_then(json::count),
        };
        if start != Start::default() && !std::mem::replace(&mut self.started, true) {
            sink(Delta::Start(start));
        }
    }

    fn end(&mut self, completed: bool, response: &str, sink: &mut dyn FnMut(Delta<'_>)) {
        self.start(response, sink);
        let [output, counts, status] =
            json::members(response, &["output", "usage", "status"]).unwrap_or_default();
        self.items.close(output.unwrap_or_default(), sink);
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        let said = status.and_then(item::words);
        let status = match completed {
            true => said.unwrap_or(Cow::Borrowed("completed")),
            false => Cow::Borrowed("incomplete"),
        };
        sink(Delta::Finish {
            choice: 0,
            finish: finish(response, &status, self.items.called()),
            stop_sequence: None,
        });
        if let Some(usage) = counts.and_then(usage::read) {
            sink(Delta::Usage(usage));
        }
        sink(Delta::Ended);
    }
}

/// What went wrong is said by the event, or by the response in it.
fn failed(data: &[u8]) -> Seen {
    let text = std::str::from_utf8(data).unwrap_or_default();
    let response = json::member(text, "response").map(str::as_bytes);
    let error = json::member(text, "error");
    Seen::Error(Verdict::in_band(
        response.filter(|_| error.is_none()).unwrap_or(data),
    ))
}
