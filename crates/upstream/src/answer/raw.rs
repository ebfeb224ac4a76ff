//! What is passed through: bytes as they come, and at their end the end.
//!
//! An error is passed through like an answer, because the caller's client speaks the provider's own API and
//! raises what the provider says. Only secrets are taken out of it: of a body that has come whole by what its
//! JSON means, of a longer one as it goes by, for nobody holds it.
//!
//! One thing is looked for in an answer: the id of a file, a container or another thing that was created, since
//! a later question can name it and only its maker has it.

use super::Reader;
use bytes::{Bytes, BytesMut};
use http::Method;
use punctual_core::{Call, End, Kind, Piece};
use punctual_wire::{scrub, state};

/// What is created under these names can be named in a question.
const NAMED: [&str; 4] = ["files", "containers", "vector_stores", "conversations"];
/// No description of what was created is longer.
const DESCRIPTION: usize = 64 * 1024;

/// A body on its way.
#[derive(Default)]
pub(super) struct Raw {
    /// What came and was not given yet.
    waiting: Bytes,
    /// An error's, while it comes.
    flow: Option<scrub::Flow>,
    /// The description of what was created, while it comes.
    created: Option<BytesMut>,
}

impl Raw {
    /// The answer to `call`.
    pub(super) fn answer(call: &Call) -> Self {
        let path = call.path.as_deref().unwrap_or_default();
        let path = path.split('?').next().unwrap_or_default();
        let last = path.rsplit('/').next().unwrap_or_default();
        // the last part of an upload makes a file of it
        let completes = last == "complete" && path.starts_with("/uploads/");
        let creates = call.method == Method::POST && (completes || NAMED.contains(&last));
        Self {
            created: creates.then(BytesMut::new),
            ..Self::default()
        }
    }

    /// An error with what has come of its body, which may be the `whole`.
    pub(super) fn error(begun: &Bytes, whole: bool, reader: &Reader) -> Self {
        let mut raw = Self {
            waiting: Bytes::new(),
            flow: (!whole).then(scrub::Flow::default),
            created: None,
        };
        match whole {
            true => raw.waiting = reader.with_secrets(|secrets| clean(begun, secrets)),
            false => raw.push(begun.clone(), reader),
        }
        raw
    }

    /// More of the body.
    pub(super) fn push(&mut self, bytes: Bytes, reader: &Reader) {
        if let Some(created) = &mut self.created {
            created.extend_from_slice(&bytes);
            if created.len() > DESCRIPTION {
                self.created = None;
            }
        }
        self.waiting = match &mut self.flow {
            None => bytes,
            Some(flow) => reader.with_secrets(|secrets| flow.push(&bytes, secrets)),
        };
    }

    /// The body has ended.
    pub(super) fn finish(&mut self, reader: &Reader) {
        if let Some(created) = self.created.take() {
            let made = state::named(&created).into_iter();
            made.for_each(|id| reader.made_state(id));
        }
        if let Some(flow) = &mut self.flow {
            self.waiting = reader.with_secrets(|secrets| flow.finish(secrets));
        }
    }

    /// What is there, if there is anything.
    pub(super) fn take(&mut self) -> Option<Piece> {
        let bytes = std::mem::take(&mut self.waiting);
        (!bytes.is_empty()).then_some(Piece {
            bytes,
            kind: Kind::Content { text: true },
            end: None,
        })
    }

    /// Behind all of it.
    pub(super) fn end() -> Piece {
        Piece {
            bytes: Bytes::new(),
            kind: Kind::Event,
            end: Some(End::Other),
        }
    }
}

/// A whole body without `secrets`. One that is no UTF-8 is still the provider's: it is compared byte by byte, and
/// so is one with zeros in it, as UTF-16 has them.
fn clean(body: &Bytes, secrets: &[&str]) -> Bytes {
    if std::str::from_utf8(body).is_ok() && !body.contains(&0) {
        return scrub::body(body, secrets);
    }
    let mut flow = scrub::Flow::default();
    let begun = flow.push(body, secrets);
    [begun, flow.finish(secrets)].concat().into()
}

#[cfg(test)]
mod tests {
    use super::{Bytes, clean};

    #[test]
    fn a_whole_error_that_is_no_utf_8_is_passed_on_as_it_was_sent() {
        let secrets = ["key-of-target"];
        let sent = Bytes::from_static(b"refus\xe9: no such file");
        assert_eq!(clean(&sent, &secrets), sent);
        let told = Bytes::from_static(b"refus\xe9: KEY-of-target");
        assert_eq!(&clean(&told, &secrets)[..], b"refus\xe9: [redacted]");
    }

    #[test]
    fn a_whole_error_in_utf_16_is_searched_too() {
        let wide =
            |text: &str| -> Bytes { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
        let told = wide(r#"{"error":"no KEY-of-target here"}"#);
        let clean = clean(&told, &["key-of-target"]);
        assert_eq!(clean, wide(r#"{"error":"no [redacted] here"}"#));
    }
}
