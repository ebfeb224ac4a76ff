//! The leaves of a body, each of the type it must have.
//!
//! Values are slices of the body, which is how a fault finds its line and column. `null` is absent
//! everywhere. Nothing of a value is ever quoted.

use crate::{
    BadBody, json,
    middle::Json,
    peek::fault::{fault, syntax},
};

/// The body that everything read is a slice of.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a>(&'a str);

impl<'a> Reader<'a> {
    pub(super) fn new(body: &'a str) -> Self {
        Self(body)
    }

    /// The members of the body that are not `null`, in order.
    pub(super) fn entries(self) -> Result<Vec<(String, &'a str)>, BadBody> {
        let mut entries = Entries::default();
        json::walk(self.0, &mut entries).map_err(|_| syntax(self.0))?;
        Ok(entries.0)
    }

    /// The members of an object inside it that are not `null`, in order.
    pub(super) fn members(
        self,
        value: &'a str,
        param: &'static str,
    ) -> Result<Vec<(String, &'a str)>, BadBody> {
        let mut entries = Entries::default();
        json::walk(value, &mut entries)
            .map_err(|_| self.fault(value, param, "must be an object"))?;
        Ok(entries.0)
    }

    /// Members asked for by name.
    pub(super) fn named<const N: usize>(
        self,
        value: &'a str,
        names: &[&str; N],
        param: &'static str,
    ) -> Result<[Option<&'a str>; N], BadBody> {
        json::members(value, names).ok_or_else(|| self.fault(value, param, "must be an object"))
    }

    pub(super) fn string(self, value: &'a str, param: &'static str) -> Result<String, BadBody> {
        match json::text(value) {
            Some(text) => Ok(text.into_owned()),
            None if json::is_string(value) => Err(self.fault(
                value,
                param,
                "holds half of a surrogate pair; send whole characters",
            )),
            None => Err(self.fault(value, param, "must be a string")),
        }
    }

    /// A string that must be there, in an object that begins at `of`.
    pub(super) fn required(
        self,
        value: Option<&'a str>,
        of: &'a str,
        param: &'static str,
    ) -> Result<String, BadBody> {
        match value {
            Some(value) => self.string(value, param),
            None => Err(self.fault(of, param, "is missing; it is required here")),
        }
    }

    pub(super) fn optional(
        self,
        value: Option<&'a str>,
        param: &'static str,
    ) -> Result<Option<String>, BadBody> {
        value.map(|value| self.string(value, param)).transpose()
    }

    pub(super) fn flag(self, value: &'a str, param: &'static str) -> Result<bool, BadBody> {
        match value {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(self.fault(value, param, "must be true or false")),
        }
    }

    pub(super) fn number(self, value: &'a str, param: &'static str) -> Result<Json, BadBody> {
        let first = value.bytes().next();
        let number = first.is_some_and(|b| b == b'-' || b.is_ascii_digit());
        let json = Json::parse(value).filter(|_| number);
        json.ok_or_else(|| self.fault(value, param, "must be a number"))
    }

    pub(super) fn object(self, value: &'a str, param: &'static str) -> Result<Json, BadBody> {
        let json = Json::parse(value).filter(Json::is_object);
        json.ok_or_else(|| self.fault(value, param, "must be an object"))
    }

    pub(super) fn elements(
        self,
        value: &'a str,
        param: &'static str,
    ) -> Result<Vec<&'a str>, BadBody> {
        let mut elements = Vec::new();
        match json::elements(value, |element| elements.push(element)) {
            true => Ok(elements),
            false => Err(self.fault(value, param, "must be an array")),
        }
    }

    /// `value` as it is spelled.
    pub(super) fn value(self, value: &'a str, param: &'static str) -> Result<Json, BadBody> {
        Json::parse(value).ok_or_else(|| self.fault(value, param, "is not valid JSON"))
    }

    pub(super) fn fault(self, value: &'a str, param: &'static str, what: &str) -> BadBody {
        fault(self.0, value, param, what)
    }
}

#[derive(Default)]
struct Entries<'a>(Vec<(String, &'a str)>);

impl<'a> json::Sink<'a> for Entries<'a> {
    fn member(&mut self, key: &[u8], value: json::Value<'_, 'a>) -> Result<(), json::Fault> {
        if let Some(value) = value.given()? {
            let key = String::from_utf8_lossy(key).into_owned();
            self.0.push((key, value));
        }
        Ok(())
    }
}
