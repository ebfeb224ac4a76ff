//! Clients of Anthropic.

use super::{Wire, client, speech};
use crate::leaf::{Key, Spec};
use punctual_upstream::Dialect;
use std::sync::Arc;

client! {
    /// Anthropic's Messages API. The key comes from `ANTHROPIC_API_KEY` unless set.
    Messages
}

impl Messages {
    /// For this model.
    pub fn new(model: impl Into<Arc<str>>) -> Self {
        let (base, key) = (
            "https://api.anthropic.com/v1",
            Key::Env("ANTHROPIC_API_KEY".into()),
        );
        let dialect = Dialect::Anthropic;
        let mut spec = Spec::new("anthropic", dialect, speech::MESSAGES, base, key, model);
        spec.stream_options = false;
        Self(Wire::new(spec))
    }
}
