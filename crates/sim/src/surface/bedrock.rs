//! Bedrock's errors, and `InvokeModel` with a Claude model or one for embeddings.
//!
//! What Invoke carries is the model's own dialect, Anthropic's with each event inside a `chunk` message; errors
//! are Bedrock's. An error status is named in a header, an error inside a stream in the header of its message,
//! and the body of both says only what happened.

use super::{PROMPT_TOKENS, Voice, json, messages::Messages};
use crate::answer::{Content, Part, Problem, Shape};
use crate::ask::Ask;

pub(crate) struct Invoke;

/// The exception's name as the API's model spells it, with a capital.
fn exception(problem: &Problem) -> String {
    if problem.code.ends_with("Exception") {
        return problem.code.clone();
    }
    let known = match problem.status {
        403 | 401 => "AccessDenied",
        404 => "ResourceNotFound",
        408 => "ModelTimeout",
        424 => "ModelError",
        429 => "Throttling",
        503 | 529 => "ServiceUnavailable",
        400..=499 => "Validation",
        _ => "InternalServer",
    };
    format!("{known}Exception")
}

pub(super) fn problem(problem: &Problem) -> String {
    format!(r#"{{"message":{}}}"#, json(problem.message))
}

pub(super) fn problem_header(problem: &Problem) -> (&'static str, String) {
    let name = exception(problem);
    let space = "http://internal.amazon.com/coral/com.amazon.bedrock/";
    ("x-amzn-errortype", format!("{name}:{space}"))
}

/// In a stream the name begins with a small letter.
pub(super) fn problem_event(error: &Problem) -> Content {
    let mut name = exception(error);
    if let Some(first) = name.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    Content::Exception {
        name,
        data: problem(error),
    }
}

/// A vector of Amazon's.
pub(super) fn titan() -> String {
    format!(r#"{{"embedding":[0.25,-0.5,0.125],"inputTextTokenCount":{PROMPT_TOKENS}}}"#)
}

/// Vectors of Cohere's, which counts no tokens.
pub(super) fn cohere(ask: &Ask) -> String {
    let vectors = vec!["[0.25,-0.5,0.125]"; ask.inputs].join(",");
    let seq = ask.seq;
    format!(r#"{{"id":"sim-{seq}","embeddings":[{vectors}],"response_type":"embeddings_floats"}}"#)
}

impl Voice for Invoke {
    fn preamble(&self, ask: &Ask) -> Vec<Part> {
        Messages.preamble(ask)
    }

    fn opening(&self, ask: &Ask) -> Vec<Part> {
        Messages.opening(ask)
    }

    fn text(&self, ask: &Ask, text: &str) -> Content {
        Messages.text(ask, text)
    }

    fn reasoning(&self, ask: &Ask, texts: &[String]) -> Vec<Part> {
        Messages.reasoning(ask, texts)
    }

    fn refusal(&self, ask: &Ask, text: &str) -> Content {
        Messages.refusal(ask, text)
    }

    fn tool(&self, ask: &Ask, shape: &Shape) -> Vec<Part> {
        Messages.tool(ask, shape)
    }

    fn finish(&self, ask: &Ask, shape: &Shape, reason: &str) -> Vec<Content> {
        Messages.finish(ask, shape, reason)
    }

    fn usage(&self, ask: &Ask, tokens: usize) -> Content {
        Messages.usage(ask, tokens)
    }

    fn done(&self, _: &Ask, shape: &Shape) -> Option<Content> {
        let tokens = shape.count();
        let measured = format!(
            r#","amazon-bedrock-invocationMetrics":{{"inputTokenCount":{PROMPT_TOKENS},"outputTokenCount":{tokens},"invocationLatency":1,"firstByteLatency":1}}"#
        );
        Some(Content::event("message_stop", &measured))
    }

    fn whole(&self, ask: &Ask, shape: &Shape) -> String {
        Messages.whole(ask, shape)
    }

    fn problem(&self, error: &Problem) -> String {
        problem(error)
    }

    fn problem_header(&self, error: &Problem) -> Option<(&'static str, String)> {
        Some(problem_header(error))
    }

    fn problem_event(&self, error: &Problem) -> Content {
        problem_event(error)
    }
}
