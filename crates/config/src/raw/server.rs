//! `server`, `keys`, `telemetry` as written.

use super::{Many, Secret};
use crate::unit::{Size, Timeout};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};
use std::{borrow::Cow, collections::BTreeMap, fmt};

/// The front door.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Server {
    /// Address and port, or several. Default 127.0.0.1:8080.
    pub listen: Option<Many<String>>,
    /// Values of `Host` that are served beside loopback names and the listen address.
    pub hosts: Option<Many<String>>,
    /// Values of `Origin` that are served. Default none.
    pub origins: Option<Many<String>>,
    /// Networks whose deadline headers of a mesh are believed. Default none.
    pub trusted_peers: Option<Many<String>>,
    /// When every request must have ended, from its head on. Default none.
    pub request_deadline: Option<Timeout>,
    /// HTTPS.
    pub tls: Option<Tls>,
    /// `none` serves everybody who can connect, also on other addresses than loopback.
    pub auth: Option<ServerAuth>,
    /// Health, metrics, live requests, on an address of their own.
    pub admin: Option<Admin>,
    /// Requests at once; beyond it 503 at once. Default 4096.
    pub max_in_flight: Option<u32>,
    /// Connections at once. Default 8192.
    pub max_connections: Option<u32>,
    /// Memory for bodies and held-back events; beyond it 503 at once. Default 1GiB.
    pub memory_budget: Option<Size>,
    /// The largest request body. Default 64MiB.
    pub max_body_bytes: Option<Size>,
    /// Longest pause in an upload, then 408. Default 30s.
    pub receive_timeout: Option<Timeout>,
    /// From a connection's first chance to speak to the end of a request's head. Default 10s.
    pub header_timeout: Option<Timeout>,
    /// How long an idle connection is kept. Default 75s.
    pub keep_alive: Option<Timeout>,
    /// A caller that takes nothing for this long is gone. Default 60s.
    pub caller_stall_timeout: Option<Timeout>,
    /// Heartbeats on streams that are silent. Default 20s; 0 is off.
    pub heartbeat_interval: Option<Timeout>,
    /// How long new requests are still served after SIGTERM. Default 5s.
    pub lame_duck: Option<Timeout>,
    /// How long running requests may finish after that. Default 30s.
    pub drain_timeout: Option<Timeout>,
    /// Whether the timeouts that SDKs announce (`x-stainless-timeout`) are taken as the caller's. Default on.
    pub sdk_timeouts: Option<Switch>,
    /// Whose value ties calls that carry a provider's state to the target that made it. Default
    /// `x-punctual-affinity`.
    pub affinity_header: Option<String>,
    /// Worker threads. Default one per core.
    pub workers: Option<u32>,
}

/// HTTPS.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Tls {
    /// Certificate chain, PEM.
    pub cert_file: Option<String>,
    /// Private key, PEM.
    pub key_file: Option<String>,
}

/// Who may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ServerAuth {
    /// Everybody who can connect.
    None,
    /// Holders of a key.
    Keys,
}

/// The administrative listener.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Admin {
    /// Address and port, or `none`. Default 127.0.0.1:8081.
    pub listen: Option<String>,
    /// What its callers must present.
    pub token: Option<Secret>,
    /// A file with that token.
    pub token_file: Option<String>,
}

/// A key of callers: `hash`, `value` or `value_file`, two live ones at the most.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Key {
    /// `sha256:` and 64 hex digits, as `punctual keys new` prints it.
    pub hash: Option<Many<String>>,
    /// The key itself; hashed when it is read.
    pub value: Option<Many<Secret>>,
    /// A file with the key.
    pub value_file: Option<Many<String>>,
    /// When its requests must have ended.
    pub deadline: Option<Timeout>,
    /// Routes it may name. Default all.
    pub routes: Option<Vec<String>>,
    /// Whether it may use passthrough. Default true, false where it has `routes`.
    pub passthrough: Option<bool>,
    /// Heartbeats on its streams; 0 is off.
    pub heartbeat_interval: Option<Timeout>,
}

/// When a queue refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Shed {
    /// Only when it is full.
    Never,
    /// Entries also leave at their own deadline.
    Expired,
    /// Also what would expire by the median of recent requests.
    Predicted,
}

/// Traces, metrics, logs.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Telemetry {
    /// What our attributes and metrics begin with. Default `punctual`.
    pub prefix: Option<String>,
    /// Where traces and metrics are sent.
    pub otlp: Option<Otlp>,
    /// One JSON line per request on standard output. Default on.
    pub log: Option<Switch>,
    /// Prometheus on the administrative listener. Default on.
    pub metrics: Option<Switch>,
}

/// An OpenTelemetry collector over HTTP.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Otlp {
    /// Its base, such as `http://127.0.0.1:4318`.
    pub endpoint: Option<String>,
    /// Headers of each export.
    pub headers: Option<BTreeMap<String, Secret>>,
    /// Share of traces kept, 0 to 1; failed ones always are. Default 1.
    pub sample: Option<f64>,
}

/// `on` or `off`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch(pub bool);

impl<'de> Deserialize<'de> for Switch {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Word;
        impl de::Visitor<'_> for Word {
            type Value = Switch;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("on or off")
            }
            fn visit_bool<E: de::Error>(self, b: bool) -> Result<Switch, E> {
                Ok(Switch(b))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Switch, E> {
                match text {
                    "on" | "true" | "yes" => Ok(Switch(true)),
                    "off" | "false" | "no" | "none" => Ok(Switch(false)),
                    _ => Err(E::unknown_variant(text, &["on", "off"])),
                }
            }
        }
        d.deserialize_any(Word)
    }
}

impl JsonSchema for Switch {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Switch".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "enum": ["on", "off", true, false] })
    }
}
