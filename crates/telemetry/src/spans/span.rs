//! The fields that every span has, as `opentelemetry.proto.trace.v1.Span` numbers them.

use super::attributes::Attributes;
use crate::protobuf::{bytes, fixed32, fixed64, integer, message, varint_len};
use punctual_core::{Report, SpanId};
use std::time::{Duration, UNIX_EPOCH};
use tokio::time::Instant;

/// `SpanKind`.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Internal = 1,
    Server = 2,
    Client = 3,
}

/// What all spans have.
pub(super) struct Frame<'a> {
    pub(super) report: &'a Report,
    pub(super) id: SpanId,
    pub(super) parent: Option<SpanId>,
    /// The two halves of its name: `request.` and `chat`.
    pub(super) name: (&'static str, &'static str),
    pub(super) kind: Kind,
    pub(super) started: Instant,
    pub(super) ended: Instant,
}

/// Sampled; the parent's remoteness is known (bit 8); it is remote (bit 9).
const SAMPLED: u32 = 1;
const KNOWN: u32 = 1 << 8;
const REMOTE: u32 = 1 << 9;
/// `StatusCode.STATUS_CODE_ERROR`.
const ERROR: u64 = 2;

impl Frame<'_> {
    /// Writes them, and returns what writes its attributes.
    pub(super) fn write<'o>(&self, out: &'o mut Vec<u8>) -> Attributes<'o> {
        let trace = &self.report.trace;
        bytes(out, 1, &trace.id.0);
        bytes(out, 2, &self.id.0);
        if let Some(state) = &trace.state {
            bytes(out, 3, state.as_bytes());
        }
        if let Some(parent) = self.parent {
            bytes(out, 4, &parent.0);
        }
        let (first, last) = self.name;
        message(out, 5, (first.len() + last.len()) as u64);
        out.extend_from_slice(first.as_bytes());
        out.extend_from_slice(last.as_bytes());
        integer(out, 6, self.kind as u64);
        let (started, ended) = self.nanos();
        fixed64(out, 7, started);
        fixed64(out, 8, ended);
        let remote = matches!(self.kind, Kind::Server) && self.parent.is_some();
        fixed32(out, 16, SAMPLED | KNOWN | if remote { REMOTE } else { 0 });
        Attributes { out }
    }

    /// Start and end in nanoseconds since 1970.
    fn nanos(&self) -> (u64, u64) {
        let report = self.report;
        let since = report.started_at.duration_since(UNIX_EPOCH);
        let base = since.unwrap_or(Duration::ZERO).as_nanos();
        let of = |at: Instant| {
            let later = at.saturating_duration_since(report.started).as_nanos();
            u64::try_from(base + later).unwrap_or(u64::MAX)
        };
        (of(self.started), of(self.ended))
    }
}

/// Marks the span as failed, with what may be said about it.
pub(super) fn failed(out: &mut Vec<u8>, said: &str) {
    let text = if said.is_empty() {
        0
    } else {
        1 + varint_len(said.len() as u64) + said.len() as u64
    };
    message(out, 15, text + 2);
    if !said.is_empty() {
        bytes(out, 2, said.as_bytes());
    }
    integer(out, 3, ERROR);
}
