//! The APIs that are spoken, one folder each.
//!
//! A dialect reads what its upstreams send and says what it means in the words defined here, so that
//! commit, both token clocks, the end of a stream, usage and failures have one definition for all of
//! them. It gives a judge for frames, a judge for whole answers, its codecs to and from the
//! [`middle`](crate::middle) form, and keeps every peculiarity of its providers to itself.

mod allowed;
pub mod anthropic;
pub mod bedrock;
mod call_id;
mod citation;
mod declared;
mod embeddings;
mod finish;
mod gathered;
pub mod gemini;
mod judged;
mod lacking;
pub mod ollama;
pub mod openai;
pub mod responses;
mod stray;
mod tally;
mod user;
pub(crate) mod vercel;

pub use finish::Finish;
pub use judged::{AnswerSummary, End, Judged, Kind};
pub use tally::{Durations, Tally};

use crate::frame::Frame;

/// Judges the frames of one stream, in order.
pub trait Judge: Send {
    /// Judges the next frame.
    fn judge(&mut self, frame: &Frame) -> Judged;
    /// What was learnt so far.
    fn tally(&self) -> Tally;
    /// Fingerprints of the state that has come since this was asked last.
    fn take_state(&mut self) -> Vec<u64> {
        Vec::new()
    }
}
