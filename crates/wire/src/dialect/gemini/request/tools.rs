//! Tools, and whether the model must call one.

use serde::Serialize;

use crate::{
    dialect::{allowed::Allowed, declared},
    middle::{Json, Lost, Request, Tool, ToolChoice},
};

/// All functions are in one of these.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Tools<'a> {
    function_declarations: Vec<Declaration<'a>>,
}

/// `parameters` would be the subset of OpenAPI that Google had first; this is JSON schema as callers send it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Declaration<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters_json_schema: Option<&'a Json>,
}

/// The functions; none if there are none. Where only some may be called and none must, there is no word for it,
/// and those that may not are not declared.
pub(super) fn of<'a>(
    tools: &'a [Tool],
    allowed: Option<&Allowed>,
    lost: &mut Lost,
) -> Vec<Tools<'a>> {
    let functions = declared::functions(tools, lost);
    let may = allowed.filter(|allowed| !allowed.is_required);
    let function_declarations: Vec<_> = functions
        .filter(|function| may.is_none_or(|may| may.names.iter().any(|n| n == function.name)))
        .map(|function| Declaration {
            name: function.name,
            description: function.description,
            parameters_json_schema: function.parameters,
        })
        .collect();
    match function_declarations.is_empty() {
        true => Vec::new(),
        false => vec![Tools {
            function_declarations,
        }],
    }
}

/// `toolConfig`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Config<'a> {
    function_calling_config: Calling<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Calling<'a> {
    mode: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed_function_names: Option<Vec<&'a str>>,
}

/// Whether one must be called, which means nothing without any.
pub(super) fn config<'a>(
    request: &'a Request,
    allowed: Option<&'a Allowed>,
    any_tools: bool,
    lost: &mut Lost,
) -> Option<Config<'a>> {
    let choice = request.tool_choice.as_ref();
    if !any_tools {
        lost.choice(choice);
        return None;
    }
    let (mode, allowed_function_names) = match choice {
        Some(ToolChoice::Auto) => ("AUTO", None),
        Some(ToolChoice::None) => ("NONE", None),
        Some(ToolChoice::Required) => ("ANY", None),
        Some(ToolChoice::Function(name)) => ("ANY", Some(vec![name.as_str()])),
        None => match allowed? {
            allowed if allowed.is_required => {
                let names = allowed.names.iter().map(String::as_str);
                ("ANY", Some(names.collect()))
            }
            _ => ("AUTO", None),
        },
    };
    Some(Config {
        function_calling_config: Calling {
            mode,
            allowed_function_names,
        },
    })
}
