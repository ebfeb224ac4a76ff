//! What is wrong with a body, said without quoting it.
//!
//! A parser's own message can hold a piece of the prompt or a key, and error messages end up in
//! logs; so the words here are ours, and of the body only a place is told.

use std::{error, fmt};

use serde::de::IgnoredAny;

use crate::json;

/// Why a body is refused with 400 `invalid_request_error`. Holds nothing of the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadBody {
    /// Names the fault and how to mend it; for the caller.
    pub message: String,
    /// Line of the fault, from 1; 0 when it is nowhere in particular.
    pub line: usize,
    /// Column of the fault in bytes, from 1; 0 at the end of a line or nowhere in particular.
    pub column: usize,
    /// The member at fault.
    pub param: Option<&'static str>,
}

impl fmt::Display for BadBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl error::Error for BadBody {}

/// The body as text that begins like an object.
pub(crate) fn object(body: &[u8]) -> Result<&str, BadBody> {
    let plain = |message: &str, (line, column)| BadBody {
        message: message.to_owned(),
        line,
        column,
        param: None,
    };
    let text = std::str::from_utf8(body).map_err(|e| {
        let valid = body
            .get(..e.valid_up_to())
            .and_then(|v| std::str::from_utf8(v).ok());
        let place = valid.map_or((0, 0), |v| position(v, v.len()));
        plain("the body is not valid UTF-8; send JSON in UTF-8", place)
    })?;
    if text.starts_with('\u{feff}') {
        return Err(plain(
            "the body begins with a byte order mark; send JSON without one",
            (1, 1),
        ));
    }
    match text.trim_start_matches([' ', '\t', '\n', '\r']) {
        "" => Err(plain("the body is empty; send a JSON object", (0, 0))),
        rest if rest.starts_with('{') => Ok(text),
        rest => {
            let place = position(text, json::offset(text, rest));
            Err(plain("the body is not a JSON object; send one", place))
        }
    }
}

/// Why `text` is no JSON, which it must not be. It is read a second time, for the place.
pub(crate) fn syntax(text: &str) -> BadBody {
    let fault = serde_json::from_str::<IgnoredAny>(text).err();
    let (line, column) = fault.as_ref().map_or((0, 0), |f| (f.line(), f.column()));
    let what = match fault {
        Some(fault) if fault.is_eof() => "ends too early",
        _ => "is not valid JSON",
    };
    let message = format!("the body {what} (line {line}, column {column})");
    BadBody {
        message,
        line,
        column,
        param: None,
    }
}

pub(crate) fn fault(text: &str, value: &str, param: &'static str, what: &str) -> BadBody {
    let (line, column) = position(text, json::offset(text, value));
    let message = format!("`{param}` {what} (line {line}, column {column})");
    BadBody {
        message,
        line,
        column,
        param: Some(param),
    }
}

/// Line and column, in bytes and from 1, of the byte at `offset`.
fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = text.as_bytes().get(..offset).unwrap_or_default();
    let lines = memchr::memchr_iter(b'\n', before).count();
    let column = memchr::memrchr(b'\n', before).map_or(offset, |at| offset - at - 1);
    (lines + 1, column + 1)
}

pub(crate) fn missing(param: &'static str) -> BadBody {
    let message = format!("`{param}` is missing; it is required");
    BadBody {
        message,
        line: 0,
        column: 0,
        param: Some(param),
    }
}
