//! `defaults`, `providers`, `targets`: three layers that share most of their keys.
//!
//! The shared keys are written once, in the macros below, each adding its own and handing the rest down:
//! a struct that has a connection also has settings, one that has settings also has clocks. A plain
//! `#[serde(flatten)]` would do the same and lose which key was unknown, and where.

use super::{Many, Secret, server::Shed};
use crate::unit::{Size, Timeout, parse_timeout};
use punctual_core::Reserve;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};
use std::{borrow::Cow, collections::BTreeMap, fmt};

/// Declares a view struct for a group of keys, a macro that adds the group to a struct, and the way from
/// one to the other.
macro_rules! group {
    ($d:tt $(#[$doc:meta])* $view:ident, $get:ident, $next:ident, $add:ident {
        $($(#[$field_doc:meta])* $field:ident: $type:ty,)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default)]
        pub struct $view {
            $($(#[$field_doc])* pub $field: Option<$type>,)*
        }

        impl $view {
            /// These values, and those of the layer below where nothing is said.
            #[must_use]
            pub fn over(self, below: &Self) -> Self {
                Self { $($field: self.$field.or_else(|| below.$field.clone()),)* }
            }

            /// The keys that are said.
            #[must_use]
            pub fn said(&self) -> Vec<&'static str> {
                let mut out = Vec::new();
                $(if self.$field.is_some() { out.push(stringify!($field)); })*
                out
            }
        }

        macro_rules! $add {
            ($d(#[$d meta:meta])* $d name:ident { $d($d own:tt)* }) => {
                $next! { $d(#[$d meta])* $d name {
                    $d($d own)*
                    $($(#[$field_doc])* pub $field: Option<$type>,)*
                } }

                impl $d name {
                    #[doc = concat!("Its keys of the group [`", stringify!($view), "`].")]
                    #[must_use]
                    pub fn $get(&self) -> $view {
                        $view { $($field: self.$field.clone(),)* }
                    }
                }
            };
        }
    };
}

macro_rules! keys {
    ($(#[$meta:meta])* $name:ident { $($own:tt)* }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub struct $name { $($own)* }
    };
}

group! { $
    /// Clocks and rules of an attempt: what a leaf of a plan may change.
    Clocks, clocks, keys, with_clocks {
        /// TCP and TLS up. Default 10s.
        connect_timeout: Timeout,
        /// From dispatch, before connecting, to the first content. Streamed exchanges only. Default none.
        first_token_timeout: Timeout,
        /// From content to the next content. Streamed exchanges only. Default 120s.
        stream_token_timeout: Timeout,
        /// From dispatch to the last byte of a unary answer; only shortens `timeout`. Default none.
        unary_timeout: Timeout,
        /// From dispatch to the upstream's last byte, streamed or not. Default 10m, streamed 1h.
        timeout: Timeout,
        /// The same as `timeout`.
        timeouts: Timeout,
        /// Time kept for the members behind: `auto`, `none`, a time, or a share such as `25%`.
        reserve: ReserveText,
        /// How long a request may wait for a permit. Default 10s where another member exists, else none.
        max_queue_wait: Timeout,
        /// Whether a request that may have been sent is sent again. Default true.
        replay_timeouts: bool,
        /// Whether an answer without content is an answer. Default false.
        allow_empty: bool,
    }
}

group! { $
    /// Queue and wire rules: what defaults, a provider and a target may say.
    Settings, settings, with_clocks, with_settings {
        /// Requests at once. Default no limit.
        max_concurrency: u32,
        /// Requests that wait; one more is refused. Default 100.
        max_queue: u32,
        /// When the queue refuses: `never`, `expired`, `predicted`. Default `expired`.
        shed: Shed,
        /// Targets that name the same lane share its permits and queue.
        lane: String,
        /// `inject` asks for the usage chunk of a stream, and takes it out unless the caller asked too.
        usage: UsageText,
        /// Headers in which the time left is sent upstream. Default none.
        forward_deadline: Many<String>,
        /// Request headers of the caller that are passed on beside the usual ones.
        forward_headers: Many<String>,
        /// Headers added to each request.
        headers: BTreeMap<String, Secret>,
        /// The largest event of a stream. Default 64MiB.
        max_event_bytes: Size,
        /// The largest unary answer. Default 64MiB.
        max_response_bytes: Size,
        /// HTTP/2 to the upstream. Default false.
        http2: bool,
        /// Whether callers reach it by `/passthrough/{target}/…`, with all that its credential allows.
        /// Default false.
        passthrough: bool,
    }
}

group! { $
    /// Where and as whom: what a provider, or a target without one, says.
    Connection, connection, with_settings, with_connection {
        /// The API spoken there.
        dialect: Dialect,
        /// Up to and including `/v1`, or whatever stands before the paths of the dialect. Default the
        /// provider's own address, where there is one.
        base_url: String,
        /// The credential.
        api_key: Secret,
        /// A file with the credential.
        api_key_file: String,
        /// `passthrough` sends the caller's own credential.
        auth: ProviderAuth,
        /// Certificates to trust instead of the platform's, PEM.
        ca_file: String,
        /// Our certificate, PEM.
        client_cert_file: String,
        /// The key of our certificate, PEM.
        client_key_file: String,
        /// An HTTP proxy to go through, or `none`. Default what the environment says (`HTTPS_PROXY`).
        proxy: String,
        /// Hosts that are reached without it. Default what `NO_PROXY` says.
        no_proxy: Many<String>,
    }
}

group! { $
    /// What single dialects must know beyond an address: a provider says it, or a target for itself.
    Site, site, with_connection, with_site {
        /// Azure: the resource's name, in place of `base_url: https://NAME.openai.azure.com`.
        resource: String,
        /// Azure: the version of the API. Default 2024-10-21, none where `base_url` ends in `/openai/v1`.
        api_version: String,
        /// Azure: the tenant of Entra ID; then `client_id` and `client_secret` take the place of a key.
        tenant_id: String,
        /// Azure: the application in Entra ID.
        client_id: String,
        /// Azure: the application's secret.
        client_secret: Secret,
        /// Vertex: the project.
        project: String,
        /// Vertex: the location. Default `global`.
        location: String,
        /// Vertex: a file with credentials. Default the application default credentials.
        credentials_file: String,
        /// Vertex: such a file's contents.
        credentials_json: Secret,
        /// Bedrock: the region. Default `AWS_REGION`.
        region: String,
        /// Bedrock: an access key. Default AWS's chain.
        access_key_id: String,
        /// Bedrock: its secret.
        secret_access_key: Secret,
        /// Bedrock: beside a temporary key.
        session_token: Secret,
        /// Bedrock: the profile in the shared files.
        profile: String,
        /// Bedrock: `invoke` asks Claude by InvokeModel, in Anthropic's own words, and every other model by
        /// Converse; `converse` asks all of them by Converse. Default `converse`.
        api: BedrockApi,
        /// Ollama: `options.num_ctx`, in tokens. Default the model's.
        num_ctx: u32,
    }
}

with_settings! {
    /// Values that every target starts from.
    Defaults {}
}

with_site! {
    /// Where models are.
    Provider {}
}

with_site! {
    /// One upstream endpoint and model.
    Target {
        /// The provider it is at; or say `dialect` and `base_url` here.
        pub provider: Option<String>,
        /// The model's name there.
        pub model: Option<String>,
    }
}

with_clocks! {
    /// A node of a plan that is not just a name: exactly one of `use`, `retry`, `fallback`, `round_robin`,
    /// `pass`. Clocks go with `use` and `pass`.
    Step {
        /// A target, with its clocks changed by the keys beside.
        #[serde(rename = "use")]
        pub target: Option<String>,
        /// Tries its member again.
        pub retry: Option<super::Retry>,
        /// Tries its members in order.
        pub fallback: Option<super::FallbackForm>,
        /// Takes the next member in turn.
        pub round_robin: Option<Vec<super::Plan>>,
        /// A provider; the model is the caller's.
        pub pass: Option<String>,
    }
}

/// An upstream API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// OpenAI's API, with a key.
    Openai,
    /// The same shape from servers that may need no key and not know `stream_options`.
    Generic,
    /// OpenAI's Responses API.
    Responses,
    /// OpenAI's API as Azure serves it.
    Azure,
    /// OpenAI's API as OpenRouter serves it.
    Openrouter,
    /// Ollama's own API.
    Ollama,
    /// Anthropic's Messages API.
    Anthropic,
    /// Google's Gemini API.
    Gemini,
    /// Gemini and Claude on Google's Vertex AI.
    Vertex,
    /// Amazon Bedrock.
    Bedrock,
    /// OpenAI's images.
    Images,
    /// Image models behind Vercel's AI Gateway.
    VercelImages,
    /// TypeSafe's `systemone`.
    Typesafe,
}

/// By which of Bedrock's APIs Claude is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BedrockApi {
    /// Converse, like every model.
    Converse,
    /// InvokeModel.
    Invoke,
}

/// Whose credential goes upstream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProviderAuth {
    /// `api_key`, if there is one.
    Key,
    /// The caller's own.
    Passthrough,
}

/// What is done about the usage chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UsageText {
    /// As the caller sent it.
    AsSent,
    /// Asked for on every stream.
    Inject,
}

/// `auto`, `none`, a time, or a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReserveText(pub Reserve);

fn parse_reserve(text: &str) -> Result<Reserve, String> {
    if text == "auto" {
        return Ok(Reserve::Auto);
    }
    if let Some(share) = text.strip_suffix('%') {
        let percent = share.trim().parse::<u8>().ok().filter(|p| *p <= 100);
        return percent
            .map(Reserve::Percent)
            .ok_or_else(|| format!("{text:?} is not a share: write 0% to 100%"));
    }
    let wrong = |e| format!("{e}, or a share such as 25%, or auto");
    Ok(parse_timeout(text)
        .map_err(wrong)?
        .0
        .map_or(Reserve::None, Reserve::Fixed))
}

impl<'de> Deserialize<'de> for ReserveText {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Text;
        impl de::Visitor<'_> for Text {
            type Value = ReserveText;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("auto, none, a time such as 20s, or a share such as 25%")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<ReserveText, E> {
                parse_reserve(text).map(ReserveText).map_err(E::custom)
            }
            fn visit_i64<E: de::Error>(self, n: i64) -> Result<ReserveText, E> {
                self.visit_str(&n.to_string())
            }
        }
        d.deserialize_any(Text)
    }
}

impl JsonSchema for ReserveText {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Reserve".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [
            { "type": "string", "pattern": r"^(auto|none|off|[0-9]{1,3}%|([0-9]+(\.[0-9]+)?(ms|s|m|min|h|d))+)$" },
            { "type": "number", "maximum": 0 },
        ]})
    }
}
