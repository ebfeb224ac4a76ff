//! Borrowed looks into JSON text: members of an object, elements of an array, leaves.
//!
//! A value is handled as the `&str` that spells it, so that numbers keep their digits, unread
//! parts are only skipped, and positions can be told from pointers. Values are skipped without
//! recursion, so depth is no limit for anything that is not read. A member that is `null` and one
//! that is absent are the same to [`members`]: providers use both.

use std::{borrow::Cow, fmt};

use bytes::{BufMut as _, BytesMut};
use serde::{
    Serialize,
    de::{Deserializer, MapAccess, Visitor},
};
use serde_json::value::RawValue;

mod scan;
mod walk;

pub(crate) use scan::Fault;
pub(crate) use walk::{Sink, Value, walk};

/// The members of an object asked for by name, as they are spelled.
pub(crate) struct Found<'n, 'a, const N: usize> {
    names: &'n [&'n str; N],
    fold: bool,
    pub(crate) values: [Option<&'a str>; N],
    /// A name that came more than once: its place in the list of names, and its last value.
    pub(crate) repeated: Option<(usize, &'a str)>,
}

/// Reads `object` once; names are compared without regard to ASCII case when `fold`.
pub(crate) fn read<'n, 'a, const N: usize>(
    object: &'a str,
    names: &'n [&'n str; N],
    fold: bool,
) -> Result<Found<'n, 'a, N>, Fault> {
    let mut found = Found {
        names,
        fold,
        values: [None; N],
        repeated: None,
    };
    walk(object, &mut found)?;
    Ok(found)
}

impl<'a, const N: usize> Sink<'a> for Found<'_, 'a, N> {
    fn member(&mut self, key: &[u8], value: Value<'_, 'a>) -> Result<(), Fault> {
        let same = |name: &&str| match self.fold {
            false => name.as_bytes() == key,
            true => name.as_bytes().eq_ignore_ascii_case(key),
        };
        let slot = self.names.iter().position(same);
        let Some((slot, place)) = slot.and_then(|at| Some((at, self.values.get_mut(at)?))) else {
            return value.skip();
        };
        let raw = value.raw()?;
        if place.replace(raw).is_some() {
            self.repeated = Some((slot, raw));
        }
        Ok(())
    }
}

/// The members of `object`, last one wins, `null` as absent; `None` if it is not an object.
pub(crate) fn members<'a, const N: usize>(
    object: &'a str,
    names: &[&str; N],
) -> Option<[Option<&'a str>; N]> {
    let found = read(object, names, false).ok()?;
    Some(found.values.map(|value| value.filter(|v| !is_null(v))))
}

/// One member of `object`; `None` if absent, `null`, or if `object` is no object.
pub(crate) fn member<'a>(object: &'a str, name: &str) -> Option<&'a str> {
    let [value] = members(object, &[name])?;
    value
}

/// Every member of `object` in order; `None` if it is not an object.
pub(crate) fn entries(object: &str) -> Option<Vec<(String, &str)>> {
    let mut source = serde_json::Deserializer::from_str(object);
    let entries = source.deserialize_map(Entries).ok()?;
    source.end().ok().map(|()| entries)
}

/// Calls `each` with every element; false if `array` is not an array.
pub(crate) fn elements<'a>(array: &'a str, each: impl FnMut(&'a str)) -> bool {
    walk::elements(array, each)
}

pub(crate) fn is_null(value: &str) -> bool {
    value == "null"
}

pub(crate) fn is_string(value: &str) -> bool {
    value.starts_with('"')
}

pub(crate) fn is_object(value: &str) -> bool {
    value.starts_with('{')
}

pub(crate) fn is_array(value: &str) -> bool {
    value.starts_with('[')
}

/// A string token with at least one character: white space counts.
pub(crate) fn is_text(value: &str) -> bool {
    is_string(value) && value.len() > 2
}

/// The text of a string token; `None` for other values and for lone surrogates.
pub(crate) fn text(value: &str) -> Option<Cow<'_, str>> {
    let inner = value.strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') {
        serde_json::from_str(value).ok().map(Cow::Owned)
    } else {
        Some(Cow::Borrowed(inner))
    }
}

/// A count: a whole number, also when it is spelled `12.0`.
pub(crate) fn count(value: &str) -> Option<u64> {
    value.parse().ok().or_else(|| {
        let number: f64 = value.parse().ok()?;
        // 2^53: beyond it a float no longer tells whole numbers apart
        let whole = (0.0..=9_007_199_254_740_992.0).contains(&number) && number.fract() == 0.0;
        whole.then_some(number as u64)
    })
}

/// Where `part`, a slice of `whole`, begins.
pub(crate) fn offset(whole: &str, part: &str) -> usize {
    part.as_ptr().addr().saturating_sub(whole.as_ptr().addr())
}

/// Writes a value in one line, as an event of a stream must be. What is taken over as it was spelled can have
/// line ends between its tokens; blanks stand there as well.
pub(crate) fn write_line(out: &mut BytesMut, value: &impl Serialize) {
    let start = out.len();
    // memory takes every write, and strings, numbers and JSON values always serialise
    let written = serde_json::to_writer((&mut *out).writer(), value);
    debug_assert!(written.is_ok());
    for byte in out.get_mut(start..).unwrap_or_default() {
        let is_end = matches!(*byte, b'\n' | b'\r');
        *byte = if is_end { b' ' } else { *byte };
    }
}

/// `json` without white space between its tokens; the tokens stay as they are spelled.
pub(crate) fn compact(json: &str) -> String {
    let (mut out, mut inside, mut escaped) = (String::with_capacity(json.len()), false, false);
    for character in json.chars() {
        let blank = !inside && matches!(character, ' ' | '\t' | '\n' | '\r');
        if !blank {
            out.push(character);
        }
        if character == '"' && !escaped {
            inside = !inside;
        }
        escaped = inside && character == '\\' && !escaped;
    }
    out
}

struct Entries;

impl<'de> Visitor<'de> for Entries {
    type Value = Vec<(String, &'de str)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some((key, value)) = map.next_entry::<String, &'de RawValue>()? {
            entries.push((key, value.get()));
        }
        Ok(entries)
    }
}
