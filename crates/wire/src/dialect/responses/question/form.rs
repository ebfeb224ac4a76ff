//! The form of the answer, thinking, and the parameters that the API does not have.

use serde::Serialize;

use crate::middle::{self, Json, Lost, Request, Sampling};

#[derive(Serialize)]
pub(super) struct Text<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<Format<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verbosity: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Format<'a> {
    JsonObject,
    JsonSchema {
        name: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        description: Option<&'a str>,
        schema: &'a Json,
        #[serde(skip_serializing_if = "Option::is_none")]
        strict: Option<bool>,
    },
}

pub(super) fn text(request: &Request) -> Option<Text<'_>> {
    let format = request.format.as_ref().map(|format| match format {
        middle::Format::JsonObject => Format::JsonObject,
        middle::Format::JsonSchema {
            name,
            description,
            schema,
            strict,
        } => Format::JsonSchema {
            // a name is demanded here and not elsewhere
            name: name.as_deref().unwrap_or("response"),
            description: description.as_deref(),
            schema,
            strict: *strict,
        },
    });
    let verbosity = request.verbosity.as_deref();
    (format.is_some() || verbosity.is_some()).then_some(Text { format, verbosity })
}

#[derive(Serialize)]
pub(super) struct Reasoning<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    effort: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'a str>,
}

/// Thinking that was switched off without naming an effort is lost: the effort `none` is refused by most
/// models, those that never think among them. So is thinking that was switched on and nothing else.
pub(super) fn reasoning<'a>(
    asked: Option<&'a middle::Reasoning>,
    lost: &mut Lost,
) -> Option<Reasoning<'a>> {
    let asked = asked?;
    let effort = match asked.wanted() {
        Some(false) => asked.effort.as_deref(),
        _ => asked.effort(),
    };
    let shown = || (asked.include == Some(true)).then_some("auto");
    let summary = asked.summary.as_deref().or_else(shown);
    let said = effort.is_some() || summary.is_some();
    let unsaid = match asked.wanted() {
        Some(false) => effort.is_none(),
        wanted => wanted.is_some() && !said,
    };
    if unsaid {
        lost.parameter("thinking");
    }
    said.then_some(Reasoning { effort, summary })
}

/// Names what was said and cannot be.
pub(super) fn unsaid(sampling: &Sampling, lost: &mut Lost) {
    let one = |n: &&Json| n.as_u64() != Some(1);
    let given = [
        ("top_k", sampling.top_k.is_some()),
        ("frequency_penalty", sampling.frequency_penalty.is_some()),
        ("presence_penalty", sampling.presence_penalty.is_some()),
        ("seed", sampling.seed.is_some()),
        ("stop", !sampling.stop.is_empty()),
        ("n", sampling.n.as_ref().filter(one).is_some()),
        ("logit_bias", sampling.logit_bias.is_some()),
    ];
    for (name, _) in given.into_iter().filter(|(_, given)| *given) {
        lost.parameter(name);
    }
}
