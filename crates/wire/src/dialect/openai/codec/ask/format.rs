//! The form of the answer that is asked for.
//!
//! Schemas are passed on as they are spelled; what a server makes of one is its own affair.

use serde::Serialize;

use crate::middle::{Format, Json};

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum ResponseFormat<'a> {
    JsonObject,
    JsonSchema { json_schema: Schema<'a> },
}

#[derive(Serialize)]
pub(super) struct Schema<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    schema: &'a Json,
    #[serde(skip_serializing_if = "Option::is_none")]
    strict: Option<bool>,
}

/// `response_format`.
pub(super) fn format(format: &Format) -> ResponseFormat<'_> {
    match format {
        Format::JsonObject => ResponseFormat::JsonObject,
        Format::JsonSchema {
            name,
            description,
            schema,
            strict,
        } => ResponseFormat::JsonSchema {
            json_schema: Schema {
                // a name is required here and not in every other API
                name: name.as_deref().unwrap_or("response"),
                description: description.as_deref(),
                schema,
                strict: *strict,
            },
        },
    }
}
