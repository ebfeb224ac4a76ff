//! A whole answer.

use super::{citation, exception, words};
use crate::{
    Class, Verdict, json,
    middle::{Answer, Choice, Json, Lost, Part, Source, ToolCall},
};

pub(super) fn read(body: &[u8]) -> Result<Answer, Verdict> {
    let malformed = |message| Verdict::of(Class::Malformed, message);
    let text = std::str::from_utf8(body).map_err(|_| malformed("the answer is not UTF-8"))?;
    const NAMES: [&str; 7] = [
        "output",
        "stopReason",
        "usage",
        "metrics",
        "serviceTier",
        "additionalModelResponseFields",
        "error",
    ];
    let members = json::members(text, &NAMES);
    let [output, reason, usage, metrics, tier, fields, error] =
        members.ok_or_else(|| malformed("the answer is not a JSON object"))?;
    if error.is_some() {
        return Err(Verdict::in_band(body));
    }
    if let Some(verdict) = exception::of_answer(text) {
        return Err(verdict);
    }
    let message = output.and_then(|output| json::member(output, "message"));
    let content = message.and_then(|message| json::member(message, "content"));
    let content = content.filter(|content| json::is_array(content));
    let content = content.ok_or_else(|| malformed("the answer has no output.message.content"))?;
    let mut lost = Lost::default();
    let mut parts = Vec::new();
    json::elements(content, |block| parts.extend(part(block, &mut lost)));
    let finish = match reason.and_then(json::text) {
        Some(reason) => words::finish(&reason)?,
        None => None,
    };
    let tier = tier.and_then(|tier| json::member(tier, "type"));
    Ok(Answer {
        choices: vec![Choice {
            parts,
            finish,
            stop_sequence: words::stop_sequence(fields),
            ..Choice::default()
        }],
        usage: usage.and_then(words::usage),
        durations: metrics.and_then(words::durations).unwrap_or_default(),
        service_tier: tier.and_then(json::text).map(Into::into),
        lost,
        ..Answer::default()
    })
}

fn part(block: &str, lost: &mut Lost) -> Option<Part> {
    const NAMES: [&str; 5] = [
        "text",
        "toolUse",
        "reasoningContent",
        "citationsContent",
        "image",
    ];
    let [text, call, thought, cited, picture] = json::members(block, &NAMES)?;
    if let Some(text) = text {
        return json::text(text).map(Part::text);
    }
    let kind = || json::entries(block)?.into_iter().next();
    let part = call
        .and_then(tool_call)
        .or_else(|| thought.and_then(self::thought))
        .or_else(|| cited.and_then(self::cited))
        .or_else(|| picture.and_then(self::picture));
    if part.is_none()
        && let Some((kind, _)) = kind()
    {
        lost.content(format!("content[].{kind}"));
    }
    part
}

/// A call of the caller's tool; one that the service runs itself has a type.
fn tool_call(call: &str) -> Option<Part> {
    let [id, name, input, kind] = json::members(call, &["toolUseId", "name", "input", "type"])?;
    if kind.is_some() {
        return None;
    }
    Some(Part::ToolCall(ToolCall {
        id: json::text(id?)?.into(),
        name: json::text(name?)?.into(),
        input: input.map(json::compact).unwrap_or_default(),
        signature: None,
    }))
}

fn thought(thought: &str) -> Option<Part> {
    let [reasoning, redacted] = json::members(thought, &["reasoningText", "redactedContent"])?;
    let word = |value: Option<&str>| value.and_then(json::text).map(String::from);
    let [text, signature] = match reasoning {
        Some(reasoning) => json::members(reasoning, &["text", "signature"])?,
        None => [None, None],
    };
    Some(Part::Reasoning {
        text: word(text).unwrap_or_default(),
        signature: word(signature),
        opaque: word(redacted),
        id: None,
    })
}

/// Text with the places it comes from.
fn cited(cited: &str) -> Option<Part> {
    let [content, citations] = json::members(cited, &["content", "citations"])?;
    let mut text = String::new();
    json::elements(content?, |piece| {
        text.extend(json::member(piece, "text").and_then(json::text));
    });
    let mut all = Vec::new();
    json::elements(citations.unwrap_or("[]"), |one| {
        all.extend(citation::read(one))
    });
    Some(Part::Text {
        text,
        citations: (!all.is_empty()).then(|| Json::of(&all)),
        cache: None,
    })
}

fn picture(picture: &str) -> Option<Part> {
    let [format, source] = json::members(picture, &["format", "source"])?;
    let data = json::text(json::member(source?, "bytes")?)?;
    Some(Part::Image {
        source: Source::Inline {
            media_type: format!("image/{}", json::text(format?)?),
            data: data.into(),
        },
        detail: None,
        cache: None,
    })
}
