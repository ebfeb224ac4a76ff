//! The legacy `/v1/completions` in OpenAI's form.
//!
//! No preamble exists here, and there are no tools, reasoning or refusals: what a script asks for beyond
//! text is said as text, so that each word still produces content.

use super::{CREATED, Voice, contents, json, usage_json};
use crate::answer::{Content, Kind, Part, Shape};
use crate::ask::Ask;

pub(crate) struct Completions;

fn frame(ask: &Ask, choices: &str, usage: &str) -> String {
    let (seq, model) = (ask.seq, ask.model_json());
    format!(
        r#"{{"id":"cmpl-sim-{seq}","object":"text_completion","created":{CREATED},"model":{model},"choices":[{choices}]{usage}}}"#
    )
}

fn choice(text: &str, finish: &str) -> String {
    format!(
        r#"{{"index":0,"text":{},"logprobs":null,"finish_reason":{finish}}}"#,
        json(text)
    )
}

fn chunk(ask: &Ask, text: &str, finish: &str) -> Content {
    let usage = if ask.include_usage {
        r#","usage":null"#
    } else {
        ""
    };
    Content::data(frame(ask, &choice(text, finish), usage))
}

impl Voice for Completions {
    fn preamble(&self, _: &Ask) -> Vec<Part> {
        Vec::new()
    }

    fn text(&self, ask: &Ask, text: &str) -> Content {
        chunk(ask, text, "null")
    }

    fn reasoning(&self, ask: &Ask, texts: &[String]) -> Vec<Part> {
        contents(texts.iter().map(|text| chunk(ask, text, "null")))
    }

    fn refusal(&self, ask: &Ask, text: &str) -> Content {
        chunk(ask, text, "null")
    }

    fn tool(&self, ask: &Ask, _: &Shape) -> Vec<Part> {
        vec![Part::now(Kind::Tool, chunk(ask, "lookup(Paris)", "null"))]
    }

    fn finish(&self, ask: &Ask, _: &Shape, reason: &str) -> Vec<Content> {
        vec![chunk(ask, "", &json(reason))]
    }

    fn usage(&self, ask: &Ask, tokens: usize) -> Content {
        Content::data(frame(
            ask,
            "",
            &format!(r#","usage":{}"#, usage_json(tokens)),
        ))
    }

    fn whole(&self, ask: &Ask, shape: &Shape) -> String {
        let finish = shape.finish().map_or("null".to_owned(), json);
        let usage = format!(r#","usage":{}"#, usage_json(shape.count()));
        frame(ask, &choice(&shape.text(), &finish), &usage)
    }
}
