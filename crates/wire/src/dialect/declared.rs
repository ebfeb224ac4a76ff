//! Functions that a model may call, for dialects that know of one no more than its name, what it does and the
//! schema of its input.
//!
//! Whether the input must follow the schema, cache breakpoints, and tools that another provider runs itself
//! are lost there, and named.

use serde::Serialize;

use crate::middle::{Json, Lost, Tool};

/// A function, in the words of most APIs.
#[derive(Debug, Serialize)]
pub(super) struct Function<'a> {
    pub(super) name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parameters: Option<&'a Json>,
}

/// The functions among `tools`.
pub(super) fn functions<'a>(
    tools: &'a [Tool],
    lost: &mut Lost,
) -> impl Iterator<Item = Function<'a>> {
    tools.iter().filter_map(move |tool| match tool {
        Tool::Function {
            name,
            description,
            parameters,
            strict,
            cache,
        } => {
            if *strict == Some(true) {
                lost.parameter("tools[].function.strict");
            }
            lost.cache(cache.as_ref());
            Some(Function {
                name,
                description: description.as_deref(),
                parameters: parameters.as_ref(),
            })
        }
        Tool::Hosted { kind, .. } => {
            lost.parameter(format!("tools[].{kind}"));
            None
        }
    })
}
