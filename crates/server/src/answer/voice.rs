//! What a stream of the OpenAI API says beside its content.
//!
//! The heartbeat is a comment with one newline: a blank line after it makes the official Python SDKs
//! dispatch an empty event.

use super::fault;
use bytes::Bytes;
use punctual_core::{Failure, Report, Voice};
use std::sync::{Arc, LazyLock};

struct OpenAi {
    compat: bool,
}

/// The voice of chat and completions; one for each way of writing `error.type`.
pub(super) fn openai(compat: bool) -> Arc<dyn Voice> {
    static VOICES: LazyLock<[Arc<dyn Voice>; 2]> = LazyLock::new(|| {
        [
            Arc::new(OpenAi { compat: false }),
            Arc::new(OpenAi { compat: true }),
        ]
    });
    let [plain, proxy] = &*VOICES;
    if compat { proxy.clone() } else { plain.clone() }
}

impl Voice for OpenAi {
    fn error_event(&self, failure: &Failure, report: &Report) -> Option<Bytes> {
        Some(fault::event(failure, report, self.compat))
    }

    fn heartbeat(&self) -> Bytes {
        Bytes::from_static(b": waiting\n")
    }

    fn done(&self) -> Option<Bytes> {
        Some(Bytes::from_static(b"data: [DONE]\n\n"))
    }
}
