//! The JSON schema of the file, for editors, and the list of its keys, for tests.
//!
//! Both come from the structs that read the file, so they cannot say something else than what is read.
//! [`keys`] is what a test walks to demand that each key does something at a socket.

use crate::raw::File;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The schema (draft 2020-12).
#[must_use]
pub fn json() -> Value {
    let mut schema = schemars::schema_for!(File).to_value();
    if let Some(root) = schema.as_object_mut() {
        root.insert("title".to_owned(), "Punctual".into());
    }
    unwrap_lines(&mut schema);
    schema
}

/// Descriptions are doc comments, broken where the source is; an editor breaks them where it likes.
fn unwrap_lines(node: &mut Value) {
    match node {
        Value::Object(map) => {
            for (name, below) in map {
                match below {
                    Value::String(text) if name == "description" => {
                        let whole: Vec<String> =
                            text.split("\n\n").map(|p| p.replace('\n', " ")).collect();
                        *text = whole.join("\n\n");
                    }
                    other => unwrap_lines(other),
                }
            }
        }
        Value::Array(all) => all.iter_mut().for_each(unwrap_lines),
        _ => {}
    }
}

/// Every key as a dotted path, `*` for a name the user chooses: `targets.*.first_token_timeout`. A plan
/// nests; its keys are listed once, below `routes.*.plan`.
#[must_use]
pub fn keys() -> Vec<String> {
    let schema = json();
    let mut walk = Walk {
        root: &schema,
        open: Vec::new(),
        found: BTreeSet::new(),
    };
    walk.node(&schema, "");
    walk.found.into_iter().collect()
}

struct Walk<'a> {
    root: &'a Value,
    /// References being followed: a plan holds plans.
    open: Vec<&'a str>,
    found: BTreeSet<String>,
}

impl<'a> Walk<'a> {
    fn node(&mut self, node: &'a Value, at: &str) {
        let Some(node) = node.as_object() else { return };
        if let Some(name) = node.get("$ref").and_then(Value::as_str) {
            self.reference(name, at);
        }
        for alternatives in ["anyOf", "oneOf", "allOf"] {
            for one in node
                .get(alternatives)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                self.node(one, at);
            }
        }
        for (name, below) in node
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(Map::iter)
        {
            let here = if at.is_empty() {
                name.clone()
            } else {
                format!("{at}.{name}")
            };
            self.found.insert(here.clone());
            self.node(below, &here);
        }
        if let Some(named) = node.get("additionalProperties") {
            self.node(named, &format!("{at}.*"));
        }
        if let Some(items) = node.get("items") {
            self.node(items, at);
        }
    }

    fn reference(&mut self, name: &'a str, at: &str) {
        let pointer = name.trim_start_matches('#');
        if self.open.contains(&name) {
            return;
        }
        if let Some(node) = self.root.pointer(pointer) {
            self.open.push(name);
            self.node(node, at);
            self.open.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_listed() {
        let keys = keys();
        for key in [
            "schema_version",
            "server.admin.token_file",
            "keys.*.value_file",
            "defaults.max_concurrency",
            "providers.*.base_url",
            "targets.*.first_token_timeout",
            "targets.*.forward_deadline",
            "routes.*.plan.use",
            "routes.*.plan.first_token_timeout",
            "routes.*.plan.retry.max_attempts",
            "routes.*.plan.fallback.fallback_on",
            "telemetry.otlp.endpoint",
        ] {
            assert!(keys.iter().any(|k| k == key), "{key} is not in {keys:#?}");
        }
        insta::assert_snapshot!(keys.join("\n"));
    }

    #[test]
    fn every_key_says_what_it_is() {
        fn described(node: &Value, at: &str, missing: &mut Vec<String>) {
            for (name, below) in node
                .get("properties")
                .and_then(Value::as_object)
                .into_iter()
                .flat_map(Map::iter)
            {
                if below.get("description").is_none() {
                    missing.push(format!("{at}.{name}"));
                }
            }
        }
        let (schema, mut missing) = (json(), Vec::new());
        described(&schema, "", &mut missing);
        for (name, def) in schema
            .get("$defs")
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(Map::iter)
        {
            described(def, name, &mut missing);
        }
        assert_eq!(missing, Vec::<String>::new());
    }
}
