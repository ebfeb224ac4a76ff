//! Writing a stream.
//!
//! The accumulators of the official SDKs follow the items by their place in the output: each begins with
//! `output_item.added` and ends with `output_item.done`, and the parts inside likewise. Texts and thoughts are
//! closed before anything else begins; calls may be open beside one another, since each has its place. The
//! last event holds the whole response, with the very ids that were used before.

use std::collections::BTreeMap;

use bytes::BytesMut;

use super::{
    super::{sealed::Sealed, usage::Counts},
    event::{Event, Numbers},
    ids::Ids,
    item::Item,
    kept::Kept,
    response::{self, Response, ending},
};
use crate::{
    Class, Usage, Verdict,
    dialect::Finish,
    middle::{Asked, Delta, Encode, Lost, Start},
};

/// Who answers, fixed by the first event.
#[derive(Debug)]
struct Head {
    id: String,
    model: String,
    created: u64,
}

pub(super) struct Writer {
    asked: Asked,
    /// The first that said something, the only one there is a place for. Not every server counts from 0.
    choice: Option<u32>,
    pub(super) ids: Ids,
    pub(super) numbers: Numbers,
    head: Option<Head>,
    pub(super) items: Vec<Item>,
    pub(super) kept: Kept,
    /// The last item is a text or a thought that goes on.
    pub(super) open: bool,
    /// The places of the calls that go on, by their numbers.
    pub(super) calls: BTreeMap<u32, usize>,
    usage: Usage,
    finish: Option<Finish>,
    pub(super) lost: Lost,
    closed: bool,
}

impl Encode for Writer {
    fn delta(&mut self, delta: &Delta<'_>, out: &mut BytesMut) {
        if self.closed || self.kept.is_over() {
            return;
        }
        if choice(delta).is_some_and(|choice| *self.choice.get_or_insert(choice) != choice) {
            self.lost.content("choices");
            return;
        }
        match delta {
            Delta::Start(start) => self.begin(start, out),
            Delta::Usage(usage) => self.usage.update(*usage),
            Delta::Lost(name) => self.lost.content(*name),
            Delta::Ended | Delta::Durations(_) => {}
            Delta::Finish {
                finish,
                stop_sequence,
                ..
            } => {
                self.finish = Some(finish.clone());
                if stop_sequence.is_some() {
                    self.lost.parameter("stop_sequence");
                }
            }
            _ => {
                self.begin(&Start::default(), out);
                self.kept.add(delta);
                self.content(delta, out);
            }
        }
    }

    fn close(&mut self, out: &mut BytesMut) {
        if std::mem::replace(&mut self.closed, true) || self.kept.is_over() {
            return;
        }
        self.begin(&Start::default(), out);
        let (status, details) = ending(self.finish.as_ref());
        self.shut(status, out);
        while let Some((_, at)) = self.calls.pop_first() {
            self.end_call(at, status, out);
        }
        let kind = format!("response.{status}");
        let response = Response {
            status,
            incomplete_details: details,
            usage: Counts::of(&self.usage),
            ..Response::default()
        };
        self.life(&kind, response, out);
    }

    fn kept(&self) -> usize {
        self.kept.bytes()
    }

    fn lost(&self) -> &Lost {
        &self.lost
    }

    fn failure(&self) -> Option<Verdict> {
        let words = "the answer is larger than can be kept for its last event";
        let over = self.kept.is_over();
        over.then(|| Verdict::of(Class::Malformed, words))
    }
}

impl Writer {
    pub(super) fn new(asked: Asked) -> Self {
        Self {
            ids: Ids::of(&asked),
            asked,
            choice: None,
            numbers: Numbers::default(),
            head: None,
            items: Vec::new(),
            kept: Kept::default(),
            open: false,
            calls: BTreeMap::new(),
            usage: Usage::default(),
            finish: None,
            lost: Lost::default(),
            closed: false,
        }
    }

    /// Writes the first events, once.
    fn begin(&mut self, start: &Start<'_>, out: &mut BytesMut) {
        if self.head.is_some() {
            return;
        }
        let model = start.model.as_deref().filter(|model| !model.is_empty());
        self.head = Some(Head {
            id: response::id(start.id.as_deref(), &self.asked),
            model: model.unwrap_or(&self.asked.model).to_owned(),
            created: start.created.unwrap_or(self.asked.now),
        });
        self.life("response.created", Response::default(), out);
        self.life("response.in_progress", Response::default(), out);
    }

    /// An event that holds the whole response.
    fn life(&mut self, kind: &str, response: Response<'_>, out: &mut BytesMut) {
        let Some(head) = &self.head else { return };
        let response = Response {
            id: &head.id,
            model: &head.model,
            created_at: head.created,
            output: &self.items,
            ..response
        };
        let event = Event {
            response: Some(&response),
            ..Event::default()
        };
        self.numbers.write(out, kind, event);
    }

    fn content(&mut self, delta: &Delta<'_>, out: &mut BytesMut) {
        match delta {
            Delta::Text { text, logprobs, .. } => self.text(text, *logprobs, out),
            Delta::Refusal { text, .. } => self.refuse(text, out),
            Delta::Reasoning { text, .. } => self.think(text, out),
            Delta::Opaque { value, .. } => self.seal(Sealed::Hidden(value), out),
            Delta::Signature { value, .. } => self.seal(Sealed::Signature(value), out),
            Delta::CallSignature { .. } => self.lost.parameter("tool_calls[].signature"),
            Delta::ToolCall {
                index, id, name, ..
            } => self.call(*index, id, name, out),
            Delta::ToolInput { index, json, .. } => match self.calls.get(index) {
                Some(at) => self.input(*at, json, out),
                None => self.lost.content("tool_calls"),
            },
            Delta::ToolDone { index, .. } => {
                if let Some(at) = self.calls.remove(index) {
                    self.end_call(at, "completed", out);
                }
            }
            Delta::Citation { json, reach, .. } => self.cite(json, *reach, out),
            Delta::Whole { part, .. } => {
                self.shut("completed", out);
                let whole = self.ids.whole(self.items.len(), part, &mut self.lost);
                if let Some(item) = whole {
                    let at = self.add(item, out);
                    self.end_item(at, "completed", out);
                }
            }
            _ => {}
        }
    }
}

/// Which choice a step belongs to.
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
        _ => None,
    }
}
