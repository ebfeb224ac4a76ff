//! The place of a streamed argument: a path of RFC 9535 that names exactly one value.
//!
//! `$.operations[0].item` and `$['a b'][1]`. Wildcards, slices and filters name several values and are not
//! read.

/// One step down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A member of an object.
    Member(String),
    /// An element of an array.
    Element(u64),
}

impl Step {
    /// The brackets of what it leads into.
    pub(super) fn brackets(&self) -> (char, char) {
        match self {
            Self::Member(_) => ('{', '}'),
            Self::Element(_) => ('[', ']'),
        }
    }
}

/// Deeper arguments are not followed.
const DEPTH: usize = 128;

/// The steps of `path`; `None` if it is none of the kind described above, or the root.
pub(super) fn steps(path: &str) -> Option<Vec<Step>> {
    let mut rest = path.strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let (step, after) = match rest.strip_prefix('.') {
            Some(name) => {
                let end = name.find(['.', '[']).unwrap_or(name.len());
                let (name, after) = name.split_at_checked(end)?;
                let plain = !name.is_empty() && name != "*";
                (Step::Member(plain.then(|| name.to_owned())?), after)
            }
            None => bracket(rest.strip_prefix('[')?)?,
        };
        steps.push(step);
        rest = after;
        if steps.len() > DEPTH {
            return None;
        }
    }
    (!steps.is_empty()).then_some(steps)
}

/// What stands after an opening bracket.
fn bracket(text: &str) -> Option<(Step, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'));
    let Some(quote) = quote else {
        let (index, after) = text.split_once(']')?;
        return Some((Step::Element(index.parse().ok()?), after));
    };
    let (mut name, mut escaped) = (String::new(), false);
    for (at, character) in text.char_indices().skip(1) {
        match character {
            _ if escaped => {
                name.push(character);
                escaped = false;
            }
            '\\' => escaped = true,
            _ if character == quote => {
                let after = text.get(at + 1..)?.strip_prefix(']')?;
                return Some((Step::Member(name), after));
            }
            _ => name.push(character),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Step, steps};

    fn member(name: &str) -> Step {
        Step::Member(name.to_owned())
    }

    #[test]
    fn paths_to_one_value_are_read() {
        let found = steps("$.operations[10].item_id").unwrap();
        let expected = [member("operations"), Step::Element(10), member("item_id")];
        assert_eq!(found, expected);
        let found = steps(r#"$['a.b']["c'\"d"][0][1]"#).unwrap();
        let expected = [
            member("a.b"),
            member("c'\"d"),
            Step::Element(0),
            Step::Element(1),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn everything_else_is_not() {
        for path in [
            "", "$", "a", "$a", "$.", "$..a", "$.*", "$[*]", "$[", "$[']", "$['a'", "$[-1]",
            "$[0:2]", "$[?@.a]",
        ] {
            assert_eq!(steps(path), None, "{path}");
        }
        assert_eq!(steps(&format!("${}", ".a".repeat(200))), None);
    }
}
