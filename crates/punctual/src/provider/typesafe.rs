//! Clients of TypeSafe.

use super::{Wire, client, speech};
use crate::leaf::{Key, Spec};
use punctual_upstream::Dialect;
use std::sync::Arc;

client! {
    /// TypeSafe's `systemone`: the last text of the call is a JSON object of questions, the answer's text the
    /// JSON object of the answers. Does not stream. The key comes from `TYPESAFE_API_KEY` unless set.
    SystemOne
}

impl SystemOne {
    /// For this model of the server at `base_url`.
    pub fn new(base_url: impl Into<String>, model: impl Into<Arc<str>>) -> Self {
        let (base_url, key) = (base_url.into(), Key::Env("TYPESAFE_API_KEY".into()));
        let dialect = Dialect::TypeSafe;
        let spec = Spec::new("typesafe", dialect, speech::OBJECT, &base_url, key, model);
        Self(Wire::new(spec))
    }
}
