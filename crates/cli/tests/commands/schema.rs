//! `punctual schema`: what it says of the samples is what `check` says.
//!
//! The validator below knows exactly the keywords that our schema uses, and fails on any other.

use crate::{
    sample::{GOOD, WRONG},
    term::Folder,
};
use serde_json::Value;

fn schema() -> Value {
    let ran = Folder::new().run(&["schema"]);
    assert_eq!(ran.code, Some(0));
    serde_json::from_str(&ran.out).unwrap()
}

/// Why the value is not of the schema.
fn wrong(root: &Value, schema: &Value, value: &Value, at: &str) -> Option<String> {
    let schema = match schema {
        Value::Bool(true) => return None,
        Value::Bool(false) => return Some(format!("{at}: nothing may stand here")),
        other => other.as_object().unwrap(),
    };
    let below = |schema: &Value, value: &Value, name: &str| {
        wrong(root, schema, value, &format!("{at}.{name}"))
    };
    for (keyword, rule) in schema {
        let bad = match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" | "default" | "format" => None,
            "$ref" => {
                let target = root
                    .pointer(rule.as_str().unwrap().trim_start_matches('#'))
                    .unwrap();
                wrong(root, target, value, at)
            }
            "type" => {
                let types: Vec<&Value> = rule
                    .as_array()
                    .map_or(vec![rule], |all| all.iter().collect());
                let is = |t: &&Value| match t.as_str().unwrap() {
                    "object" => value.is_object(),
                    "array" => value.is_array(),
                    "string" => value.is_string(),
                    "boolean" => value.is_boolean(),
                    "null" => value.is_null(),
                    "integer" => value.is_i64() || value.is_u64(),
                    "number" => value.is_number(),
                    other => panic!("type {other}"),
                };
                (!types.iter().any(is)).then(|| format!("{at}: not of type {rule}"))
            }
            "enum" => (!rule.as_array().unwrap().contains(value))
                .then(|| format!("{at}: not one of {rule}")),
            "const" => (rule != value).then(|| format!("{at}: not {rule}")),
            "anyOf" | "oneOf" => {
                let all: Vec<_> = rule
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|one| wrong(root, one, value, at))
                    .collect();
                all.iter()
                    .all(Option::is_some)
                    .then(|| format!("{at}: none of {all:?}"))
            }
            "properties" => {
                let object = value.as_object().into_iter().flatten();
                object
                    .filter_map(|(name, v)| below(rule.get(name)?, v, name))
                    .next()
            }
            "additionalProperties" => {
                let known = schema.get("properties");
                let object = value.as_object().into_iter().flatten();
                let other = object.filter(|(name, _)| known.is_none_or(|k| k.get(name).is_none()));
                other.filter_map(|(name, v)| below(rule, v, name)).next()
            }
            "items" => value
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|v| below(rule, v, "[]"))
                .next(),
            "minItems" => value
                .as_array()
                .is_some_and(|a| (a.len() as u64) < rule.as_u64().unwrap())
                .then(|| format!("{at}: too few")),
            "minimum" => value
                .as_f64()
                .is_some_and(|n| n < rule.as_f64().unwrap())
                .then(|| format!("{at}: too small")),
            "maximum" => value
                .as_f64()
                .is_some_and(|n| n > rule.as_f64().unwrap())
                .then(|| format!("{at}: too large")),
            "pattern" => {
                let pattern = regex_lite::Regex::new(rule.as_str().unwrap()).unwrap();
                value
                    .as_str()
                    .is_some_and(|text| !pattern.is_match(text))
                    .then(|| format!("{at}: not like {rule}"))
            }
            other => panic!("the schema uses {other}, which this test does not know"),
        };
        if bad.is_some() {
            return bad;
        }
    }
    None
}

fn read(yaml: &str) -> Value {
    serde_saphyr::from_str(yaml).unwrap()
}

#[test]
fn what_check_takes_the_schema_takes() {
    let schema = schema();
    assert_eq!(wrong(&schema, &schema, &read(GOOD), ""), None);
    let referee = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../benches/referee/configs/punctual/config.yaml"
    );
    let referee = std::fs::read_to_string(referee).unwrap();
    assert_eq!(wrong(&schema, &schema, &read(&referee), ""), None);
}

#[test]
fn what_the_schema_refuses_check_refuses() {
    let schema = schema();
    for text in WRONG {
        let why = wrong(&schema, &schema, &read(text), "");
        assert!(why.is_some(), "the schema takes {text}");
        assert_eq!(Folder::with(text).run(&["check"]).code, Some(1), "{text}");
    }
}

#[test]
fn every_description_is_of_one_piece() {
    fn walk(value: &Value, bad: &mut Vec<String>) {
        if let Some(text) = value.get("description").and_then(Value::as_str)
            && text.contains('\n')
            && !text.contains("\n\n")
        {
            bad.push(text.to_owned());
        }
        let children: Vec<&Value> = match value {
            Value::Object(map) => map.values().collect(),
            Value::Array(all) => all.iter().collect(),
            _ => Vec::new(),
        };
        children.into_iter().for_each(|v| walk(v, bad));
    }
    let mut bad = Vec::new();
    walk(&schema(), &mut bad);
    assert_eq!(
        bad,
        Vec::<String>::new(),
        "an editor would break these lines where the source does"
    );
}
