//! Thinking, the form of the answer, and what is said about the caller.

use super::place::{Members, Place};
use crate::{
    BadBody,
    middle::{Format, Reasoning, Request},
};

pub(super) fn read(members: &mut Members<'_>, request: &mut Request) -> Result<(), BadBody> {
    let mut reasoning = thinking(members, request)?;
    let mut format = members.take("output_format", "output_format");
    if let Some(config) = members.take("output_config", "output_config") {
        let mut config = config.members()?;
        format = config.take("format", "output_config.format").or(format);
        if let Some(effort) = config.text("effort", "output_config.effort")? {
            let reasoning = reasoning.get_or_insert_default();
            // the highest that the others know
            reasoning.effort = Some(match effort.as_str() {
                "max" => "xhigh".to_owned(),
                _ => effort,
            });
        }
        config.keep("output_config", &mut request.extra);
    }
    request.reasoning = reasoning;
    request.format = format.map(schema).transpose()?;
    if let Some(metadata) = members.take("metadata", "metadata") {
        let mut metadata = metadata.members()?;
        request.user = metadata.text("user_id", "metadata.user_id")?;
        metadata.keep("metadata", &mut request.extra);
    }
    let tier = members.text("service_tier", "service_tier")?;
    request.service_tier = tier.map(|tier| match tier.as_str() {
        "standard_only" => "default".to_owned(),
        _ => tier,
    });
    Ok(())
}

fn thinking(
    members: &mut Members<'_>,
    request: &mut Request,
) -> Result<Option<Reasoning>, BadBody> {
    const NAME: &str = "thinking";
    let Some(thinking) = members.take(NAME, NAME) else {
        return Ok(None);
    };
    let mut members = thinking.members()?;
    let enabled = match members.need("type", NAME)?.as_str() {
        "enabled" | "adaptive" => true,
        "disabled" => false,
        _ => return Err(thinking.wrong("must be of the type enabled, adaptive or disabled")),
    };
    let budget = members.take("budget_tokens", "thinking.budget_tokens");
    let display = members.text("display", "thinking.display")?;
    let reasoning = Reasoning {
        enabled: Some(enabled),
        budget: budget.map(Place::number).transpose()?,
        include: display.map(|display| display != "omitted"),
        ..Reasoning::default()
    };
    members.keep(NAME, &mut request.extra);
    Ok(Some(reasoning))
}

/// Here a schema is always followed exactly.
fn schema(format: Place<'_>) -> Result<Format, BadBody> {
    const NAME: &str = "output_config.format";
    let mut members = format.members()?;
    if members.need("type", NAME)? != "json_schema" {
        return Err(format.wrong("must be of the type json_schema"));
    }
    let schema = members.take("schema", NAME);
    let schema = schema.ok_or_else(|| format.wrong("has no `schema`; it is required"))?;
    Ok(Format::JsonSchema {
        name: None,
        description: None,
        schema: schema.object()?,
        strict: Some(true),
    })
}
