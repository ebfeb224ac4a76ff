//! The APIs a target can speak: one line each in the registry below.
//!
//! A dialect's words are read and written in `punctual-wire`; here stands what it needs of HTTP: which API
//! serves which surface, paths, where its key goes. Everything else in this crate is the same for all of
//! them.

use crate::spec::Site;
use punctual_wire::{Api, Surface, Via};

mod paths;
mod words;
pub(crate) use paths::with_query;
pub(crate) use words::{summary, surface, tally};

/// An upstream API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// OpenAI's, and of everyone who copied it.
    OpenAi,
    /// The same without `stream_options`, and with a credential only if there is one: local and home-made
    /// servers.
    Generic,
    /// OpenAI's Responses API.
    Responses,
    /// OpenAI's, as Azure serves it.
    Azure,
    /// OpenAI's, as OpenRouter serves it.
    OpenRouter,
    /// Ollama's own.
    Ollama,
    /// Anthropic's Messages API.
    Anthropic,
    /// Google's Gemini API.
    Gemini,
    /// Gemini and Claude on Google's Vertex AI.
    Vertex,
    /// Amazon Bedrock: its Converse API, and InvokeModel for Claude and for embeddings.
    Bedrock,
    /// OpenAI's images and nothing else.
    Images,
    /// Image models behind Vercel's AI Gateway.
    VercelImages,
    /// TypeSafe's `systemone`.
    TypeSafe,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: [Self; 13] = [
        Self::OpenAi,
        Self::Generic,
        Self::Responses,
        Self::Azure,
        Self::OpenRouter,
        Self::Ollama,
        Self::Anthropic,
        Self::Gemini,
        Self::Vertex,
        Self::Bedrock,
        Self::Images,
        Self::VercelImages,
        Self::TypeSafe,
    ];

    /// The name in configuration.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Generic => "generic",
            Self::Responses => "responses",
            Self::Azure => "azure",
            Self::OpenRouter => "openrouter",
            Self::Ollama => "ollama",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Vertex => "vertex",
            Self::Bedrock => "bedrock",
            Self::Images => "images",
            Self::VercelImages => "vercel_images",
            Self::TypeSafe => "typesafe",
        }
    }

    /// The surfaces that a target of it serves with `model`, by relay or by translation; any can be reached by
    /// passthrough besides. What a [`Site`] says changes how they are served and not which.
    #[must_use]
    pub fn surfaces(self, model: &str) -> Vec<Surface> {
        let serves = |surface: &Surface| {
            let api = (self.rules().api)(&Site::default(), *surface, model);
            *surface != Surface::Passthrough
                && api.is_some_and(|api| Via::between(*surface, api).is_some())
        };
        Surface::ALL.into_iter().filter(serves).collect()
    }

    pub(crate) const fn rules(self) -> &'static Rules {
        match self {
            Self::OpenAi => &OPENAI,
            Self::Generic => &GENERIC,
            Self::Responses => &RESPONSES,
            Self::Azure => &AZURE,
            Self::OpenRouter => &OPENROUTER,
            Self::Ollama => &OLLAMA,
            Self::Anthropic => &ANTHROPIC,
            Self::Gemini => &GEMINI,
            Self::Vertex => &VERTEX,
            Self::Bedrock => &BEDROCK,
            Self::Images => &IMAGES,
            Self::VercelImages => &VERCEL_IMAGES,
            Self::TypeSafe => &TYPESAFE,
        }
    }
}

/// Where a key goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// `Authorization: Bearer …`
    Bearer,
    /// A header of the dialect's own.
    Header(&'static str),
}

/// What this crate must know of a dialect.
#[derive(Debug)]
pub(crate) struct Rules {
    /// Where its key goes.
    pub(crate) key: Slot,
    /// Whether `stream_options.include_usage` is understood.
    pub(crate) stream_options: bool,
    /// Whether content that is all text is written as one string.
    pub(crate) plain_content: bool,
    /// Headers of the caller that belong to the dialect and are always passed on.
    pub(crate) forward: &'static [&'static str],
    /// Headers that say whom to bill. Passed on beside the caller's own credential only: beside ours they
    /// would let a caller choose whom we pay for, or bench our key with an account that is not ours.
    pub(crate) account: &'static [&'static str],
    /// Sent where neither the caller nor the target says otherwise.
    pub(crate) fixed: &'static [(&'static str, &'static str)],
    /// What is meant by a base URL without a path.
    pub(crate) base: &'static str,
    /// Which API serves a surface with a model; `None` where none does.
    pub(crate) api: fn(&Site, Surface, &str) -> Option<Api>,
    /// Path and query below the base URL.
    pub(crate) path: fn(&Site, Api, &str, bool) -> String,
    /// Whether the path names the model.
    pub(crate) model_in_path: bool,
}

