//! What a request asks for, as far as an answer depends on it.
//!
//! The simulator must answer any client of the dialect, so it reads the few members it needs and never
//! judges the rest of a body.

use serde::Deserialize;

/// Which API a path belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Surface {
    Chat,
    Completions,
    Embeddings,
    Messages,
    Responses,
    Images,
    /// Any other path. A script may still be told there; without one it is 404.
    Other,
}

impl Surface {
    pub(crate) fn of(path: &str) -> Self {
        let path = path.split('?').next().unwrap_or(path);
        match path {
            p if p.ends_with("/chat/completions") => Self::Chat,
            p if p.ends_with("/completions") => Self::Completions,
            p if p.ends_with("/embeddings") => Self::Embeddings,
            p if p.ends_with("/messages") => Self::Messages,
            p if p.ends_with("/responses") => Self::Responses,
            p if p.ends_with("/images/generations") => Self::Images,
            _ => Self::Other,
        }
    }
}

/// One request, read.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    pub(crate) seq: u64,
    pub(crate) surface: Surface,
    pub(crate) model: String,
    pub(crate) stream: bool,
    pub(crate) include_usage: bool,
    /// How many inputs an embeddings request carries.
    pub(crate) inputs: usize,
}

#[derive(Default, Deserialize)]
struct Body {
    #[serde(default)]
    model: String,
    #[serde(default)]
    stream: Option<bool>,
    #[serde(default)]
    stream_options: Option<StreamOptions>,
    #[serde(default)]
    input: Input,
}

#[derive(Default, Deserialize)]
struct StreamOptions {
    #[serde(default)]
    include_usage: bool,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Input {
    Many(Vec<serde::de::IgnoredAny>),
    One(serde::de::IgnoredAny),
}

impl Default for Input {
    fn default() -> Self {
        Input::Many(Vec::new())
    }
}

impl Ask {
    /// Reads a request; a body that is not a JSON object yields the reader's complaint beside an `Ask`
    /// without a model, because a script may be chosen by the path alone.
    pub(crate) fn read(seq: u64, path: &str, body: &[u8]) -> (Self, Option<String>) {
        let (read, complaint) = match serde_json::from_slice::<Body>(body) {
            Ok(read) => (read, None),
            Err(_) if body.is_empty() => (Body::default(), Some("the body is empty".to_owned())),
            Err(error) => (
                Body::default(),
                Some(format!(
                    "the body is not a JSON request: line {}, column {}",
                    error.line(),
                    error.column()
                )),
            ),
        };
        let model = if read.model.is_empty() {
            model_in(path).unwrap_or_default()
        } else {
            read.model
        };
        let surface = Surface::of(path);
        let ask = Self {
            seq,
            surface,
            model,
            stream: !matches!(surface, Surface::Embeddings | Surface::Images)
                && read.stream.unwrap_or(path.contains(":stream")),
            include_usage: read.stream_options.is_some_and(|o| o.include_usage),
            inputs: match read.input {
                Input::Many(all) => all.len().max(1),
                Input::One(_) => 1,
            },
        };
        (ask, complaint)
    }

    /// The model as a JSON string.
    pub(crate) fn model_json(&self) -> String {
        serde_json::Value::from(self.model.as_str()).to_string()
    }
}

/// The model that Gemini, Bedrock, Azure and `GET /v1/models/…` name in the path.
fn model_in(path: &str) -> Option<String> {
    let mut parts = path.split('?').next()?.split('/');
    parts.find(|p| matches!(*p, "models" | "model" | "deployments"))?;
    let raw = parts.next()?;
    let name = percent_encoding::percent_decode_str(raw).decode_utf8_lossy();
    let verb = name.rfind(':').filter(|_| path.contains("/models/"));
    Some(
        verb.and_then(|at| name.get(..at))
            .unwrap_or(&name)
            .to_owned(),
    )
}
