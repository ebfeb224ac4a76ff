//! What one choice of one event says, step by step.
//!
//! Text is told once though Together has it twice, and the log probabilities of an event go with its first
//! text; where there is none they have no place.

use super::{
    super::{
        calls::Calls,
        loose,
        said::{Piece, Said},
    },
    Sink,
};
use crate::middle::Delta;

/// One choice of one event, on its way to the sink.
pub(super) struct Told<'a> {
    pub(super) choice: u32,
    /// Not told yet.
    pub(super) logprobs: Option<&'a str>,
    pub(super) has_text: bool,
}

impl<'a> Told<'a> {
    pub(super) fn tell(
        mut self,
        said: &Said<'a>,
        text: Option<&'a str>,
        calls: &mut Calls,
        sink: Sink<'_>,
    ) {
        said.pieces(&mut |piece| self.piece(piece, calls, sink));
        // Together repeats the delta's text here
        if let Some(text) = text.filter(|_| !self.has_text).and_then(loose::text) {
            self.piece(Piece::Text(text), calls, sink);
        }
        if self.logprobs.is_some() {
            sink(Delta::Lost("logprobs"));
        }
    }

    fn piece(&mut self, piece: Piece<'a>, calls: &mut Calls, sink: Sink<'_>) {
        let choice = self.choice;
        sink(match piece {
            Piece::Text(text) => {
                self.has_text = true;
                let logprobs = self.logprobs.take();
                Delta::Text {
                    choice,
                    text,
                    logprobs,
                }
            }
            Piece::Refusal(text) => Delta::Refusal { choice, text },
            Piece::Reasoning(text) => Delta::Reasoning { choice, text },
            Piece::Signature(value) => Delta::Signature { choice, value },
            Piece::Opaque(value) => Delta::Opaque { choice, value },
            Piece::Call(fragment) => return calls.take(fragment, choice, sink),
            Piece::Whole(part) => Delta::Whole { choice, part },
            Piece::Citation(json) => Delta::Citation {
                choice,
                json,
                reach: None,
            },
            Piece::Lost(name) => Delta::Lost(name),
        });
    }
}
