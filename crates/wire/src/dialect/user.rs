//! Who asks, in the words of each API.
//!
//! OpenAI has two names for the caller's name of its user: `user`, and the newer `safety_identifier`, which
//! stays what it is wherever both are known and is the same as the other where there is one word. OpenAI
//! refuses a question whose user has a long name, and callers of Anthropic's API send long ones (Claude Code: a
//! hash, an account and a session in one); a question is worth more than the name of who put it, so a name that
//! would be refused is left out and named.

use std::borrow::Cow;

use crate::middle::{Json, Lost, Request};

/// The newer name.
pub(super) const IDENTIFIER: &str = "safety_identifier";

/// Characters: `maxLength` of `safety_identifier` in OpenAI's description of its API
/// (<https://platform.openai.com/docs/api-reference/responses/create#responses-create-safety_identifier>), and what
/// its answers to a longer `user` say ("Expected a string with maximum length 64").
const LONGEST: usize = 64;

/// `user` for a server of OpenAI's family.
pub(super) fn short<'a>(request: &'a Request, lost: &mut Lost) -> Option<&'a str> {
    let user = request.user.as_deref()?;
    let fits = is_short(user);
    if !fits {
        lost.parameter("user");
    }
    fits.then_some(user)
}

/// Whether a `safety_identifier` is taken there.
pub(super) fn is_identifier(value: &Json) -> bool {
    value.as_text().is_some_and(|name| is_short(&name))
}

/// For an API that has one word for it.
pub(super) fn one(request: &Request) -> Option<Cow<'_, str>> {
    let older = request.user.as_deref().map(Cow::Borrowed);
    let newer = || request.own(IDENTIFIER)?.as_text().map(Cow::Owned);
    older.or_else(newer)
}

/// Whether [`one`] has taken this member that the middle form has no place for.
pub(super) fn is_told(request: &Request, name: &str) -> bool {
    let is_text = |value: &Json| value.as_text().is_some();
    name == IDENTIFIER && request.user.is_none() && request.own(IDENTIFIER).is_some_and(is_text)
}

fn is_short(name: &str) -> bool {
    name.chars().nth(LONGEST).is_none()
}
