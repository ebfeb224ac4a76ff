//! How answers and connections end too early.
//!
//! FIN here is a bare TCP FIN, without TLS `close_notify`. On HTTP/2 it and RST end the whole connection;
//! what ends one stream alone is said so, and
//! `idle=stale-…` means at once there.

use http::HeaderValue;

use super::{Word, word};
use crate::answer::{Accept, Answer, Content, Framing, Idle, Kind, Opening, Part, Tail};
use crate::script::Form::{Choice, Count, Flag};
use crate::socket::Cut;

const PLACES: &[&str] = &["request", "accept", "headers"];

fn cut_at(answer: &mut Answer, place: &str, cut: Cut) {
    match place {
        "accept" => answer.accept = Some(Accept::Cut(cut)),
        "headers" => {
            answer.parts.clear();
            answer.tail = Tail::Cut(cut);
        }
        _ => answer.opening = Opening::Cut(cut),
    }
}

/// Half of a unary body, or all of a stream's content.
fn truncate(answer: &mut Answer) {
    match answer.body().map(|body| body.slice(..body.len() / 2)) {
        Some(half) => answer.parts = vec![Part::now(Kind::Body, Content::Raw(half))],
        None => answer.parts.retain(|p| !p.kind.is_ending()),
    }
    answer.tail = Tail::Cut(Cut::Truncate);
}

pub(super) const WORDS: &[Word] = &[
    word(
        "fin",
        Choice(PLACES, true),
        "FIN: behind the request, at accept, behind the head",
        |a, v| {
            cut_at(a, v.text(), Cut::Fin);
        },
    ),
    word(
        "rst",
        Choice(PLACES, true),
        "RST: behind the request, at accept, behind the head",
        |a, v| {
            cut_at(a, v.text(), Cut::Rst);
        },
    ),
    word("fin-after", Count(None), "FIN behind N tokens", |a, v| {
        a.keep(v.count(), Tail::Cut(Cut::Fin))
    }),
    word("rst-after", Count(None), "RST behind N tokens", |a, v| {
        a.keep(v.count(), Tail::Cut(Cut::Rst))
    }),
    word(
        "reset-after",
        Count(None),
        "HTTP/2 RST_STREAM behind N tokens (HTTP/1.1: RST)",
        |a, v| {
            a.keep(v.count(), Tail::Cut(Cut::Reset));
        },
    ),
    word(
        "refused-stream",
        Flag,
        "HTTP/2 RST_STREAM(REFUSED_STREAM) before the head (HTTP/1.1: RST)",
        |a, _| {
            a.opening = Opening::Cut(Cut::Refuse);
        },
    ),
    word(
        "truncated",
        Flag,
        "all tokens but no end: no finish, no last event, no terminating chunk",
        |a, _| truncate(a),
    ),
    word(
        "no-terminator",
        Flag,
        "the whole answer, only the terminating chunk is missing",
        |a, _| {
            if let Framing::Length(_) = a.framing {
                a.framing = Framing::Chunked;
            }
            a.tail = Tail::Cut(Cut::Truncate);
        },
    ),
    word(
        "close",
        Flag,
        "`connection: close`, and so it is",
        |a, _| {
            a.set_header(http::header::CONNECTION, HeaderValue::from_static("close"));
        },
    ),
    word(
        "idle",
        Choice(&["fin", "rst", "stale-fin", "stale-rst"], false),
        "ends the kept connection unannounced: at once, or when the next request comes on it",
        |a, v| {
            a.idle = match v.text() {
                "fin" => Idle::Cut(Cut::Truncate),
                "rst" => Idle::Cut(Cut::Rst),
                "stale-fin" => Idle::Stale(Cut::Truncate),
                _ => Idle::Stale(Cut::Rst),
            };
        },
    ),
    word(
        "goaway-after",
        Count(None),
        "HTTP/2 GOAWAY at the connection's Nth request (HTTP/1.1: close)",
        |a, v| {
            a.goaway_after = Some(v.count());
        },
    ),
];
