//! A whole answer of Converse as the messages of ConverseStream.
//!
//! Each block becomes what would have begun it, its content in one piece, and its end
//! (<https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStreamOutput.html>). The input
//! of a call is an object in an answer and a string of JSON in a stream; everything else has the same form.

use bytes::{BufMut, Bytes, BytesMut};

use crate::{Class, Verdict, json};

/// The messages of a stream; `body` was judged before.
///
/// # Errors
/// [`Class::Malformed`] for what is too large for a message: 4 GiB.
pub(super) fn messages(body: &[u8]) -> Result<Bytes, Verdict> {
    const NAMES: [&str; 6] = [
        "output",
        "stopReason",
        "additionalModelResponseFields",
        "usage",
        "metrics",
        "serviceTier",
    ];
    let text = std::str::from_utf8(body).unwrap_or_default();
    let [output, reason, fields, usage, metrics, tier] =
        json::members(text, &NAMES).unwrap_or_default();
    let message = output.and_then(|output| json::member(output, "message"));
    let content = message.and_then(|message| json::member(message, "content"));
    let mut messages = Messages::default();
    messages.tell("messageStart", r#"{"role":"assistant"}"#);
    let mut at = 0_usize;
    json::elements(content.unwrap_or("[]"), |block| {
        messages.block(at, block);
        at = at.saturating_add(1);
    });
    let stop = [
        ("stopReason", reason),
        ("additionalModelResponseFields", fields),
    ];
    messages.tell("messageStop", &object(&stop));
    let counts = [
        ("usage", usage),
        ("metrics", metrics),
        ("serviceTier", tier),
    ];
    messages.tell("metadata", &object(&counts));
    let large = || Verdict::of(Class::Malformed, "the answer is too large for a stream");
    match messages.too_large {
        true => Err(large()),
        false => Ok(messages.out.freeze()),
    }
}

#[derive(Default)]
struct Messages {
    out: BytesMut,
    too_large: bool,
}

impl Messages {
    fn block(&mut self, at: usize, block: &str) {
        const NAMES: [&str; 5] = [
            "text",
            "toolUse",
            "reasoningContent",
            "citationsContent",
            "image",
        ];
        let members = json::members(block, &NAMES).unwrap_or_default();
        let [text, call, thought, cited, picture] = members;
        if let Some(text) = text {
            self.delta(at, "text", text);
        }
        if let Some(call) = call {
            self.call(at, call);
        }
        if let Some(thought) = thought {
            self.thought(at, thought);
        }
        if let Some(cited) = cited {
            self.cited(at, cited);
        }
        if let Some([format, source]) =
            picture.and_then(|p| json::members(p, &["format", "source"]))
        {
            self.start(at, "image", &object(&[("format", format)]));
            self.delta(at, "image", &object(&[("source", source)]));
        }
        let end = format!(r#"{{"contentBlockIndex":{at}}}"#);
        self.tell("contentBlockStop", &end);
    }

    fn call(&mut self, at: usize, call: &str) {
        let members = json::members(call, &["toolUseId", "name", "type", "input"]);
        let [id, name, kind, input] = members.unwrap_or_default();
        let start = object(&[("toolUseId", id), ("name", name), ("type", kind)]);
        self.start(at, "toolUse", &start);
        if let Some(input) = input {
            let input = quoted(&json::compact(input));
            self.delta(at, "toolUse", &object(&[("input", Some(&input))]));
        }
    }

    fn thought(&mut self, at: usize, thought: &str) {
        let members = json::members(thought, &["reasoningText", "redactedContent"]);
        let [reasoning, redacted] = members.unwrap_or_default();
        let words = reasoning.and_then(|words| json::members(words, &["text", "signature"]));
        let [text, signature] = words.unwrap_or_default();
        for (name, value) in [
            ("text", text),
            ("signature", signature),
            ("redactedContent", redacted),
        ] {
            if value.is_some() {
                self.delta(at, "reasoningContent", &object(&[(name, value)]));
            }
        }
    }

    fn cited(&mut self, at: usize, cited: &str) {
        let members = json::members(cited, &["content", "citations"]);
        let [content, citations] = members.unwrap_or_default();
        json::elements(content.unwrap_or("[]"), |piece| {
            if let Some(text) = json::member(piece, "text") {
                self.delta(at, "text", text);
            }
        });
        json::elements(citations.unwrap_or("[]"), |citation| {
            self.delta(at, "citation", citation);
        });
    }

    fn start(&mut self, at: usize, kind: &str, value: &str) {
        let start = format!(r#"{{"contentBlockIndex":{at},"start":{{"{kind}":{value}}}}}"#);
        self.tell("contentBlockStart", &start);
    }

    fn delta(&mut self, at: usize, kind: &str, value: &str) {
        let delta = format!(r#"{{"contentBlockIndex":{at},"delta":{{"{kind}":{value}}}}}"#);
        self.tell("contentBlockDelta", &delta);
    }

    /// Adds a message: lengths, headers and payload, each with its checksum
    /// ([`eventstream`](crate::eventstream)).
    fn tell(&mut self, kind: &str, payload: &str) {
        let mut headers = BytesMut::new();
        for (name, value) in [
            (":message-type", "event"),
            (":event-type", kind),
            (":content-type", "application/json"),
        ] {
            header(name, value, &mut headers);
        }
        let lengths = 12_usize.saturating_add(headers.len());
        let length = lengths.saturating_add(payload.len()).saturating_add(4);
        let lengths = (u32::try_from(length), u32::try_from(headers.len()));
        let (Ok(length), Ok(headed)) = lengths else {
            self.too_large = true;
            return;
        };
        let mut message = BytesMut::new();
        message.put_u32(length);
        message.put_u32(headed);
        message.put_u32(crc32fast::hash(&message));
        message.put_slice(&headers);
        message.put_slice(payload.as_bytes());
        message.put_u32(crc32fast::hash(&message));
        self.out.put_slice(&message);
    }
}

/// A header whose value is a string: type 7. The names and values here are short.
fn header(name: &str, value: &str, out: &mut BytesMut) {
    let lengths = u8::try_from(name.len())
        .ok()
        .zip(u16::try_from(value.len()).ok());
    if let Some((named, valued)) = lengths {
        out.put_u8(named);
        out.put_slice(name.as_bytes());
        out.put_u8(7);
        out.put_u16(valued);
        out.put_slice(value.as_bytes());
    }
}

/// An object of the members that are there, as they were spelled.
fn object(members: &[(&str, Option<&str>)]) -> String {
    let there = |(name, value): &(&str, Option<&str>)| {
        let value = value.as_ref()?;
        Some(format!("{}:{value}", quoted(name)))
    };
    let members: Vec<_> = members.iter().filter_map(there).collect();
    format!("{{{}}}", members.join(","))
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
