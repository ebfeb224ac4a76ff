//! One answer, laid out before its first byte: what is sent, when, and how it ends.
//!
//! It starts as the well-behaved answer of its surface; each word of a script then changes it, in the
//! order of the table in `words/`. Nothing here touches a socket: [`play`](crate::play) performs the
//! finished layout, so that a fault is data and both protocols share every one of them.

mod fault;
mod frame;
mod part;
mod shape;
mod wire;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderName, HeaderValue};

pub(crate) use fault::{Fault, FaultForm, Problem};
pub(crate) use frame::Damage;
pub(crate) use part::{Content, Kind, Part, Place, Wait};
pub(crate) use shape::Shape;
pub(crate) use wire::{Pen, Wire};

use crate::ask::Ask;
use crate::script::Raw;
use crate::socket::Cut;
use crate::surface::{self, voice};

/// What happens before the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opening {
    Head,
    Silence,
    Cut(Cut),
}

/// What follows the last part.
#[derive(Clone, Debug)]
pub(crate) enum Tail {
    /// The message ends as its framing wants.
    Complete,
    Silence,
    Cut(Cut),
    /// This content again and again, at this pace.
    Forever(Duration, Content),
}

/// How the body's end is told to the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    Length(usize),
    Chunked,
    /// HTTP/1.1 without either: the connection's end is the body's end.
    UntilClose,
    /// The status has no body.
    Bodiless,
}

/// What becomes of the connection after a complete answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Idle {
    Keep,
    /// Cut at once, unannounced.
    Cut(Cut),
    /// Cut when the next request's first bytes come.
    Stale(Cut),
}

/// What an accepted connection meets before any request is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Accept {
    /// Nothing is ever read.
    Silent,
    /// The TLS hello is read and never answered.
    SilentTls,
    Cut(Cut),
}

/// A layout.
pub(crate) struct Answer {
    pub(crate) ask: Ask,
    pub(crate) shape: Shape,
    /// The given bytes, if that is what is served.
    pub(crate) raw: Option<Arc<Raw>>,
    pub(crate) accept: Option<Accept>,
    /// The request's body is not read before the answer.
    pub(crate) unread: bool,
    /// Before the head.
    pub(crate) delay: Duration,
    pub(crate) opening: Opening,
    pub(crate) status: u16,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    pub(crate) framing: Framing,
    pub(crate) parts: Vec<Part>,
    /// Sent in every wait after the head, at this pace.
    pub(crate) filler: Option<(Duration, Content)>,
    pub(crate) tail: Tail,
    pub(crate) wire: Wire,
    pub(crate) line_end: &'static str,
    /// Each part is compressed and flushed as it is sent.
    pub(crate) gzip: bool,
    pub(crate) idle: Idle,
    /// Announce the connection's end once it has carried this many requests.
    pub(crate) goaway_after: Option<usize>,
}

impl Answer {
    /// The well-behaved answer, not laid out yet.
    pub(crate) fn new(ask: Ask) -> Self {
        Self {
            wire: ask.wire,
            line_end: voice(ask.surface).line_end(),
            ask,
            shape: Shape::default(),
            raw: None,
            accept: None,
            unread: false,
            delay: Duration::ZERO,
            opening: Opening::Head,
            status: 200,
            headers: Vec::new(),
            framing: Framing::Chunked,
            parts: Vec::new(),
            filler: None,
            tail: Tail::Complete,
            gzip: false,
            idle: Idle::Keep,
            goaway_after: None,
        }
    }

    /// A unary JSON answer outside of any script.
    pub(crate) fn json(ask: Ask, status: u16, body: impl Into<Bytes>) -> Self {
        let mut answer = Self::new(ask);
        answer.status = status;
        answer.set_body("application/json", body);
        answer
    }

    /// A refusal in the form of its surface.
    pub(crate) fn refused(ask: Ask, status: u16, body: String) -> Self {
        let mut answer = Self::new(ask);
        answer.status = status;
        answer.set_body(surface::content_type(&answer.ask), body);
        answer
    }

