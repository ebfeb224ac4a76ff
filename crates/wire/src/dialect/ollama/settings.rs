//! `options`: what is not the same for every model.

use serde::Serialize;

use crate::middle::{Json, Options, Request};

/// The members; those of Ollama's own that callers may set are the last four.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(super) struct Settings<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) num_ctx: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) num_predict: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) temperature: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) top_p: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) top_k: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seed: Option<&'a Json>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(super) stop: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) presence_penalty: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) frequency_penalty: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) min_p: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) typical_p: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) repeat_penalty: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) repeat_last_n: Option<&'a Json>,
}

/// Members of Ollama's own that callers may set. None that make the model be loaded anew.
pub(super) const OWN: [&str; 4] = ["min_p", "typical_p", "repeat_penalty", "repeat_last_n"];

impl<'a> Settings<'a> {
    /// For a question.
    pub(super) fn of(request: &'a Request, options: &Options<'_>) -> Self {
        let sampling = &request.sampling;
        let [min_p, typical_p, repeat_penalty, repeat_last_n] = OWN.map(|name| request.own(name));
        Self {
            num_ctx: options.num_ctx,
            num_predict: sampling.max_tokens.as_ref(),
            temperature: sampling.temperature.as_ref(),
            top_p: sampling.top_p.as_ref(),
            top_k: sampling.top_k.as_ref(),
            seed: sampling.seed.as_ref(),
            stop: &sampling.stop,
            presence_penalty: sampling.presence_penalty.as_ref(),
            frequency_penalty: sampling.frequency_penalty.as_ref(),
            min_p,
            typical_p,
            repeat_penalty,
            repeat_last_n,
        }
    }

    /// `None` if nothing is set.
    pub(super) fn filled(self) -> Option<Self> {
        (self != Self::default()).then_some(self)
    }
}
