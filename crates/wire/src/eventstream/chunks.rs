//! Server-sent events inside event-stream messages: Bedrock's InvokeModelWithResponseStream.
//!
//! Each event of the model's own API comes as base64 in a message of the kind `chunk`. It is taken out here
//! and given as the event it would be over HTTP, so that whoever reads, judges and relays that API need not
//! know how it came. What must hold:
//!
//! - Finding a chunk takes no longer than finding any other message; opening it takes as long as it is, so that
//!   is asked for by whoever knows where ([`Frame::opened`]).
//! - A chunk that holds no event is a message at fault, as one with a wrong checksum is: what was in it is
//!   missing from the answer.
//! - What is no chunk but says something (a failure, a fault, the cut end of the stream) is given as the message
//!   it is; what says nothing is not given.

use base64::{Engine, prelude::BASE64_STANDARD};

use super::{Fault, Message};
use crate::{frame::Frame, intake::Intake, json, sse};

/// A message of a stream of chunks, not opened yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk(pub(crate) Message);

impl Chunk {
    /// The event in it, or a message that is none and says something.
    pub(crate) fn open(self) -> Option<Frame> {
        let Self(message) = self;
        if message.is_failure() || message.fault().is_some() || !message.is_complete() {
            return Some(Frame::Message(message));
        }
        let says_nothing = match message.name() {
            Some(name) => name != "chunk",
            None => message.data().is_none(),
        };
        if says_nothing {
            return None;
        }
        let event = message.data().and_then(|data| event(&data));
        Some(match event {
            Some(event) => Frame::Event(event),
            None => Frame::Message(message.at_fault(Fault::Payload)),
        })
    }
}

/// The event in the payload of a chunk.
fn event(data: &[u8]) -> Option<sse::Event> {
    let bytes = json::member(std::str::from_utf8(data).ok()?, "bytes")?;
    let event = BASE64_STANDARD.decode(&*json::text(bytes)?).ok()?;
    // breaks of lines stand only between the tokens of JSON, where blanks do as well
    let line = String::from_utf8(event).ok()?.replace(['\n', '\r'], " ");
    let kind = json::member(&line, "type").and_then(json::text);
    let event = match kind {
        Some(kind) => format!(
            "event: {}\ndata: {line}\n\n",
            kind.replace(['\n', '\r'], " ")
        ),
        None => format!("data: {line}\n\n"),
    };
    // the limit is the message's
    let mut intake = Intake::new(event.len());
    intake.push(event.into());
    sse::Rule::default().next(&mut intake)?.ok()
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
        ] {
            let found = split(&bytes, bytes.len());
            assert_eq!(found.len(), frames, "{found:?}");
            assert!(found.iter().all(|f| matches!(f, Frame::Message(_))));
        }
    }

    #[test]
    fn a_chunk_without_an_event_is_a_message_at_fault() {
        let latin = BASE64_STANDARD.encode(b"{\"type\":\"ping\",\"a\":\"\xe9\"}");
        for payload in [
            "",
            "{}",
            "no JSON",
            r#"{"bytes":null}"#,
            r#"{"bytes":7}"#,
            r#"{"bytes":"%"}"#,
            r#"{"bytes":"eyJ0eXBl"#,
            &format!(r#"{{"bytes":"{latin}"}}"#),
        ] {
            let bytes = [chunk("{}"), message("chunk", payload)].concat();
            for size in [1, bytes.len()] {
                let found = split(&bytes, size);
                let [Frame::Event(_), Frame::Message(message)] = &*found else {
                    panic!("{payload}: {found:?}");
                };
                assert_eq!(message.fault(), Some(Fault::Payload), "{payload}");
                assert_eq!(found[1].data(), None);
            }
        }
    }

    #[test]
    fn a_chunk_is_opened_when_it_is_asked_for() {
        let large = format!(r#"{{"type":"x","a":"{}"}}"#, "x".repeat(1 << 20));
        let bytes = chunk(&large);
        let mut splitter = Splitter::new(Framing::Chunks, 1 << 24);
        splitter.push(bytes.clone().into());
        let sealed = splitter.next().unwrap().unwrap();
        assert_eq!((&sealed.raw()[..], sealed.data()), (&bytes[..], None));
        let data = format!("event: x\ndata: {large}\n\n");
        assert_eq!(sealed.opened().unwrap().raw(), data.as_bytes());
    }

    #[test]
    fn a_message_over_the_limit_is_refused() {
        let mut splitter = Splitter::new(Framing::Chunks, 64);
        splitter.push(chunk(&"x".repeat(100)).into());
        assert!(splitter.next().unwrap().is_err());
        assert!(splitter.next().is_none());
    }
}
