//! Calls that wait until the block before them can be closed.
//!
//! Chat upstreams tell several calls at once and do not say when one is whole; blocks cannot be mixed and
//! nothing can be added to a closed one. So a call is taken for whole when its input is a whole JSON value.
//! Usually that is so when the next begins, and nothing waits; where pieces come mixed, later calls wait
//! for the first one's last piece, or for the end.

use std::collections::VecDeque;

/// Bytes that may wait; beyond, the open call is closed and gets no more.
const WAITING: usize = 1 << 20;

/// A call that has not been told yet.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) index: u32,
    pub(super) id: String,
    pub(super) name: String,
    pub(super) json: String,
    /// Nothing more comes of it.
    pub(super) done: bool,
}

impl Held {
    pub(super) fn new(index: u32, id: &str, name: &str) -> Self {
        Self {
            index,
            id: id.to_owned(),
            name: name.to_owned(),
            json: String::new(),
            done: false,
        }
    }

    fn bytes(&self) -> usize {
        self.id.len() + self.name.len() + self.json.len()
    }
}

/// Those that wait, in their order.
#[derive(Debug, Default)]
pub(super) struct Calls {
    held: VecDeque<Held>,
    bytes: usize,
}

impl Calls {
    pub(super) fn hold(&mut self, call: Held) {
        self.bytes += call.bytes();
        self.held.push_back(call);
    }

    /// Adds input to a call that waits; false if none of that index does.
    pub(super) fn add(&mut self, index: u32, json: &str) -> bool {
        let call = self.held.iter_mut().find(|call| call.index == index);
        let Some(call) = call else { return false };
        call.json.push_str(json);
        self.bytes += json.len();
        true
    }

    pub(super) fn done(&mut self, index: u32) {
        for call in self.held.iter_mut().filter(|call| call.index == index) {
            call.done = true;
        }
    }

    pub(super) fn next(&mut self) -> Option<Held> {
        let call = self.held.pop_front()?;
        self.bytes = self.bytes.saturating_sub(call.bytes());
        Some(call)
    }

    pub(super) fn wait(&self) -> bool {
        !self.held.is_empty()
    }

    pub(super) fn is_full(&self) -> bool {
        self.bytes > WAITING
    }
}

/// Whether the pieces of a JSON object or array read so far are all of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shape {
    depth: usize,
    text: bool,
    escaped: bool,
    whole: bool,
}

impl Shape {
    pub(super) fn read(&mut self, json: &str) {
        for byte in json.bytes() {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' if self.text => self.escaped = true,
                b'"' => self.text = !self.text,
                _ if self.text => {}
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.whole |= self.depth == 0;
                }
                _ => {}
            }
        }
    }

    pub(super) fn is_whole(&self) -> bool {
        self.whole && self.depth == 0
    }
}

#[cfg(test)]
mod tests {
    use super::Shape;

    #[test]
    fn an_object_is_whole_with_its_last_bracket_however_it_is_cut() {
        let json = r#" {"a":{"b":"}\"]{"},"c":[1,"\\"]} "#;
        let last = json.rfind('}').unwrap();
        for cut in 0..json.len() {
            let mut shape = Shape::default();
            shape.read(&json[..cut]);
            assert_eq!(shape.is_whole(), cut > last, "at {cut}");
            shape.read(&json[cut..]);
            assert!(shape.is_whole());
        }
        for cut in ["", "  ", "{", r#"{"a""#, r#"{"}"#, "null"] {
            let mut shape = Shape::default();
            shape.read(cut);
            assert!(!shape.is_whole(), "{cut}");
        }
    }
}
