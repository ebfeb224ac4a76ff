//! `thinkingConfig`.
//!
//! The third generation takes a level, earlier ones a number of tokens, and to give both is refused. A budget
//! in so many words is passed on to either: the newer ones still take it.

use serde::Serialize;

use super::model::Generation;
use crate::middle::{Json, Lost, Reasoning};

/// How much is thought, and whether the thoughts come back.
#[derive(PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Thinking {
    #[serde(skip_serializing_if = "Option::is_none")]
    include_thoughts: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_budget: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_level: Option<&'static str>,
}

/// The most that Gemini 2.5 Flash takes; Pro takes 32,768.
const FLASH: u64 = 24_576;

/// `None` if nothing is asked for.
pub(super) fn of(asked: &Reasoning, model: &str, lost: &mut Lost) -> Option<Thinking> {
    if asked.encrypted {
        lost.parameter("include");
    }
    // how long a summary is cannot be asked for, only whether there is one
    if asked
        .summary
        .as_deref()
        .is_some_and(|summary| summary != "auto")
    {
        lost.parameter("reasoning.summary");
    }
    let (budget, level) = match (asked.wanted(), &asked.budget) {
        (Some(false), _) => (Some(Json::of(&0)), None),
        (_, Some(budget)) => (Some(budget.clone()), None),
        (_, None) => much(asked, model),
    };
    let measured = budget.is_some() || level.is_some();
    if asked.wanted() == Some(true) && asked.effort.is_some() && !measured {
        lost.parameter("reasoning_effort");
    }
    let shown = asked.include.or_else(|| asked.wanted());
    let thinking = Thinking {
        include_thoughts: shown.or(asked.summary.as_ref().map(|_| true)),
        thinking_budget: budget,
        thinking_level: level,
    };
    let said = thinking.include_thoughts.is_some() || thinking.thinking_budget.is_some();
    (said || thinking.thinking_level.is_some()).then_some(thinking)
}

/// By the effort, or as much as the model likes if thinking is only switched on.
fn much(asked: &Reasoning, model: &str) -> (Option<Json>, Option<&'static str>) {
    if Generation::of(model) == Generation::Late {
        let level = asked.effort.as_deref().and_then(|effort| match effort {
            "minimal" => Some("MINIMAL"),
            "low" => Some("LOW"),
            "medium" => Some("MEDIUM"),
            "high" | "xhigh" => Some("HIGH"),
            _ => None,
        });
        return (None, level);
    }
    let most = |tokens: Json| match tokens.as_u64() {
        Some(n) if n > FLASH && !model.contains("pro") => Json::of(&FLASH),
        _ => tokens,
    };
    // -1: as much as it likes
    let free = || asked.enabled.filter(|on| *on).map(|_| Json::of(&-1));
    (asked.budget().map(most).or_else(free), None)
}
