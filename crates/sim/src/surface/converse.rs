//! Bedrock's `Converse` and `ConverseStream`.
//!
//! Events are named by the header of their message and not inside their JSON. Only a tool call opens its
//! block with an event; blocks are reasoning, a tool call and text, each closed before the next begins. The
//! stream ends with `messageStop` and then `metadata`, which alone carries the usage.

use super::{PROMPT_TOKENS, TOOL, TOOL_INPUT, Voice, bedrock, json};
use crate::answer::{Content, Kind, Part, Problem, Shape};
use crate::ask::Ask;

pub(crate) struct Converse;

fn delta(index: usize, delta: &str) -> Content {
    Content::named(
        "contentBlockDelta",
        format!(r#"{{"contentBlockIndex":{index},"delta":{{{delta}}},"p":"abcdefg"}}"#),
    )
}

fn stop(index: usize) -> Content {
    Content::named(
        "contentBlockStop",
        format!(r#"{{"contentBlockIndex":{index},"p":"abc"}}"#),
    )
}

fn text_delta(ask: &Ask, text: &str) -> Content {
    delta(ask.before_text, &format!(r#""text":{}"#, json(text)))
}

fn tool_id(ask: &Ask) -> String {
    format!("tooluse_sim_{}", ask.seq)
}

fn stop_reason(reason: &str) -> &str {
    match reason {
        "stop" => "end_turn",
        "length" => "max_tokens",
        "tool_calls" => "tool_use",
        "content_filter" => "content_filtered",
        other => other,
    }
}

fn usage(tokens: usize) -> String {
    let total = PROMPT_TOKENS + tokens;
    format!(
        r#""usage":{{"inputTokens":{PROMPT_TOKENS},"outputTokens":{tokens},"totalTokens":{total}}},"metrics":{{"latencyMs":1}}"#
    )
}

fn metadata(tokens: usize) -> Content {
    Content::named("metadata", format!(r#"{{{},"p":"abcd"}}"#, usage(tokens)))
}

impl Voice for Converse {
    fn preamble(&self, _: &Ask) -> Vec<Part> {
        let start = r#"{"p":"abcdefgh","role":"assistant"}"#.to_owned();
        vec![Part::now(
            Kind::Preamble,
            Content::named("messageStart", start),
        )]
    }

    fn text(&self, ask: &Ask, text: &str) -> Content {
        text_delta(ask, text)
    }

    fn reasoning(&self, _: &Ask, texts: &[String]) -> Vec<Part> {
        let thought = |text: &String| {
            let said = format!(r#""reasoningContent":{{"text":{}}}"#, json(text));
            Part::now(Kind::Content, delta(0, &said))
        };
        let mut parts: Vec<Part> = texts.iter().map(thought).collect();
        let signature = delta(0, r#""reasoningContent":{"signature":"c2lt"}"#);
        parts.push(Part::now(Kind::Preamble, signature));
        parts.push(Part::now(Kind::Preamble, stop(0)));
        parts
    }

    fn refusal(&self, ask: &Ask, text: &str) -> Content {
        text_delta(ask, text)
    }

    fn tool(&self, ask: &Ask, shape: &Shape) -> Vec<Part> {
        let index = usize::from(shape.reasoning > 0);
        let id = tool_id(ask);
        let open = format!(
            r#"{{"contentBlockIndex":{index},"p":"ab","start":{{"toolUse":{{"name":"{TOOL}","toolUseId":"{id}"}}}}}}"#
        );
        let mut parts = vec![Part::now(
            Kind::Preamble,
            Content::named("contentBlockStart", open),
        )];
        parts.extend(TOOL_INPUT.map(|piece| {
            let said = format!(r#""toolUse":{{"input":{}}}"#, json(piece));
            Part::now(Kind::Tool, delta(index, &said))
        }));
        parts.push(Part::now(Kind::Preamble, stop(index)));
        parts
    }

    fn finish(&self, ask: &Ask, shape: &Shape, reason: &str) -> Vec<Content> {
        let reason = json(stop_reason(reason));
        let end = format!(r#"{{"p":"abcde","stopReason":{reason}}}"#);
        let text = shape.says_text().then(|| stop(ask.before_text));
        let mut events: Vec<Content> = text.into_iter().collect();
        events.push(Content::named("messageStop", end));
        events
    }

    fn usage(&self, _: &Ask, tokens: usize) -> Content {
        metadata(tokens)
    }

    fn done(&self, _: &Ask, shape: &Shape) -> Option<Content> {
        Some(metadata(shape.count()))
    }

    fn whole(&self, ask: &Ask, shape: &Shape) -> String {
        let mut blocks = Vec::new();
        if shape.reasoning > 0 {
            let thought = json(&shape.thought());
            blocks.push(format!(
                r#"{{"reasoningContent":{{"reasoningText":{{"text":{thought},"signature":"c2lt"}}}}}}"#
            ));
        }
        blocks.push(format!(r#"{{"text":{}}}"#, json(&shape.text())));
        if shape.tool {
            let (id, input) = (tool_id(ask), TOOL_INPUT.concat());
            blocks.push(format!(
                r#"{{"toolUse":{{"toolUseId":"{id}","name":"{TOOL}","input":{input}}}}}"#
            ));
        }
        let blocks = blocks.join(",");
        let stop = shape
            .finish()
            .map_or("null".to_owned(), |reason| json(stop_reason(reason)));
        let usage = usage(shape.count());
        format!(
            r#"{{"output":{{"message":{{"role":"assistant","content":[{blocks}]}}}},"stopReason":{stop},{usage}}}"#
        )
    }

    fn problem(&self, problem: &Problem) -> String {
        bedrock::problem(problem)
    }

    fn problem_header(&self, problem: &Problem) -> Option<(&'static str, String)> {
        Some(bedrock::problem_header(problem))
    }

    fn problem_event(&self, problem: &Problem) -> Content {
        bedrock::problem_event(problem)
    }
}
