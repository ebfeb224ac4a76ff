//! A choice among some of the functions (`tool_choice` of the type `allowed_tools`).
//!
//! Chat completions put what is allowed into a member of its own and name a function inside `function`, the
//! Responses API says all of it beside the `type`. Either can be said in the other's words, and Google names the
//! functions that may be called; the middle form has no place for it, so it is read here from where it is kept.

use crate::{
    json,
    middle::{Json, Request},
};

/// Which functions are allowed, and whether one of them must be called.
pub(super) struct Allowed {
    pub(super) is_required: bool,
    pub(super) names: Vec<String>,
}

impl Allowed {
    /// What the question allows, in either form; `None` if it says nothing of the kind, or allows nothing or
    /// what is no function.
    pub(super) fn of(request: &Request) -> Option<Self> {
        let choice = request.own("tool_choice")?;
        let kind = choice.member("type").and_then(json::text)?;
        if kind != "allowed_tools" {
            return None;
        }
        let inner = choice.member("allowed_tools").unwrap_or(choice.as_str());
        let [mode, list] = json::members(inner, &["mode", "tools"])?;
        let mut names = Some(Vec::new());
        json::elements(list?, |tool| match (function(tool), &mut names) {
            (Some(name), Some(names)) => names.push(name),
            _ => names = None,
        });
        Some(Self {
            is_required: mode == Some("\"required\""),
            names: names.filter(|names| !names.is_empty())?,
        })
    }

    /// In the form of the Responses API.
    pub(super) fn flat(&self) -> Json {
        let tool = |name: &String| serde_json::json!({ "type": "function", "name": name });
        let tools: Vec<_> = self.names.iter().map(tool).collect();
        let kind = "allowed_tools";
        Json::of(&serde_json::json!({ "type": kind, "mode": self.mode(), "tools": tools }))
    }

    /// In the form of chat completions.
    pub(super) fn nested(&self) -> Json {
        let tool = |name: &String| {
            let function = serde_json::json!({ "name": name });
            serde_json::json!({ "type": "function", "function": function })
        };
        let tools: Vec<_> = self.names.iter().map(tool).collect();
        let allowed = serde_json::json!({ "mode": self.mode(), "tools": tools });
        Json::of(&serde_json::json!({ "type": "allowed_tools", "allowed_tools": allowed }))
    }

    fn mode(&self) -> &'static str {
        match self.is_required {
            true => "required",
            false => "auto",
        }
    }
}

/// The name of a function in a list of tools, in either form.
fn function(tool: &str) -> Option<String> {
    let [kind, name, inner] = json::members(tool, &["type", "name", "function"])?;
    let inner = || json::member(inner?, "name");
    let name = name
        .or_else(inner)
        .filter(|_| kind == Some("\"function\""))?;
    json::text(name).map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::Allowed;
    use crate::middle::{Json, Request};

    fn allowed(choice: &str) -> Option<Allowed> {
        Allowed::of(&Request {
            extra: vec![("tool_choice".to_owned(), Json::parse(choice).unwrap())],
            ..Request::default()
        })
    }

    #[test]
    fn either_form_becomes_the_other() {
        let nested = r#"{"allowed_tools":{"mode":"required","tools":[{"function":{"name":"f"},"type":"function"}]},"type":"allowed_tools"}"#;
        let flat = r#"{"mode":"required","tools":[{"name":"f","type":"function"}],"type":"allowed_tools"}"#;
        for choice in [nested, flat] {
            let allowed = allowed(choice).unwrap();
            assert_eq!(allowed.nested().as_str(), nested);
            assert_eq!(allowed.flat().as_str(), flat);
        }
    }

    #[test]
    fn what_is_no_function_is_not_said_otherwise() {
        for choice in [
            r#"{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"f"},{"type":"mcp"}]}"#,
            r#"{"type":"custom","custom":{"name":"f"}}"#,
            r#"{"type":"allowed_tools","mode":"auto","tools":[]}"#,
            r#"{"type":"allowed_tools"}"#,
            r#""auto""#,
        ] {
            assert!(allowed(choice).is_none(), "{choice}");
        }
    }
}
