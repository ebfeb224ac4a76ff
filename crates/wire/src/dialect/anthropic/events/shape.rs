//! Where the input of a call ends.
//!
//! Its pieces are passed on as they come, and nobody says which is the last one. All that must be known is
//! when the brackets are closed; whether it is JSON otherwise is for whoever reads it.

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
