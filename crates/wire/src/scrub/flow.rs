//! Secrets taken out of a body that comes in pieces and is passed on as it comes.
//!
//! Whatever the cuts, what comes out is the same: as many bytes are kept back as a secret may still need to be
//! whole. A body that is longer than anybody wants to hold is compared as it is spelled, and as writers of JSON
//! spell what is neither a letter nor a digit; [`body`](super::body) knows every spelling, and is the one for a
//! body that is there as a whole. In UTF-16 and UTF-32 the letters of a secret have zeros between them, whichever
//! byte comes first, and what stands in its place has them too, so that the text behind it stays readable.

use bytes::Bytes;
use memchr::memmem;

use super::{REDACTED, SHORTEST};

/// A body on its way.
#[derive(Debug, Default)]
pub struct Flow {
    kept: Vec<u8>,
    /// So many of the first bytes that are kept belong to what was taken out already.
    taken: usize,
}

impl Flow {
    /// The next bytes; what can be told of them is given.
    pub fn push(&mut self, bytes: &[u8], secrets: &[&str]) -> Bytes {
        self.kept.extend_from_slice(bytes);
        let needles = needles(secrets);
        let longest = needles.iter().map(Needle::longest).max();
        let longest = longest.unwrap_or_default();
        let known = self.kept.len().saturating_sub(longest.saturating_sub(1));
        self.give(known, &needles)
    }

    /// The body has ended: the rest of it.
    pub fn finish(&mut self, secrets: &[&str]) -> Bytes {
        self.give(self.kept.len(), &needles(secrets))
    }

    /// The bytes before `known`, at which every secret that begins before it has come whole.
    fn give(&mut self, known: usize, needles: &[Needle]) -> Bytes {
        let folded = self.kept.to_ascii_lowercase();
        let mut hits: Vec<(usize, usize, usize)> = Vec::new();
        for Needle { bytes, zeros } in needles {
            let found = memmem::find_iter(&folded, bytes);
            hits.extend(found.map(|start| (start, start + bytes.len(), *zeros)));
            if *zeros == 0 {
                hits.extend(escaped(&folded, bytes).map(|(start, end)| (start, end, 0)));
            }
        }
        hits.retain(|(start, ..)| *start < known);
        hits.sort_unstable();
        let (mut out, mut done) = (Vec::with_capacity(known), self.taken);
        for (start, end, zeros) in hits {
            if start >= done {
                out.extend_from_slice(self.kept.get(done..start).unwrap_or_default());
                out.extend_from_slice(&spaced(REDACTED.as_bytes(), zeros));
            }
            done = done.max(end);
        }
        out.extend_from_slice(self.kept.get(done..known).unwrap_or_default());
        self.kept.drain(..known);
        self.taken = done.saturating_sub(known);
        out.into()
    }
}

/// A secret as it is searched for: in lower case, with so many zeros between its bytes.
struct Needle {
    bytes: Vec<u8>,
    zeros: usize,
}

impl Needle {
    /// The bytes that it takes, where it is JSON and all of it is escaped that may be.
    fn longest(&self) -> usize {
        let width = |byte: &u8| if plain(*byte) { 1 } else { 6 };
        match self.zeros {
            0 => self.bytes.iter().map(width).sum(),
            _ => self.bytes.len(),
        }
    }
}

/// What is searched for: each secret in UTF-8, UTF-16 and UTF-32.
fn needles(secrets: &[&str]) -> Vec<Needle> {
    let long = secrets.iter().filter(|secret| secret.len() >= SHORTEST);
    let spelled = |secret: &&str| {
        let bytes = secret.to_ascii_lowercase().into_bytes();
        let wide = if bytes.is_ascii() {
            &[0, 1, 3][..]
        } else {
            &[0]
        };
        let needle = |zeros: &usize| Needle {
            bytes: spaced(&bytes, *zeros),
            zeros: *zeros,
        };
        wide.iter().map(needle).collect::<Vec<_>>()
    };
    long.flat_map(spelled).collect()
}

/// `bytes` with so many zeros between them.
fn spaced(bytes: &[u8], zeros: usize) -> Vec<u8> {
    let between = std::iter::repeat_n(&0, zeros);
    let spread = bytes.iter().flat_map(|byte| between.clone().chain([byte]));
    spread.skip(zeros).copied().collect()
}

/// Whether no writer of JSON escapes `byte`.
fn plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii()
}

