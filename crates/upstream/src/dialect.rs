//! The APIs a target can speak: one line each in the registry below.
//!
//! A dialect is a folder of `punctual-wire` that reads what its upstreams send; here stands what it needs
//! of HTTP: paths, whether it has a credential, how answers are judged. Everything else in this crate is
//! the same for all of them.

use bytes::Bytes;
use punctual_core::Summary;
use punctual_wire::{
    Surface, Verdict,
    dialect::{AnswerSummary, Judged, openai},
    sse::Event,
};
use std::sync::Arc;

/// An upstream API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// OpenAI's, and of everyone who copied it.
    OpenAi,
    /// The same without a credential and without `stream_options`: local and home-made servers.
    Generic,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: [Self; 2] = [Self::OpenAi, Self::Generic];

    /// The name in configuration.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Generic => "generic",
        }
    }

    pub(crate) const fn rules(self) -> &'static Rules {
        match self {
            Self::OpenAi => &OPENAI,
            Self::Generic => &GENERIC,
        }
    }
}

/// What this crate must know of a dialect.
#[derive(Debug)]
pub(crate) struct Rules {
    /// Whether requests carry a credential.
    pub(crate) credential: bool,
    /// Whether `stream_options.include_usage` is understood.
    pub(crate) stream_options: bool,
    /// Headers of the caller that belong to the dialect and are always passed on.
    pub(crate) forward: &'static [&'static str],
    /// Headers that say whom to bill. Passed on beside the caller's own credential only: beside ours they
    /// would let a caller choose whom we pay for, or bench our key with an account that is not ours.
    pub(crate) account: &'static [&'static str],
    /// Path below the base URL.
    pub(crate) path: fn(Surface) -> &'static str,
    /// A judge for a stream with so many choices.
    pub(crate) judge: fn(Surface, u32) -> Box<dyn Judge>,
    /// Judges a whole answer.
    pub(crate) answer: fn(Surface, &Bytes) -> Result<AnswerSummary, Verdict>,
    /// Makes a whole answer a stream.
    pub(crate) to_stream: fn(Surface, &Bytes) -> Result<Bytes, Verdict>,
}

const OPENAI: Rules = Rules {
    credential: true,
    stream_options: true,
    forward: &["openai-beta"],
    account: &["openai-organization", "openai-project"],
    path: openai_path,
    judge: |surface, n| Box::new(openai::Judge::new(surface, n)),
    answer: openai::judge_answer,
    to_stream: openai::to_stream,
};

const GENERIC: Rules = Rules {
    credential: false,
    stream_options: false,
    ..OPENAI
};

fn openai_path(surface: Surface) -> &'static str {
    match surface {
        Surface::Completions => "/completions",
        Surface::Embeddings => "/embeddings",
        _ => "/chat/completions",
    }
}

/// Judges the events of one stream.
pub(crate) trait Judge: Send {
    fn judge(&mut self, event: &Event) -> Judged;
    /// What was learnt so far; the counts of events and bytes are added by whoever reads them.
    fn summary(&self) -> Summary;
}

impl Judge for openai::Judge {
    fn judge(&mut self, event: &Event) -> Judged {
        self.judge(event)
    }

    fn summary(&self) -> Summary {
        Summary {
            usage: usage(self.usage()),
            finish: self.finish_reason().map(|f| Arc::from(f.as_str())),
            model: self.model().map(Arc::from),
            response_id: self.id().map(Arc::from),
            content_events: 0,
            dropped_bytes: 0,
            dropped: Vec::new(),
        }
    }
}

/// What a whole answer said about itself.
pub(crate) fn summary(answer: &AnswerSummary) -> Summary {
    Summary {
        usage: answer.usage.map(usage).unwrap_or_default(),
        finish: answer.finish.as_ref().map(|f| Arc::from(f.as_str())),
        model: answer.model.as_deref().map(Arc::from),
        response_id: answer.id.as_deref().map(Arc::from),
        content_events: u64::from(answer.has_content),
        dropped_bytes: 0,
        dropped: Vec::new(),
    }
}

fn usage(usage: punctual_wire::Usage) -> punctual_core::Usage {
    punctual_core::Usage {
        input_tokens: usage.input,
        output_tokens: usage.output,
        cached_input_tokens: usage.cached_input,
        reasoning_tokens: usage.reasoning,
    }
}

/// The engine's surface in the words of `wire`; `None` for one that no dialect here serves.
pub(crate) fn surface(surface: punctual_core::Surface) -> Option<Surface> {
    match surface {
        punctual_core::Surface::Chat => Some(Surface::Chat),
        punctual_core::Surface::Completions => Some(Surface::Completions),
        punctual_core::Surface::Embeddings => Some(Surface::Embeddings),
        punctual_core::Surface::Responses => Some(Surface::Responses),
        punctual_core::Surface::Messages => Some(Surface::Messages),
        punctual_core::Surface::CountTokens => Some(Surface::CountTokens),
        punctual_core::Surface::Images => Some(Surface::Images),
        punctual_core::Surface::SystemOne => Some(Surface::SystemOne),
        punctual_core::Surface::Passthrough => Some(Surface::Passthrough),
        _ => None,
    }
}
