//! The brackets that are open around a place in a text.
//!
//! One bit each: nearly no text is deeper than 64, so nearly none needs memory, and one of 200,000 brackets
//! takes 25 KB.

/// The brackets around a place: for each whether it is an object's.
#[derive(Default)]
pub(super) struct Open {
    bits: u64,
    depth: usize,
    outer: Vec<u64>,
}

impl Open {
    pub(super) fn push(&mut self, is_object: bool) {
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.outer.push(self.bits);
        }
        self.bits = self.bits << 1 | u64::from(is_object);
        self.depth += 1;
    }

    pub(super) fn pop(&mut self) {
        self.bits >>= 1;
        self.depth = self.depth.saturating_sub(1);
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.bits = self.outer.pop().unwrap_or_default();
        }
    }

    pub(super) fn last(&self) -> Option<bool> {
        (self.depth > 0).then_some(self.bits & 1 == 1)
    }
}
