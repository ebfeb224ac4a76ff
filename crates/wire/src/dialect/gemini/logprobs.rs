//! `logprobsResult` in the form of chat completions.
//!
//! Numbers keep their spelling. Google tells no bytes of a token; `bytes` is required there, so it is null.

use serde::Serialize;

use crate::{json, middle::Json};

#[derive(Serialize)]
struct Logprobs {
    content: Vec<Token>,
    refusal: (),
}

#[derive(Serialize)]
struct Token {
    #[serde(flatten)]
    chosen: Likely,
    top_logprobs: Vec<Likely>,
}

#[derive(Serialize)]
struct Likely {
    token: String,
    logprob: Json,
    bytes: (),
}

/// Converts; `None` if no token is told.
pub(super) fn convert(result: &str) -> Option<Json> {
    let [chosen, top] = json::members(result, &["chosenCandidates", "topCandidates"])?;
    let mut steps = Vec::new();
    json::elements(top.unwrap_or("[]"), |step| steps.push(step));
    let mut steps = steps.into_iter();
    let mut content = Vec::new();
    json::elements(chosen?, |token| {
        let alternatives = steps.next();
        let Some(chosen) = likely(token) else { return };
        let mut top_logprobs = Vec::new();
        let candidates = alternatives.and_then(|step| json::member(step, "candidates"));
        json::elements(candidates.unwrap_or("[]"), |token| {
            top_logprobs.extend(likely(token));
        });
        content.push(Token {
            chosen,
            top_logprobs,
        });
    });
    let logprobs = Logprobs {
        content,
        refusal: (),
    };
    (!logprobs.content.is_empty()).then(|| Json::of(&logprobs))
}

fn likely(token: &str) -> Option<Likely> {
    let [token, logprob] = json::members(token, &["token", "logProbability"])?;
    Some(Likely {
        token: token.and_then(json::text)?.into_owned(),
        logprob: logprob.and_then(Json::parse)?,
        bytes: (),
    })
}
