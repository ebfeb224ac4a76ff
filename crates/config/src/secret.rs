//! Values that do not stand in the file: `${NAME}`, `${NAME:-default}` and files of secrets.
//!
//! References are filled in anywhere in the file, after parsing, so a value cannot break the file's
//! structure. What was filled in keeps its written form for messages. `$${NAME}` stands for the text
//! `${NAME}`. A name that is not set is an error that names the variable, never an empty value.

use crate::{
    environment::Environment,
    path::Path,
    tree::{CLOSE, Node, OPEN, Value, unshield},
};
use secrecy::SecretString;

/// A variable that is not set and where it was asked for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Missing {
    pub(crate) path: Path,
    pub(crate) name: String,
}

/// A value that stands in the file as a reference.
#[derive(Debug)]
pub(crate) struct Filled {
    pub(crate) text: String,
    pub(crate) written: String,
    /// The variables it asks for.
    pub(crate) names: Vec<String>,
}

/// Fills every reference in; entries whose variable is missing are told, and left as they are.
pub(crate) fn fill(tree: &mut Node, env: &Environment) -> (Vec<Filled>, Vec<Missing>) {
    let (mut filled, mut missing) = (Vec::new(), Vec::new());
    tree.texts(&Path::root(), &mut |path, node| {
        let Value::Text(text) = &node.value else {
            return;
        };
        if !text.contains(OPEN) {
            return;
        }
        let written = unshield(text);
        match expand(text, env) {
            Ok((text, names)) => {
                if !names.is_empty() {
                    filled.push(Filled {
                        text: text.clone(),
                        written: written.clone(),
                        names,
                    });
                    node.written = Some(written);
                }
                node.value = Value::Text(text);
            }
            Err(name) => {
                node.value = Value::Text(written);
                missing.push(Missing {
                    path: path.clone(),
                    name,
                });
            }
        }
    });
    (filled, missing)
}

/// The text with its references filled in and their names, or the name that is missing.
fn expand(text: &str, env: &Environment) -> Result<(String, Vec<String>), String> {
    let (mut out, mut names, mut rest) = (String::new(), Vec::new(), text);
    while let Some((before, after)) = rest.split_once(OPEN) {
        let Some((body, tail)) = after.split_once(CLOSE) else {
            break;
        };
        rest = tail;
        if let Some(before) = before.strip_suffix("$$") {
            out.push_str(&format!("{before}${{{body}}}"));
            continue;
        }
        out.push_str(before.strip_suffix('$').unwrap_or(before));
        let (name, default) = match body.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (body, None),
        };
        let value = env
            .get(name.trim())
            .or(default)
            .ok_or_else(|| name.trim().to_owned())?;
        out.push_str(value);
        names.push(name.trim().to_owned());
    }
    out.push_str(rest);
    Ok((unshield(&out), names))
}

/// The content of a file of one secret, without the line end.
///
/// # Errors
/// One sentence that says why it cannot be used.
pub(crate) fn from_file(path: &std::path::Path) -> Result<SecretString, String> {
    let text = std::fs::read_to_string(path)
        .map_err(|e| format!("cannot read {}: {e}", path.display()))?;
    let text = text.trim_end_matches(['\r', '\n']);
    if text.trim().is_empty() {
        return Err(format!("{} is empty", path.display()));
    }
    Ok(SecretString::from(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(yaml: &str) -> (Option<String>, Vec<Missing>) {
        let env: Environment = [("A", "x: {y"), ("EMPTY", "")].into_iter().collect();
        let mut tree = Node::parse(yaml).unwrap();
        let (_, missing) = fill(&mut tree, &env);
        let mut value = None;
        tree.texts(&Path::root(), &mut |_, n| {
            if let Value::Text(t) = &n.value {
                value = Some(t.clone());
            }
        });
        (value, missing)
    }

    #[test]
    fn references_are_filled_in_after_parsing() {
        assert_eq!(filled("{ k: ${A} }").0.as_deref(), Some("x: {y"));
        assert_eq!(
            filled("k: pre-${A}-${B:-two}").0.as_deref(),
            Some("pre-x: {y-two")
        );
        assert_eq!(filled("k: ${EMPTY:-d}").0.as_deref(), Some("d"));
        assert_eq!(filled("k: \"${B:-}\"").0.as_deref(), Some(""));
        assert_eq!(filled("k: $${A}").0.as_deref(), Some("${A}"));
        assert_eq!(filled("k: ${A").0.as_deref(), Some("${A"));
    }

    #[test]
    fn a_missing_variable_is_named() {
        let (_, missing) = filled("k: ${NOPE}");
        assert_eq!(missing[0].name, "NOPE");
        assert_eq!(missing[0].path.to_string(), "k");
    }
}