/// Where `needle` stands in `text` as JSON may spell it. Writers differ in what they escape, so each byte may
/// be escaped or not, whatever the others are.
fn escaped(text: &[u8], needle: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    let first = needle.first().copied().unwrap_or(b'\\');
    memchr::memchr2_iter(first, b'\\', text).filter_map(move |start| {
        let mut end = start;
        for byte in needle {
            end += width(text.get(end..)?, *byte)?;
        }
        Some((start, end))
    })
}

/// The length of `byte` at the beginning of `text`, if that is where it stands.
fn width(text: &[u8], byte: u8) -> Option<usize> {
    match text {
        [b'\\', b'u', b'0', b'0', high, low, ..]
            if !plain(byte) && (*high, *low) == (digit(byte >> 4), digit(byte & 15)) =>
        {
            Some(6)
        }
        [b'\\', next, ..] if *next == byte && matches!(byte, b'/' | b'"' | b'\\') => Some(2),
        [next, ..] if *next == byte => Some(1),
        _ => None,
    }
}

/// A hexadecimal digit.
fn digit(value: u8) -> u8 {
    if value < 10 {
        b'0' + value
    } else {
        b'a' + (value - 10)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Flow;

    const SECRETS: [&str; 6] = [
        "sk-live/0123",
        "e/0123 abc",
        "host.example",
        "x",
        "a+b/c==",
        r#"q"u\\o<&>'t"#,
    ];

    fn flown(body: &str, cut: usize) -> String {
        let (mut flow, mut out) = (Flow::default(), Vec::new());
        for piece in body.as_bytes().chunks(cut) {
            out.extend_from_slice(&flow.push(piece, &SECRETS));
        }
        out.extend_from_slice(&flow.finish(&SECRETS));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_secret_is_taken_out_wherever_it_is_cut() {
        for cut in 1..60 {
            let body = "x key SK-LIVE/0123 of HOST.example, sk-live\\/0123 abc, sk-live";
            let clean = "x key [redacted] of [redacted], [redacted], sk-live";
            assert_eq!(flown(body, cut), clean, "{cut}");
            // two that overlap are one
            assert_eq!(flown("-sk-live/0123 abc-", cut), "-[redacted]-", "{cut}");
        }
    }

    #[test]
    fn a_secret_is_taken_out_however_json_escapes_it() {
        for spelled in [
            r"a+b/c==",
            r"a+b\/c==",
            r"a\u002Bb/c==",
            r"a\u002bb\/c\u003D\u003d",
            r"a+b\u002fc\u003d\u003d",
            r#"q"u\\o<&>'t"#,
            r#"q\"u\\\\o<&>'t"#,
            r"q\u0022u\\\\o\u003c\u0026\u003E\u0027t",
        ] {
            for cut in 1..60 {
                let body = format!(r#"{{"error":"{spelled} \u00e9"}}"#);
                let clean = r#"{"error":"[redacted] \u00e9"}"#;
                assert_eq!(flown(&body, cut), clean, "{spelled} {cut}");
            }
        }
    }

    /// `text` as the wide encodings spell it: UTF-16 and UTF-32, either byte first.
    fn wide(text: &str) -> [Vec<u8>; 4] {
        [
            text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
            text.chars()
                .flat_map(|c| (c as u32).to_le_bytes())
                .collect(),
            text.chars()
                .flat_map(|c| (c as u32).to_be_bytes())
                .collect(),
        ]
    }

    #[test]
    fn a_secret_is_taken_out_of_wide_text_and_what_is_behind_it_stays_readable() {
        let body = wide("\u{feff}é SK-live/0123, a+b/c== of host.EXAMPLE: e/0123 ab");
        let clean = wide("\u{feff}é [redacted], [redacted] of [redacted]: e/0123 ab");
        for (body, clean) in body.iter().zip(&clean) {
            for cut in 1..90 {
                let (mut flow, mut out) = (Flow::default(), Vec::new());
                for piece in body.chunks(cut) {
                    out.extend_from_slice(&flow.push(piece, &SECRETS));
                }
                out.extend_from_slice(&flow.finish(&SECRETS));
                assert_eq!(&out, clean, "{cut}");
            }
        }
    }

    proptest! {
        #[test]
        fn the_cuts_do_not_matter(body in "[ -~]{0,40}(sk-live/0123|host.example| abc|e/|a\\\\u002bb\\\\/c=\\\\u003d|a\\+b/c==){0,4}[a-z]{0,9}", cut in 1_usize..30) {
            let whole = flown(&body, body.len().max(1));
            prop_assert_eq!(flown(&body, cut), &whole[..]);
            prop_assert!(!whole.contains("host.example"));
            prop_assert!(!whole.contains("a+b/c=="));
            prop_assert!(!whole.contains(r"a\u002bb\/c=\u003d"));
        }
    }
}
