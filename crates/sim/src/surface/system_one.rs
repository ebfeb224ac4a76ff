//! TypeSafe's `/systemone`: typed questions in, a typed answer to each out.
//!
//! Always unary. Every question that was asked is answered under its own name: a `noul` with an even
//! chance, a `choice` with its first label, a `score` with its lowest level; chances are exact binary
//! fractions.

use serde_json::{Map, Value, json};

use super::PROMPT_TOKENS;
use crate::ask::Ask;

pub(super) fn whole(ask: &Ask) -> String {
    let answers: Map<String, Value> = ask
        .questions
        .iter()
        .map(|(name, question)| (name.clone(), answer(question)))
        .collect();
    json!({
        "model": ask.model,
        "answers": answers,
        "usage": {"input_tokens": PROMPT_TOKENS, "output_tokens": answers.len()},
    })
    .to_string()
}

fn answer(question: &Value) -> Value {
    let criteria = question.get("criteria");
    match question.get("type").and_then(Value::as_str) {
        Some("choice") => {
            let labels = labels(criteria);
            json!({
                "type": "choice",
                "choice": labels.first(),
                "probabilities": chances(&labels),
                "confidence": 0.5,
            })
        }
        Some("score") => {
            let levels: Vec<String> = (0..labels(criteria).len()).map(|n| n.to_string()).collect();
            let legend: Map<String, Value> = levels
                .iter()
                .cloned()
                .zip(labels(criteria).into_iter().map(Value::from))
                .collect();
            json!({
                "type": "score",
                "score": 0.0,
                "legend": legend,
                "probabilities": chances(&levels),
                "confidence": 0.5,
            })
        }
        _ => json!({"type": "noul", "noul": 0.5}),
    }
}

/// The names of an object's members, or the texts of a list.
fn labels(criteria: Option<&Value>) -> Vec<String> {
    match criteria {
        Some(Value::Object(all)) => all.keys().cloned().collect(),
        Some(Value::Array(all)) => all
            .iter()
            .filter_map(|label| label.as_str().map(str::to_owned))
            .collect(),
        _ => Vec::new(),
    }
}

/// All of the chance on the first.
fn chances(labels: &[String]) -> Map<String, Value> {
    let chance = |i: usize| if i == 0 { 1.0 } else { 0.0 };
    let all = labels.iter().enumerate();
    all.map(|(i, label)| (label.clone(), chance(i).into()))
        .collect()
}
