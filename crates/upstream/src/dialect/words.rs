//! From the words of `wire` to those of the engine.

use punctual_core::{Summary, Timings};
use punctual_wire::{
    Surface,
    dialect::{AnswerSummary, Durations, Tally},
};
use std::sync::Arc;

/// What a stream has told about itself; the counts of events and bytes are added by whoever reads it.
pub(crate) fn tally(tally: &Tally) -> Summary {
    Summary {
        usage: usage(tally.usage),
        timings: timings(tally.durations),
        finish: tally.finish.as_ref().map(|f| Arc::from(f.as_str())),
        model: tally.model.as_deref().map(Arc::from),
        response_id: tally.id.as_deref().map(Arc::from),
        ..Summary::default()
    }
}

/// What a whole answer said about itself.
pub(crate) fn summary(answer: &AnswerSummary) -> Summary {
    Summary {
        usage: answer.usage.map(usage).unwrap_or_default(),
        timings: timings(answer.durations),
        finish: answer.finish.as_ref().map(|f| Arc::from(f.as_str())),
        model: answer.model.as_deref().map(Arc::from),
        response_id: answer.id.as_deref().map(Arc::from),
        content_events: u64::from(answer.has_content),
        ..Summary::default()
    }
}

const fn timings(durations: Durations) -> Timings {
    Timings {
        total: durations.total,
        load: durations.load,
        prompt: durations.prompt,
        output: durations.output,
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
    use punctual_core::Surface as Core;
    Some(match surface {
        Core::Chat => Surface::Chat,
        Core::Completions => Surface::Completions,
        Core::Embeddings => Surface::Embeddings,
        Core::Responses => Surface::Responses,
        Core::Messages => Surface::Messages,
        Core::CountTokens => Surface::CountTokens,
        Core::Images => Surface::Images,
        Core::SystemOne => Surface::SystemOne,
        Core::Passthrough => Surface::Passthrough,
        _ => return None,
    })
}
