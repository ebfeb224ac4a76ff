//! How much the model may think, and how many tokens it may write, which includes the thoughts.
//!
//! `max_tokens` is required and must be more than the budget of thinking. Where the caller says none, it
//! is [`ANSWER`] beside what is meant for thinking. Where the caller says one that the budget does not
//! fit, its word stands and the budget is half of it, so that the other half is left to answer.

use serde::Serialize;

use super::super::model::Model;
use crate::middle::{Json, Lost, Reasoning, Request};

/// Tokens of an answer to a caller that sets no limit: what every model of this API can write.
const ANSWER: u64 = 4096;
/// The least budget that the API takes.
const LEAST: u64 = 1024;
/// What is meant for thinking where no effort is said: the API's default is `high`.
const UNSAID: u64 = 24_576;

pub(super) struct Thinking<'a> {
    pub(super) config: Option<Config>,
    pub(super) effort: Option<&'a str>,
    pub(super) max_tokens: Json,
}

#[derive(Debug, Serialize)]
pub(super) struct Config {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    budget_tokens: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    display: Option<&'static str>,
}

/// `unsigned`: the last calls came without their thoughts, so there can be no budget. `forced`: a tool must be
/// called, which the API refuses beside thinking
/// (<https://platform.claude.com/docs/en/build-with-claude/extended-thinking#extended-thinking-with-tool-use>); an
/// effort gives way to it, and a caller that gave a budget knows the API and is answered by it.
pub(super) fn of<'a>(
    request: &'a Request,
    model: Model,
    unsigned: bool,
    forced: bool,
    lost: &mut Lost,
) -> Thinking<'a> {
    let limit = request.sampling.max_tokens.as_ref();
    let room = |tokens: u64| limit.cloned().unwrap_or_else(|| Json::of(&tokens));
    let plain = |config| Thinking {
        config,
        effort: None,
        max_tokens: room(ANSWER),
    };
    let Some(reasoning) = &request.reasoning else {
        return plain(None);
    };
    let detailed = reasoning.summary.as_deref().is_some_and(|s| s != "auto");
    if detailed {
        lost.parameter("reasoning.summary");
    }
    match reasoning.wanted() {
        None => plain(None),
        Some(true) if forced && reasoning.budget.is_none() => {
            lost.parameter("reasoning_effort");
            plain(None)
        }
        Some(false) if model.always_thinks => {
            lost.parameter("reasoning_effort");
            plain(None)
        }
        // models before do not think unless they are told to
        Some(false) if !model.adaptive => plain(None),
        Some(false) => plain(Some(Config {
            r#type: "disabled",
            budget_tokens: None,
            display: None,
        })),
        // the first that think adaptively take a budget as well
        Some(true) if model.adaptive && !(model.sampling && reasoning.budget.is_some()) => {
            let meant = reasoning.budget().and_then(|budget| budget.as_u64());
            Thinking {
                config: Some(Config {
                    r#type: "adaptive",
                    budget_tokens: None,
                    // newer models leave thoughts out unless they are asked for
                    display: Some(display(reasoning).unwrap_or("summarized")),
                }),
                effort: effort(reasoning, model),
                max_tokens: room(meant.unwrap_or(UNSAID).saturating_add(ANSWER)),
            }
        }
        Some(true) => {
            let said = reasoning.budget().unwrap_or_else(|| Json::of(&UNSAID));
            let limit = limit.and_then(Json::as_u64);
            let Some(budget) = fitting(said, limit).filter(|_| !unsigned) else {
                lost.parameter("reasoning_effort");
                return plain(None);
            };
            let meant = budget.as_u64().unwrap_or(0);
            Thinking {
                config: Some(Config {
                    r#type: "enabled",
                    budget_tokens: Some(budget),
                    display: display(reasoning).filter(|display| *display == "omitted"),
                }),
                effort: None,
                max_tokens: room(meant.saturating_add(ANSWER)),
            }
        }
    }
}

/// The budget under the caller's limit; `None` if the least does not fit. What is not a whole number is
/// the provider's to judge.
fn fitting(said: Json, limit: Option<u64>) -> Option<Json> {
    let Some(tokens) = said.as_u64() else {
        return Some(said);
    };
    let tokens = tokens.max(LEAST);
    match limit {
        Some(limit) if limit <= LEAST => None,
        Some(limit) if limit <= tokens => Some(Json::of(&(limit / 2).max(LEAST))),
        _ => Some(Json::of(&tokens)),
    }
}

fn display(reasoning: &Reasoning) -> Option<&'static str> {
    match reasoning.include {
        Some(false) => Some("omitted"),
        Some(true) => Some("summarized"),
        None => reasoning.summary.as_ref().map(|_| "summarized"),
    }
}

/// The effort in the words of this API.
fn effort(reasoning: &Reasoning, model: Model) -> Option<&str> {
    Some(match reasoning.effort()? {
        "minimal" => "low",
        "xhigh" if model.sampling => "high",
        // a budget was said, and the word that there is for it is the one of no thinking
        "none" => "low",
        effort => effort,
    })
}