const OPENAI: Rules = Rules {
    key: Slot::Bearer,
    stream_options: true,
    plain_content: false,
    forward: &["openai-beta"],
    account: &["openai-organization", "openai-project"],
    fixed: &[],
    base: "/v1",
    api: paths::openai_api,
    path: paths::openai,
    model_in_path: false,
};

const GENERIC: Rules = Rules {
    stream_options: false,
    plain_content: true,
    ..OPENAI
};

const RESPONSES: Rules = Rules {
    api: paths::responses_api,
    ..OPENAI
};

const AZURE: Rules = Rules {
    key: Slot::Header("api-key"),
    base: "",
    path: paths::azure,
    model_in_path: true,
    ..OPENAI
};

const OPENROUTER: Rules = Rules {
    forward: &["http-referer", "x-title", "openai-beta"],
    base: "/api/v1",
    ..OPENAI
};

const OLLAMA: Rules = Rules {
    key: Slot::Bearer,
    stream_options: false,
    forward: &[],
    account: &[],
    base: "",
    api: paths::ollama_api,
    path: paths::ollama,
    ..OPENAI
};

const ANTHROPIC: Rules = Rules {
    key: Slot::Header("x-api-key"),
    stream_options: false,
    forward: &["anthropic-version", "anthropic-beta"],
    account: &[],
    fixed: &[("anthropic-version", "2023-06-01")],
    api: paths::anthropic_api,
    path: paths::anthropic,
    ..OPENAI
};

const GEMINI: Rules = Rules {
    key: Slot::Header("x-goog-api-key"),
    stream_options: false,
    forward: &[],
    account: &["x-goog-user-project"],
    base: "/v1beta",
    api: paths::gemini_api,
    path: paths::gemini,
    model_in_path: true,
    ..OPENAI
};

const VERTEX: Rules = Rules {
    key: Slot::Bearer,
    forward: &["anthropic-beta"],
    base: "/v1",
    api: paths::vertex_api,
    path: paths::vertex,
    ..GEMINI
};

const BEDROCK: Rules = Rules {
    key: Slot::Bearer,
    account: &[],
    base: "",
    api: paths::bedrock_api,
    path: paths::bedrock,
    ..GEMINI
};

const IMAGES: Rules = Rules {
    stream_options: false,
    api: paths::images_api,
    ..OPENAI
};

const VERCEL_IMAGES: Rules = Rules {
    stream_options: false,
    forward: &[],
    account: &[],
    fixed: paths::VERCEL,
    base: "/v3/ai",
    api: paths::vercel_api,
    path: paths::vercel,
    ..OPENAI
};

const TYPESAFE: Rules = Rules {
    stream_options: false,
    forward: &[],
    account: &[],
    api: paths::typesafe_api,
    path: paths::typesafe,
    ..OPENAI
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dialect_serves_what_the_page_says() {
        let page = include_str!("../../../docs/surfaces.md");
        let (_, page) = page.split_once("| dialect | relayed |").unwrap();
        for dialect in Dialect::ALL {
            let name = format!("`{}`", dialect.as_str());
            let of_it = |line: &&str| {
                let first = line.strip_prefix("| ").and_then(|l| l.split(" |").next());
                first.is_some_and(|cell| cell.split(", ").any(|n| n == name))
            };
            let row = page.lines().find(of_it).unwrap_or_else(|| panic!("{name}"));
            let cells = row.split_once(" |").unwrap().1;
            for surface in Surface::ALL {
                let told = cells.contains(&format!("`{surface}`"));
                let by = |model: &&str| dialect.surfaces(model).contains(&surface);
                let mut models = ["m", "claude-x", "amazon.titan-embed-text-v2:0"].into_iter();
                let served = models.any(|model| by(&model));
                assert_eq!(served, told, "{surface} of {name}");
            }
        }
    }
}
