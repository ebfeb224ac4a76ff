//! One pass over an object, member by member.
//!
//! A sink is offered every member and says what to do with its value: take it as it is spelled,
//! go into it with another sink, or skip it. Values of a surprising type are skipped, not
//! refused, except where the text is no JSON at all. Skipping does not recurse, and a sink goes
//! only as deep as it says, so no input can exhaust the stack.

use super::scan::{Fault, Scan};

/// Takes the members of one object as they come.
pub(crate) trait Sink<'a> {
    /// Is offered one member. `key` is bytes because it may hold lone surrogates.
    fn member(&mut self, key: &[u8], value: Value<'_, 'a>) -> Result<(), Fault>;
}

/// The value of the member on offer, to be used once.
pub(crate) struct Value<'m, 'a>(&'m mut Scan<'a>);

impl<'a> Value<'_, 'a> {
    pub(crate) fn skip(self) -> Result<(), Fault> {
        self.0.pass()
    }

    /// As it is spelled.
    pub(crate) fn raw(self) -> Result<&'a str, Fault> {
        self.0.value()
    }

    /// As it is spelled, `null` as absent.
    pub(crate) fn given(self) -> Result<Option<&'a str>, Fault> {
        self.raw().map(|raw| (raw != "null").then_some(raw))
    }

    /// Into an object; false if it is none.
    pub(crate) fn object(self, sink: &mut impl Sink<'a>) -> Result<bool, Fault> {
        inside(self.0, sink)
    }

    /// Into an array: a new sink for each object in it, in order; what was there goes.
    pub(crate) fn objects<S: Sink<'a> + Default>(self, sinks: &mut Vec<S>) -> Result<(), Fault> {
        sinks.clear();
        each(self.0, |scan| {
            let mut sink = S::default();
            if inside(scan, &mut sink)? {
                sinks.push(sink);
            }
            Ok(())
        })
        .map(drop)
    }
}

/// Offers every member of `object` to `sink`.
///
/// # Errors
/// If `object` is not exactly one JSON object.
pub(crate) fn walk<'a>(object: &'a str, sink: &mut impl Sink<'a>) -> Result<(), Fault> {
    let mut scan = Scan::new(object);
    if !inside(&mut scan, sink)? {
        return Err(Fault);
    }
    scan.end()
}

/// Calls `take` with every element of `array` as it is spelled; false if it is not an array.
pub(super) fn elements<'a>(array: &'a str, mut take: impl FnMut(&'a str)) -> bool {
    let mut scan = Scan::new(array);
    each(&mut scan, |scan| scan.value().map(&mut take)) == Ok(true)
}

/// Passes a value, offering the members of an object to `sink`; false if it is none.
fn inside<'a>(scan: &mut Scan<'a>, sink: &mut impl Sink<'a>) -> Result<bool, Fault> {
    if !scan.takes(b'{') {
        return scan.pass().map(|()| false);
    }
    if scan.takes(b'}') {
        return Ok(true);
    }
    loop {
        let key = scan.key()?;
        sink.member(&key, Value(scan))?;
        if !scan.takes(b',') {
            break;
        }
    }
    scan.takes(b'}').then_some(true).ok_or(Fault)
}

/// Passes a value, calling `take` at each element of an array, which it must pass; false if it is none.
fn each<'a>(
    scan: &mut Scan<'a>,
    mut take: impl FnMut(&mut Scan<'a>) -> Result<(), Fault>,
) -> Result<bool, Fault> {
    if !scan.takes(b'[') {
        return scan.pass().map(|()| false);
    }
    if scan.takes(b']') {
        return Ok(true);
    }
    loop {
        take(scan)?;
        if !scan.takes(b',') {
            break;
        }
    }
    scan.takes(b']').then_some(true).ok_or(Fault)
}
