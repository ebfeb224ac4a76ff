//! The form of the answer and the options of its stream.
//!
//! Both are objects with members of their own; forms that only some servers have (grammars and the like) are kept
//! as they came.

use super::{Read, Reader};
use crate::{json, middle::Format};

impl<'a> Reader<'a> {
    pub(super) fn stream_options(&mut self, value: &'a str) -> Read {
        const PARAM: &str = "stream_options";
        let body = self.body;
        let [usage] = body.named(value, PARAM, &["include_usage"])?;
        if let Some(usage) = usage {
            self.request.include_usage = body.flag(usage, PARAM)?;
        }
        for (name, value) in json::entries(value).unwrap_or_default() {
            // padding against eavesdroppers: what is translated has none to switch off
            let known = ["include_usage", "include_obfuscation"].contains(&name.as_str());
            if !known && !json::is_null(value) {
                self.extra(&format!("{PARAM}.{name}"), value)?;
            }
        }
        Ok(())
    }

    pub(super) fn format(&mut self, value: &'a str) -> Read {
        const PARAM: &str = "response_format";
        let body = self.body;
        let [kind, schema] = body.named(value, PARAM, &["type", "json_schema"])?;
        let kind = body.needed(value, kind, PARAM, "needs a `type`")?;
        self.request.format = match (kind.as_str(), schema) {
            ("text", _) => None,
            ("json_object", _) => Some(Format::JsonObject),
            ("json_schema", Some(inner)) => {
                let names = ["name", "description", "schema", "strict"];
                let [name, description, schema, strict] = body.named(inner, PARAM, &names)?;
                let text = |value: Option<&str>| value.map(|v| body.text(v, PARAM)).transpose();
                Some(Format::JsonSchema {
                    name: text(name)?,
                    description: text(description)?,
                    schema: body.object(schema.unwrap_or("{}"), PARAM)?,
                    strict: strict.map(|v| body.flag(v, PARAM)).transpose()?,
                })
            }
            ("json_schema", None) => {
                return Err(body.fault(value, PARAM, "needs a `json_schema`"));
            }
            _ => return self.extra(PARAM, value),
        };
        Ok(())
    }
}
