//! What clients promise however they are nested, with members in memory and on paused time: each promise for
//! whole answers and for streams.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod clocks;
mod deadlines;
mod execution;
mod judging;
mod misuse;
mod nesting;
mod refusals;
mod support;
mod telling;
mod timeouts;
