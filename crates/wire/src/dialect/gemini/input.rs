//! The arguments of a call that come value by value, as one JSON text that grows.
//!
//! Vertex AI streams them as `partialArgs`: a path, and a value or a piece of a string. Whoever listens
//! expects pieces of JSON text, so each one is written as it comes, and what a path leaves behind is closed.
//! That needs them in the order of a document; a path that goes back to something closed cannot be written
//! any more, and is an error rather than a call that lacks an argument.

use std::{collections::HashSet, fmt::Write};

use super::path::{Step, steps};
use crate::json;

/// A value came that can no longer be written, or that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OutOfOrder;

/// What has been written.
#[derive(Debug, Default)]
pub(super) struct Input {
    /// Where the last value stands; empty if there was none.
    place: Vec<Step>,
    /// The members that each open object has, from the root to the last value.
    members: Vec<HashSet<String>>,
    /// The last value is a string that goes on.
    in_string: bool,
}

impl Input {
    /// Whether nothing has been written.
    pub(super) fn is_empty(&self) -> bool {
        self.place.is_empty()
    }

    /// Writes one of `partialArgs` to `out`.
    pub(super) fn write(&mut self, argument: &str, out: &mut String) -> Result<(), OutOfOrder> {
        const NAMES: [&str; 6] = [
            "jsonPath",
            "willContinue",
            "stringValue",
            "numberValue",
            "boolValue",
            "nullValue",
        ];
        let found = json::read(argument, &NAMES, false).map_err(|_| OutOfOrder)?;
        let [path, goes_on, string, number, boolean, null] = found.values;
        let path = path.and_then(json::text).ok_or(OutOfOrder)?;
        let place = steps(&path).ok_or(OutOfOrder)?;
        let ends = goes_on != Some("true");
        let string = string.filter(|value| json::is_string(value));
        let inner = string.and_then(|string| string.get(1..string.len().saturating_sub(1)));
        let value = number.or(boolean).or(null.map(|_| "null"));
        let more = self.in_string && place == self.place;
        match (inner, value) {
            (Some(inner), _) => {
                if !more {
                    self.go(place, out)?;
                    out.push('"');
                    self.in_string = true;
                }
                out.push_str(inner);
                self.end_string(ends, out);
            }
            (None, Some(value)) => {
                self.go(place, out)?;
                out.push_str(value);
            }
            // no value: at most the end of one
            (None, None) => self.end_string(ends && more, out),
        }
        Ok(())
    }

    /// Closes everything that is open.
    pub(super) fn close(&mut self, out: &mut String) {
        self.end_string(true, out);
        self.leave(0, out);
        self.place.clear();
        self.members.clear();
    }

    fn end_string(&mut self, ends: bool, out: &mut String) {
        if ends && std::mem::take(&mut self.in_string) {
            out.push('"');
        }
    }

    /// From the last value to the next one.
    fn go(&mut self, place: Vec<Step>, out: &mut String) -> Result<(), OutOfOrder> {
        self.end_string(true, out);
        if !matches!(place.first(), Some(Step::Member(_))) {
            return Err(OutOfOrder);
        }
        let same = self.place.iter().zip(&place);
        let common = same.take_while(|(old, new)| old == new).count();
        if common == self.place.len().min(place.len()) && !self.is_empty() {
            // the same place again, or one inside or around a value that is complete
            return Err(OutOfOrder);
        }
        if !self.is_empty() {
            self.leave(common + 1, out);
            let (Some(old), Some(new)) = (self.place.get(common), place.get(common)) else {
                return Err(OutOfOrder);
            };
            out.push(',');
            self.beside(old.clone(), new, common, out)?;
        }
        let first = if self.is_empty() { 0 } else { common + 1 };
        for step in place.iter().skip(first) {
            out.push(step.brackets().0);
            self.members.push(HashSet::new());
            let depth = self.members.len() - 1;
            match step {
                Step::Element(0) => {}
                Step::Element(_) => return Err(OutOfOrder),
                Step::Member(name) => self.name(name, depth, out)?,
            }
        }
        self.place = place;
        Ok(())
    }

