//! A reading of server-sent events that is the test's own: slow, plain, and no part of the product.

use serde_json::Value;

/// One event, or a block of comments: its bytes up to and with the blank line.
#[derive(Clone, Debug)]
pub struct Block {
    pub bytes: Vec<u8>,
    /// Its blank line is there.
    pub complete: bool,
    fields: Vec<(String, String)>,
}

impl Block {
    pub fn is_comment(&self) -> bool {
        self.fields.is_empty()
    }

    /// Line ends and nothing else.
    pub fn is_blank(&self) -> bool {
        self.bytes.iter().all(|b| b"\r\n".contains(b))
    }

    pub fn is_done(&self) -> bool {
        self.data() == "[DONE]"
    }

    pub fn name(&self) -> Option<&str> {
        self.values("event").last()
    }

    pub fn data(&self) -> String {
        let lines: Vec<&str> = self.values("data").collect();
        lines.join("\n")
    }

    fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        self.fields
            .iter()
            .filter(move |(n, _)| n == name)
            .map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.data()).unwrap_or_default()
    }

    pub fn is_error(&self) -> bool {
        let said = self.json().get("error").is_some_and(|e| !e.is_null());
        said || self.values("event").any(|name| name == "error")
            || self.values("error").next().is_some()
    }

    /// A delta that a person or a program is waiting for.
    pub fn has_content(&self) -> bool {
        let json = self.json();
        let choices = json.get("choices").and_then(Value::as_array);
        choices.into_iter().flatten().any(|choice| {
            let delta = choice.get("delta").unwrap_or(&Value::Null);
            let texts = ["content", "refusal", "reasoning", "reasoning_content"]
                .map(|name| delta.get(name));
            let calls = delta.get("tool_calls").and_then(Value::as_array);
            let arguments = calls
                .into_iter()
                .flatten()
                .map(|call| call.pointer("/function/arguments"));
            let others =
                ["/function_call/arguments", "/audio/data"].map(|path| delta.pointer(path));
            let all = texts
                .into_iter()
                .chain(arguments)
                .chain(others)
                .chain([choice.get("text")]);
            all.flatten().any(is_full)
        })
    }
}

fn is_full(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.is_empty(),
        Value::Array(parts) => !parts.is_empty(),
        _ => false,
    }
}

/// The blocks of a body, which together are the body. Blank lines in front belong to what follows them.
pub fn blocks(body: &[u8]) -> Vec<Block> {
    let mut out = Vec::new();
    let mut block = Block {
        bytes: Vec::new(),
        complete: false,
        fields: Vec::new(),
    };
    let (mut rest, mut said) = (body, false);
    while !rest.is_empty() {
        let (line, end) = line(rest);
        block.bytes.extend_from_slice(&rest[..end]);
        let line = String::from_utf8_lossy(line).into_owned();
        let line = if rest.len() == body.len() {
            line.trim_start_matches('\u{feff}').to_owned()
        } else {
            line
        };
        rest = &rest[end..];
        if !line.is_empty() {
            said = true;
            if !line.starts_with(':') {
                let (name, value) = line.split_once(':').unwrap_or((&line, ""));
                let value = value.strip_prefix(' ').unwrap_or(value);
                block.fields.push((name.to_owned(), value.to_owned()));
            }
        } else if said {
            block.complete = true;
            out.push(std::mem::replace(
                &mut block,
                Block {
                    bytes: Vec::new(),
                    complete: false,
                    fields: Vec::new(),
                },
            ));
            said = false;
        }
    }
    if !block.bytes.is_empty() {
        out.push(block);
    }
    out
}

/// The first line without its ending, and where the next one begins.
fn line(bytes: &[u8]) -> (&[u8], usize) {
    let Some(at) = bytes.iter().position(|b| matches!(b, b'\n' | b'\r')) else {
        return (bytes, bytes.len());
    };
    let crlf = bytes[at..].starts_with(b"\r\n");
    (&bytes[..at], at + if crlf { 2 } else { 1 })
}
