//! Reading lines, of chat and of generate alike.
//!
//! They differ only in where the text stands: in `message.content` or in `response`. The line with `done` is
//! the last one. One that fails in between says so in a line `{"error":"…"}`, and nothing follows it.

use std::{borrow::Cow, time::Duration};

use crate::{
    Usage, Verdict,
    dialect::{Durations, Finish, call_id},
    frame::Frame,
    json,
    middle::{Decode, Delta, Seen, Start},
    rfc3339,
};

/// Reads one stream.
#[derive(Debug, Default)]
pub(super) struct Stream {
    started: bool,
    /// When the first line was made: what tells this answer from others.
    made: String,
    calls: u32,
}

type Sink<'s> = &'s mut dyn FnMut(Delta<'_>);

impl Stream {
    /// Reads a line.
    pub(super) fn read(&mut self, line: &str, sink: Sink<'_>) -> Seen {
        const NAMES: [&str; 9] = [
            "error",
            "model",
            "created_at",
            "message",
            "response",
            "thinking",
            "logprobs",
            "done",
            "done_reason",
        ];
        let Some(
            [
                error,
                model,
                made,
                message,
                response,
                thinking,
                logprobs,
                done,
                reason,
            ],
        ) = json::members(line, &NAMES)
        else {
            return Seen::Unparsed;
        };
        if error.is_some() {
            return Seen::Error(Verdict::in_band(line.as_bytes()));
        }
        self.start(model, made, sink);
        let names = ["content", "thinking", "tool_calls"];
        let said = message.and_then(|message| json::members(message, &names));
        let [content, thought, calls] = said.unwrap_or_default();
        if let Some(text) = filled(thought.or(thinking)) {
            sink(Delta::Reasoning { choice: 0, text });
        }
        if let Some(text) = filled(content.or(response)) {
            let logprobs = logprobs.map(in_form);
            sink(Delta::Text {
                choice: 0,
                text,
                logprobs: logprobs.as_deref(),
            });
        }
        json::elements(calls.unwrap_or("[]"), |call| self.call(call, sink));
        if done != Some("true") {
            return Seen::Data;
        }
        self.done(line, reason, sink);
        Seen::Last
    }

    fn start(&mut self, model: Option<&str>, made: Option<&str>, sink: Sink<'_>) {
        let model = filled(model);
        if self.started || model.is_none() {
            return;
        }
        self.started = true;
        let made = filled(made).unwrap_or_default();
        sink(Delta::Start(Start {
            id: None,
            model,
            created: rfc3339::unix(&made),
        }));
        self.made = made.into_owned();
    }

    fn call(&mut self, call: &str, sink: Sink<'_>) {
        let [id, function] = json::members(call, &["id", "function"]).unwrap_or_default();
        let members = function.and_then(|f| json::members(f, &["name", "arguments"]));
        let [name, arguments] = members.unwrap_or_default();
        let Some(name) = filled(name) else { return };
        let (choice, index) = (0, self.calls);
        self.calls = self.calls.saturating_add(1);
        let id = filled(id);
        if self.made.is_empty() {
            self.made = call_id::mark();
        }
        sink(Delta::ToolCall {
            choice,
            index,
            id: id.unwrap_or_else(|| call_id::made(&self.made, choice, index).into()),
            name,
        });
        let arguments = arguments.filter(|arguments| json::is_object(arguments));
        sink(Delta::ToolInput {
            choice,
            index,
            json: Cow::Borrowed(arguments.unwrap_or("{}")),
        });
        sink(Delta::ToolDone { choice, index });
    }

    fn done(&self, line: &str, reason: Option<&str>, sink: Sink<'_>) {
        sink(Delta::Finish {
            choice: 0,
            finish: self.reason(reason),
            stop_sequence: None,
        });
        let counts = json::members(line, &["prompt_eval_count", "eval_count"]);
        let [input, output] = counts.unwrap_or_default().map(|c| c.and_then(json::count));
        let usage = Usage {
            input,
            output,
            ..Usage::default()
        };
        if !usage.is_empty() {
            sink(Delta::Usage(usage));
        }
        let durations = durations(line);
        if durations != Durations::default() {
            sink(Delta::Durations(durations));
        }
        sink(Delta::Ended);
    }

    /// Old versions give no reason. An answer that ends with calls has that of one that just ends.
    fn reason(&self, word: Option<&str>) -> Finish {
        let word = filled(word);
        match Finish::of(word.as_deref().unwrap_or("stop")) {
            Some(Finish::Stop) | None if self.calls > 0 => Finish::ToolCalls,
            finish => finish.unwrap_or(Finish::Stop),
        }
    }
}

/// How long it took, in nanoseconds as it is spelled.
pub(super) fn durations(line: &str) -> Durations {
    const NAMES: [&str; 4] = [
        "total_duration",
        "load_duration",
        "prompt_eval_duration",
        "eval_duration",
    ];
    let times = json::members(line, &NAMES).unwrap_or_default();
    let time = |spelled: Option<&str>| spelled.and_then(json::count).map(Duration::from_nanos);
    let [total, load, prompt, output] = times.map(time);
    Durations {
        total,
        load,
        prompt,
        output,
    }
}

/// Its tokens have the form of chat completions, where they are called `content`.
fn in_form(tokens: &str) -> String {
    format!(r#"{{"content":{tokens},"refusal":null}}"#)
}

fn filled(value: Option<&str>) -> Option<Cow<'_, str>> {
    value.and_then(json::text).filter(|text| !text.is_empty())
}

impl Decode for Stream {
    fn decode(&mut self, frame: &Frame, sink: &mut dyn FnMut(Delta<'_>)) -> Seen {
        let Some(data) = frame.data() else {
            return Seen::Comment;
        };
        match std::str::from_utf8(&data).map(str::trim) {
            Ok("") => Seen::Comment,
            Ok(line) => self.read(line, sink),
            Err(_) => Seen::Unparsed,
        }
    }
}
