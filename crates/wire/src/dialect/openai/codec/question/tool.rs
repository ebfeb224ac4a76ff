//! Tools of a question, and whether one must be called.
//!
//! The legacy `functions` and `function_call` are the same thing under older names. Schemas stay as they are
//! spelled, the order of their members included.

use super::super::body::Body;
use crate::{
    BadBody, json,
    middle::{Tool, ToolChoice},
};

/// `tools`. Those that are no functions are kept as they came.
pub(super) fn all(body: Body<'_>, value: &str) -> Result<Vec<Tool>, BadBody> {
    const PARAM: &str = "tools";
    let tools = body.elements(value, PARAM)?.into_iter().map(|tool| {
        let names = ["type", "function", "cache_control"];
        let [kind, inner, cache] = body.named(tool, PARAM, &names)?;
        let kind = body.needed(tool, kind, PARAM, "has a tool without a `type`")?;
        match (kind.as_str(), inner) {
            ("function", Some(inner)) => function(body, inner, cache, PARAM),
            ("function", None) => Err(body.fault(tool, PARAM, "has a function without `function`")),
            _ => Ok(Tool::Hosted {
                kind,
                value: body.any(tool, PARAM)?,
            }),
        }
    });
    tools.collect()
}

/// `functions`, as they were before there were tools.
pub(super) fn legacy(body: Body<'_>, value: &str) -> Result<Vec<Tool>, BadBody> {
    const PARAM: &str = "functions";
    let functions = body.elements(value, PARAM)?.into_iter();
    functions
        .map(|inner| function(body, inner, None, PARAM))
        .collect()
}

fn function(
    body: Body<'_>,
    inner: &str,
    outer: Option<&str>,
    param: &'static str,
) -> Result<Tool, BadBody> {
    let names = [
        "name",
        "description",
        "parameters",
        "strict",
        "cache_control",
    ];
    let [name, description, parameters, strict, cache] = body.named(inner, param, &names)?;
    let cache = cache.or(outer);
    Ok(Tool::Function {
        name: body.needed(inner, name, param, "has a function without a `name`")?,
        description: description.map(|v| body.text(v, param)).transpose()?,
        parameters: parameters.map(|v| body.object(v, param)).transpose()?,
        strict: strict.map(|v| body.flag(v, param)).transpose()?,
        cache: cache.map(|v| body.any(v, param)).transpose()?,
    })
}

/// `tool_choice` or `function_call`; `None` for a form that only this API has.
pub(super) fn choice(body: Body<'_>, value: &str) -> Result<Option<ToolChoice>, BadBody> {
    const PARAM: &str = "tool_choice";
    if json::is_string(value) {
        return Ok(match body.text(value, PARAM)?.as_str() {
            "auto" => Some(ToolChoice::Auto),
            "none" => Some(ToolChoice::None),
            // Mistral says `any`
            "required" | "any" => Some(ToolChoice::Required),
            _ => None,
        });
    }
    let [kind, function, name] = body.named(value, PARAM, &["type", "function", "name"])?;
    let kind = kind.map(|v| body.text(v, PARAM)).transpose()?;
    let name = match (kind.as_deref(), function) {
        (Some("function") | None, Some(function)) => json::member(function, "name"),
        // the legacy `{"name":…}`, and what some SDKs send
        (Some("function") | None, None) => name,
        _ => return Ok(None),
    };
    let what = "has no function's `name`";
    body.needed(value, name, PARAM, what)
        .map(|name| Some(ToolChoice::Function(name)))
}
