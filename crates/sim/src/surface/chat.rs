//! `/v1/chat/completions` in OpenAI's form.
//!
//! Forms as recorded from the service: a role-only first chunk with empty content, one chunk per token, a
//! finish chunk with an empty delta, then usage with `choices: []` if asked for; `usage: null` on every
//! other chunk of such a stream.

use super::{CREATED, TOOL, TOOL_INPUT, Voice, contents, json, usage_json};
use crate::answer::{Content, Kind, Part, Shape};
use crate::ask::Ask;

pub(crate) struct Chat;

fn frame(ask: &Ask, choices: &str, usage: &str) -> Content {
    let (seq, model) = (ask.seq, ask.model_json());
    Content::data(format!(
        r#"{{"id":"chatcmpl-sim-{seq}","object":"chat.completion.chunk","created":{CREATED},"model":{model},"choices":[{choices}]{usage}}}"#
    ))
}

fn chunk(ask: &Ask, delta: &str, finish: &str) -> Content {
    let usage = if ask.include_usage {
        r#","usage":null"#
    } else {
        ""
    };
    frame(
        ask,
        &format!(r#"{{"index":0,"delta":{delta},"logprobs":null,"finish_reason":{finish}}}"#),
        usage,
    )
}

fn call_id(ask: &Ask) -> String {
    format!("call_sim_{}", ask.seq)
}

impl Voice for Chat {
    fn preamble(&self, ask: &Ask) -> Vec<Part> {
        vec![Part::now(
            Kind::Preamble,
            chunk(ask, r#"{"role":"assistant","content":""}"#, "null"),
        )]
    }

    fn text(&self, ask: &Ask, text: &str) -> Content {
        chunk(ask, &format!(r#"{{"content":{}}}"#, json(text)), "null")
    }

    fn reasoning(&self, ask: &Ask, texts: &[String]) -> Vec<Part> {
        let delta = |text: &String| format!(r#"{{"reasoning_content":{}}}"#, json(text));
        contents(texts.iter().map(|text| chunk(ask, &delta(text), "null")))
    }

    fn refusal(&self, ask: &Ask, text: &str) -> Content {
        chunk(ask, &format!(r#"{{"refusal":{}}}"#, json(text)), "null")
    }

    fn tool(&self, ask: &Ask, _: &Shape) -> Vec<Part> {
        let id = call_id(ask);
        let head = format!(
            r#"{{"tool_calls":[{{"index":0,"id":"{id}","type":"function","function":{{"name":"{TOOL}","arguments":""}}}}]}}"#
        );
        let mut parts = vec![Part::now(Kind::Preamble, chunk(ask, &head, "null"))];
        for piece in TOOL_INPUT {
            let delta = format!(
                r#"{{"tool_calls":[{{"index":0,"function":{{"arguments":{}}}}}]}}"#,
                json(piece)
            );
            parts.push(Part::now(Kind::Tool, chunk(ask, &delta, "null")));
        }
        parts
    }

    fn finish(&self, ask: &Ask, _: &Shape, reason: &str) -> Vec<Content> {
        vec![chunk(ask, "{}", &json(reason))]
    }

    fn usage(&self, ask: &Ask, tokens: usize) -> Content {
        frame(ask, "", &format!(r#","usage":{}"#, usage_json(tokens)))
    }

    fn whole(&self, ask: &Ask, shape: &Shape) -> String {
        let (seq, model, usage) = (ask.seq, ask.model_json(), usage_json(shape.count()));
        let text = if shape.tool {
            "null".to_owned()
        } else {
            json(&shape.text())
        };
        let refusal = if shape.refusal {
            json("I cannot help with that.")
        } else {
            "null".to_owned()
        };
        let mut message = format!(r#""role":"assistant","content":{text},"refusal":{refusal}"#);
        if shape.reasoning > 0 {
            message.push_str(&format!(
                r#","reasoning_content":{}"#,
                json(&shape.thought())
            ));
        }
        if shape.tool {
            let (id, input) = (call_id(ask), json(&TOOL_INPUT.concat()));
            message.push_str(&format!(
                r#","tool_calls":[{{"id":"{id}","type":"function","function":{{"name":"{TOOL}","arguments":{input}}}}}]"#
            ));
        }
        let finish = shape.finish().map_or("null".to_owned(), json);
        format!(
            r#"{{"id":"chatcmpl-sim-{seq}","object":"chat.completion","created":{CREATED},"model":{model},"choices":[{{"index":0,"message":{{{message}}},"logprobs":null,"finish_reason":{finish}}}],"usage":{usage}}}"#
        )
    }
}
