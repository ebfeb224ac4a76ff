//! Where in a configuration something stands, as the user would say it: `targets.fast.timeout`.
//!
//! Problems, overrides and the schema all speak of places by path, never by line: lines are looked up
//! once, when a problem is written down. Names may contain dots (`gpt-4.1`), so a path is a list of
//! steps and only its text form has dots; a name that would be misread is quoted there.

use std::fmt;

/// One step down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Into a map, by key.
    Key(String),
    /// Into a list, by position from 0.
    Item(usize),
}

/// A place in a configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path(Vec<Step>);

impl Path {
    /// The whole file.
    #[must_use]
    pub fn root() -> Self {
        Self::default()
    }

    /// The entry `name` below.
    #[must_use]
    pub fn key(&self, name: &str) -> Self {
        self.step(Step::Key(name.to_owned()))
    }

    /// The item at `position` below, from 0.
    #[must_use]
    pub fn item(&self, position: usize) -> Self {
        self.step(Step::Item(position))
    }

    fn step(&self, step: Step) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        Self(steps)
    }

    /// Puts a step in front: an error finds its path on the way up.
    pub(crate) fn prepend(&mut self, step: Step) {
        self.0.insert(0, step);
    }

    /// The steps from the root.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    /// The last key on the way.
    #[must_use]
    pub fn last_key(&self) -> Option<&str> {
        self.0.iter().rev().find_map(|s| match s {
            Step::Key(k) => Some(k.as_str()),
            Step::Item(_) => None,
        })
    }

    /// Whether `other` is this place or lies inside it.
    #[must_use]
    pub fn holds(&self, other: &Self) -> bool {
        other.0.starts_with(&self.0)
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, step) in self.0.iter().enumerate() {
            match step {
                Step::Item(i) => write!(f, "[{i}]")?,
                Step::Key(k) => {
                    if n > 0 {
                        f.write_str(".")?;
                    }
                    let plain = !k.is_empty() && !k.contains(['.', '[', ']', '"', ' ']);
                    if plain {
                        f.write_str(k)?;
                    } else {
                        write!(f, "{k:?}")?;
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_dots_is_one_step() {
        let p = Path::root()
            .key("routes")
            .key("gpt-4.1")
            .key("fallback")
            .item(2);
        assert_eq!(p.to_string(), "routes.\"gpt-4.1\".fallback[2]");
        assert!(Path::root().key("routes").holds(&p));
        assert!(!p.holds(&Path::root()));
    }
}
