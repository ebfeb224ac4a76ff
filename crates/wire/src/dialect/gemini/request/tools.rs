//! Tools, and whether the model must call one.

use serde::Serialize;

use crate::{
    dialect::declared,
    middle::{Json, Lost, Tool, ToolChoice},
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

/// The functions; none if there are none.
pub(super) fn of<'a>(tools: &'a [Tool], lost: &mut Lost) -> Vec<Tools<'a>> {
    let functions = declared::functions(tools, lost);
    let function_declarations: Vec<_> = functions
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
    allowed_function_names: Option<[&'a str; 1]>,
}

impl<'a> Config<'a> {
    /// For a choice.
    pub(super) fn of(choice: &'a ToolChoice) -> Self {
        let (mode, allowed_function_names) = match choice {
            ToolChoice::Auto => ("AUTO", None),
            ToolChoice::None => ("NONE", None),
            ToolChoice::Required => ("ANY", None),
            ToolChoice::Function(name) => ("ANY", Some([name.as_str()])),
        };
        Self {
            function_calling_config: Calling {
                mode,
                allowed_function_names,
            },
        }
    }
}
