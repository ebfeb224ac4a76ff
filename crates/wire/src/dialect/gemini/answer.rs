//! Reading a whole answer: one response, or all those of a stream in one array.

use super::stream::Stream;
use crate::{
    Class, Verdict,
    dialect::gathered::Gathered,
    json,
    middle::{Answer, Seen},
};

/// Reads an answer.
///
/// # Errors
/// The in-band verdict for an error object; [`Class::Malformed`] for what is no response.
pub(super) fn read(body: &[u8]) -> Result<Answer, Verdict> {
    let malformed = |what| Err(Verdict::of(Class::Malformed, what));
    let Ok(text) = std::str::from_utf8(body).map(str::trim) else {
        return malformed("the answer is not UTF-8");
    };
    let mut gathered = Gathered::default();
    let seen = Stream::new(1).read(text, &mut |delta| gathered.take(delta));
    match seen {
        Seen::Error(verdict) => Err(verdict),
        Seen::Unparsed => malformed("the answer is not a JSON object"),
        _ if !is_response(text) => malformed("the answer has no candidates"),
        _ => Ok(gathered.answer()),
    }
}

/// Whether anything of a response is there. Not `candidates` alone: they are left out when there are none.
fn is_response(text: &str) -> bool {
    const NAMES: [&str; 5] = [
        "candidates",
        "promptFeedback",
        "usageMetadata",
        "modelVersion",
        "responseId",
    ];
    let told = |object: &str| {
        let members = json::members(object, &NAMES);
        members.is_some_and(|members| members.iter().any(Option::is_some))
    };
    let mut any = json::is_object(text) && told(text);
    if json::is_array(text) {
        json::elements(text, |element| any |= told(element));
    }
    any
}
