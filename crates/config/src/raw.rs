//! The configuration exactly as users write it: every key, nothing resolved, nothing checked.
//!
//! A key that is not written is `None`; one written as "off" is a value. The difference carries through
//! the layers (defaults, provider, target, leaf), so it must not be lost here. The JSON schema is derived
//! from these structs, and their doc comments are its descriptions: what is said here is what an editor
//! shows.

use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

mod many;
mod member;
mod route;
mod server;

pub use many::{Many, Secret};
pub use member::{
    BedrockApi, Clocks, Connection, Defaults, Dialect, Provider, ProviderAuth, ReserveText,
    Settings, Site, Target, UsageText,
};
pub use route::{CommitText, Fallback, FallbackForm, Plan, Retry, Route, Step, UnsupportedText};
pub use server::{Admin, Key, Otlp, Server, ServerAuth, Shed, Switch, Telemetry, Tls};

/// The whole file.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct File {
    /// Version of this format: 1.
    pub schema_version: Option<u32>,
    /// The front door.
    pub server: Option<Server>,
    /// Keys of callers, by name.
    pub keys: Option<BTreeMap<String, Key>>,
    /// Values that every target starts from.
    pub defaults: Option<Defaults>,
    /// Where models are, by name: address, credential, TLS and proxy once for all targets there.
    pub providers: Option<BTreeMap<String, Provider>>,
    /// One upstream endpoint, model and set of clocks each, by name.
    pub targets: Option<BTreeMap<String, Target>>,
    /// What callers name in `model`: an exact name, `prefix/*`, or `*`.
    pub routes: Option<BTreeMap<String, Route>>,
    /// Traces, metrics, logs.
    pub telemetry: Option<Telemetry>,
    /// Behave like another proxy where it matters to its callers.
    pub compat: Option<Compat>,
}

/// Another proxy to behave like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum Compat {
    /// Unreadable deadline headers are ignored and counted, `error.type` repeats the code, a full queue is
    /// a `rate_limit_error`. On by itself when `PROXY_*` variables are set.
    #[serde(rename = "agent-proxy")]
    AgentProxy,
}
