//! Tools as chat completions have them: functions, and OpenAI's `custom`.
//!
//! What a provider runs itself (its web search, its computer) no other provider has: it is named, and a choice
//! among tools of which none is left is not written.

use serde::Serialize;

use crate::{
    dialect::allowed::Allowed,
    middle::{self, Json, Lost, Request, ToolChoice},
};

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Tool<'a> {
    Function {
        r#type: &'static str,
        function: Function<'a>,
    },
    /// As it came.
    Spelled(&'a Json),
}

#[derive(Serialize)]
pub(super) struct Function<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strict: Option<bool>,
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Choice<'a> {
    Word(&'static str),
    Function {
        r#type: &'static str,
        function: Name<'a>,
    },
    Allowed(Json),
}

/// Whether a choice that the middle form does not have is in the words of this API.
pub(super) fn is_choice(value: &Json) -> bool {
    let forms = ["allowed_tools", "custom"];
    forms.iter().any(|form| value.member(form).is_some())
}

#[derive(Serialize)]
pub(super) struct Name<'a> {
    name: &'a str,
}

/// The tools, and the choice among them, which means nothing without any.
pub(super) fn all<'a>(
    request: &'a Request,
    lost: &mut Lost,
) -> (Vec<Tool<'a>>, Option<Choice<'a>>) {
    let mut tools = Vec::new();
    for tool in &request.tools {
        tools.extend(self::tool(tool, lost));
    }
    let choice = request.tool_choice.as_ref();
    if tools.is_empty() {
        lost.choice(choice);
        return (tools, None);
    }
    let own = request.own("tool_choice").is_some_and(is_choice);
    let allowed = || {
        let allowed = Allowed::of(request).filter(|_| !own)?;
        Some(Choice::Allowed(allowed.nested()))
    };
    (tools, choice.map(self::choice).or_else(allowed))
}

fn tool<'a>(tool: &'a middle::Tool, lost: &mut Lost) -> Option<Tool<'a>> {
    match tool {
        middle::Tool::Function {
            name,
            description,
            parameters,
            strict,
            cache,
        } => {
            lost.cache(cache.as_ref());
            Some(Tool::Function {
                r#type: "function",
                function: Function {
                    name,
                    description: description.as_deref(),
                    parameters: parameters.as_ref(),
                    strict: *strict,
                },
            })
        }
        // the Responses API has `custom` too, with its members not inside `custom`
        middle::Tool::Hosted { kind, value }
            if kind == "custom" && value.member("custom").is_some() =>
        {
            Some(Tool::Spelled(value))
        }
        middle::Tool::Hosted { kind, .. } => {
            lost.parameter(format!("tools[].{kind}"));
            None
        }
    }
}

fn choice(choice: &ToolChoice) -> Choice<'_> {
    match choice {
        ToolChoice::Auto => Choice::Word("auto"),
        ToolChoice::None => Choice::Word("none"),
        ToolChoice::Required => Choice::Word("required"),
        ToolChoice::Function(name) => Choice::Function {
            r#type: "function",
            function: Name { name },
        },
    }
}
