//! Typed looks into a caller's body.
//!
//! A wrong type is refused with the member and its place in the body; the value itself is never repeated.
//! Every value handed in must be a slice of the body, because its place is told from where it stands.

use crate::{
    BadBody, json,
    middle::Json,
    peek::fault::{fault, syntax},
};

/// A caller's body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Body<'a>(pub(super) &'a str);

type Result<T> = std::result::Result<T, BadBody>;

impl<'a> Body<'a> {
    /// The members of the outermost object, in order.
    pub(super) fn members(self) -> Result<Vec<(String, &'a str)>> {
        json::entries(self.0).ok_or_else(|| match json::read(self.0, &[], false) {
            Err(_) => syntax(self.0),
            Ok(_) => BadBody {
                message: "a member's name is not valid Unicode; send no lone surrogates".to_owned(),
                line: 0,
                column: 0,
                param: None,
            },
        })
    }

    pub(super) fn fault(self, value: &str, param: &'static str, what: &str) -> BadBody {
        fault(self.0, value, param, what)
    }

    pub(super) fn text(self, value: &str, param: &'static str) -> Result<String> {
        if !json::is_string(value) {
            return Err(self.fault(value, param, "must be a string"));
        }
        let text = json::text(value).map(Into::into);
        text.ok_or_else(|| {
            let what = "holds half of a surrogate pair; send well-formed Unicode";
            self.fault(value, param, what)
        })
    }

    pub(super) fn flag(self, value: &str, param: &'static str) -> Result<bool> {
        match value {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(self.fault(value, param, "must be true or false")),
        }
    }

    /// A number, as it is spelled.
    pub(super) fn number(self, value: &str, param: &'static str) -> Result<Json> {
        let number = value.starts_with(|c: char| c == '-' || c.is_ascii_digit());
        self.value(value, param, number, "must be a number")
    }

    pub(super) fn object(self, value: &str, param: &'static str) -> Result<Json> {
        self.value(value, param, json::is_object(value), "must be an object")
    }

    /// Any value, as it is spelled.
    pub(super) fn any(self, value: &str, param: &'static str) -> Result<Json> {
        self.value(value, param, true, "")
    }

    fn value(self, value: &str, param: &'static str, fits: bool, what: &str) -> Result<Json> {
        let json = Json::parse(value).filter(|_| fits);
        json.ok_or_else(|| self.fault(value, param, what))
    }

    pub(super) fn elements(self, value: &'a str, param: &'static str) -> Result<Vec<&'a str>> {
        let mut elements = Vec::new();
        match json::is_array(value) && json::elements(value, |element| elements.push(element)) {
            true => Ok(elements),
            false => Err(self.fault(value, param, "must be an array")),
        }
    }

    /// The named members of an object, `null` as absent.
    pub(super) fn named<const N: usize>(
        self,
        value: &'a str,
        param: &'static str,
        names: &[&str; N],
    ) -> Result<[Option<&'a str>; N]> {
        json::members(value, names).ok_or_else(|| self.fault(value, param, "must be an object"))
    }

    /// The text of a member that must be there.
    pub(super) fn needed(
        self,
        object: &str,
        value: Option<&str>,
        param: &'static str,
        what: &str,
    ) -> Result<String> {
        match value {
            Some(value) => self.text(value, param),
            None => Err(self.fault(object, param, what)),
        }
    }
}
