//! What can be told of a very large event from its first and last bytes.
//!
//! Such an event is a picture or a sound in base64, so it is taken for content without being parsed. What
//! stands around that is small: whether it is an error at its beginning, why it finished and what it cost
//! at its end. Inside a string the quotes of a member's name would be escaped, so what looks like a member
//! is one, though not always of the choice that one would think.

use crate::{Usage, dialect::Finish};
use memchr::memmem;
use serde_json::value::RawValue;

/// How far into an event is looked.
const HEAD: usize = 256;
/// How far before its end.
const TAIL: usize = 4096;

/// Whether the first member is an `error` that says something.
pub(super) fn is_error(raw: &[u8]) -> bool {
    let head = raw.get(..HEAD).unwrap_or(raw);
    let value = memmem::find(head, b"data:")
        .and_then(|at| head.get(at + 5..))
        .and_then(|rest| after(rest, b"{"))
        .and_then(|rest| after(rest, b"\"error\""))
        .and_then(|rest| after(rest, b":"))
        .map(<[u8]>::trim_ascii_start);
    let nothing: [&[u8]; 3] = [b"null", b"false", b"\"\""];
    value.is_some_and(|value| !nothing.iter().any(|none| value.starts_with(none)))
}

/// The last finish reason.
pub(super) fn finish(raw: &[u8]) -> Option<Finish> {
    let text = last(raw, b"\"finish_reason\"")?.trim_ascii_start();
    let word = text.strip_prefix(b"\"")?.split(|b| *b == b'"').next()?;
    Finish::of(std::str::from_utf8(word).ok()?)
}

/// The token counts of the last `usage`.
pub(super) fn usage(raw: &[u8]) -> Option<Usage> {
    let object = last(raw, b"\"usage\"")?;
    let mut values = serde_json::Deserializer::from_slice(object).into_iter::<&RawValue>();
    Usage::read(values.next()?.ok()?.get())
}

/// What stands behind the last member of this name.
fn last<'a>(raw: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let tail = raw.get(raw.len().saturating_sub(TAIL)..).unwrap_or(raw);
    let at = memmem::rfind(tail, name)?;
    after(tail.get(at + name.len()..)?, b":")
}

/// The rest behind `expected`, blanks before it left out.
fn after<'a>(rest: &'a [u8], expected: &[u8]) -> Option<&'a [u8]> {
    rest.trim_ascii_start().strip_prefix(expected)
}
