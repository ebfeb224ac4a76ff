//! A value of the body and the place where it stands.
//!
//! Everything is read through this, so that whatever is wrong is told with the member's name, its line and
//! its column.

use crate::{BadBody, json, middle::Json, peek::fault::fault};

/// A value, and what it is called.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    text: &'a str,
    raw: &'a str,
    param: &'static str,
}

impl<'a> Place<'a> {
    /// The whole body.
    pub(super) fn of(text: &'a str, raw: &'a str) -> Self {
        Self {
            text,
            raw,
            param: "body",
        }
    }

    fn inside(self, raw: &'a str, param: &'static str) -> Self {
        Self { raw, param, ..self }
    }

    pub(super) fn wrong(self, what: &str) -> BadBody {
        fault(self.text, self.raw, self.param, what)
    }

    /// As it is spelled.
    pub(super) fn raw(self) -> &'a str {
        self.raw
    }

    pub(super) fn is_string(self) -> bool {
        json::is_string(self.raw)
    }

    pub(super) fn string(self) -> Result<String, BadBody> {
        if !self.is_string() {
            return Err(self.wrong("must be a string"));
        }
        let text = json::text(self.raw);
        text.map(Into::into)
            .ok_or_else(|| self.wrong("holds half of a surrogate pair; send whole characters"))
    }

    pub(super) fn flag(self) -> Result<bool, BadBody> {
        match self.raw {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(self.wrong("must be true or false")),
        }
    }

    pub(super) fn number(self) -> Result<Json, BadBody> {
        let number = self
            .raw
            .starts_with(|c: char| c.is_ascii_digit() || c == '-');
        match number {
            true => Ok(self.json()),
            false => Err(self.wrong("must be a number")),
        }
    }

    pub(super) fn object(self) -> Result<Json, BadBody> {
        match json::is_object(self.raw) {
            true => Ok(self.json()),
            false => Err(self.wrong("must be an object")),
        }
    }

    /// The body has been found to be JSON, so every piece of it is.
    pub(super) fn json(self) -> Json {
        Json::parse(self.raw).unwrap_or_else(|| Json::of(&()))
    }

    pub(super) fn elements(self, param: &'static str) -> Result<Vec<Self>, BadBody> {
        if !json::is_array(self.raw) {
            return Err(self.wrong("must be an array"));
        }
        let mut elements = Vec::new();
        json::elements(self.raw, |raw| elements.push(self.inside(raw, param)));
        Ok(elements)
    }

    pub(super) fn members(self) -> Result<Members<'a>, BadBody> {
        if !json::is_object(self.raw) {
            return Err(self.wrong("must be an object"));
        }
        let entries = json::entries(self.raw);
        let unreadable = || self.wrong("has a member whose name holds half of a surrogate pair");
        Ok(Members {
            of: self,
            entries: entries.ok_or_else(unreadable)?,
        })
    }
}

/// The members of an object that have not been taken yet.
pub(super) struct Members<'a> {
    of: Place<'a>,
    entries: Vec<(String, &'a str)>,
}

impl<'a> Members<'a> {
    /// Takes a member, the last of its name; `None` if it is absent or `null`.
    pub(super) fn take(&mut self, name: &str, param: &'static str) -> Option<Place<'a>> {
        let mut taken = None;
        self.entries.retain(|(member, raw)| {
            let other = member != name;
            if !other {
                taken = Some(*raw);
            }
            other
        });
        let raw = taken.filter(|raw| !json::is_null(raw))?;
        Some(self.of.inside(raw, param))
    }

    /// As [`take`](Self::take), but it stays.
    pub(super) fn peek(&self, name: &str, param: &'static str) -> Option<Place<'a>> {
        let (_, raw) = self.entries.iter().rfind(|(member, _)| member == name)?;
        (!json::is_null(raw)).then(|| self.of.inside(raw, param))
    }

    /// A member that must be there and a string.
    pub(super) fn need(&mut self, name: &str, param: &'static str) -> Result<String, BadBody> {
        match self.take(name, param) {
            Some(value) => value.string(),
            None => Err(self.of.wrong(&format!("has no `{name}`; it is required"))),
        }
    }

    /// A string that may be absent.
    pub(super) fn text(
        &mut self,
        name: &str,
        param: &'static str,
    ) -> Result<Option<String>, BadBody> {
        self.take(name, param).map(Place::string).transpose()
    }

    /// What was not taken and is not `null`.
    pub(super) fn rest(self) -> impl Iterator<Item = (String, Place<'a>)> {
        let of = self.of;
        let given = |(_, raw): &(String, &str)| !json::is_null(raw);
        let rest = self.entries.into_iter().filter(given);
        rest.map(move |(name, raw)| (name, of.inside(raw, of.param)))
    }

    /// Keeps the rest under its names inside `of`, each name once.
    pub(super) fn keep(self, of: &str, extra: &mut Vec<(String, Json)>) {
        for (name, value) in self.rest() {
            keep(format!("{of}.{name}"), value, extra);
        }
    }
}

/// Keeps what the middle form has no place for.
pub(super) fn keep(name: String, value: Place<'_>, extra: &mut Vec<(String, Json)>) {
    if extra.iter().all(|(known, _)| *known != name) {
        extra.push((name, value.json()));
    }
}
