//! Trace identity of a request, minted here because it must travel upstream before any span ends.
//!
//! W3C trace context (<https://www.w3.org/TR/trace-context/>): 16-byte trace ids, 8-byte span ids, never
//! all zero; the sampled flag of the parent is kept.

use std::fmt;

/// 16 bytes, printed as 32 hex digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TraceId(pub [u8; 16]);

/// 8 bytes, printed as 16 hex digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SpanId(pub [u8; 8]);

macro_rules! hex {
    ($t:ty) => {
        impl fmt::Display for $t {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    std::str::from_utf8(&digits(&self.0)[..2 * self.0.len()]).unwrap_or_default(),
                )
            }
        }
        impl fmt::Debug for $t {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    };
}
hex!(TraceId);
hex!(SpanId);

/// Two hex digits a byte, at most 32.
fn digits(bytes: &[u8]) -> [u8; 32] {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let mut out = [b'0'; 32];
    for (pair, byte) in out.chunks_exact_mut(2).zip(bytes) {
        pair[0] = HEX[usize::from(byte >> 4)];
        pair[1] = HEX[usize::from(byte & 15)];
    }
    out
}

impl TraceId {
    /// A random id.
    #[must_use]
    pub fn mint() -> Self {
        Self(fastrand::u128(1..).to_be_bytes())
    }

    /// Calls `read` with its 32 digits, which are made for it without a formatter.
    pub fn text<T>(&self, read: impl FnOnce(&str) -> T) -> T {
        read(std::str::from_utf8(&digits(&self.0)).unwrap_or_default())
    }
}

impl SpanId {
    /// A random id.
    #[must_use]
    pub fn mint() -> Self {
        Self(fastrand::u64(1..).to_be_bytes())
    }
}

/// Where a request stands in its trace.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The trace, the caller's or a new one.
    pub id: TraceId,
    /// The caller's span, if it sent a valid `traceparent`.
    pub parent: Option<SpanId>,
    /// This request's own span.
    pub span: SpanId,
    /// The caller's sampled flag; true without a caller.
    pub sampled: bool,
    /// The caller's `tracestate`, passed on unchanged.
    pub state: Option<http::HeaderValue>,
}

impl Trace {
    /// A new trace.
    #[must_use]
    pub fn root() -> Self {
        Self {
            id: TraceId::mint(),
            parent: None,
            span: SpanId::mint(),
            sampled: true,
            state: None,
        }
    }

    /// Continues the caller's trace; an unreadable `traceparent` starts a new one.
    #[must_use]
    pub fn from_headers(headers: &http::HeaderMap) -> Self {
        let parent = headers
            .get("traceparent")
            .and_then(|v| v.to_str().ok())
            .and_then(parse);
        let Some((id, span, sampled)) = parent else {
            return Self::root();
        };
        Self {
            id,
            parent: Some(span),
            span: SpanId::mint(),
            sampled,
            state: headers.get("tracestate").filter(|v| is_plain(v)).cloned(),
        }
    }

    /// The `traceparent` that makes `span` the parent of what the receiver does.
    #[must_use]
    pub fn traceparent(&self, span: SpanId) -> String {
        let (id, span) = (digits(&self.id.0), digits(&span.0));
        let text = |digits| std::str::from_utf8(digits).unwrap_or_default();
        let flags = if self.sampled { "-01" } else { "-00" };
        // one goes with every attempt: a formatter takes ten times as long
        ["00-", text(&id), "-", text(&span[..16]), flags].concat()
    }
}

/// Whether a `tracestate` may be passed on and kept: printable and of the length that everybody must be
/// able to take (W3C Trace Context §3.3.1.5).
fn is_plain(state: &http::HeaderValue) -> bool {
    let state = state.as_bytes();
    state.len() <= 512 && state.iter().all(|b| matches!(b, b' '..=b'~'))
}

fn parse(text: &str) -> Option<(TraceId, SpanId, bool)> {
    let b = text.as_bytes();
    let dashes = b.len() >= 55 && [2, 35, 52].iter().all(|&i| b.get(i) == Some(&b'-'));
    let version = b.get(..2)?;
    if !dashes || version == b"ff" || (version == b"00" && b.len() != 55) {
        return None;
    }
    let mut id = [0; 16];
    let mut span = [0; 8];
    let mut flags = [0; 1];
    unhex(b.get(..2)?, &mut flags)?;
    unhex(b.get(3..35)?, &mut id)?;
    unhex(b.get(36..52)?, &mut span)?;
    unhex(b.get(53..55)?, &mut flags)?;
    let valid = id != [0; 16] && span != [0; 8];
    valid.then_some((TraceId(id), SpanId(span), flags[0] & 1 == 1))
}

fn unhex(text: &[u8], into: &mut [u8]) -> Option<()> {
    let digit = |b: u8| match b {
        b'0'..=b'9' => Some(b - b'0'),
        b'a'..=b'f' => Some(b - b'a' + 10),
        _ => None,
    };
    for (slot, pair) in into.iter_mut().zip(text.chunks_exact(2)) {
        *slot = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_callers_trace_goes_on_and_an_unreadable_one_starts_anew() {
        let mut h = http::HeaderMap::new();
        h.insert(
            "traceparent",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"
                .parse()
                .unwrap(),
        );
        let t = Trace::from_headers(&h);
        assert_eq!(t.id.to_string(), "4bf92f3577b34da6a3ce929d0e0e4736");
        assert_eq!(t.parent.unwrap().to_string(), "00f067aa0ba902b7");
        assert!(!t.sampled);
        assert_eq!(t.traceparent(t.span), format!("00-{}-{}-00", t.id, t.span));
        let state = |value: &[u8]| {
            let mut h = h.clone();
            h.insert("tracestate", http::HeaderValue::from_bytes(value).unwrap());
            Trace::from_headers(&h).state.is_some()
        };
        assert!(state(b"a=1, b=2") && state(&[b'x'; 512]));
        assert!(!state(&[b'x'; 513]) && !state("a=\u{e9}".as_bytes()) && !state(b"a=\t1"));
        for bad in [
            "",
            "00-0-0-0",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4BF92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        ] {
            h.insert("traceparent", bad.parse().unwrap());
            assert_eq!(Trace::from_headers(&h).parent, None, "{bad}");
        }
    }
}
