//! Reading a question.
//!
//! What is understood becomes part of the middle form; every other member is kept by name, so that a
//! translation can say that it was left out. A value of the wrong type is refused with its place: an upstream
//! would refuse it in words about a request that the caller never wrote.

mod content;
mod input;
mod parameters;
mod reader;
mod stray;
mod tools;

use bytes::Bytes;
use reader::Reader;

pub(super) use content::citations;
pub(super) use parameters::included;

use crate::{
    BadBody,
    dialect::stray::Strays,
    middle::{Json, Message, Request, Role},
    peek::fault::{missing, object},
};

/// Reads a request body.
///
/// # Errors
/// What cannot be read, with its place.
pub(super) fn read(body: &Bytes) -> Result<Request, BadBody> {
    let reader = Reader::new(object(body)?);
    let mut draft = Draft::default();
    for (name, value) in reader.entries()? {
        draft.member(reader, &name, value)?;
    }
    draft.finish(reader)
}

/// A request whose conversation is not put together yet: its members come in any order.
#[derive(Default)]
struct Draft<'a> {
    request: Request,
    instructions: Option<String>,
    input: Option<&'a str>,
}

impl<'a> Draft<'a> {
    fn member(&mut self, reader: Reader<'a>, name: &str, value: &'a str) -> Result<(), BadBody> {
        let request = &mut self.request;
        match name {
            "model" => request.model = reader.string(value, "model")?,
            "stream" => request.stream = reader.flag(value, "stream")?,
            "instructions" => self.instructions = Some(reader.string(value, "instructions")?),
            "input" => self.input = Some(value),
            "tools" => {
                request.tools = tools::tools(reader, value)?;
                stray::tools(&mut Strays(&mut request.extra), value);
            }
            "tool_choice" => match tools::choice(reader, value)? {
                Some(choice) => request.tool_choice = Some(choice),
                None => keep(request, name, value),
            },
            _ if parameters::read(request, reader, name, value)? => {}
            _ => keep(request, name, value),
        }
        Ok(())
    }

    fn finish(self, reader: Reader<'a>) -> Result<Request, BadBody> {
        let mut request = self.request;
        if request.model.is_empty() {
            return Err(missing("model"));
        }
        // every answer of this API tells its token counts
        request.include_usage = true;
        let instructions = self.instructions.filter(|text| !text.is_empty());
        request
            .messages
            .extend(instructions.map(|text| Message::text(Role::System, text)));
        let elsewhere = ["prompt", "previous_response_id", "conversation"];
        match self.input {
            Some(input) => {
                input::read(reader, input, &mut request.messages)?;
                stray::input(&mut Strays(&mut request.extra), input);
            }
            None if request
                .extra
                .iter()
                .any(|(name, _)| elsewhere.contains(&name.as_str())) => {}
            None => return Err(missing("input")),
        }
        Ok(request)
    }
}

/// Keeps a member that the middle form has no place for.
fn keep(request: &mut Request, name: &str, value: &str) {
    if let Some(value) = Json::parse(value) {
        request.extra.retain(|(other, _)| other != name);
        request.extra.push((name.to_owned(), value));
    }
}
