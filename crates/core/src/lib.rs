//! The engine of Punctual: one deadline over everything done for a request.
//!
//! Read [`execute`] first: it is the path of a request through this crate, as plain async functions.
//! Everything else is a noun that path uses: a [`Deadline`], a [`Plan`] walked member by member, a [`Lane`]
//! that gives permits, the [`Health`] of a target, a [`Failure`] and the one table that judges it, the
//! [`Relay`] that streams, the [`Record`] that closes exactly once.
//!
//! What must hold: dropping the future (or the response body) of a request ends everything about it. There
//! is no HTTP here, no I/O and no spawned task; time is `tokio::time` only, so paused time drives it all.

mod bond;
mod budget;
mod call;
mod clock;
mod deadline;
pub mod execute;
mod failure;
mod health;
mod lane;
mod observer;
mod plan;
mod record;
mod registry;
mod relay;
mod retry;
mod room;
mod target;
mod trace;
mod upstream;
mod vigil;
mod walk;

pub use bond::{Bond, State};
pub use budget::RetryBudget;
pub use call::{Call, CommitOn, Policy, Surface, Unsupported};
pub use clock::{Clock, Limits, Reserve, arm, reached};
pub use deadline::{Deadline, Source, SourceClass};
pub use execute::{Answer, Engine, Live, Open, Opened, Opening, Refused, deadline_exceeded, open};
pub use failure::{Code, Failure, Fault, Limit, Rule, Sent};
pub use health::{Entry, Health, Pass, Rest, Resting};
pub use lane::{Admission, Lane, LaneLimits, Permit, QueueRefusal, Shed};
pub use observer::{Event, NoObserver, Observer};
pub use plan::{Plan, TargetId};
pub use record::{
    AttemptReport, BackoffReport, Fate, Outcome, Phase, QueueReport, Reason, Record, Report,
};
pub use registry::Registry;
pub use relay::{BrokenOff, Numbers, Pace, Relay, Voice};
pub use retry::{Backoff, CodeSet, Retry};
pub use room::Room;
pub use target::Target;
pub use trace::{SpanId, Trace, TraceId};
pub use upstream::{
    Attempt, End, Head, Kind, Piece, Pieces, Progress, Summary, Timings, Upstream, Usage,
};
pub use vigil::{Expire, Standing, Vigil};
pub use walk::{Ground, Next, Walk};
