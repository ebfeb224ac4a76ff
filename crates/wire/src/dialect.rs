//! Upstream APIs, one folder each.
//!
//! A dialect reads what its upstreams send and says what it means in the words defined here, so
//! that commit, both token clocks, the end of a stream, usage and failures have one definition
//! for all of them. It gives a judge for events, a judge for whole answers, and keeps every
//! peculiarity of its providers to itself.

mod finish;
mod judged;
pub mod openai;

pub use finish::Finish;
pub use judged::{AnswerSummary, End, Judged, Kind};
