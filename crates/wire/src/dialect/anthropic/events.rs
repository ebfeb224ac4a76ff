//! Writes a stream of this API.
//!
//! What must hold, because the SDKs put a message together by it: `message_start` first; blocks opened,
//! filled and closed one at a time, their indices increasing by one; a thought's signature inside its
//! block; one `message_delta` with the reason to stop and all counts, then `message_stop`, then nothing.
//! `message_start` waits for the first block, so that it can tell the id, the model and the counts that
//! an upstream says in pieces.

mod calls;
mod event;

use bytes::BytesMut;
use serde_json::value::RawValue;

use super::{
    blocks::{self, Block},
    usage::Written,
    words::{self, Ending},
};
use crate::{
    Usage,
    dialect::Finish,
    middle::{Asked, Delta, Encode, Json, Lost, Part},
};
use calls::{Calls, Held, Shape};
use event::{End, Event, Message, Piece};

/// The writer of one stream.
#[derive(Debug)]
pub(super) struct Events {
    asked: Asked,
    id: Option<String>,
    model: Option<String>,
    started: bool,
    /// The index of the next block.
    next: u32,
    open: Option<Open>,
    calls: Calls,
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
        started: false,
        next: 0,
        open: None,
        calls: Calls::default(),
        usage: Usage::default(),
        finish: None,
        sequence: None,
        ending: Ending::default(),
        lost: Lost::default(),
    })
}

