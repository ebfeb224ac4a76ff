//! Prints one scene as a timeline: what the caller got and when, what the upstreams saw and when.

use super::caller::Got;
use crate::{screen::say, sim::how_closed};
use punctual_sim::Seen;
use tokio::time::Instant;

/// Who saw something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Caller,
    Upstream,
}

/// Lines with their times.
pub(super) struct Timeline {
    started: Instant,
    rows: Vec<(Instant, Side, String)>,
}

impl Timeline {
    pub(super) fn new(started: Instant) -> Self {
        Self {
            started,
            rows: Vec::new(),
        }
    }

    /// Milliseconds since the scene began.
    pub(super) fn ms(&self, at: Instant) -> f64 {
        at.saturating_duration_since(self.started).as_secs_f64() * 1e3
    }

    /// Adds what one caller's socket saw.
    pub(super) fn caller(&mut self, name: &str, sent: Instant, got: &Got) {
        self.rows
            .push((sent, Side::Caller, format!("{name} sends its request")));
        if let Some((status, at)) = got.head {
            self.rows
                .push((at, Side::Caller, format!("{name} gets status {status}")));
        }
        for (line, at) in &got.lines {
            self.rows
                .push((*at, Side::Caller, format!("{name} gets {}", shorten(line))));
        }
        if let (true, Some(at)) = (got.left, got.ended) {
            self.rows
                .push((at, Side::Caller, format!("{name} hangs up")));
        }
    }

    /// Adds what the upstreams' sockets saw.
    pub(super) fn upstream(&mut self, seen: &[Seen]) {
        for s in seen {
            let mut row = |at, what: &str| {
                self.rows
                    .push((at, Side::Upstream, format!("{} {what}", s.model)))
            };
            row(s.arrived, "is asked");
            if let Some(at) = s.finished {
                row(at, "has answered");
            }
            if let Some((at, how)) = s.closed {
                row(
                    at,
                    &format!("sees its connection closed ({})", how_closed(how)),
                );
            }
        }
    }

    pub(super) fn print(mut self) {
        self.rows.sort_by_key(|(at, ..)| *at);
        for (at, side, text) in &self.rows {
            let column = if *side == Side::Caller {
                "caller  "
            } else {
                "upstream"
            };
            say(&format!("  {:>8.1} ms  {column}  {text}", self.ms(*at)));
        }
    }
}

/// What a line says, in words.
fn shorten(line: &str) -> String {
    let data = line.strip_prefix("data:").unwrap_or(line).trim();
    if data == "[DONE]" {
        return data.to_owned();
    }
    let Ok(value) = serde_json::from_str::<serde_json::Value>(data) else {
        return data.chars().take(60).collect();
    };
    let text = |key: &str| value.pointer(key).and_then(|v| v.as_str());
    if let Some(code) = text("/error/code") {
        let detail = text("/error/phase").or(text("/error/timeout_type"));
        return format!("the error {code} ({})", detail.unwrap_or("no detail"));
    }
    if let Some(content) = text("/choices/0/message/content") {
        return format!("the answer {content:?}");
    }
    if let Some(content) = text("/choices/0/delta/content").filter(|t| !t.is_empty()) {
        return format!("content {content:?}");
    }
    match text("/choices/0/finish_reason") {
        Some(reason) => format!("the end, {reason}"),
        None => "an event without content".to_owned(),
    }
}
