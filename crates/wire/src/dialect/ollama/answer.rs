//! Reading a whole answer, of chat and of generate alike.

use super::stream::Stream;
use crate::{
    Class, Verdict,
    dialect::gathered::Gathered,
    json,
    middle::{Answer, Seen},
};

/// Reads an answer; also one that came as lines although none were asked for.
///
/// # Errors
/// The in-band verdict for an error object; [`Class::Malformed`] for what is no answer.
pub(super) fn read(body: &[u8]) -> Result<Answer, Verdict> {
    let malformed = |what| Verdict::of(Class::Malformed, what);
    let text = std::str::from_utf8(body).map_err(|_| malformed("the answer is not UTF-8"))?;
    let text = text.trim();
    let one = json::members(text, &[]).is_some();
    let lines: Vec<&str> = match one {
        true => vec![text],
        false => text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .collect(),
    };
    let (mut stream, mut gathered) = (Stream::default(), Gathered::default());
    let mut any = false;
    for line in lines {
        match stream.read(line.trim(), &mut |delta| gathered.take(delta)) {
            Seen::Error(verdict) => return Err(verdict),
            Seen::Unparsed => return Err(malformed("the answer is not a JSON object")),
            _ => any |= is_answer(line),
        }
    }
    match any {
        true => Ok(gathered.answer()),
        false => Err(malformed("the answer has no message")),
    }
}

fn is_answer(line: &str) -> bool {
    let members = json::members(line, &["message", "response", "done"]);
    members.is_some_and(|members| members.iter().any(Option::is_some))
}
