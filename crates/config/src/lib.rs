//! Punctual's configuration: as written, checked, and then immutable.
//!
//! A file goes through three forms. [`raw::File`] is what the user wrote, every key optional. The check
//! turns it into a [`Config`], or into [`Problem`]s, all of them, each with its place and a way out. A
//! [`Config`] together with a [`punctual_core::Registry`] gives the engine its targets and plans.
//!
//! What must hold: a [`Config`] that exists can be served; nothing in here prints, logs or shows a secret;
//! nothing in here talks to a network.

mod check;
mod config;
mod engine;
pub mod environment;
pub mod keys;
pub mod known;
pub mod ladder;
mod load;
pub mod path;
mod problem;
pub mod raw;
mod route;
pub mod schema;
mod secret;
mod server;
mod target;
mod tree;
pub mod unit;
pub mod watch;
pub mod zero;

pub use config::{Checked, Config};
pub use engine::EngineParts;
pub use environment::Environment;
pub use keys::{Key, Keys, sum};
pub use ladder::{Climb, Cut, Ladder, Rung};
pub use load::{check_text, load};
pub use problem::{Problem, Severity, closest, render, render_json};
pub use route::{Pattern, RouteConfig, Shape};
pub use server::{Admin, Otlp, Server, Telemetry, Tls};
pub use target::{Auth, DEADLINE_HEADERS, Dialect, Site, TargetConfig};