    /// The next member or element of what is open at `depth`.
    fn beside(
        &mut self,
        old: Step,
        new: &Step,
        depth: usize,
        out: &mut String,
    ) -> Result<(), OutOfOrder> {
        match (old, new) {
            (Step::Element(old), Step::Element(new)) if old.checked_add(1) == Some(*new) => Ok(()),
            (Step::Member(_), Step::Member(name)) => self.name(name, depth, out),
            _ => Err(OutOfOrder),
        }
    }

    fn name(&mut self, name: &str, depth: usize, out: &mut String) -> Result<(), OutOfOrder> {
        let known = self.members.get_mut(depth).ok_or(OutOfOrder)?;
        if !known.insert(name.to_owned()) {
            return Err(OutOfOrder);
        }
        // writing to a string cannot fail
        let _ = write!(out, "{}:", serde_json::Value::from(name));
        Ok(())
    }

    /// Closes what is open at `depth` and deeper.
    fn leave(&mut self, depth: usize, out: &mut String) {
        let open = self.place.iter().skip(depth).rev();
        open.for_each(|step| out.push(step.brackets().1));
        self.members.truncate(depth);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(arguments: &[&str]) -> Result<String, OutOfOrder> {
        let (mut input, mut out) = (Input::default(), String::new());
        for argument in arguments {
            input.write(argument, &mut out)?;
        }
        input.close(&mut out);
        Ok(out)
    }

    #[test]
    fn values_become_one_json_text() {
        let text = written(&[
            r#"{"jsonPath":"$.ops[0].kind","stringValue":"a\"d","willContinue":true}"#,
            r#"{"jsonPath":"$.ops[0].kind","stringValue":"d\n","willContinue":true}"#,
            r#"{"jsonPath":"$.ops[0].kind","stringValue":""}"#,
            r#"{"jsonPath":"$.ops[0].price","numberValue":0.50000000000000001}"#,
            r#"{"jsonPath":"$.ops[1].deep.er[0]","boolValue":true}"#,
            r#"{"jsonPath":"$.ops[1].deep.er[1]","nullValue":"NULL_VALUE"}"#,
            r#"{"jsonPath":"$['a b']","stringValue":""}"#,
        ]);
        let expected = r#"{"ops":[{"kind":"a\"dd\n","price":0.50000000000000001},{"deep":{"er":[true,null]}}],"a b":""}"#;
        assert_eq!(text.unwrap(), expected);
        serde_json::from_str::<serde_json::Value>(expected).unwrap();
    }

    #[test]
    fn a_string_is_closed_when_something_else_follows() {
        let text = written(&[
            r#"{"jsonPath":"$.a","stringValue":"x","willContinue":true}"#,
            r#"{"jsonPath":"$.b","stringValue":"y","willContinue":true}"#,
        ]);
        assert_eq!(text.unwrap(), r#"{"a":"x","b":"y"}"#);
    }

    #[test]
    fn a_place_without_a_value_is_no_value() {
        let text = written(&[
            r#"{"jsonPath":"$.a","willContinue":true}"#,
            r#"{"jsonPath":"$.a","stringValue":"x","willContinue":true}"#,
            r#"{"jsonPath":"$.a"}"#,
            r#"{"jsonPath":"$.b","nullValue":null}"#,
        ]);
        assert_eq!(text.unwrap(), r#"{"a":"x","b":null}"#);
    }

    #[test]
    fn what_goes_back_is_an_error() {
        let value = |path: &str| format!(r#"{{"jsonPath":"{path}","numberValue":1}}"#);
        for paths in [
            ["$.a", "$.a"],
            ["$.a.b", "$.a"],
            ["$.a", "$.a.b"],
            ["$.a[0]", "$.a[2]"],
            ["$.a[0]", "$.a.b"],
            ["$.a", "$[0]"],
            ["$.a", "$"],
        ] {
            let [first, second] = paths.map(value);
            assert_eq!(written(&[&first, &second]), Err(OutOfOrder), "{paths:?}");
        }
        let back = ["$.a.b", "$.c", "$.a.d"].map(value);
        let back: Vec<&str> = back.iter().map(String::as_str).collect();
        assert_eq!(written(&back), Err(OutOfOrder));
        assert_eq!(written(&[&value("$[0]")]), Err(OutOfOrder));
        assert_eq!(written(&["[]"]), Err(OutOfOrder));
    }
}
