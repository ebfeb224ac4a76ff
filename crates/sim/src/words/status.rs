//! Status, head and body in place of the normal ones.
//!
//! A later row wins over an earlier one: `status=502,html` is an HTML page under 502.

use super::{Word, word};
use crate::answer::{Answer, Content, Framing, Kind, Part};
use crate::script::Form::{self, File, Flag, Status, Text, Value};
use crate::script::{Arg, Cuts, Raw};

const HTML: &str = "<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head>\
    <body><center><h1>502 Bad Gateway</h1></center><hr><center>nginx</center></body></html>\r\n";

fn serve(answer: &mut Answer, raw: &Raw, cuts: &Cuts) {
    let piece = |bytes| Part::now(Kind::Content, Content::Raw(bytes));
    answer.parts = cuts.pieces(&raw.body).into_iter().map(piece).collect();
}

pub(super) const WORDS: &[Word] = &[
    word(
        "raw",
        File,
        "the bytes of a file as they are; its ending tells the content type",
        |a, v| {
            let Arg::Raw(raw) = v else { return };
            a.status = raw.status;
            a.headers = raw.headers.clone();
            a.framing = Framing::Chunked;
            serve(a, raw, &raw.cuts);
            a.raw = Some(raw.clone());
        },
    ),
    word(
        "cuts",
        Form::Cuts,
        "where the raw bytes are cut into writes, each a token for N",
        |a, v| {
            if let (Arg::Cuts(cuts), Some(raw)) = (v, a.raw.clone()) {
                serve(a, &raw, cuts);
            }
        },
    ),
    word(
        "status",
        Status,
        "this status with an error body; with raw=, only the status",
        |a, v| {
            let status = u16::try_from(v.count()).unwrap_or(500);
            match a.raw.is_some() || status < 300 {
                true => a.status = status,
                false => a.refuse(status),
            }
        },
    ),
    word("html", Flag, "an HTML page as the body", |a, _| {
        a.set_body("text/html", HTML)
    }),
    word("body", Text, "this text as the body", |a, v| {
        a.set_body("application/json", v.text().to_owned())
    }),
    word("empty", Flag, "an empty body", |a, _| {
        a.set_body("application/json", "")
    }),
    word(
        "malformed-json",
        Flag,
        "a body that breaks off inside its JSON, well framed",
        |a, _| {
            a.set_body(
                "application/json",
                r#"{"id":"chatcmpl-sim","choices":[{"index":0,"mess"#,
            );
        },
    ),
    word(
        "sse-as-json",
        Flag,
        "the stream under content-type application/json",
        |a, _| a.set_type("application/json"),
    ),
    word("content-type", Value, "this content type", |a, v| {
        set(a, http::header::CONTENT_TYPE, v)
    }),
    word(
        "retry-after",
        Value,
        "Retry-After, as it is: seconds, a date, nonsense",
        |a, v| {
            set(a, http::header::RETRY_AFTER, v);
        },
    ),
    word(
        "retry-after-ms",
        Value,
        "retry-after-ms, as it is",
        |a, v| {
            set(a, http::HeaderName::from_static("retry-after-ms"), v);
        },
    ),
    word(
        "header",
        Form::Header,
        "one more header line; may be repeated",
        |a, v| {
            if let Arg::Header(name, value) = v {
                a.headers.push((name.clone(), value.clone()));
            }
        },
    )
    .repeated(),
];

fn set(answer: &mut Answer, name: http::HeaderName, arg: &Arg) {
    if let Arg::Value(value) = arg {
        answer.set_header(name, value.clone());
    }
}
