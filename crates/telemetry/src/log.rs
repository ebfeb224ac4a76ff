//! One line per request, when it has ended.
//!
//! As JSON by a documented schema ([`LOG_SCHEMA`]), or short for a person at a terminal. The line is made
//! where the request ends, in a buffer of the thread, and appended to a bounded buffer that a thread of its
//! own writes out: standard output may be a pipe that nobody reads, and that must stop nothing but the log.

use crate::redaction::Current;
use punctual_core::{Event, Observer, Report};
use std::{cell::RefCell, io::IsTerminal, sync::Arc};
use writer::Lines;

mod human;
mod json;
mod line;
mod time;
pub(crate) mod writer;

/// The JSON schema (2020-12) of a line.
pub const LOG_SCHEMA: &str = include_str!("log/schema.json");

/// The form of the log line of each request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// One JSON object a line.
    #[default]
    Json,
    /// One short line for a person.
    Human,
    /// None.
    Off,
}

impl LogFormat {
    /// For a person when standard output is a terminal, JSON otherwise.
    #[must_use]
    pub fn for_stdout() -> Self {
        if std::io::stdout().is_terminal() {
            Self::Human
        } else {
            Self::Json
        }
    }
}

/// The observer that makes the lines.
pub(crate) struct Log {
    pub(crate) format: LogFormat,
    pub(crate) lines: Arc<Lines>,
    pub(crate) redaction: Current,
}

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = RefCell::new(Vec::with_capacity(2048));
}

impl Observer for Log {
    fn on(&self, report: &Report, event: &Event<'_>) {
        if !matches!(event, Event::Finished) {
            return;
        }
        let redaction = self.redaction.get();
        BUFFER.with_borrow_mut(|buffer| {
            buffer.clear();
            match self.format {
                LogFormat::Json => line::write(buffer, report, &redaction),
                LogFormat::Human => human::write(buffer, report, &redaction),
                LogFormat::Off => return,
            }
            buffer.push(b'\n');
            self.lines.push(buffer);
        });
    }
}

#[cfg(test)]
mod tests;
