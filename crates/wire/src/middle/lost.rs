//! What a translation has no place for.
//!
//! A route decides whether a request that loses something is refused; the caller is told either way,
//! by name. Names are those of the caller's API (`logit_bias`, `messages[].name`), never values.

use std::borrow::Cow;

use super::{Json, ToolChoice};

/// Names of what was left out, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// Parameters: the answer may differ, the question is whole.
    pub parameters: Vec<Cow<'static, str>>,
    /// Parts of the question or of the answer itself.
    pub content: Vec<Cow<'static, str>>,
    /// Why the question as it stands cannot be put at all, whatever the route would rather lose: the field, what
    /// is wrong with it and the fix, never a value of it.
    pub refusal: Option<String>,
}

/// Unknown members beyond this many are not named one by one.
const NAMED: usize = 32;

impl Lost {
    /// A parameter was left out.
    pub fn parameter(&mut self, name: impl Into<Cow<'static, str>>) {
        add(&mut self.parameters, name.into());
    }

    /// A part of the content was left out.
    pub fn content(&mut self, name: impl Into<Cow<'static, str>>) {
        add(&mut self.content, name.into());
    }

    /// A thought of the model's was left out. The question is whole without it: providers leave out those of
    /// earlier turns themselves, and one that is another model's would be refused.
    pub fn thought(&mut self) {
        self.parameter("messages[].reasoning");
    }

    /// The question cannot be put, for this reason. The first counts.
    pub fn refuse(&mut self, why: String) {
        self.refusal.get_or_insert(why);
    }

    /// What a text cites, if it does, was left out.
    pub fn citations(&mut self, citations: Option<&Json>) {
        if citations.is_some() {
            self.parameter("messages[].content[].citations");
        }
    }

    /// That a tool must be called, if it is said, was left out, as there is none that could be.
    pub fn choice(&mut self, choice: Option<&ToolChoice>) {
        if choice.is_some_and(ToolChoice::is_forced) {
            self.parameter("tool_choice");
        }
    }

    /// A cache breakpoint, if there is one, was left out.
    pub fn cache(&mut self, cache: Option<&Json>) {
        if cache.is_some() {
            self.parameter("cache_control");
        }
    }

    /// How closely a picture is to be looked at, if that is said, was left out.
    pub fn detail(&mut self, detail: Option<&str>) {
        if detail.is_some_and(|detail| detail != "auto") {
            self.parameter("messages[].content[].image_url.detail");
        }
    }

    /// Whether nothing was lost.
    pub fn is_empty(&self) -> bool {
        self.parameters.is_empty() && self.content.is_empty() && self.refusal.is_none()
    }

    /// All names, content first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.content
            .iter()
            .chain(&self.parameters)
            .map(AsRef::as_ref)
    }

    /// Takes over what `other` names.
    pub fn merge(&mut self, other: Self) {
        other.parameters.into_iter().for_each(|n| self.parameter(n));
        other.content.into_iter().for_each(|n| self.content(n));
        other.refusal.into_iter().for_each(|why| self.refuse(why));
    }
}

/// A member whose name is not a plain word is `other`: what is named here goes into headers and logs.
fn add(names: &mut Vec<Cow<'static, str>>, name: Cow<'static, str>) {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"_-.[]".contains(&b);
    let name = match name.len() <= 64 && !name.is_empty() && name.bytes().all(plain) {
        true => name,
        false => Cow::Borrowed("other"),
    };
    if names.len() < NAMED && !names.contains(&name) {
        names.push(name);
    }
}

#[cfg(test)]
mod tests {
    use super::Lost;

    #[test]
    fn each_loss_is_named_once_and_odd_names_are_not_repeated() {
        let mut lost = Lost::default();
        lost.parameter("seed");
        lost.parameter("seed");
        lost.parameter("a\r\nx: 1".to_owned());
        lost.content("messages[].content[].file");
        assert_eq!(
            lost.names().collect::<Vec<_>>(),
            ["messages[].content[].file", "seed", "other"]
        );
    }
}
