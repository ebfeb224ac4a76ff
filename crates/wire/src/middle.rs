//! The middle form: one typed shape for what every API says, between a caller and an upstream that
//! speak differently.
//!
//! A dialect has a codec to and from this form, so that n dialects need 2n codecs and a question of
//! meaning (what is content, which finish reason this is) is answered once. Same dialect in and out
//! never comes through here: those bytes are relayed as they came.
//!
//! What must hold:
//! - **Numbers keep their spelling.** Whatever is a number in JSON is a [`Json`] here, not an `f64`.
//! - **Tool input is never repaired.** It is a string that is passed on, broken or not.
//! - **Nothing is lost in silence.** What the other side has no place for is named in [`Lost`].

mod answer;
mod codec;
mod delta;
mod derive;
mod extra;
mod json;
mod lost;
mod part;
mod request;
#[cfg(test)]
pub(crate) mod sample;
mod unroll;

pub use answer::{Answer, Choice};
pub use codec::{Asked, Decode, Encode, Options, Seen, SurfaceCodec, UpstreamCodec};
pub use delta::{Delta, Start};
pub use derive::{Derived, summary};
pub(crate) use extra::Extra;
pub use json::Json;
pub use lost::Lost;
pub use part::{Part, Source, ToolCall, ToolResult};
pub use request::{Format, Message, Reasoning, Request, Role, Sampling, Tool, ToolChoice};
pub use unroll::unroll;
