//! Members that are not in every API.
//!
//! What is passed on must mean the same here as where it came from; the rest is named.

use super::tool;
use crate::{
    dialect::user,
    middle::{Extra, Lost, Reasoning, Request},
};

/// How much to think. That it is switched on or off without a measure cannot be said, nor how it is told.
pub(super) fn effort<'a>(reasoning: Option<&'a Reasoning>, lost: &mut Lost) -> Option<&'a str> {
    let reasoning = reasoning?;
    let effort = match reasoning.enabled {
        Some(false) => reasoning.effort.as_deref().filter(|e| *e == "none"),
        _ => reasoning.effort(),
    };
    for (name, given) in [
        (
            "reasoning.enabled",
            reasoning.enabled.is_some() && effort.is_none(),
        ),
        ("reasoning.summary", reasoning.summary.is_some()),
        ("reasoning.exclude", reasoning.include == Some(false)),
        ("reasoning.encrypted_content", reasoning.encrypted),
    ] {
        if given {
            lost.parameter(name);
        }
    }
    effort
}

/// What the middle form has no place for and chat completions have.
const KNOWN: [&str; 5] = [
    "modalities",
    "audio",
    "prediction",
    "web_search_options",
    "prompt_cache_retention",
];

/// The members of `request.extra` that chat completions know. `chosen`: what must be called is written already.
pub(super) fn extra<'a>(
    request: &'a Request,
    native: bool,
    chosen: bool,
    lost: &mut Lost,
) -> Extra<'a> {
    let mut kept = Vec::new();
    let told = |name: &str| {
        let who = !native && user::is_told(request, name);
        who || (chosen && name == "tool_choice")
    };
    for (name, value) in request.extra.iter().filter(|(name, _)| !told(name)) {
        let ours = match name.as_str() {
            // other APIs have members of these names and other forms
            "tool_choice" => tool::is_choice(value),
            "response_format" => value.member("type").is_some(),
            user::IDENTIFIER => native && user::is_identifier(value),
            name => KNOWN.contains(&name),
        };
        match ours {
            true => kept.push((name.as_str(), value)),
            false => lost.parameter(name.clone()),
        }
    }
    Extra(kept)
}
