//! What a request asks for, as far as an answer depends on it.
//!
//! The simulator must answer any client of a dialect, so it reads the few members it needs and never
//! judges the rest of a body. Where a dialect says something in the path or in a header (the model, the
//! wish for a stream), that is read from there.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::answer::Wire;
use crate::log::RequestHead;
use crate::route::{self, Surface};
use crate::surface::refusal;

/// More pictures than this are not made for one request, whatever it says.
const MAX_PICTURES: usize = 16;

/// One request, read.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    pub(crate) seq: u64,
    pub(crate) surface: Surface,
    pub(crate) method: String,
    /// With its query, as sent.
    pub(crate) path: String,
    pub(crate) model: String,
    pub(crate) stream: bool,
    /// How a stream is framed.
    pub(crate) wire: Wire,
    /// How many blocks or items of other content come before the text.
    pub(crate) before_text: usize,
    pub(crate) include_usage: bool,
    /// How many inputs an embeddings request carries, how many pictures are wanted.
    pub(crate) inputs: usize,
    /// The id of the response that is made or spoken of.
    pub(crate) id: String,
    /// `previous_response_id`.
    pub(crate) previous: Option<String>,
    /// Of a response made before: `completed` or `cancelled`.
    pub(crate) status: &'static str,
    /// The typed questions of a System One request.
    pub(crate) questions: Map<String, Value>,
    /// The body of a request for credentials.
    pub(crate) form: String,
    /// Status and body of a refusal that no script can prevent.
    pub(crate) refused: Option<(u16, String)>,
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
    #[serde(default)]
    requests: Input,
    #[serde(default)]
    instances: Input,
    #[serde(default, rename = "inputText")]
    input_text: Option<serde::de::IgnoredAny>,
    #[serde(default)]
    texts: Option<Input>,
    #[serde(default)]
    n: Option<usize>,
    #[serde(default)]
    previous_response_id: Option<String>,
}

#[derive(Deserialize)]
struct Questions {
    questions: Map<String, Value>,
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

impl Input {
    fn len(&self) -> usize {
        match self {
            Self::Many(all) => all.len(),
            Self::One(_) => 1,
        }
    }
}

impl Body {
    /// What was read, and the reader's complaint.
    fn read(body: &[u8]) -> (Self, Option<String>) {
        match serde_json::from_slice(body) {
            Ok(read) => (read, None),
            Err(_) if body.is_empty() => (Self::default(), Some("the body is empty".to_owned())),
            Err(error) => {
                let (line, column) = (error.line(), error.column());
                let said = format!("the body is not a JSON request: line {line}, column {column}");
                (Self::default(), Some(said))
            }
        }
    }

    /// Which of Bedrock's models is invoked; only the body tells whatever it is called.
    fn invoked(&self, surface: Surface) -> Surface {
        match (surface, &self.texts, &self.input_text) {
            (Surface::Invoke, Some(_), _) => Surface::CohereEmbed,
            (Surface::Invoke, None, Some(_)) => Surface::TitanEmbed,
            _ => surface,
        }
    }

    fn inputs(&self) -> usize {
        let texts = self.texts.as_ref().map_or(0, Input::len);
        let lists = [&self.input, &self.requests, &self.instances].map(Input::len);
        lists.into_iter().fold(texts, usize::max).max(1)
    }
}

impl Ask {
    /// Of no request at all, for what is said outside of any surface.
    pub(crate) fn none() -> Self {
        Self {
            seq: 0,
            surface: Surface::Other,
            method: String::new(),
            path: String::new(),
            model: String::new(),
            stream: false,
            wire: Wire::Sse,
            before_text: 0,
            include_usage: false,
            inputs: 1,
            id: String::new(),
            previous: None,
            status: "completed",
            questions: Map::new(),
            form: String::new(),
            refused: None,
        }
    }

    /// Reads a request; a body that is not a JSON object where one is wanted yields the reader's complaint
    /// beside an `Ask` without a model, because a script may be chosen by the path alone.
    pub(crate) fn read(seq: u64, head: &RequestHead, body: &[u8]) -> (Self, Option<String>) {
        let path = head.path.as_str();
        let surface = Surface::of(path, body);
        let (read, complaint) = match surface.reads_json() {
            true => Body::read(body),
            false => (Body::default(), None),
        };
        let surface = read.invoked(surface);
        let mut ask = Self {
            seq,
            surface,
            method: head.method.clone(),
            path: path.to_owned(),
            stream: surface.streams() && streams(surface, path, read.stream),
            wire: Wire::of(surface, path),
            include_usage: read
                .stream_options
                .as_ref()
                .is_some_and(|o| o.include_usage),
            inputs: match surface {
                Surface::Images | Surface::ImageModel => read.n.unwrap_or(1).min(MAX_PICTURES),
                _ => read.inputs(),
            },
            previous: read.previous_response_id,
            ..Self::none()
        };
        ask.model = read.model;
        ask.more(head, body);
        (ask, complaint)
    }

    /// What single surfaces say in places of their own.
    fn more(&mut self, head: &RequestHead, body: &[u8]) {
        match self.surface {
            Surface::Credential(issuer) => {
                self.model = issuer.name().to_owned();
                self.form = String::from_utf8_lossy(body).into_owned();
                self.refused = refusal(issuer, self, head);
            }
            Surface::Stored => {
                self.id = stored(&self.path).to_owned();
                self.model.clone_from(&self.id);
            }
            Surface::SystemOne => {
                let read = serde_json::from_slice::<Questions>(body);
                self.questions = read.map(|q| q.questions).unwrap_or_default();
            }
            _ => {}
        }
        // Gemini's bodies may carry a model of another form beside the path's
        if self.model.is_empty() || self.surface.is_named_by_path() {
            let named = route::model_in(&self.path);
            let named = named.or_else(|| header(head, "ai-model-id").map(str::to_owned));
            self.model = named.unwrap_or_default();
        }
    }

    /// The model as a JSON string.
    pub(crate) fn model_json(&self) -> String {
        Value::from(self.model.as_str()).to_string()
    }

    /// Path and query.
    pub(crate) fn route(&self) -> (&str, &str) {
        self.path.split_once('?').unwrap_or((&self.path, ""))
    }
}

/// Whether a stream is wanted: said in the path, in the body, or by saying nothing.
fn streams(surface: Surface, path: &str, said: Option<bool>) -> bool {
    let (route, query) = path.split_once('?').unwrap_or((path, ""));
    match surface {
        Surface::Gemini => route.ends_with(":streamGenerateContent"),
        Surface::Converse | Surface::Invoke => route.ends_with("-stream"),
        Surface::OllamaChat | Surface::OllamaGenerate => said.unwrap_or(true),
        Surface::Stored => route::field(query, "stream").as_deref() == Some("true"),
        _ => said.unwrap_or(path.contains(":stream")),
    }
}

/// The id in `/v1/responses/ID` and `/v1/responses/ID/cancel`.
fn stored(path: &str) -> &str {
    let route = path.split('?').next().unwrap_or(path);
    let rest = route.split_once("/responses/").map_or("", |(_, rest)| rest);
    rest.split('/').next().unwrap_or(rest)
}

/// The first value of a header; `name` in lower case.
pub(crate) fn header<'a>(head: &'a RequestHead, name: &str) -> Option<&'a str> {
    let found = head.headers.iter().find(|(n, _)| n == name);
    found.map(|(_, value)| value.as_str())
}
