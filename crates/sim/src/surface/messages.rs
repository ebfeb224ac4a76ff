//! `/v1/messages` in Anthropic's form.
//!
//! The text is block 0, opened in the preamble and followed by a ping, as recorded; reasoning and a tool
//! call open blocks of their own behind it, and close them. `message_stop` takes the place of `[DONE]`.

use super::{PROMPT_TOKENS, TOOL, TOOL_INPUT, Voice, json};
use crate::answer::{Content, Kind, Part, Problem, Shape};
use crate::ask::Ask;

pub(crate) struct Messages;

fn message(ask: &Ask, content: &str, stop: &str, tokens: usize) -> String {
    let (seq, model) = (ask.seq, ask.model_json());
    format!(
        r#"{{"id":"msg_sim_{seq}","type":"message","role":"assistant","model":{model},"content":[{content}],"stop_reason":{stop},"stop_sequence":null,"usage":{{"input_tokens":{PROMPT_TOKENS},"output_tokens":{tokens}}}}}"#
    )
}

fn start(index: usize, block: &str) -> Content {
    Content::event(
        "content_block_start",
        &format!(r#","index":{index},"content_block":{{{block}}}"#),
    )
}

fn delta(index: usize, delta: &str) -> Content {
    Content::event(
        "content_block_delta",
        &format!(r#","index":{index},"delta":{{{delta}}}"#),
    )
}

fn stop(index: usize) -> Content {
    Content::event("content_block_stop", &format!(r#","index":{index}"#))
}

fn text_delta(text: &str) -> Content {
    delta(0, &format!(r#""type":"text_delta","text":{}"#, json(text)))
}

/// A block of its own around deltas of content.
fn block(index: usize, open: &str, kind: Kind, deltas: impl Iterator<Item = String>) -> Vec<Part> {
    let mut parts = vec![Part::now(Kind::Preamble, start(index, open))];
    parts.extend(deltas.map(|d| Part::now(kind, delta(index, &d))));
    parts.push(Part::now(Kind::Preamble, stop(index)));
    parts
}

fn stop_reason(reason: &str) -> &str {
    match reason {
        "stop" => "end_turn",
        "length" => "max_tokens",
        "tool_calls" => "tool_use",
        "content_filter" => "refusal",
        other => other,
    }
}

fn tool_block(ask: &Ask, input: &str) -> String {
    format!(
        r#""type":"tool_use","id":"toolu_sim_{}","name":"{TOOL}","input":{input}"#,
        ask.seq
    )
}

impl Voice for Messages {
    fn preamble(&self, ask: &Ask) -> Vec<Part> {
        let message = message(ask, "", "null", 1);
        let events = [
            Content::event("message_start", &format!(r#","message":{message}"#)),
            start(0, r#""type":"text","text":"""#),
            Content::event("ping", ""),
        ];
        events.map(|event| Part::now(Kind::Preamble, event)).into()
    }

    fn text(&self, _: &Ask, text: &str) -> Content {
        text_delta(text)
    }

    fn reasoning(&self, _: &Ask, texts: &[String]) -> Vec<Part> {
        let deltas = texts
            .iter()
            .map(|text| format!(r#""type":"thinking_delta","thinking":{}"#, json(text)));
        let open = r#""type":"thinking","thinking":"","signature":"""#;
        let mut parts = block(1, open, Kind::Content, deltas);
        let signature = delta(1, r#""type":"signature_delta","signature":"c2lt""#);
        let before_stop = parts.len().saturating_sub(1);
        parts.insert(before_stop, Part::now(Kind::Preamble, signature));
        parts
    }

    fn refusal(&self, _: &Ask, text: &str) -> Content {
        text_delta(text)
    }

    fn tool(&self, ask: &Ask, shape: &Shape) -> Vec<Part> {
        let index = if shape.reasoning > 0 { 2 } else { 1 };
        let delta = |piece: &str| {
            format!(
                r#""type":"input_json_delta","partial_json":{}"#,
                json(piece)
            )
        };
        block(
            index,
            &tool_block(ask, "{}"),
            Kind::Tool,
            TOOL_INPUT.into_iter().map(delta),
        )
    }

    fn finish(&self, _: &Ask, shape: &Shape, reason: &str) -> Vec<Content> {
        let (reason, tokens) = (json(stop_reason(reason)), shape.count());
        let said = format!(
            r#","delta":{{"stop_reason":{reason},"stop_sequence":null}},"usage":{{"output_tokens":{tokens}}}"#
        );
        vec![stop(0), Content::event("message_delta", &said)]
    }

    fn usage(&self, _: &Ask, tokens: usize) -> Content {
        Content::event(
            "message_delta",
            &format!(r#","delta":{{}},"usage":{{"output_tokens":{tokens}}}"#),
        )
    }

    fn done(&self, _: &Ask, _: &Shape) -> Option<Content> {
        Some(Content::event("message_stop", ""))
    }

    fn whole(&self, ask: &Ask, shape: &Shape) -> String {
        let mut blocks = Vec::new();
        if shape.reasoning > 0 {
            let thought = json(&shape.thought());
            blocks.push(format!(
                r#"{{"type":"thinking","thinking":{thought},"signature":"c2lt"}}"#
            ));
        }
        blocks.push(format!(
            r#"{{"type":"text","text":{}}}"#,
            json(&shape.text())
        ));
        if shape.tool {
            blocks.push(format!("{{{}}}", tool_block(ask, &TOOL_INPUT.concat())));
        }
        let stop = shape
            .finish()
            .map_or("null".to_owned(), |reason| json(stop_reason(reason)));
        message(ask, &blocks.join(","), &stop, shape.count())
    }

    fn problem(&self, problem: &Problem) -> String {
        let kind = match problem.kind.as_str() {
            "server_error" => "api_error",
            "insufficient_quota" => "billing_error",
            other => other,
        };
        let (kind, message) = (json(kind), json(problem.message));
        format!(r#"{{"type":"error","error":{{"type":{kind},"message":{message}}}}}"#)
    }

    fn problem_event(&self, problem: &Problem) -> Content {
        Content::Event {
            name: Some("error"),
            data: self.problem(problem),
        }
    }
}