    /// Lays out head and parts from the shape.
    pub(crate) fn build(&mut self) {
        self.ask.before_text = self.shape.before_text();
        if self.shape.streamed(&self.ask) {
            self.set_type(self.wire.content_type());
            self.framing = Framing::Chunked;
            self.parts = self.shape.events(&self.ask);
        } else {
            let body = surface::whole(&self.ask, &self.shape);
            self.set_body(surface::content_type(&self.ask), body);
        }
        for (name, value) in surface::headers(&self.ask) {
            self.set_header(
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            );
        }
    }

    /// Replaces everything behind the head by one body of known length.
    pub(crate) fn set_body(&mut self, content_type: &'static str, body: impl Into<Bytes>) {
        self.set_type(content_type);
        self.replace_body(body.into());
    }

    /// Replaces the body alone.
    pub(crate) fn replace_body(&mut self, body: Bytes) {
        self.framing = Framing::Length(body.len());
        self.parts = vec![Part::now(Kind::Body, Content::Raw(body))];
    }

    /// Drops the body where the status has none (RFC 9110 §6.4.1).
    pub(crate) fn undress(&mut self) {
        if matches!(self.status, 204 | 304) {
            self.parts.clear();
            self.framing = Framing::Bodiless;
        }
    }

    /// Replaces `content-type`.
    pub(crate) fn set_type(&mut self, value: &'static str) {
        self.set_header(http::header::CONTENT_TYPE, HeaderValue::from_static(value));
    }

    /// Replaces all lines of a header.
    pub(crate) fn set_header(&mut self, name: HeaderName, value: HeaderValue) {
        self.headers.retain(|(n, _)| n != name);
        self.headers.push((name, value));
    }

    /// The unary body, if the answer still is one.
    pub(crate) fn body(&self) -> Option<&Bytes> {
        match self.parts.as_slice() {
            [
                Part {
                    kind: Kind::Body,
                    content: Content::Raw(body),
                    ..
                },
            ] => Some(body),
            _ => None,
        }
    }

    /// Cuts the layout behind the nth content part (or the nth byte of a unary body), making up tokens
    /// where there are fewer, and lets `tail` follow.
    pub(crate) fn keep(&mut self, n: usize, tail: Tail) {
        self.tail = tail;
        if let Some(body) = self.body() {
            let body = body.slice(..n.min(body.len()));
            self.parts = vec![Part::now(Kind::Body, Content::Raw(body))];
            return;
        }
        self.parts.retain(|p| !p.kind.is_ending());
        if self.raw.is_none() {
            self.fill_up(n);
        }
        let content = self
            .parts
            .iter()
            .enumerate()
            .filter(|(_, p)| p.kind.is_content());
        let cut = content.map(|(i, _)| i).nth(n);
        self.parts.truncate(cut.unwrap_or(self.parts.len()));
    }

    /// Adds tokens until there are n parts of content, at the pace of the last one.
    fn fill_up(&mut self, n: usize) {
        let content = self.parts.iter().filter(|p| p.kind.is_content());
        let wait = content
            .clone()
            .last()
            .map_or(Wait::After(Duration::ZERO), |p| p.wait);
        let voice = voice(self.ask.surface);
        for i in content.count()..n {
            let mut part = Part {
                wait,
                ..Part::now(Kind::Content, voice.text(&self.ask, &shape::token(i)))
            };
            let place = Place {
                event: self.parts.len(),
                contents: i + 1,
            };
            part.stamp(voice, &self.shape, place);
            self.parts.push(part);
        }
    }

    /// Marks the answer with the number of its request, so that a client can name it.
    pub(crate) fn sign(&mut self) {
        let seq = self.ask.seq;
        self.set_header(HeaderName::from_static("x-sim-seq"), seq.into());
        let id = HeaderName::from_static("x-request-id");
        if self.headers.iter().any(|(name, _)| *name == id) {
            return;
        }
        if let Ok(value) = format!("sim-{seq}").parse() {
            self.headers.push((id, value));
        }
    }

    /// Whether HTTP/1.1 may keep the connection when this answer is complete.
    pub(crate) fn keeps(&self, carried: usize) -> bool {
        let says_close = self
            .headers
            .iter()
            .any(|(name, value)| name == "connection" && value == "close");
        self.framing != Framing::UntilClose && !says_close && !self.goes_away(carried)
    }

    /// Whether the connection, having carried this many requests, announces its end.
    pub(crate) fn goes_away(&self, carried: usize) -> bool {
        self.goaway_after.is_some_and(|n| carried >= n)
    }
}
