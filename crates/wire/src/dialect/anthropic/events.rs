//! Writes a stream of this API.
//!
//! What must hold, because the SDKs put a message together by it: `message_start` first; blocks opened,
//! filled and closed one at a time, their indices increasing by one; a thought's signature inside its
//! block; one `message_delta` with the reason to stop and all counts, then `message_stop`, then nothing.
//! `message_start` waits for the first block, so that it can tell the id, the model and the counts that
//! an upstream says in pieces.

mod event;
mod queue;
mod shape;
mod text;
mod tools;

use std::borrow::Cow;

use bytes::BytesMut;

use super::{
    blocks::Block,
    usage::Written,
    words::{self, Ending},
};
use crate::{
    Class, Usage, Verdict,
    dialect::Finish,
    middle::{Asked, Delta, Encode, Lost, Part},
};
use event::{End, Event, Message, Piece};
use queue::{Content, Held, Queue};
use shape::Shape;

/// The writer of one stream.
#[derive(Debug)]
pub(super) struct Events {
    asked: Asked,
    id: Option<String>,
    model: Option<String>,
    /// The first that said something, the only one there is a place for. Not every server counts from 0.
    choice: Option<u32>,
    started: bool,
    /// The index of the next block.
    next: u32,
    open: Option<Open>,
    queue: Queue,
    /// More came in between than can be put in order: nothing is written any more.
    failed: bool,
    usage: Usage,
    finish: Option<Finish>,
    sequence: Option<String>,
    ending: Ending,
    lost: Lost,
}

/// The block that is open.
#[derive(Debug)]
enum Open {
    Text,
    /// With its signature, a thought is whole.
    Thought {
        signed: bool,
    },
    Call {
        index: u32,
        shape: Shape,
    },
}

pub(super) fn begin(asked: &Asked) -> Box<dyn Encode> {
    Box::new(Events {
        asked: asked.clone(),
        id: None,
        model: None,
        choice: None,
        started: false,
        next: 0,
        open: None,
        queue: Queue::default(),
        failed: false,
        usage: Usage::default(),
        finish: None,
        sequence: None,
        ending: Ending::default(),
        lost: Lost::default(),
    })
}

impl Encode for Events {
    fn delta(&mut self, delta: &Delta<'_>, out: &mut BytesMut) {
        if self.failed {
            return;
        }
        if delta
            .choice()
            .is_some_and(|choice| *self.choice.get_or_insert(choice) != choice)
        {
            return self.lost.content("choices");
        }
        match delta {
            Delta::Start(start) => {
                let keep = |kept: &mut Option<String>, said: Option<&str>| {
                    *kept = kept.take().or_else(|| said.map(Into::into));
                };
                keep(&mut self.id, start.id.as_deref());
                keep(&mut self.model, start.model.as_deref());
            }
            Delta::Text { text, logprobs, .. } => {
                if logprobs.is_some() {
                    self.lost.parameter("logprobs");
                }
                self.say(Content::Text(text.as_ref().into()), out);
            }
            Delta::Refusal { text, .. } => {
                self.ending.refused = true;
                self.say(Content::Text(text.as_ref().into()), out);
            }
            Delta::Reasoning { text, .. } => self.say(Content::Thought(text.as_ref().into()), out),
            Delta::Signature { value, .. } => {
                self.say(Content::Signature(value.as_ref().into()), out);
            }
            Delta::Opaque { value, .. } => {
                self.say(Content::Redacted(value.as_ref().into()), out);
            }
            Delta::ToolCall {
                index, id, name, ..
            } => self.call(Held::new(*index, id, name), out),
            Delta::ToolInput { index, json, .. } => self.input(*index, json, out),
            Delta::ToolDone { index, .. } => self.done(*index, out),
            Delta::Whole { part, .. } => match part {
                Part::Other { kind, value } if words::is_own_block(kind, value) => {
                    self.say(Content::Whole(Cow::Borrowed(value)), out);
                }
                other => self.lost.content(other.kind().to_owned()),
            },
            Delta::Citation { json, .. } => self.say(Content::Citation((*json).into()), out),
            Delta::Finish {
                finish,
                stop_sequence,
                ..
            } => {
                self.finish = Some(finish.clone());
                self.sequence = stop_sequence.as_deref().map(Into::into);
            }
            Delta::Usage(usage) => self.usage.update(*usage),
            Delta::CallSignature { .. } => self.lost.parameter("tool_calls[].signature"),
            Delta::Lost(name) => self.lost.content(*name),
            Delta::Durations(_) | Delta::Ended => {}
        }
        self.failed = self.queue.is_over();
    }

    fn close(&mut self, out: &mut BytesMut) {
        if self.failed {
            return;
        }
        self.begin(out);
        self.settle(out);
        let ending = Ending {
            sequence: self.sequence.is_some(),
            ..self.ending
        };
        let end = Event::MessageDelta {
            delta: End {
                stop_reason: words::stop_reason(self.finish.as_ref(), ending),
                stop_sequence: self.sequence.as_deref(),
            },
            usage: Written::of(&self.usage),
        };
        end.write(out);
        Event::MessageStop {}.write(out);
    }

    fn lost(&self) -> &Lost {
        &self.lost
    }

    fn failure(&self) -> Option<Verdict> {
        let words = "the answer's interleaved parts are larger than can be put in order";
        self.failed.then(|| Verdict::of(Class::Malformed, words))
    }
}

impl Events {
    fn begin(&mut self, out: &mut BytesMut) {
        if std::mem::replace(&mut self.started, true) {
            return;
        }
        let made = format!("msg_{}", self.asked.id);
        let message = Message {
            id: self.id.as_deref().unwrap_or(&made),
            r#type: "message",
            role: "assistant",
            model: self.model.as_deref().unwrap_or(&self.asked.model),
            content: [],
            stop_reason: None,
            stop_sequence: None,
            usage: Written::of(&self.usage),
        };
        Event::MessageStart { message }.write(out);
    }

    fn start(&mut self, block: &Block<'_>, open: Open, out: &mut BytesMut) {
        self.begin(out);
        let event = Event::ContentBlockStart {
            index: self.next,
            content_block: block,
        };
        event.write(out);
        self.open = Some(open);
    }

    fn piece(&self, delta: Piece<'_>, out: &mut BytesMut) {
        let index = self.next;
        Event::ContentBlockDelta { index, delta }.write(out);
    }

    fn stop(&mut self, out: &mut BytesMut) {
        if self.open.take().is_some() {
            Event::ContentBlockStop { index: self.next }.write(out);
            self.next = self.next.saturating_add(1);
        }
    }
}
