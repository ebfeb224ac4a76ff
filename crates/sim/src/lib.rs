//! A scripted LLM upstream that misbehaves on order and reports what its sockets saw.
//!
//! A gateway's promises are about what happens when an upstream is silent, slow, broken or gone, and
//! about when that upstream's connection is closed. Neither can be proved against a well-behaved mock,
//! so this one does exactly what a [`Script`] says, byte for byte, in the dialects of OpenAI, Azure, Anthropic,
//! Gemini, Vertex, Bedrock and Ollama, and notes the instant at which a client left. The servers that hand
//! out credentials for some of these are played too. It is a product of its own (`punctual sim`), used from any language over HTTP, and
//! depends on no other crate of the workspace.
//!
//! What must hold:
//! - the closing of a client is seen at once in every state, also while nothing is being sent;
//! - a record is never kinder than the socket: `finished` is set only after the last byte was handed over;
//! - adding a fault touches one file below `words/`;
//! - nothing outlives [`Sim::shutdown`] or the drop of the [`Sim`].
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use punctual_sim::{Listen, Script, Sim};
//! use std::time::Duration;
//!
//! let sim = Sim::start(Listen::loopback()).await?;
//! sim.set("slow", "tokens=5,gap=50ms,stall-after=3".parse::<Script>()?);
//! // … point a client at sim.url() and ask for the model `slow`, or for `sim:silent-headers` …
//! let seen = sim.wait(Duration::from_secs(1), |seen| seen.iter().any(|s| s.closed.is_some())).await?;
//! # let _ = seen; sim.shutdown().await; Ok(()) }
//! ```

mod admin;
mod answer;
mod ask;
mod blackhole;
mod connection;
mod host;
mod http1;
mod http2;
mod json;
mod listen;
mod log;
mod made;
mod play;
mod route;
mod script;
mod seen;
mod sim;
mod socket;
mod surface;
mod tls;
mod words;

pub use blackhole::Blackhole;
pub use listen::Listen;
pub use log::Late;
pub use script::{Cuts, Script, ScriptError};
pub use seen::{Close, Conn, Ended, Protocol, Seen};
pub use sim::{Sim, StartError};
pub use words::{Word, routes_help, words};
