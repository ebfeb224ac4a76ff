//! LLM calls that end on time, fail over on time and tell the truth about both: the engine of the Punctual
//! gateway, inside a Rust program.
//!
//! ```no_run
//! use punctual::{Call, Client, Fallback, anthropic, openai};
//! use std::time::Duration;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), punctual::Error> {
//! let client = Fallback::new((
//!     openai::Chat::new("gpt-4o-mini").timeouts(Duration::from_secs(20)),
//!     anthropic::Messages::new("claude-sonnet-4-5"),
//! ));
//! let answer = client.invoke(&Call::new().user("hi")).await?;
//! println!("{}", answer.text());
//! # Ok(()) }
//! ```
//!
//! - [`Client`] is anything that answers: the clients of [`openai`], [`anthropic`], [`google`], [`aws`],
//!   [`typesafe`] and [`vercel`], a [`Member`] of the program's own, or several of them under [`Retry`],
//!   [`Fallback`] and [`RoundRobin`], nested in any order.
//! - [`Call`] is what is asked, and how much time there is for it; [`Timeouts`] are the clocks of a client.
//! - [`Execution`] is when the run that the process belongs to must have ended.
//! - [`Answer`], [`AnswerStream`] and [`Error`] all tell of every attempt that was made.
//!
//! What must hold: there is one engine (`punctual_core`), and everything here is compiled onto it: no second
//! loop. Dropping a call's future or its stream ends everything about the call at once.

mod answer;
#[cfg(any(feature = "tower", feature = "reqwest-middleware"))]
mod answered;
mod blocking;
#[cfg(any(feature = "tower", feature = "reqwest-middleware"))]
mod bounded;
mod call;
mod client;
mod compose;
mod credentials;
mod delta;
mod dispatch;
mod error;
mod exchange;
mod execution;
mod failed;
mod invoke;
mod leaf;
mod member;
mod merge;
mod node;
mod provider;
mod record;
#[cfg(feature = "reqwest-middleware")]
pub mod reqwest;
mod runtime;
mod stream;
mod timeouts;
#[cfg(feature = "tower")]
pub mod tower;

pub use answer::Answer;
pub use blocking::{Blocking, BlockingStream};
pub use call::Call;
pub use client::Client;
pub use compose::{Clients, Fallback, Retry, RoundRobin};
pub use credentials::{AwsCredentials, AzureCredentials, Credentials, GoogleCredentials};
pub use delta::{Delta, Done};
pub use error::{EXECUTION_DEADLINE_EXCEEDED, Error, Timeout};
pub use execution::{BadExecution, Execution};
pub use failed::{Failed, Safe};
pub use member::{Deltas, Member, Turn};
pub use node::Node;
pub use provider::{anthropic, aws, google, openai, typesafe, vercel};
pub use punctual_core as core;
pub use punctual_core::{Backoff, Clock, Code, Fault, Reserve, Sent};
pub use punctual_upstream::{EgressProxy, ForwardDeadline, Tls};
pub use punctual_wire as wire;
pub use punctual_wire::{Usage, dialect::Finish, middle::Json};
pub use record::CallRecord;
pub use stream::AnswerStream;
pub use timeouts::{Length, Timeouts};

/// The guide's examples are run as its tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/library.md")]
struct Guide;
