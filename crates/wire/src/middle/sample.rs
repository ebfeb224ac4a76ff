//! Questions in short, and what dialects make of them: for the tests of all dialects.

use super::{
    Decode, Delta, Json, Lost, Message, Options, Part, Request, Role, Seen, Source, ToolCall,
    ToolResult, UpstreamCodec,
};
use crate::frame::Frame;

pub(crate) fn json(text: &str) -> Json {
    Json::parse(text).unwrap()
}

/// A question with these messages and nothing else.
pub(crate) fn question(messages: Vec<Message>) -> Request {
    Request {
        messages,
        ..Request::default()
    }
}

pub(crate) fn message(role: Role, parts: Vec<Part>) -> Message {
    Message {
        role,
        parts,
        name: None,
    }
}

pub(crate) fn call(id: &str, name: &str, input: &str) -> Part {
    Part::ToolCall(ToolCall {
        id: id.into(),
        name: name.into(),
        input: input.into(),
        signature: None,
    })
}

pub(crate) fn result(id: &str, parts: Vec<Part>) -> Part {
    Part::ToolResult(ToolResult {
        id: id.into(),
        name: None,
        parts,
        is_error: false,
        cache: None,
    })
}

pub(crate) fn picture(source: Source) -> Part {
    Part::Image {
        source,
        detail: None,
        cache: None,
    }
}

/// Something here, of which only the type matters.
pub(crate) fn inline(media_type: &str) -> Source {
    Source::Inline {
        media_type: media_type.into(),
        data: "aGk=".into(),
    }
}

/// The question as a dialect writes it, which must be JSON, and the names of what was lost.
pub(crate) fn written(
    codec: &UpstreamCodec,
    request: &Request,
    options: &Options<'_>,
) -> (String, Vec<String>) {
    let mut lost = Lost::default();
    let bytes = (codec.request)(request, options, &mut lost);
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    serde_json::from_str::<serde_json::Value>(&text).unwrap();
    (text, lost.names().map(str::to_owned).collect())
}

/// Every step of a stream, and what a frame was where it was neither data nor a comment, one a line.
pub(crate) fn told(mut decode: Box<dyn Decode>, frames: &[Frame]) -> Vec<String> {
    let mut lines = Vec::new();
    for frame in frames {
        let seen = decode.decode(frame, &mut |delta| {
            if let Delta::Text { text, .. }
            | Delta::Reasoning { text, .. }
            | Delta::ToolInput { json: text, .. } = &delta
            {
                assert!(!text.is_empty());
            }
            lines.push(format!("{delta:?}"));
        });
        if !matches!(seen, Seen::Data | Seen::Comment) {
            lines.push(format!("{seen:?}"));
        }
    }
    lines
}

/// Of these lines only the steps that begin so.
pub(crate) fn only<'a>(lines: &'a [String], kinds: &[&str]) -> Vec<&'a str> {
    let wanted = |line: &&String| kinds.iter().any(|kind| line.starts_with(kind));
    lines.iter().filter(wanted).map(String::as_str).collect()
}

/// The texts of one kind of step, joined.
pub(crate) fn joined(lines: &[String], kind: &str, member: &str) -> String {
    let start = format!("{member}: ");
    let texts = lines.iter().filter(|line| line.starts_with(kind));
    let texts = texts.filter_map(|line| {
        let (_, rest) = line.split_once(&start)?;
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<String>();
        values.next()?.ok()
    });
    texts.collect()
}

/// A fixture of this crate, by its path below `tests/fixtures`.
pub(crate) fn fixture(path: &str) -> Vec<u8> {
    std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/").to_owned() + path)
        .unwrap()
}

/// A recording of a real stream, which is read in place where it is; says so where it is not.
pub(crate) fn recording(name: &str) -> Option<Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/captures/");
    let bytes = std::fs::read(folder.to_owned() + name).ok();
    if bytes.is_none() {
        println!("{name} is not there: not read");
    }
    bytes
}
