//! The state that one answer makes.
//!
//! A stream tells it piece by piece, a whole answer at once, and both are followed up to the same bound: an
//! upstream must not be able to fill what is remembered of all answers with one that never ends. Which pieces
//! were told is kept for as long as the answer lasts, so that handing them on in turns makes room for no more.
//! A later call that carries any of those that were kept finds its maker, so that what is beyond them is not
//! missed.

use super::fingerprint;

/// Pieces of one answer that are kept: many times what any model makes.
const MOST: usize = 256;

/// Fingerprints of what one answer has made, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Made {
    pieces: Vec<u64>,
    /// So many of them were taken.
    taken: usize,
}

impl Made {
    /// Keeps the fingerprint of a piece, unless it is known or there are too many.
    pub fn add(&mut self, state: &str) {
        self.print(fingerprint(state));
    }

    /// The same, by its fingerprint.
    pub(super) fn print(&mut self, print: u64) {
        if self.pieces.len() < MOST && !self.pieces.contains(&print) {
            self.pieces.push(print);
        }
    }

    /// Those that have come since this was asked last.
    pub fn take(&mut self) -> Vec<u64> {
        let new = self.pieces.get(self.taken..).unwrap_or_default().to_vec();
        self.taken = self.pieces.len();
        new
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }
}

impl<'a> FromIterator<&'a str> for Made {
    fn from_iter<T: IntoIterator<Item = &'a str>>(states: T) -> Self {
        let mut made = Self::default();
        states.into_iter().for_each(|state| made.add(state));
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_that_of_the_answer_however_its_pieces_are_taken() {
        let states: Vec<String> = (0..1000).map(|n| format!("piece {n}")).collect();
        let whole = states.iter().map(String::as_str).collect::<Made>().take();
        assert_eq!(whole.len(), MOST);
        let mut made = Made::default();
        let mut taken = Vec::new();
        for state in &states {
            made.add(state);
            taken.extend(made.take());
        }
        assert_eq!(taken, whole);
    }

    #[test]
    fn a_piece_is_told_once() {
        let mut made = Made::default();
        made.add("a");
        assert_eq!(made.take(), [fingerprint("a")]);
        made.add("a");
        made.add("b");
        assert_eq!(made.take(), [fingerprint("b")]);
        assert!(made.take().is_empty());
    }
}
