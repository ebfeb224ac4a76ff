//! The stream of ConverseStream.
//!
//! Blocks are numbered over text, thoughts and calls together; only calls are said to begin. After
//! `messageStop` comes `metadata` with the token counts, and then nothing.

use super::{citation, exception, words};
use crate::{
    dialect::citation::Block,
    frame::Frame,
    json,
    middle::{Decode, Delta, Seen, Start},
};

type Sink<'s> = &'s mut dyn FnMut(Delta<'_>);

/// Reads one stream.
#[derive(Debug, Default)]
pub(super) struct Stream {
    /// The block and the number of each call that is not whole.
    open: Vec<(u64, u32)>,
    text: Block,
    /// How many calls there were.
    calls: u32,
    stopped: bool,
    counted: bool,
    ended: bool,
}

/// Blocks that were opened and not closed beyond this many are not read.
const OPEN: usize = 4096;

impl Decode for Stream {
    fn decode(&mut self, frame: &Frame, sink: Sink<'_>) -> Seen {
        let Frame::Message(message) = frame else {
            return Seen::Unparsed;
        };
        if let Some(verdict) = exception::of_message(message) {
            return Seen::Error(verdict);
        }
        let data = message.data().unwrap_or_default();
        let Some((name, text)) = message.name().zip(std::str::from_utf8(&data).ok()) else {
            return Seen::Unparsed;
        };
        self.event(name, text, sink).unwrap_or(Seen::Unparsed)
    }
}

impl Stream {
    /// `None` if it cannot be read.
    fn event(&mut self, name: &str, text: &str, sink: Sink<'_>) -> Option<Seen> {
        match name {
            "messageStart" => {
                json::members(text, &["role"])?;
                sink(Delta::Start(Start::default()));
            }
            "contentBlockStart" => self.begin(text, sink)?,
            "contentBlockDelta" => self.delta(text, sink)?,
            "contentBlockStop" => {
                self.text.end(sink);
                self.done(block(text)?, sink);
            }
            "messageStop" => {
                if let Err(seen) = self.stop(text, sink)? {
                    return Some(seen);
                }
            }
            "metadata" => {
                let [usage, metrics] = json::members(text, &["usage", "metrics"])?;
                if let Some(durations) = metrics.and_then(words::durations) {
                    sink(Delta::Durations(durations));
                }
                if let Some(usage) = usage.and_then(words::usage) {
                    sink(Delta::Usage(usage));
                }
                self.counted = true;
            }
            _ => {}
        }
        if !(self.stopped && self.counted) {
            return Some(Seen::Data);
        }
        if !std::mem::replace(&mut self.ended, true) {
            sink(Delta::Ended);
        }
        Some(Seen::Last)
    }

    fn begin(&mut self, text: &str, sink: Sink<'_>) -> Option<()> {
        let [at, start] = json::members(text, &["contentBlockIndex", "start"])?;
        let [call, result, image] =
            json::members(start.unwrap_or("{}"), &["toolUse", "toolResult", "image"])?;
        if result.is_some() {
            sink(Delta::Lost("tool_result"));
        }
        if image.is_some() {
            sink(Delta::Lost("image"));
        }
        let Some(call) = call else { return Some(()) };
        let [id, name, kind] = json::members(call, &["toolUseId", "name", "type"])?;
        if kind.is_some() || self.open.len() >= OPEN {
            // a tool that the service runs itself: the caller must not
            sink(Delta::Lost("server_tool_use"));
            return Some(());
        }
        let (at, id, name) = (json::count(at?)?, json::text(id?)?, json::text(name?)?);
        let index = self.calls;
        self.calls = self.calls.saturating_add(1);
        self.open.push((at, index));
        sink(Delta::ToolCall {
            choice: 0,
            index,
            id,
            name,
        });
        Some(())
    }

    fn delta(&mut self, text: &str, sink: Sink<'_>) -> Option<()> {
        const NAMES: [&str; 4] = ["text", "toolUse", "reasoningContent", "citation"];
        let [at, delta] = json::members(text, &["contentBlockIndex", "delta"])?;
        let [words, call, thought, citation] = json::members(delta?, &NAMES)?;
        let filled = |value: Option<&'_ str>| value.is_some_and(json::is_text);
        let choice = 0;
        if filled(words) {
            let text = json::text(words?)?;
            self.text.say(&text);
            sink(Delta::Text {
                choice,
                text,
                logprobs: None,
            });
        }
        if let Some(call) = call {
            let input = json::member(call, "input");
            let at = json::count(at?)?;
            let open = self.open.iter().rev().find(|(block, _)| *block == at);
            if let Some((_, index)) = open.filter(|_| filled(input)) {
                sink(Delta::ToolInput {
                    choice,
                    index: *index,
                    json: json::text(input?)?,
                });
            }
        }
        if let Some(thought) = thought {
            reasoning(thought, sink)?;
        }
        if let Some(cited) = citation.and_then(citation::read) {
            self.text.cite(cited.as_str(), sink);
        }
        Some(())
    }

    fn done(&mut self, at: u64, sink: Sink<'_>) {
        let open = self.open.iter().position(|(block, _)| *block == at);
        if let Some(open) = open {
            let (_, index) = self.open.swap_remove(open);
            sink(Delta::ToolDone { choice: 0, index });
        }
    }

    fn stop(&mut self, text: &str, sink: Sink<'_>) -> Option<Result<(), Seen>> {
        let [reason, fields] =
            json::members(text, &["stopReason", "additionalModelResponseFields"])?;
        self.stopped = true;
        self.text.end(sink);
        let reason = reason.and_then(json::text).unwrap_or_default();
        match words::finish(&reason) {
            Ok(Some(finish)) => sink(Delta::Finish {
                choice: 0,
                finish,
                stop_sequence: words::stop_sequence(fields).map(Into::into),
            }),
            Ok(None) => {}
            Err(verdict) => return Some(Err(Seen::Error(verdict))),
        }
        Some(Ok(()))
    }
}

fn reasoning(thought: &str, sink: Sink<'_>) -> Option<()> {
    let members = json::members(thought, &["text", "signature", "redactedContent"])?;
    let [text, signature, redacted] = members.map(|v| v.filter(|v| json::is_text(v)));
    let choice = 0;
    if let Some(text) = text {
        let text = json::text(text)?;
        sink(Delta::Reasoning { choice, text });
    }
    if let Some(signature) = signature {
        let value = json::text(signature)?;
        sink(Delta::Signature { choice, value });
    }
    // whole in one piece: the makers encrypt a thought when it is complete
    if let Some(redacted) = redacted {
        let value = json::text(redacted)?;
        sink(Delta::Opaque { choice, value });
    }
    Some(())
}

fn block(text: &str) -> Option<u64> {
    json::member(text, "contentBlockIndex").and_then(json::count)
}
