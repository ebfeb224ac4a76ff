//! Everything that is said about the answer: how long, how random, in which form.

use super::{keep, reader::Reader};
use crate::{
    BadBody,
    dialect::user,
    middle::{Format, Json, Reasoning, Request},
};

/// Asks for log probabilities and for encrypted thoughts.
const LOGPROBS: &str = "message.output_text.logprobs";
const ENCRYPTED: &str = "reasoning.encrypted_content";

/// Reads a member; false if it is none of these.
pub(super) fn read<'a>(
    request: &mut Request,
    reader: Reader<'a>,
    name: &str,
    value: &'a str,
) -> Result<bool, BadBody> {
    let sampling = &mut request.sampling;
    match name {
        "max_output_tokens" => {
            sampling.max_tokens = Some(reader.number(value, "max_output_tokens")?);
        }
        "temperature" => sampling.temperature = Some(reader.number(value, "temperature")?),
        "top_p" => sampling.top_p = Some(reader.number(value, "top_p")?),
        "top_logprobs" => sampling.top_logprobs = Some(reader.number(value, "top_logprobs")?),
        "parallel_tool_calls" => {
            request.parallel_tools = Some(reader.flag(value, "parallel_tool_calls")?);
        }
        "text" => text(request, reader, value)?,
        "reasoning" => reasoning(request, reader, value)?,
        "include" => include(request, reader, value)?,
        "store" => request.store = Some(reader.flag(value, "store")?),
        "metadata" => request.metadata = Some(reader.object(value, "metadata")?),
        "user" => request.user = Some(reader.string(value, "user")?),
        user::IDENTIFIER => {
            reader.string(value, user::IDENTIFIER)?;
            keep(request, name, value);
        }
        "service_tier" => request.service_tier = Some(reader.string(value, "service_tier")?),
        "prompt_cache_key" => request.cache_key = Some(reader.string(value, "prompt_cache_key")?),
        _ => return Ok(false),
    }
    Ok(true)
}

fn text<'a>(request: &mut Request, reader: Reader<'a>, value: &'a str) -> Result<(), BadBody> {
    for (name, value) in reader.members(value, "text")? {
        match name.as_str() {
            "format" => request.format = format(reader, value)?,
            "verbosity" => request.verbosity = Some(reader.string(value, "text.verbosity")?),
            other => keep(request, &format!("text.{other}"), value),
        }
    }
    Ok(())
}

fn format<'a>(reader: Reader<'a>, value: &'a str) -> Result<Option<Format>, BadBody> {
    let names = ["type", "name", "description", "schema", "strict"];
    let [kind, name, description, schema, strict] = reader.named(value, &names, "text.format")?;
    let kind = reader.required(kind, value, "text.format.type")?;
    Ok(match kind.as_str() {
        "text" => None,
        "json_object" => Some(Format::JsonObject),
        "json_schema" => {
            let none = || reader.fault(value, "text.format.schema", "is missing; send one");
            Some(Format::JsonSchema {
                name: reader.optional(name, "text.format.name")?,
                description: reader.optional(description, "text.format.description")?,
                schema: reader.object(schema.ok_or_else(none)?, "text.format.schema")?,
                strict: match strict {
                    Some(strict) => Some(reader.flag(strict, "text.format.strict")?),
                    None => None,
                },
            })
        }
        _ => {
            let known = "must be text, json_object or json_schema";
            return Err(reader.fault(value, "text.format.type", known));
        }
    })
}

fn reasoning<'a>(request: &mut Request, reader: Reader<'a>, value: &'a str) -> Result<(), BadBody> {
    let mut reasoning = request.reasoning.take().unwrap_or_default();
    for (name, value) in reader.members(value, "reasoning")? {
        match name.as_str() {
            "effort" => reasoning.effort = Some(reader.string(value, "reasoning.effort")?),
            "summary" => reasoning.summary = Some(reader.string(value, "reasoning.summary")?),
            // its older name
            "generate_summary" => {
                let summary = reader.string(value, "reasoning.generate_summary")?;
                reasoning.summary.get_or_insert(summary);
            }
            other => keep(request, &format!("reasoning.{other}"), value),
        }
    }
    request.reasoning = Some(reasoning).filter(|reasoning| *reasoning != Reasoning::default());
    Ok(())
}

fn include<'a>(request: &mut Request, reader: Reader<'a>, value: &'a str) -> Result<(), BadBody> {
    let mut others: Vec<Json> = Vec::new();
    for element in reader.elements(value, "include")? {
        match reader.string(element, "include")?.as_str() {
            LOGPROBS => request.sampling.logprobs = Some(true),
            ENCRYPTED => {
                let reasoning = request.reasoning.get_or_insert_default();
                reasoning.encrypted = true;
            }
            _ => others.push(reader.value(element, "include")?),
        }
    }
    if !others.is_empty() {
        keep(request, "include", Json::of(&others).as_str());
    }
    Ok(())
}

/// What `include` must hold for this request.
pub(in super::super) fn included(request: &Request) -> Vec<&'static str> {
    let encrypted = request.reasoning.as_ref().is_some_and(|r| r.encrypted);
    let logprobs = request.sampling.logprobs == Some(true);
    let wanted = [(encrypted, ENCRYPTED), (logprobs, LOGPROBS)];
    wanted
        .into_iter()
        .filter_map(|(wanted, name)| wanted.then_some(name))
        .collect()
}
