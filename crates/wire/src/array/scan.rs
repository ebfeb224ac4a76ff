//! Finds the end of an element, one byte after another.
//!
//! Only brackets and quotes are understood. Whether what stands between them is JSON is for whoever reads
//! the element to say; here nothing may be lost and nothing may be looked at twice.

use memchr::memchr2;

/// What must be known of the bytes before.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// Where in the bytes that are held the element began.
    start: Option<usize>,
    /// Brackets that are open in the element.
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// The array has been closed.
    closed: bool,
    /// Its first bracket was seen.
    opened: bool,
}

/// What a byte does.
enum Step {
    /// The element goes on, or has not begun.
    On,
    /// It ends with this byte.
    Ends,
    /// It ended before this byte.
    Ended,
}

impl Scan {
    /// How many of `bytes` belong to the element, if it ends in them; `held` bytes came before.
    pub(super) fn element_end(&mut self, bytes: &[u8], held: usize) -> Option<usize> {
        let mut at = 0;
        loop {
            if self.in_string && !self.escaped {
                at += memchr2(b'"', b'\\', bytes.get(at..)?)?;
            }
            let byte = *bytes.get(at)?;
            match self.step(byte, held + at) {
                Step::On => at += 1,
                Step::Ends => return Some(at + 1),
                Step::Ended => return Some(at),
            }
        }
    }

    fn step(&mut self, byte: u8, place: usize) -> Step {
        if self.in_string {
            return self.in_text(byte);
        }
        if self.start.is_none() {
            return self.between(byte, place);
        }
        match byte {
            b'"' if self.depth > 0 => self.in_string = true,
            b'{' | b'[' if self.depth > 0 => self.depth += 1,
            b'}' | b']' if self.depth > 0 => {
                self.depth -= 1;
                if self.depth == 0 {
                    return Step::Ends;
                }
            }
            b',' | b']' | b'[' | b'{' | b'"' | b' ' | b'\t' | b'\r' | b'\n' if self.depth == 0 => {
                return Step::Ended;
            }
            _ => {}
        }
        Step::On
    }

    fn in_text(&mut self, byte: u8) -> Step {
        match byte {
            _ if self.escaped => self.escaped = false,
            b'\\' => self.escaped = true,
            b'"' => {
                self.in_string = false;
                if self.depth == 0 {
                    return Step::Ends;
                }
            }
            _ => {}
        }
        Step::On
    }

    fn between(&mut self, byte: u8, place: usize) -> Step {
        match byte {
            b'[' if !self.opened => self.opened = true,
            b']' if self.opened => self.closed = true,
            // the last three: a byte order mark
            b',' | b' ' | b'\t' | b'\r' | b'\n' | 0xef | 0xbb | 0xbf => {}
            _ => {
                // one that stands in no array leaves nothing to be opened
                self.opened = true;
                self.start = Some(place);
                self.in_string = byte == b'"';
                self.depth = usize::from(matches!(byte, b'{' | b'['));
            }
        }
        Step::On
    }

    /// Where the element began; the next one has not.
    pub(super) fn take_start(&mut self) -> Option<usize> {
        self.depth = 0;
        self.in_string = false;
        self.escaped = false;
        self.start.take()
    }

    /// Whether the array has been closed.
    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }
}
