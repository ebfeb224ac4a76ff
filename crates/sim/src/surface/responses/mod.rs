//! `/v1/responses` in OpenAI's form.
//!
//! A message alone is output item 0, opened in the preamble; reasoning and a tool call are items before it.
//! The stream ends with `response.completed`, or `response.incomplete` where the finish is not `stop`;
//! there is no `[DONE]`. Events are numbered last, because a script decides which of them there are. A
//! response that was made can be asked for again, cancelled and deleted.

mod items;

use super::{TOOL_INPUT, Voice, json};
use crate::answer::{Content, Kind, Part, Place, Problem, Shape};
use crate::ask::Ask;
use items::{call, message, response, summary, text_part, thinking, usage};

pub(crate) struct Responses;

/// The members by which the message's text events name their place.
fn place(ask: &Ask) -> String {
    let (seq, index) = (ask.seq, ask.before_text);
    format!(r#","item_id":"msg_sim_{seq}","output_index":{index},"content_index":0"#)
}

fn added(index: usize, item: &str) -> Part {
    Part::now(
        Kind::Preamble,
        Content::event(
            "response.output_item.added",
            &format!(r#","output_index":{index},"item":{item}"#),
        ),
    )
}

fn item_done(index: usize, item: &str) -> Content {
    Content::event(
        "response.output_item.done",
        &format!(r#","output_index":{index},"item":{item}"#),
    )
}

/// Whether there is a message.
fn speaks(ask: &Ask, shape: &Shape) -> bool {
    ask.before_text == 0 || shape.says_text()
}

/// Opens the message and its text.
fn open_text(ask: &Ask) -> [Part; 2] {
    let part = format!(r#"{},"part":{}"#, place(ask), text_part(""));
    [
        added(ask.before_text, &message(ask, "in_progress", "")),
        Part::now(
            Kind::Preamble,
            Content::event("response.content_part.added", &part),
        ),
    ]
}

/// Everything the response has put out.
fn output(ask: &Ask, shape: &Shape) -> String {
    let mut items = Vec::new();
    items.extend((shape.reasoning > 0).then(|| thinking(ask, &shape.thought())));
    items.extend(
        shape
            .tool
            .then(|| call(ask, "completed", &TOOL_INPUT.concat())),
    );
    if speaks(ask, shape) {
        items.push(message(ask, "completed", &text_part(&shape.text())));
    }
    items.join(",")
}

/// The complete response, and whether it is one.
fn complete(ask: &Ask, shape: &Shape) -> (String, bool) {
    let reason = match shape.finish() {
        None | Some("stop" | "tool_calls") => None,
        Some("length") => Some("max_output_tokens"),
        Some(other) => Some(other),
    };
    let (status, incomplete) = match reason {
        None => (ask.status, "null".to_owned()),
        Some(reason) => ("incomplete", format!(r#"{{"reason":{}}}"#, json(reason))),
    };
    (
        response(
            ask,
            status,
            &incomplete,
            &output(ask, shape),
            &usage(shape.count()),
        ),
        reason.is_none(),
    )
}

/// What `GET`, `DELETE` and `cancel` say of a response made before.
pub(super) fn stored(ask: &Ask, shape: &Shape) -> String {
    match ask.method.as_str() {
        "DELETE" => {
            let id = json(&ask.id);
            format!(r#"{{"id":{id},"object":"response","deleted":true}}"#)
        }
        _ => complete(ask, shape).0,
    }
}

impl Voice for Responses {
    fn preamble(&self, ask: &Ask) -> Vec<Part> {
        let begun = format!(
            r#","response":{}"#,
            response(ask, "in_progress", "null", "", "null")
        );
        let events = ["response.created", "response.in_progress"];
        let begin = |name| Part::now(Kind::Preamble, Content::event(name, &begun));
        let mut parts: Vec<Part> = events.map(begin).into();
        if ask.before_text == 0 {
            parts.extend(open_text(ask));
        }
        parts
    }

    fn opening(&self, ask: &Ask) -> Vec<Part> {
        match ask.before_text {
            0 => Vec::new(),
            _ => open_text(ask).into(),
        }
    }

    fn text(&self, ask: &Ask, text: &str) -> Content {
        let said = format!(r#"{},"delta":{},"logprobs":[]"#, place(ask), json(text));
        Content::event("response.output_text.delta", &said)
    }

    fn reasoning(&self, ask: &Ask, texts: &[String]) -> Vec<Part> {
        let place = format!(
            r#","item_id":"rs_sim_{}","output_index":0,"summary_index":0"#,
            ask.seq
        );
        let part = |name, text: &str| {
            let said = format!(r#"{place},"part":{}"#, summary(text));
            Part::now(Kind::Preamble, Content::event(name, &said))
        };
        let mut parts = vec![
            added(0, &thinking(ask, "")),
            part("response.reasoning_summary_part.added", ""),
        ];
        parts.extend(texts.iter().map(|text| {
            let said = format!(r#"{place},"delta":{}"#, json(text));
            Part::now(
                Kind::Content,
                Content::event("response.reasoning_summary_text.delta", &said),
            )
        }));
        let whole = texts.concat();
        let said = format!(r#"{place},"text":{}"#, json(&whole));
        let done = Content::event("response.reasoning_summary_text.done", &said);
        parts.push(Part::now(Kind::Preamble, done));
        parts.push(part("response.reasoning_summary_part.done", &whole));
        parts.push(Part::now(
            Kind::Preamble,
            item_done(0, &thinking(ask, &whole)),
        ));
        parts
    }

    fn refusal(&self, ask: &Ask, text: &str) -> Content {
        Content::event(
            "response.refusal.delta",
            &format!(r#"{},"delta":{}"#, place(ask), json(text)),
        )
    }

    fn tool(&self, ask: &Ask, shape: &Shape) -> Vec<Part> {
        let index = usize::from(shape.reasoning > 0);
        let place = format!(r#","item_id":"fc_sim_{}","output_index":{index}"#, ask.seq);
        let mut parts = vec![added(index, &call(ask, "in_progress", ""))];
        parts.extend(TOOL_INPUT.map(|piece| {
            let said = format!(r#"{place},"delta":{}"#, json(piece));
            Part::now(
                Kind::Tool,
                Content::event("response.function_call_arguments.delta", &said),
            )
        }));
        let whole = TOOL_INPUT.concat();
        let said = format!(r#"{place},"arguments":{}"#, json(&whole));
        let done = Content::event("response.function_call_arguments.done", &said);
        parts.push(Part::now(Kind::Preamble, done));
        parts.push(Part::now(
            Kind::Preamble,
            item_done(index, &call(ask, "completed", &whole)),
        ));
        parts
    }

    fn finish(&self, ask: &Ask, shape: &Shape, _: &str) -> Vec<Content> {
        if !speaks(ask, shape) {
            return Vec::new();
        }
        let (place, text) = (place(ask), shape.text());
        let part = text_part(&text);
        vec![
            Content::event(
                "response.output_text.done",
                &format!(r#"{place},"text":{},"logprobs":[]"#, json(&text)),
            ),
            Content::event(
                "response.content_part.done",
                &format!(r#"{place},"part":{part}"#),
            ),
            item_done(ask.before_text, &message(ask, "completed", &part)),
        ]
    }

    fn usage(&self, ask: &Ask, tokens: usize) -> Content {
        let running = response(ask, "in_progress", "null", "", &usage(tokens));
        Content::event("response.in_progress", &format!(r#","response":{running}"#))
    }

    fn done(&self, ask: &Ask, shape: &Shape) -> Option<Content> {
        let (response, complete) = complete(ask, shape);
        let name = if complete {
            "response.completed"
        } else {
            "response.incomplete"
        };
        let said = format!(r#","response":{response}"#);
        Some(Content::event(name, &said))
    }

    fn stamp(&self, data: &mut String, _: &Shape, place: Place) {
        data.truncate(data.len().saturating_sub(1));
        data.push_str(&format!(r#","sequence_number":{}}}"#, place.event));
    }

    fn whole(&self, ask: &Ask, shape: &Shape) -> String {
        complete(ask, shape).0
    }

    fn problem_event(&self, problem: &Problem) -> Content {
        let (code, message) = (json(&problem.code), json(problem.message));
        Content::event(
            "error",
            &format!(r#","code":{code},"message":{message},"param":null"#),
        )
    }
}
