//! Chat completions as Azure OpenAI sends them.
//!
//! The stream opens with a chunk that has no choices, no id and no model, only the judgement on the
//! prompt, before the role-only chunk: a client that reads `choices[0]` of every chunk fails here. All the
//! rest is the chat surface's.

use super::{Voice, chat::Chat};
use crate::answer::{Content, Kind, Part, Problem, Shape};
use crate::ask::Ask;

pub(crate) struct Azure;

const PROMPT: &str = r#""prompt_filter_results":[{"prompt_index":0,"content_filter_results":{"hate":{"filtered":false,"severity":"safe"},"self_harm":{"filtered":false,"severity":"safe"},"sexual":{"filtered":false,"severity":"safe"},"violence":{"filtered":false,"severity":"safe"}}}]"#;

impl Voice for Azure {
    fn preamble(&self, ask: &Ask) -> Vec<Part> {
        let judged = Content::data(format!(
            r#"{{"choices":[],"created":0,"id":"","model":"","object":"",{PROMPT}}}"#
        ));
        let mut parts = vec![Part::now(Kind::Preamble, judged)];
        parts.extend(Chat.preamble(ask));
        parts
    }

    fn role(&self, ask: &Ask) -> Content {
        Chat.role(ask)
    }

    fn text(&self, ask: &Ask, text: &str) -> Content {
        Chat.text(ask, text)
    }

    fn reasoning(&self, ask: &Ask, texts: &[String]) -> Vec<Part> {
        Chat.reasoning(ask, texts)
    }

    fn refusal(&self, ask: &Ask, text: &str) -> Content {
        Chat.refusal(ask, text)
    }

    fn tool(&self, ask: &Ask, shape: &Shape) -> Vec<Part> {
        Chat.tool(ask, shape)
    }

    fn finish(&self, ask: &Ask, shape: &Shape, reason: &str) -> Vec<Content> {
        Chat.finish(ask, shape, reason)
    }

    fn usage(&self, ask: &Ask, tokens: usize) -> Content {
        Chat.usage(ask, tokens)
    }

    fn whole(&self, ask: &Ask, shape: &Shape) -> String {
        let whole = Chat.whole(ask, shape);
        let open = whole.strip_suffix('}').unwrap_or(&whole);
        format!("{open},{PROMPT}}}")
    }

    fn problem(&self, problem: &Problem) -> String {
        Chat.problem(problem)
    }
}
