//! Server-sent events inside event-stream messages: Bedrock's InvokeModelWithResponseStream.
//!
//! Each event of the model's own API comes as base64 in a message of the kind `chunk`. It is taken out here
//! and given as the event it would be over HTTP, so that whoever reads, judges and relays that API need not
//! know how it came. What is no chunk but says something (a failure, a wrong checksum, the cut end of the
//! stream) is given as the message it is; what says nothing is not given.

use base64::{Engine, prelude::BASE64_STANDARD};
use bytes::Bytes;

use super::Message;
use crate::{
    frame::Frame,
    intake::{Intake, TooLarge},
    json, sse,
};

/// Finds the events of one stream, and the messages that hold none.
#[derive(Debug, Default)]
pub(crate) struct Rule {
    messages: super::Rule,
}

impl Rule {
    pub(crate) fn next(&mut self, intake: &mut Intake) -> Option<Result<Frame, TooLarge>> {
        loop {
            match self.messages.next(intake)? {
                Ok(message) => {
                    if let Some(frame) = open(message) {
                        return Some(Ok(frame));
                    }
                }
                Err(large) => return Some(Err(large)),
            }
        }
    }

    /// What is left of a message when the stream has ended in it.
    pub(crate) fn last(&self, raw: Bytes) -> Message {
        self.messages.last(raw)
    }
}

/// The event in a chunk, or a message that is none and says something.
fn open(message: Message) -> Option<Frame> {
    if message.is_failure() || message.fault().is_some() {
        return Some(Frame::Message(message));
    }
    let is_chunk = message.name().is_none_or(|name| name == "chunk");
    let data = message.data().filter(|_| is_chunk)?;
    let event = event(&data)?;
    // the limit is the message's
    let mut intake = Intake::new(event.len());
    intake.push(event.into());
    let event = sse::Rule::default().next(&mut intake)?.ok()?;
    Some(Frame::Event(event))
}

/// The event as it would stand in a stream of its API; `None` if there is none.
fn event(data: &[u8]) -> Option<String> {
    let bytes = json::member(std::str::from_utf8(data).ok()?, "bytes")?;
    let event = BASE64_STANDARD.decode(&*json::text(bytes)?).ok()?;
    // breaks of lines stand only between the tokens of JSON, where blanks do as well
    let line = String::from_utf8(event).ok()?.replace(['\n', '\r'], " ");
    let kind = json::member(&line, "type").and_then(json::text);
    Some(match kind {
        Some(kind) => format!(
            "event: {}\ndata: {line}\n\n",
            kind.replace(['\n', '\r'], " ")
        ),
        None => format!("data: {line}\n\n"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        eventstream::tests::{event as message, exception},
        frame::{Framing, Splitter, tests as streams},
    };

    fn chunk(json: &str) -> Vec<u8> {
        let bytes = BASE64_STANDARD.encode(json);
        message("chunk", &format!(r#"{{"bytes":"{bytes}","p":"abc"}}"#))
    }

    fn split(bytes: &[u8], size: usize) -> Vec<Frame> {
        streams::split(Framing::Chunks, bytes.chunks(size))
    }

    #[test]
    fn an_event_is_what_it_would_be_over_http_however_the_bytes_were_cut() {
        let bytes = [
            chunk("{\"type\":\"ping\",\n\"a\": 1.0}"),
            chunk("no JSON"),
            chunk(r#"{"type":"message_stop","amazon-bedrock-invocationMetrics":{}}"#),
        ]
        .concat();
        let expected = "event: ping\ndata: {\"type\":\"ping\", \"a\": 1.0}\n\n\
             data: no JSON\n\n\
             event: message_stop\ndata: {\"type\":\"message_stop\",\"amazon-bedrock-invocationMetrics\":{}}\n\n";
        for size in [1, 7, bytes.len()] {
            let frames = split(&bytes, size);
            assert_eq!(String::from_utf8(streams::raw(&frames)).unwrap(), expected);
            assert!(frames.iter().all(|f| matches!(f, Frame::Event(_))));
        }
    }

    #[test]
    fn what_is_no_chunk_is_a_message_if_it_says_something() {
        let mut harmed = chunk(r#"{"type":"ping"}"#);
        let last = harmed.last_mut().unwrap();
        *last ^= 1;
        let cut = &chunk(r#"{"type":"ping"}"#)[..30];
        for (bytes, frames) in [
            (exception("throttlingException", "{}"), 1),
            (harmed, 1),
            (cut.to_vec(), 1),
            (message("keepAlive", "{}"), 0),
            (message("chunk", "{}"), 0),
            (message("chunk", r#"{"bytes":"%"}"#), 0),
        ] {
            let found = split(&bytes, bytes.len());
            assert_eq!(found.len(), frames, "{found:?}");
            assert!(found.iter().all(|f| matches!(f, Frame::Message(_))));
        }
    }

    #[test]
    fn a_message_over_the_limit_is_refused() {
        let mut splitter = Splitter::new(Framing::Chunks, 64);
        splitter.push(chunk(&"x".repeat(100)).into());
        assert!(splitter.next().unwrap().is_err());
        assert!(splitter.next().is_none());
    }
}
