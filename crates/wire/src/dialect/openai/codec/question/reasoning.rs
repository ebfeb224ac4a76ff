//! How much the model is to think, in the spellings of OpenRouter and of Anthropic.
//!
//! Several may come in one question; each says what it says, the later one counts.

use super::{Read, Reader};
use crate::{json, middle::Reasoning};

impl<'a> Reader<'a> {
    pub(super) fn reasoning(&mut self) -> &mut Reasoning {
        self.request.reasoning.get_or_insert_default()
    }

    pub(super) fn openrouter(&mut self, value: &'a str) -> Read {
        const PARAM: &str = "reasoning";
        let body = self.body;
        let names = ["effort", "max_tokens", "enabled", "exclude", "summary"];
        let [effort, budget, enabled, exclude, summary] = body.named(value, PARAM, &names)?;
        let text = |value: Option<&str>| value.map(|v| body.text(v, PARAM)).transpose();
        let flag = |value: Option<&str>| value.map(|v| body.flag(v, PARAM)).transpose();
        let (effort, summary) = (text(effort)?, text(summary)?);
        let (enabled, exclude) = (flag(enabled)?, flag(exclude)?);
        let budget = budget.map(|v| body.number(v, PARAM)).transpose()?;
        let reasoning = self.reasoning();
        reasoning.effort = effort.or(reasoning.effort.take());
        reasoning.budget = budget.or(reasoning.budget.take());
        reasoning.enabled = enabled.or(reasoning.enabled);
        reasoning.include = exclude.map(|e| !e).or(reasoning.include);
        reasoning.summary = summary;
        self.others(value, PARAM, &names)
    }

    /// Anthropic's member, which LiteLLM, DeepSeek and others take in chat completions too.
    pub(super) fn thinking(&mut self, value: &'a str) -> Read {
        const PARAM: &str = "thinking";
        let body = self.body;
        let names = ["type", "budget_tokens", "display"];
        let [kind, budget, display] = body.named(value, PARAM, &names)?;
        let text = |value: Option<&str>| value.map(|v| body.text(v, PARAM)).transpose();
        let (kind, display) = (text(kind)?, text(display)?);
        let budget = budget.map(|v| body.number(v, PARAM)).transpose()?;
        let reasoning = self.reasoning();
        reasoning.enabled = match kind.as_deref() {
            Some("disabled") => Some(false),
            Some(_) => Some(true),
            None => reasoning.enabled,
        };
        reasoning.budget = budget.or(reasoning.budget.take());
        let shown = display.map(|display| display != "omitted");
        reasoning.include = shown.or(reasoning.include);
        self.others(value, PARAM, &names)
    }

    /// Keeps the members of an object that nobody here knows, by their path.
    fn others(&mut self, object: &str, param: &str, known: &[&str]) -> Read {
        for (name, value) in json::entries(object).unwrap_or_default() {
            if !known.contains(&name.as_str()) && !json::is_null(value) {
                self.extra(&format!("{param}.{name}"), value)?;
            }
        }
        Ok(())
    }
}
