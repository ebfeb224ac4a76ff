//! Secrets taken out of a body that comes in pieces and is passed on as it comes.
//!
//! Whatever the cuts, what comes out is the same: as many bytes are kept back as a secret may still need to be
//! whole. A body that is longer than anybody wants to hold is compared as it is spelled, apart from the `\/` of
//! JSON; [`body`](super::body) knows every spelling, and is the one for a body that is there as a whole.

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
        let longest = needles.iter().map(Vec::len).max().unwrap_or_default();
        let known = self.kept.len().saturating_sub(longest.saturating_sub(1));
        self.give(known, &needles)
    }

    /// The body has ended: the rest of it.
    pub fn finish(&mut self, secrets: &[&str]) -> Bytes {
        self.give(self.kept.len(), &needles(secrets))
    }

    /// The bytes before `known`, at which every secret that begins before it has come whole.
    fn give(&mut self, known: usize, needles: &[Vec<u8>]) -> Bytes {
        let folded = self.kept.to_ascii_lowercase();
        let mut hits: Vec<(usize, usize)> = Vec::new();
        for needle in needles {
            let found = memmem::find_iter(&folded, needle);
            hits.extend(found.map(|start| (start, start + needle.len())));
        }
        hits.retain(|(start, _)| *start < known);
        hits.sort_unstable();
        let (mut out, mut done) = (Vec::with_capacity(known), self.taken);
        for (start, end) in hits {
            if start >= done {
                out.extend_from_slice(self.kept.get(done..start).unwrap_or_default());
                out.extend_from_slice(REDACTED.as_bytes());
            }
            done = done.max(end);
        }
        out.extend_from_slice(self.kept.get(done..known).unwrap_or_default());
        self.kept.drain(..known);
        self.taken = done.saturating_sub(known);
        out.into()
    }
}

/// What is searched for: each secret in lower case, and as JSON may spell it.
fn needles(secrets: &[&str]) -> Vec<Vec<u8>> {
    let long = secrets.iter().filter(|secret| secret.len() >= SHORTEST);
    let mut all: Vec<Vec<u8>> = Vec::new();
    for secret in long {
        let secret = secret.to_ascii_lowercase();
        if secret.contains('/') {
            all.push(secret.replace('/', "\\/").into_bytes());
        }
        all.push(secret.into_bytes());
    }
    all
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Flow;

    const SECRETS: [&str; 4] = ["sk-live/0123", "e/0123 abc", "host.example", "x"];

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

    proptest! {
        #[test]
        fn the_cuts_do_not_matter(body in "[ -~]{0,40}(sk-live/0123|host.example| abc|e/){0,4}[a-z]{0,9}", cut in 1_usize..30) {
            let whole = flown(&body, body.len().max(1));
            prop_assert_eq!(flown(&body, cut), &whole[..]);
            prop_assert!(!whole.contains("host.example"));
        }
    }
}