impl Encode for Events {
    fn delta(&mut self, delta: &Delta<'_>, out: &mut BytesMut) {
        if choice(delta).is_some_and(|choice| choice != 0) {
            return self.lost.content("choices");
        }
        match delta {
            Delta::Start(start) => {
                let keep = |kept: &mut Option<String>, said: Option<&str>| {
                    *kept = kept.take().or_else(|| said.map(Into::into));
                };
                keep(&mut self.id, start.id.as_deref());
                keep(&mut self.model, start.model.as_deref());
                if start.created.is_some() {
                    self.lost.parameter("created");
                }
            }
            Delta::Text { text, logprobs, .. } => {
                if logprobs.is_some() {
                    self.lost.parameter("logprobs");
                }
                self.text(text, out);
            }
            Delta::Refusal { text, .. } => {
                self.ending.refused = true;
                self.text(text, out);
            }
            Delta::Reasoning { text, .. } => self.thought(text, out),
            Delta::Signature { value, .. } => self.signature(value, out),
            Delta::Opaque { value, .. } => {
                let data = value.as_ref().into();
                self.whole(&Block::RedactedThinking { data }, out);
            }
            Delta::ToolCall {
                index, id, name, ..
            } => self.call(Held::new(*index, id, name), out),
            Delta::ToolInput { index, json, .. } => self.input(*index, json, out),
            Delta::ToolDone { index, .. } => self.done(*index, out),
            Delta::Whole { part, .. } => match part {
                Part::Other { kind, value } if words::is_own_block(kind) => {
                    self.whole(&Block::Other(value), out);
                }
                other => self.lost.content(blocks::kind(other).to_owned()),
            },
            Delta::Citation { json, .. } => self.citation(json, out),
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
    }

    fn close(&mut self, out: &mut BytesMut) {
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

    fn text(&mut self, text: &str, out: &mut BytesMut) {
        if !matches!(self.open, Some(Open::Text)) {
            self.settle(out);
            self.start(&Block::text(""), Open::Text, out);
        }
        self.piece(Piece::Text { text }, out);
    }

    fn thought(&mut self, thinking: &str, out: &mut BytesMut) {
        self.think(out);
        self.piece(Piece::Thought { thinking }, out);
    }

    fn signature(&mut self, signature: &str, out: &mut BytesMut) {
        self.think(out);
        self.piece(Piece::Signature { signature }, out);
        self.open = Some(Open::Thought { signed: true });
    }

    /// Opens a thought, unless there is one that is not signed yet.
    fn think(&mut self, out: &mut BytesMut) {
        if matches!(self.open, Some(Open::Thought { signed: false })) {
            return;
        }
        self.settle(out);
        let block = Block::Thinking {
            thinking: "".into(),
            signature: "".into(),
        };
        self.start(&block, Open::Thought { signed: false }, out);
    }

    fn citation(&mut self, json: &str, out: &mut BytesMut) {
        let citation = serde_json::from_str::<&RawValue>(json).ok();
        match citation.filter(|_| words::is_citation(json)) {
            Some(citation) if matches!(self.open, Some(Open::Text)) => {
                self.piece(Piece::Citation { citation }, out);
            }
            _ => self.lost.content("citations"),
        }
    }

    fn whole(&mut self, block: &Block<'_>, out: &mut BytesMut) {
        self.settle(out);
        self.start(block, Open::Text, out);
        self.stop(out);
    }

    /// A call begins: now, if none is open that still gets input; later otherwise.
    fn call(&mut self, call: Held, out: &mut BytesMut) {
        self.ending.calls = true;
        match &self.open {
            Some(Open::Call { index, shape }) if *index == call.index || !shape.is_whole() => {
                self.calls.hold(call);
            }
            _ => self.play(call, out),
        }
    }

    fn input(&mut self, index: u32, json: &str, out: &mut BytesMut) {
        match &mut self.open {
            Some(Open::Call { index: open, shape }) if *open == index => {
                shape.read(json);
                self.piece(Piece::Input { partial_json: json }, out);
                self.advance(false, out);
            }
            _ if self.calls.add(index, json) => {
                let over = self.calls.is_full();
                self.advance(over, out);
            }
            _ if json.trim().is_empty() => {}
            _ => self.lost.content("tool_calls[].function.arguments"),
        }
    }

    fn done(&mut self, index: u32, out: &mut BytesMut) {
        match self.open {
            Some(Open::Call { index: open, .. }) if open == index => self.advance(true, out),
            _ => self.calls.done(index),
        }
    }

    /// Closes the open call if it is whole and another waits, or if it must; then the next has its turn.
    fn advance(&mut self, mut must: bool, out: &mut BytesMut) {
        while let Some(Open::Call { shape, .. }) = &self.open {
            let may = shape.is_whole() && self.calls.wait();
            if !must && !may {
                return;
            }
            self.stop(out);
            let Some(next) = self.calls.next() else {
                return;
            };
            must = next.done;
            self.play(next, out);
        }
    }

    fn play(&mut self, call: Held, out: &mut BytesMut) {
        self.stop(out);
        let mut shape = Shape::default();
        shape.read(&call.json);
        let block = Block::ToolUse {
            id: call.id.into(),
            name: call.name.into(),
            input: Json::of(&serde_json::Map::new()),
        };
        let index = call.index;
        self.start(&block, Open::Call { index, shape }, out);
        if !call.json.is_empty() {
            let partial_json = &call.json;
            self.piece(Piece::Input { partial_json }, out);
        }
    }

    /// Closes what is open and tells every call that waits.
    fn settle(&mut self, out: &mut BytesMut) {
        self.stop(out);
        while let Some(call) = self.calls.next() {
            self.play(call, out);
            self.stop(out);
        }
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

/// Of which choice a step is.
fn choice(delta: &Delta<'_>) -> Option<u32> {
    match delta {
        Delta::Text { choice, .. }
        | Delta::Refusal { choice, .. }
        | Delta::Reasoning { choice, .. }
        | Delta::Signature { choice, .. }
        | Delta::Opaque { choice, .. }
        | Delta::ToolCall { choice, .. }
        | Delta::CallSignature { choice, .. }
        | Delta::ToolInput { choice, .. }
        | Delta::ToolDone { choice, .. }
        | Delta::Whole { choice, .. }
        | Delta::Citation { choice, .. }
        | Delta::Finish { choice, .. } => Some(*choice),
        Delta::Start(_) | Delta::Usage(_) | Delta::Durations(_) | Delta::Ended | Delta::Lost(_) => {
            None
        }
    }
}
