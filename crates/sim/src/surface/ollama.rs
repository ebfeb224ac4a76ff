//! Ollama's own API: `/api/chat`, `/api/generate`, `/api/embed`, `/api/tags`.
//!
//! A stream is one JSON object a line, and is what comes unless `stream: false` is said; its last line has
//! `done: true`, the counts, and durations in nanoseconds. There is no other end, and no finish event
//! before it. An error inside a stream is a line of its own.

use super::{CREATED_AT, PROMPT_TOKENS, TOOL, TOOL_INPUT, Voice, contents, json};
use crate::answer::{Content, Kind, Part, Problem, Shape};
use crate::ask::Ask;

pub(crate) struct Chat;
pub(crate) struct Generate;

fn line(ask: &Ask, said: &str, end: &str) -> String {
    let model = ask.model_json();
    format!(r#"{{"model":{model},"created_at":"{CREATED_AT}",{said},{end}}}"#)
}

const MORE: &str = r#""done":false"#;

fn end(shape: &Shape) -> String {
    let tokens = shape.count();
    let reason = shape.finish().map_or(String::new(), |reason| {
        let reason = if reason == "tool_calls" {
            "stop"
        } else {
            reason
        };
        format!(r#""done_reason":{},"#, json(reason))
    });
    format!(
        r#"{reason}"done":true,"total_duration":3000000,"load_duration":1000000,"prompt_eval_count":{PROMPT_TOKENS},"prompt_eval_duration":1000000,"eval_count":{tokens},"eval_duration":1000000"#
    )
}

fn problem(problem: &Problem) -> String {
    format!(r#"{{"error":{}}}"#, json(problem.message))
}

fn message(content: &str, more: &str) -> String {
    let content = json(content);
    format!(r#""message":{{"role":"assistant","content":{content}{more}}}"#)
}

fn thinking(text: &str) -> String {
    format!(r#","thinking":{}"#, json(text))
}

/// Tool input is an object here, not a text.
fn calls() -> String {
    let input = TOOL_INPUT.concat();
    format!(r#","tool_calls":[{{"function":{{"name":"{TOOL}","arguments":{input}}}}}]"#)
}

fn said(text: &str, more: &str) -> String {
    format!(r#""response":{}{more}"#, json(text))
}

/// The body of `/api/embed`: one vector an input.
pub(super) fn embeddings(ask: &Ask) -> String {
    let (model, all) = (ask.model_json(), vec!["[0.25,-0.5,0.125]"; ask.inputs]);
    let all = all.join(",");
    format!(
        r#"{{"model":{model},"embeddings":[{all}],"total_duration":2000000,"load_duration":1000000,"prompt_eval_count":{PROMPT_TOKENS}}}"#
    )
}

/// The body of `/api/tags`.
pub(super) fn tags(names: &[String]) -> String {
    let model = |name: &String| {
        let name = json(name);
        format!(
            r#"{{"name":{name},"model":{name},"modified_at":"{CREATED_AT}","size":1,"digest":"sim","details":{{"format":"gguf","family":"sim","families":["sim"],"parameter_size":"1B","quantization_level":"Q4_0"}}}}"#
        )
    };
    let all: Vec<String> = names.iter().map(model).collect();
    format!(r#"{{"models":[{}]}}"#, all.join(","))
}

impl Voice for Chat {
    fn preamble(&self, _: &Ask) -> Vec<Part> {
        Vec::new()
    }

    fn text(&self, ask: &Ask, text: &str) -> Content {
        Content::data(line(ask, &message(text, ""), MORE))
    }

    fn reasoning(&self, ask: &Ask, texts: &[String]) -> Vec<Part> {
        let delta = |text: &String| line(ask, &message("", &thinking(text)), MORE);
        contents(texts.iter().map(|text| Content::data(delta(text))))
    }

    fn refusal(&self, ask: &Ask, text: &str) -> Content {
        self.text(ask, text)
    }

    fn tool(&self, ask: &Ask, _: &Shape) -> Vec<Part> {
        let call = Content::data(line(ask, &message("", &calls()), MORE));
        vec![Part::now(Kind::Tool, call)]
    }

    fn finish(&self, _: &Ask, _: &Shape, _: &str) -> Vec<Content> {
        Vec::new()
    }

    fn usage(&self, ask: &Ask, tokens: usize) -> Content {
        let counted = format!(r#"{MORE},"eval_count":{tokens}"#);
        Content::data(line(ask, &message("", ""), &counted))
    }

    fn done(&self, ask: &Ask, shape: &Shape) -> Option<Content> {
        Some(Content::data(line(ask, &message("", ""), &end(shape))))
    }

    fn whole(&self, ask: &Ask, shape: &Shape) -> String {
        let mut more = String::new();
        if shape.reasoning > 0 {
            more.push_str(&thinking(&shape.thought()));
        }
        if shape.tool {
            more.push_str(&calls());
        }
        line(ask, &message(&shape.text(), &more), &end(shape))
    }

    fn problem(&self, error: &Problem) -> String {
        problem(error)
    }
}

impl Voice for Generate {
    fn preamble(&self, _: &Ask) -> Vec<Part> {
        Vec::new()
    }

    fn text(&self, ask: &Ask, text: &str) -> Content {
        Content::data(line(ask, &said(text, ""), MORE))
    }

    fn reasoning(&self, ask: &Ask, texts: &[String]) -> Vec<Part> {
        let delta = |text: &String| line(ask, &said("", &thinking(text)), MORE);
        contents(texts.iter().map(|text| Content::data(delta(text))))
    }

    fn refusal(&self, ask: &Ask, text: &str) -> Content {
        self.text(ask, text)
    }

    /// There are no tools here: the call is said as text.
    fn tool(&self, ask: &Ask, _: &Shape) -> Vec<Part> {
        vec![Part::now(Kind::Tool, self.text(ask, "lookup(Paris)"))]
    }

    fn finish(&self, _: &Ask, _: &Shape, _: &str) -> Vec<Content> {
        Vec::new()
    }

    fn usage(&self, ask: &Ask, tokens: usize) -> Content {
        let counted = format!(r#"{MORE},"eval_count":{tokens}"#);
        Content::data(line(ask, &said("", ""), &counted))
    }

    fn done(&self, ask: &Ask, shape: &Shape) -> Option<Content> {
        let context = said("", r#","context":[1,2,3]"#);
        Some(Content::data(line(ask, &context, &end(shape))))
    }

    fn whole(&self, ask: &Ask, shape: &Shape) -> String {
        let more = match shape.reasoning {
            0 => String::new(),
            _ => thinking(&shape.thought()),
        };
        line(ask, &said(&shape.text(), &more), &end(shape))
    }

    fn problem(&self, error: &Problem) -> String {
        problem(error)
    }
}
