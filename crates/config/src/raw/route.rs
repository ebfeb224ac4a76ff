//! Routes and plans as written.
//!
//! A plan has short forms, because most are short: a name is a target, a list is a fallback. Everything
//! else is a map with one of five keys. Which of them may stand together is for the check to say: a
//! reader that guessed would give its errors at the wrong place.

pub use super::member::Step;
use crate::unit::Timeout;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer,
    de::{self, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer},
};
use std::{borrow::Cow, fmt};

/// What a caller may name, and what is done for it.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Route {
    /// Other names of the same route.
    pub aliases: Option<Vec<String>>,
    /// Whom to ask, in which order.
    pub plan: Option<Plan>,
    /// When it must have ended, from the request's head on. Default none.
    pub deadline: Option<Timeout>,
    /// No attempt starts with less than this left. Default 0.
    pub min_attempt: Option<Timeout>,
    /// Bounds the product of nested nodes. Default 16.
    pub max_attempts_total: Option<u32>,
    /// A provider's retry hint beyond this is never waited for. Default 60s.
    pub max_retry_after: Option<Timeout>,
    /// How long a request that finds only cooling targets may wait. Default 5s.
    pub max_cooldown_wait: Option<Timeout>,
    /// What ends the time in which an attempt can be replaced. Default `content`.
    pub commit_on: Option<CommitText>,
    /// What happens to what a target's API has no place for. Default `drop_parameters`.
    pub unsupported: Option<UnsupportedText>,
    /// Heartbeats on streams that are silent. Default that of the server; 0 is off.
    pub heartbeat_interval: Option<Timeout>,
    /// How long a request waits in a queue before it outranks everything younger. Default 30s.
    pub patience: Option<Timeout>,
    /// Codes that fall back although they usually do not, such as `+invalid_request`.
    pub fallback_on: Option<Vec<String>>,
}

/// What commits a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommitText {
    /// The first content of any kind.
    Content,
    /// The first content that is not reasoning.
    Text,
}

/// What happens to what a target's API has no place for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UnsupportedText {
    /// Parameters are left out and named, content is refused.
    DropParameters,
    /// Everything is left out and named.
    Drop,
    /// Everything is refused.
    Refuse,
}

/// A node of a plan.
#[derive(Clone, Debug)]
pub enum Plan {
    /// A target.
    Name(String),
    /// A fallback.
    List(Vec<Plan>),
    /// Anything else.
    Step(Box<Step>),
}

/// Tries its member again.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Retry {
    /// The member.
    pub of: Option<Plan>,
    /// Attempts in total, the first included. Default 3.
    pub max_attempts: Option<u32>,
    /// The largest first pause; each is drawn from 0 up to its bound. Default 250ms.
    pub initial: Option<Timeout>,
    /// Growth of the bound. Default 2.
    pub multiplier: Option<f64>,
    /// The largest bound. Default 10s.
    pub max: Option<Timeout>,
    /// Only these codes are retried. Default every code that may be.
    pub retry_on: Option<Vec<String>>,
}

/// Tries its members in order.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Fallback {
    /// The members.
    pub of: Option<Vec<Plan>>,
    /// Codes that fall back although they usually do not, such as `+invalid_request`.
    pub fallback_on: Option<Vec<String>>,
}

/// A fallback with rules, or just its members.
#[derive(Clone, Debug)]
pub struct FallbackForm {
    /// What it says.
    pub rules: Fallback,
    /// Whether it was written as a list: then members stand one level higher.
    pub is_list: bool,
}

fn list<'de, A: SeqAccess<'de>>(mut seq: A) -> Result<Vec<Plan>, A::Error> {
    let mut out = Vec::new();
    while let Some(item) = seq.next_element()? {
        out.push(item);
    }
    Ok(out)
}

impl<'de> Deserialize<'de> for Plan {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Node;
        impl<'de> Visitor<'de> for Node {
            type Value = Plan;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a target's name, a list, or a map with use, retry, fallback, round_robin or pass")
            }
            fn visit_str<E: de::Error>(self, name: &str) -> Result<Plan, E> {
                Ok(Plan::Name(name.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Plan, A::Error> {
                list(seq).map(Plan::List)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Plan, A::Error> {
                Step::deserialize(MapAccessDeserializer::new(map)).map(|s| Plan::Step(Box::new(s)))
            }
        }
        d.deserialize_any(Node)
    }
}

impl<'de> Deserialize<'de> for FallbackForm {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Form;
        impl<'de> Visitor<'de> for Form {
            type Value = FallbackForm;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of members, or a map with of and fallback_on")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<FallbackForm, A::Error> {
                let rules = Fallback {
                    of: Some(list(seq)?),
                    fallback_on: None,
                };
                Ok(FallbackForm {
                    rules,
                    is_list: true,
                })
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<FallbackForm, A::Error> {
                let rules = Fallback::deserialize(MapAccessDeserializer::new(map))?;
                Ok(FallbackForm {
                    rules,
                    is_list: false,
                })
            }
        }
        d.deserialize_any(Form)
    }
}

impl JsonSchema for Plan {
    fn schema_name() -> Cow<'static, str> {
        "Plan".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (this, step) = (
            generator.subschema_for::<Self>(),
            generator.subschema_for::<Step>(),
        );
        json_schema!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": this, "minItems": 1 }, step] })
    }
}

impl JsonSchema for FallbackForm {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "FallbackForm".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (plan, rules) = (
            generator.subschema_for::<Plan>(),
            generator.subschema_for::<Fallback>(),
        );
        json_schema!({ "anyOf": [{ "type": "array", "items": plan, "minItems": 1 }, rules] })
    }
}
