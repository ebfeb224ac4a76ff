//! Gemini and Gemini on Vertex: `generateContent`, its stream, token counts and embeddings.
//!
//! Every event is a whole response with one more piece of content, and its usage counts all so far; the
//! last one carries the finish reason, and nothing follows it. With `?alt=sse` lines end in CRLF, without
//! it the events are the elements of one array.

use super::{PROMPT_TOKENS, TOOL, TOOL_INPUT, Voice, contents, json};
use crate::answer::{Content, Kind, Part, Place, Problem, Shape};
use crate::ask::Ask;

pub(crate) struct Gemini;

fn response(ask: &Ask, candidate: &str) -> String {
    let (seq, model) = (ask.seq, ask.model_json());
    format!(
        r#"{{"candidates":[{{{candidate},"index":0}}],"modelVersion":{model},"responseId":"sim-{seq}"}}"#
    )
}

fn content(parts: &str) -> String {
    format!(r#""content":{{"parts":[{parts}],"role":"model"}}"#)
}

fn event(ask: &Ask, part: &str) -> Content {
    Content::data(response(ask, &content(part)))
}

fn text(text: &str) -> String {
    format!(r#"{{"text":{}}}"#, json(text))
}

fn thought(text: &str) -> String {
    format!(r#"{{"text":{},"thought":true}}"#, json(text))
}

fn call(shape: &Shape) -> String {
    let input = TOOL_INPUT.concat();
    let signature = match shape.reasoning {
        0 => "",
        _ => r#","thoughtSignature":"c2lt""#,
    };
    format!(r#"{{"functionCall":{{"name":"{TOOL}","args":{input}}}{signature}}}"#)
}

/// `usageMetadata` behind this many deltas; what is zero is left out, as recorded.
fn usage(thoughts: usize, texts: usize) -> String {
    let total = PROMPT_TOKENS + thoughts + texts;
    let count = |name: &str, n: usize| match n {
        0 => String::new(),
        n => format!(r#","{name}":{n}"#),
    };
    let (texts, thoughts) = (
        count("candidatesTokenCount", texts),
        count("thoughtsTokenCount", thoughts),
    );
    format!(r#"{{"promptTokenCount":{PROMPT_TOKENS}{texts},"totalTokenCount":{total}{thoughts}}}"#)
}

/// Adds a member at the end of an object.
fn add(object: &mut String, member: &str) {
    if object.ends_with('}') {
        object.pop();
        object.push_str(&format!(",{member}}}"));
    }
}

fn finish_reason(reason: &str) -> String {
    match reason {
        "stop" | "tool_calls" => "STOP".to_owned(),
        "length" => "MAX_TOKENS".to_owned(),
        "content_filter" => "SAFETY".to_owned(),
        other => other.to_ascii_uppercase(),
    }
}

/// The name that goes with a status (`google.rpc.Code`).
fn status(code: u16) -> &'static str {
    match code {
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        409 => "ABORTED",
        429 => "RESOURCE_EXHAUSTED",
        499 => "CANCELLED",
        504 => "DEADLINE_EXCEEDED",
        502 | 503 | 529 => "UNAVAILABLE",
        400..=499 => "INVALID_ARGUMENT",
        _ => "INTERNAL",
    }
}

/// The body of `countTokens`.
pub(super) fn count() -> String {
    format!(
        r#"{{"totalTokens":{PROMPT_TOKENS},"promptTokensDetails":[{{"modality":"TEXT","tokenCount":{PROMPT_TOKENS}}}]}}"#
    )
}

/// The body of `embedContent`, or of `batchEmbedContents` with one vector an input.
pub(super) fn embeddings(ask: &Ask) -> String {
    const VECTOR: &str = r#"{"values":[0.25,-0.5,0.125]}"#;
    match ask.route().0.ends_with(":batchEmbedContents") {
        true => format!(
            r#"{{"embeddings":[{}]}}"#,
            vec![VECTOR; ask.inputs].join(",")
        ),
        false => format!(r#"{{"embedding":{VECTOR}}}"#),
    }
}

/// Embeddings as Vertex predicts them: each text counts its own tokens.
pub(super) fn predictions(ask: &Ask) -> String {
    let one = format!(
        r#"{{"embeddings":{{"statistics":{{"truncated":false,"token_count":{PROMPT_TOKENS}}},"values":[0.25,-0.5,0.125]}}}}"#
    );
    format!(r#"{{"predictions":[{}]}}"#, vec![one; ask.inputs].join(","))
}

impl Voice for Gemini {
    fn line_end(&self) -> &'static str {
        "\r\n"
    }

    fn preamble(&self, _: &Ask) -> Vec<Part> {
        Vec::new()
    }

    fn text(&self, ask: &Ask, said: &str) -> Content {
        event(ask, &text(said))
    }

    fn reasoning(&self, ask: &Ask, texts: &[String]) -> Vec<Part> {
        contents(texts.iter().map(|text| event(ask, &thought(text))))
    }

    fn refusal(&self, ask: &Ask, said: &str) -> Content {
        event(ask, &text(said))
    }

    fn tool(&self, ask: &Ask, shape: &Shape) -> Vec<Part> {
        vec![Part::now(Kind::Tool, event(ask, &call(shape)))]
    }

    fn finish(&self, ask: &Ask, _: &Shape, reason: &str) -> Vec<Content> {
        let said = content(&text(""));
        let reason = json(&finish_reason(reason));
        let candidate = format!(r#"{said},"finishReason":{reason}"#);
        vec![Content::data(response(ask, &candidate))]
    }

    fn usage(&self, ask: &Ask, tokens: usize) -> Content {
        let (seq, model, usage) = (ask.seq, ask.model_json(), usage(0, tokens));
        Content::data(format!(
            r#"{{"usageMetadata":{usage},"modelVersion":{model},"responseId":"sim-{seq}"}}"#
        ))
    }

    fn done(&self, _: &Ask, _: &Shape) -> Option<Content> {
        Some(Content::Close)
    }

    fn stamp(&self, data: &mut String, shape: &Shape, place: Place) {
        if !data.starts_with(r#"{"candidates""#) {
            return;
        }
        let thoughts = place.contents.min(shape.reasoning);
        let usage = usage(thoughts, place.contents - thoughts);
        add(data, &format!(r#""usageMetadata":{usage}"#));
    }

    fn whole(&self, ask: &Ask, shape: &Shape) -> String {
        let mut parts = Vec::new();
        parts.extend((shape.reasoning > 0).then(|| thought(&shape.thought())));
        parts.extend(shape.tool.then(|| call(shape)));
        parts.push(text(&shape.text()));
        let said = content(&parts.join(","));
        let finish = shape.finish().map_or(String::new(), |reason| {
            format!(r#","finishReason":{}"#, json(&finish_reason(reason)))
        });
        let mut whole = response(ask, &format!("{said}{finish}"));
        let usage = usage(shape.reasoning, shape.count() - shape.reasoning);
        add(&mut whole, &format!(r#""usageMetadata":{usage}"#));
        whole
    }

    fn problem(&self, problem: &Problem) -> String {
        let (code, message) = (problem.status, json(problem.message));
        let status = status(code);
        format!(r#"{{"error":{{"code":{code},"message":{message},"status":"{status}"}}}}"#)
    }
}
