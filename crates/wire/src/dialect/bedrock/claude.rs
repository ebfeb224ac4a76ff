//! Thinking of Anthropic's models, which Converse has no words of its own for.
//!
//! Up to Claude 4.5 it is asked for by a budget of tokens, from 4.6 on it is adaptive and asked for by an
//! effort; each refuses the other's form
//! (<https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-adaptive-thinking.html>).
//! With it the models refuse a forced tool call, a changed temperature, and a budget that is not below
//! `max_tokens`. A caller that gave a budget knows the API and is answered by it; where the budget only
//! stands for an effort, the effort gives way.

use serde::Serialize;

use crate::middle::{Json, Lost, Part, Reasoning, Request, Role, ToolChoice};

/// `thinking`, as the Messages API has it.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Thinking {
    Enabled {
        budget_tokens: Json,
    },
    Adaptive {
        #[serde(skip_serializing_if = "Option::is_none")]
        display: Option<&'static str>,
    },
}

/// What is asked for.
#[derive(Debug, Default)]
pub(super) struct Thought {
    pub(super) thinking: Option<Thinking>,
    /// Beside adaptive thinking.
    pub(super) effort: Option<String>,
    /// Temperature and its like have to be left out.
    pub(super) fixed_sampling: bool,
}

/// The least that is taken for a budget.
const LEAST: u64 = 1024;
/// For thinking that is just switched on: the budget that stands for `medium`.
const MEDIUM: u64 = 8192;

pub(super) fn thinking(model: &str, request: &Request, lost: &mut Lost) -> Thought {
    let reasoning = request.reasoning.as_ref();
    let Some(reasoning) = reasoning.filter(|r| r.wanted() == Some(true)) else {
        return Thought::default();
    };
    let adaptive = version(model).is_some_and(|version| version >= (4, 6));
    let asked = match adaptive {
        true => adaptive_thinking(reasoning),
        false => budgeted(reasoning, request),
    };
    let forced = request
        .tool_choice
        .as_ref()
        .is_some_and(ToolChoice::is_forced);
    if reasoning.summary.as_deref().is_some_and(|s| s != "auto") {
        lost.parameter("reasoning.summary");
    }
    if !adaptive && reasoning.include == Some(false) {
        lost.parameter("reasoning.exclude");
    }
    let literal = reasoning.budget.is_some();
    match asked {
        Some(asked) if literal || !forced => Thought {
            fixed_sampling: !literal,
            ..asked
        },
        _ => {
            lost.parameter("reasoning_effort");
            Thought::default()
        }
    }
}

fn adaptive_thinking(reasoning: &Reasoning) -> Option<Thought> {
    let told = reasoning
        .include
        .or(reasoning.summary.as_ref().map(|_| true));
    let effort = reasoning.effort().map(|effort| match effort {
        "minimal" => "low",
        other => other,
    });
    Some(Thought {
        thinking: Some(Thinking::Adaptive {
            display: told.map(|told| if told { "summarized" } else { "omitted" }),
        }),
        effort: effort.map(Into::into),
        fixed_sampling: false,
    })
}

/// `None` where an effort cannot be had.
fn budgeted(reasoning: &Reasoning, request: &Request) -> Option<Thought> {
    let enabled = |budget_tokens| {
        Some(Thought {
            thinking: Some(Thinking::Enabled { budget_tokens }),
            ..Thought::default()
        })
    };
    if let Some(budget) = &reasoning.budget {
        return enabled(budget.clone());
    }
    if unsigned_call(request) {
        return None;
    }
    let meant = reasoning.budget().and_then(|tokens| tokens.as_u64());
    let meant = meant.unwrap_or(MEDIUM);
    let max_tokens = request.sampling.max_tokens.as_ref();
    let room = match max_tokens.and_then(Json::as_u64) {
        Some(max_tokens) => max_tokens.saturating_sub(1),
        None => meant,
    };
    let budget = meant.min(room);
    (budget >= LEAST)
        .then(|| enabled(Json::of(&budget)))
        .flatten()
}

/// The last turn of the model calls a tool and does not begin with a signed thought: refused with a
/// budget, and how every conversation looks that came through an API without signatures.
fn unsigned_call(request: &Request) -> bool {
    let last = request.messages.iter().rev();
    let Some(last) = last.into_iter().find(|m| m.role == Role::Assistant) else {
        return false;
    };
    let signed = |part: &Part| match part {
        Part::Reasoning {
            signature, opaque, ..
        } => signature.is_some() || opaque.is_some(),
        _ => false,
    };
    let call = |part: &Part| matches!(part, Part::ToolCall(_));
    last.parts.iter().any(call) && !last.parts.iter().any(signed)
}

/// The version in a model's name, where it stands before or after the family's: `claude-3-7-sonnet-…`,
/// `claude-opus-4-7`, `claude-sonnet-5`. Eight digits are a date.
fn version(model: &str) -> Option<(u32, u32)> {
    let (_, name) = model.rsplit_once("claude-")?;
    let number = |word: &str| word.parse::<u32>().ok().filter(|n| *n < 1000);
    let mut words = name.split('-').skip_while(|word| number(word).is_none());
    let major = words.next().and_then(number)?;
    Some((major, words.next().and_then(number).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn a_version_is_read_wherever_it_stands() {
        for (model, expected) in [
            ("anthropic.claude-3-7-sonnet-20250219-v1:0", Some((3, 7))),
            ("us.anthropic.claude-opus-4-20250514-v1:0", Some((4, 0))),
            ("anthropic.claude-haiku-4-5-20251001-v1:0", Some((4, 5))),
            ("global.anthropic.claude-opus-4-6-v1", Some((4, 6))),
            ("anthropic.claude-sonnet-5", Some((5, 0))),
            ("anthropic.claude-v2:1", None),
            ("anthropic.claude-mythos-preview", None),
            ("amazon.nova-pro-v1:0", None),
        ] {
            assert_eq!(version(model), expected, "{model}");
        }
    }
}
