//! Clients of Google.

use super::{Wire, client, speech};
use crate::leaf::{Key, Spec};
use punctual_upstream::Dialect;
use std::sync::Arc;

client! {
    /// The Gemini API. The key comes from `GEMINI_API_KEY` unless set.
    Gemini
}

impl Gemini {
    /// For this model.
    pub fn new(model: impl Into<Arc<str>>) -> Self {
        let base = "https://generativelanguage.googleapis.com/v1beta";
        let (dialect, key) = (Dialect::Gemini, Key::Env("GEMINI_API_KEY".into()));
        let mut spec = Spec::new("gemini", dialect, speech::GEMINI, base, key, model);
        spec.stream_options = false;
        Self(Wire::new(spec))
    }
}

client! {
    /// Gemini and Claude on Vertex AI. The key is an access token, good for an hour; it comes from
    /// `GOOGLE_ACCESS_TOKEN` unless set. [`GoogleCredentials`](crate::GoogleCredentials) in its place fetch one
    /// whenever it is needed.
    Vertex
}

impl Vertex {
    /// For this model of a project, at a location (`global` or a region).
    pub fn new(project: &str, location: &str, model: impl Into<Arc<str>>) -> Self {
        let base = match location {
            "global" => "https://aiplatform.googleapis.com/v1".to_owned(),
            region => format!("https://{region}-aiplatform.googleapis.com/v1"),
        };
        let (model, key) = (model.into(), Key::Env("GOOGLE_ACCESS_TOKEN".into()));
        let speech = match model.starts_with("claude") {
            true => speech::MESSAGES,
            false => speech::GEMINI,
        };
        let mut spec = Spec::new("vertex", Dialect::Vertex, speech, &base, key, model);
        spec.site.project = Some(project.to_owned());
        spec.site.location = Some(location.to_owned());
        spec.stream_options = false;
        Self(Wire::new(spec))
    }
}
