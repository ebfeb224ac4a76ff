//! Clients of OpenAI's API, and of everyone who copied it.

use super::{Wire, client, speech};
use crate::leaf::{Key, Spec};
use punctual_upstream::Dialect;
use std::sync::Arc;

const OPENAI: &str = "https://api.openai.com/v1";
const KEY: &str = "OPENAI_API_KEY";

fn key(variable: &str) -> Key {
    Key::Env(variable.into())
}

client! {
    /// Chat completions of OpenAI. The key comes from `OPENAI_API_KEY` unless set.
    ///
    /// ```no_run
    /// use punctual::{Call, Client, openai};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), punctual::Error> {
    /// let answer = openai::Chat::new("gpt-4o-mini").invoke(&Call::new().user("hi")).await?;
    /// println!("{} ({:?} tokens)", answer.text(), answer.usage.output);
    /// # Ok(()) }
    /// ```
    Chat
}

impl Chat {
    /// For this model.
    pub fn new(model: impl Into<Arc<str>>) -> Self {
        let spec = Spec::new(
            "openai",
            Dialect::OpenAi,
            speech::CHAT,
            OPENAI,
            key(KEY),
            model,
        );
        Self(Wire::new(spec))
    }
}

client! {
    /// Chat completions of any server: vLLM, llama.cpp, LM Studio and others. No key unless set, no
    /// `stream_options`, text content as plain strings.
    Generic
}

impl Generic {
    /// For this model of the server at `base_url`.
    pub fn new(base_url: impl Into<String>, model: impl Into<Arc<str>>) -> Self {
        let base_url = base_url.into();
        let dialect = Dialect::Generic;
        let mut spec = Spec::new(
            "generic",
            dialect,
            speech::CHAT,
            &base_url,
            Key::None,
            model,
        );
        (spec.stream_options, spec.plain_content) = (false, true);
        Self(Wire::new(spec))
    }
}

client! {
    /// OpenAI's Responses API. The key comes from `OPENAI_API_KEY` unless set.
    Responses
}

impl Responses {
    /// For this model.
    pub fn new(model: impl Into<Arc<str>>) -> Self {
        let dialect = Dialect::Responses;
        let spec = Spec::new(
            "responses",
            dialect,
            speech::RESPONSES,
            OPENAI,
            key(KEY),
            model,
        );
        Self(Wire::new(spec))
    }
}

client! {
    /// OpenAI's models on Azure. The key comes from `AZURE_OPENAI_API_KEY` unless set; with
    /// [`AzureCredentials`](crate::AzureCredentials) in its place, tokens of Entra ID are sent.
    Azure
}

impl Azure {
    /// For this deployment of the resource at `endpoint` (`https://NAME.openai.azure.com`), asked as the
    /// version 2024-10-21 of the API; see [`api_version`](Self::api_version).
    pub fn new(endpoint: impl Into<String>, deployment: impl Into<Arc<str>>) -> Self {
        let (endpoint, key) = (endpoint.into(), key("AZURE_OPENAI_API_KEY"));
        let mut spec = Spec::new(
            "azure",
            Dialect::Azure,
            speech::CHAT,
            &endpoint,
            key,
            deployment,
        );
        spec.site.api_version = Some("2024-10-21".to_owned());
        Self(Wire::new(spec))
    }

    /// Another version of the API. An empty one means the API without versions, whose address ends in
    /// `/openai/v1`.
    #[must_use]
    pub fn api_version(self, version: &str) -> Self {
        let version = (!version.is_empty()).then(|| version.to_owned());
        self.edit(|spec| spec.site.api_version = version)
    }
}

client! {
    /// Any model behind OpenRouter. The key comes from `OPENROUTER_API_KEY` unless set.
    OpenRouter
}

impl OpenRouter {
    /// For this model, such as `anthropic/claude-sonnet-4.5`.
    pub fn new(model: impl Into<Arc<str>>) -> Self {
        let (base, key) = ("https://openrouter.ai/api/v1", key("OPENROUTER_API_KEY"));
        let spec = Spec::new(
            "openrouter",
            Dialect::OpenRouter,
            speech::CHAT,
            base,
            key,
            model,
        );
        Self(Wire::new(spec))
    }
}

client! {
    /// A local model under Ollama, by its own API. No key unless set.
    Ollama
}

impl Ollama {
    /// For this model of the Ollama at `http://127.0.0.1:11434`.
    pub fn new(model: impl Into<Arc<str>>) -> Self {
        let (dialect, base) = (Dialect::Ollama, "http://127.0.0.1:11434");
        let mut spec = Spec::new("ollama", dialect, speech::OLLAMA, base, Key::None, model);
        spec.stream_options = false;
        Self(Wire::new(spec))
    }

    /// The size of the context in tokens (`options.num_ctx`).
    #[must_use]
    pub fn num_ctx(self, tokens: u32) -> Self {
        self.edit(|spec| spec.site.num_ctx = Some(tokens))
    }
}

client! {
    /// Pictures of OpenAI: the last text of the call is the prompt, the answer's parts are the pictures. Does
    /// not stream. The key comes from `OPENAI_API_KEY` unless set.
    Image
}

impl Image {
    /// For this model.
    pub fn new(model: impl Into<Arc<str>>) -> Self {
        let dialect = Dialect::Images;
        let spec = Spec::new(
            "openai_image",
            dialect,
            speech::PICTURES,
            OPENAI,
            key(KEY),
            model,
        );
        Self(Wire::new(spec))
    }
}
