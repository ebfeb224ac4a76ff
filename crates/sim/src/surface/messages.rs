//! `/v1/messages` in Anthropic's form.
//!
//! Text alone is block 0, opened in the preamble and followed by a ping, as recorded; reasoning and a tool
//! call are blocks of their own before it, each closed before the next is opened. `message_stop` takes the
//! place of `[DONE]`.

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

fn text_delta(ask: &Ask, text: &str) -> Content {
    let said = format!(r#""type":"text_delta","text":{}"#, json(text));
    delta(ask.before_text, &said)
}

/// Opens the block of text.
fn open_text(ask: &Ask) -> Part {
    let block = start(ask.before_text, r#""type":"text","text":"""#);
    Part::now(Kind::Preamble, block)
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
        let begun = Content::event("message_start", &format!(r#","message":{message}"#));
        let mut parts = vec![Part::now(Kind::Preamble, begun)];
        parts.extend((ask.before_text == 0).then(|| open_text(ask)));
        parts.push(Part::now(Kind::Preamble, Content::event("ping", "")));
        parts
    }

    fn opening(&self, ask: &Ask) -> Vec<Part> {
        let late = (ask.before_text > 0).then(|| open_text(ask));
        late.into_iter().collect()
    }

    fn text(&self, ask: &Ask, text: &str) -> Content {
        text_delta(ask, text)
    }

    fn reasoning(&self, _: &Ask, texts: &[String]) -> Vec<Part> {
        let deltas = texts
            .iter()
            .map(|text| format!(r#""type":"thinking_delta","thinking":{}"#, json(text)));
        let open = r#""type":"thinking","thinking":"","signature":"""#;
        let mut parts = block(0, open, Kind::Content, deltas);
        let signature = delta(0, r#""type":"signature_delta","signature":"c2lt""#);
        let before_stop = parts.len().saturating_sub(1);
        parts.insert(before_stop, Part::now(Kind::Preamble, signature));
        parts
    }

    fn refusal(&self, ask: &Ask, text: &str) -> Content {
        text_delta(ask, text)
    }

    fn tool(&self, ask: &Ask, shape: &Shape) -> Vec<Part> {
        let index = usize::from(shape.reasoning > 0);
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

    fn finish(&self, ask: &Ask, shape: &Shape, reason: &str) -> Vec<Content> {
        let (reason, tokens) = (json(stop_reason(reason)), shape.count());
        let said = format!(
            r#","delta":{{"stop_reason":{reason},"stop_sequence":null}},"usage":{{"output_tokens":{tokens}}}"#
        );
        let opened = ask.before_text == 0 || shape.says_text();
        let mut events: Vec<Content> = opened.then(|| stop(ask.before_text)).into_iter().collect();
        events.push(Content::event("message_delta", &said));
        events
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
