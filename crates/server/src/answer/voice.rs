//! What a stream of the caller's API says beside its content.
//!
//! OpenAI's heartbeat is a comment with one newline: a blank line after it makes the official Python SDKs
//! dispatch an empty event. Anthropic's API has an event for it. Bytes that are passed through have neither
//! heartbeats nor words for a failure: they break off.

use super::fault::{self, Told};
use bytes::Bytes;
use punctual_core::{Failure, Numbers, Report, Voice};
use punctual_wire::{
    Surface,
    dialect::{anthropic, responses},
};
use std::sync::{Arc, LazyLock};

/// How a surface is spoken.
struct Speaker {
    words: Surface,
    compat: bool,
}

/// The voice of a surface; one for each way of writing `error.type`.
pub(super) fn of(words: Surface, compat: bool) -> Arc<dyn Voice> {
    type Both = [Arc<dyn Voice>; 2];
    static VOICES: LazyLock<Vec<Both>> = LazyLock::new(|| {
        let both = |words| {
            [false, true].map(|compat| Arc::new(Speaker { words, compat }) as Arc<dyn Voice>)
        };
        Surface::ALL.into_iter().map(both).collect()
    });
    let at = Surface::ALL.iter().position(|s| *s == words);
    match at.and_then(|at| VOICES.get(at)) {
        Some([plain, proxy]) => {
            if compat {
                proxy.clone()
            } else {
                plain.clone()
            }
        }
        None => Arc::new(Speaker { words, compat }),
    }
}

impl Voice for Speaker {
    fn error_event(&self, failure: &Failure, report: &Report, last: Option<u64>) -> Option<Bytes> {
        let told = Told {
            words: self.words,
            compat: self.compat,
            id: &report.id,
        };
        fault::event(failure, report, told, last)
    }

    fn numbers(&self) -> Option<Numbers> {
        (self.words == Surface::Responses).then_some(responses::last_number)
    }

    fn heartbeat(&self) -> Bytes {
        Bytes::from_static(match self.words.is_anthropic() {
            true => anthropic::PING,
            false => b": waiting\n",
        })
    }

    fn done(&self) -> Option<Bytes> {
        let marked = matches!(self.words, Surface::Chat | Surface::Completions);
        marked.then(|| Bytes::from_static(b"data: [DONE]\n\n"))
    }
}
