//! The fields that every span has, as `opentelemetry.proto.trace.v1.Span` numbers them.

use super::attributes::Attributes;
use crate::protobuf::{bytes, integer, message, varint_len};
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

/// The fields of one size, with their tags: the two ids; then kind, start, end and flags (field 16, whose tag
/// takes two bytes).
const IDS: [u8; 28] = {
    let mut fields = [0; 28];
    (fields[0], fields[1]) = (1 << 3 | 2, 16);
    (fields[18], fields[19]) = (2 << 3 | 2, 8);
    fields
};
const REST: [u8; 26] = {
    let mut fields = [0; 26];
    fields[0] = 6 << 3;
    fields[2] = 7 << 3 | 1;
    fields[11] = 8 << 3 | 1;
    (fields[20], fields[21]) = (0x85, 0x01);
    fields
};

impl Frame<'_> {
    /// Writes them, and returns what writes its attributes.
    pub(super) fn write<'o>(&self, out: &'o mut Vec<u8>) -> Attributes<'o> {
        let trace = &self.report.trace;
        let mut ids = IDS;
        ids[2..18].copy_from_slice(&trace.id.0);
        ids[20..28].copy_from_slice(&self.id.0);
        out.extend_from_slice(&ids);
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
        let (started, ended) = self.nanos();
        let remote = matches!(self.kind, Kind::Server) && self.parent.is_some();
        let flags = SAMPLED | KNOWN | if remote { REMOTE } else { 0 };
        let mut rest = REST;
        rest[1] = self.kind as u8;
        rest[3..11].copy_from_slice(&started.to_le_bytes());
        rest[12..20].copy_from_slice(&ended.to_le_bytes());
        rest[22..].copy_from_slice(&flags.to_le_bytes());
        out.extend_from_slice(&rest);
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
