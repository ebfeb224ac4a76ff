//! Mutations of text that holds JSON values: bodies, events, lines.
//!
//! The text need not be JSON as a whole. Every value in it that is one (a string, a number, a word, whatever
//! stands between two brackets that belong together) can be replaced by another value of the text or by one
//! that is known to be awkward, or be taken out; every line can be repeated, moved or taken out.

use std::ops::Range;

/// Values that codecs meet and may not expect.
const AWKWARD: &[&str] = &[
    "null",
    "true",
    "false",
    "0",
    "1",
    "-1",
    "2",
    "4294967296",
    "18446744073709551616",
    "0.5",
    "1e400",
    "\"\"",
    "\" \"",
    "\"a\"",
    "\"0\"",
    "\"\\ud83d\"",
    "\"\\u0000\"",
    "\"{\"",
    "\"\\\"\\n\"",
    "[]",
    "{}",
    "[null]",
    "[[]]",
    "[{}]",
    "{\"a\":null}",
    "{\"type\":\"text\",\"text\":\"\"}",
    "\"text\"",
    "\"stop\"",
    "\"length\"",
    "\"tool_calls\"",
    "\"tool_use\"",
    "\"data:image/png;base64,AA==\"",
    "\"https://example.com/a\"",
    "\"tool\"",
    "\"assistant\"",
    "\"user\"",
    "\"system\"",
];

/// xorshift: the fuzzer gives the seed, so a run can be had again.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n.max(1)
    }
}

/// Changes the first `size` bytes of `data`, to at most `most`; gives the new size.
pub fn mutate(data: &mut [u8], size: usize, most: usize, seed: u32) -> usize {
    let mut dice = Dice(u64::from(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    if dice.below(2) == 0 {
        return libfuzzer_sys::fuzzer_mutate(data, size, most);
    }
    let mut text = data[..size].to_vec();
    for _ in 0..=dice.below(3) {
        match dice.below(5) {
            0 => line(&mut text, &mut dice),
            _ => value(&mut text, &mut dice),
        }
    }
    text.truncate(most);
    data[..text.len()].copy_from_slice(&text);
    text.len()
}

fn value(text: &mut Vec<u8>, dice: &mut Dice) {
    let spans = values(text);
    if spans.is_empty() {
        return;
    }
    let at = spans[dice.below(spans.len())].clone();
    let new = match dice.below(4) {
        0 => Vec::new(),
        1 => text[spans[dice.below(spans.len())].clone()].to_vec(),
        _ => AWKWARD[dice.below(AWKWARD.len())].as_bytes().to_vec(),
    };
    // what is taken out takes a comma along, and perhaps its name
    let at = if new.is_empty() { member(text, at) } else { at };
    text.splice(at, new);
}

/// The value, the name before it and one comma.
fn member(text: &[u8], at: Range<usize>) -> Range<usize> {
    let mut start = at.start;
    if text[..start].ends_with(b"\":") {
        let name = text[..start - 2].iter().rposition(|b| *b == b'"');
        start = name.unwrap_or(start);
    }
    match (text[..start].last(), text.get(at.end)) {
        (_, Some(b',')) => start..at.end + 1,
        (Some(b','), _) => start - 1..at.end,
        _ => start..at.end,
    }
}

/// Where values stand, the ones inside others too.
fn values(text: &[u8]) -> Vec<Range<usize>> {
    let (mut found, mut open, mut i) = (Vec::new(), Vec::new(), 0);
    while i < text.len() {
        let start = i;
        i += 1;
        match text[start] {
            b'"' => {
                while i < text.len() && text[i] != b'"' && text[i] != b'\n' {
                    i += 1 + usize::from(text[i] == b'\\');
                }
                i = (i + 1).min(text.len());
                if text.get(i) != Some(&b':') {
                    found.push(start..i);
                }
            }
            b'{' | b'[' => open.push(start),
            b'}' | b']' => found.extend(open.pop().map(|open| open..i)),
            b'0'..=b'9' | b'-' | b'a'..=b'z' => {
                let goes_on = |b: &u8| b.is_ascii_alphanumeric() || b"+-._".contains(b);
                while text.get(i).is_some_and(goes_on) {
                    i += 1;
                }
                // words outside of JSON are names of fields
                if !open.is_empty() {
                    found.push(start..i);
                }
            }
            _ => {}
        }
    }
    found
}

fn line(text: &mut Vec<u8>, dice: &mut Dice) {
    let mut lines: Vec<Vec<u8>> = text
        .split_inclusive(|b| *b == b'\n')
        .map(Vec::from)
        .collect();
    if lines.len() < 2 {
        return;
    }
    // a line and the blank one behind it move together, or an event would rarely stay whole
    let from = dice.below(lines.len());
    let to =
        (from + 1 + usize::from(lines.get(from + 1).is_some_and(|l| l.len() < 3))).min(lines.len());
    let taken: Vec<Vec<u8>> = match dice.below(3) {
        0 => lines[from..to].to_vec(),
        _ => lines.drain(from..to).collect(),
    };
    if dice.below(3) != 0 {
        let at = dice.below(lines.len() + 1);
        lines.splice(at..at, taken);
    }
    *text = lines.concat();
}
