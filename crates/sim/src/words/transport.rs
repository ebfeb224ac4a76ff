//! How the body is coded and framed, whole as it is.
//!
//! These come before the words that break an answer off: what is cut is the coded, framed body, as on a
//! real wire.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use http::HeaderValue;

use super::{Word, word};
use crate::answer::{Answer, Framing};
use crate::script::Form::Flag;

fn gzip(answer: &mut Answer) {
    answer.set_header(
        http::header::CONTENT_ENCODING,
        HeaderValue::from_static("gzip"),
    );
    let Some(body) = answer.body() else {
        answer.gzip = true;
        return;
    };
    let mut coder = GzEncoder::new(Vec::new(), Compression::default());
    // writing to memory does not fail
    let coded = coder
        .write_all(body)
        .and_then(|()| coder.finish())
        .unwrap_or_default();
    answer.replace_body(coded.into());
}

pub(super) const WORDS: &[Word] = &[
    word(
        "gzip",
        Flag,
        "content-encoding gzip: a unary body whole, a stream flushed event by event",
        |a, _| gzip(a),
    ),
    word(
        "chunked",
        Flag,
        "a unary body without content-length",
        |a, _| a.framing = Framing::Chunked,
    ),
    word(
        "until-close",
        Flag,
        "HTTP/1.1 without length or chunks: the body ends with the connection",
        |a, _| {
            a.framing = Framing::UntilClose;
        },
    ),
    word("lf", Flag, "LF line ends in the stream", |a, _| {
        a.line_end = "\n"
    }),
    word("crlf", Flag, "CRLF line ends in the stream", |a, _| {
        a.line_end = "\r\n"
    }),
    word("cr", Flag, "CR line ends in the stream", |a, _| {
        a.line_end = "\r"
    }),
];
