//! The line for a person: what, where, how it ended, how long each part took.

use super::time::Timestamp;
use crate::{
    redaction::Redaction,
    words::{self, millis},
};
use punctual_core::{Report, Surface};
use std::io::{self, Write};

/// Appends the line of a finished request, without its end.
pub(super) fn write(out: &mut Vec<u8>, report: &Report, redaction: &Redaction) {
    // a vector takes everything
    let _ = line(out, report, redaction);
}

fn line(out: &mut Vec<u8>, report: &Report, redaction: &Redaction) -> io::Result<()> {
    let ended = report.started_at.checked_add(report.elapsed);
    let time = Timestamp(ended.unwrap_or(report.started_at)).to_string();
    let outcome = report.outcome.map_or("cancelled", |o| o.as_str());
    let surface: Surface = report.surface;
    write!(
        out,
        "{} {outcome} {}",
        time.get(11..23).unwrap_or_default(),
        surface.as_str()
    )?;
    if let Some(route) = &report.route {
        write!(out, " {route}")?;
    }
    if let Some(status) = report.status {
        write!(out, " {status}")?;
    }
    write!(out, " {:.0}ms", millis(report.elapsed))?;
    for (name, length) in [("queue", report.queue), ("backoff", report.backoff)] {
        if length.as_millis() > 0 {
            write!(out, " {name}={:.0}ms", millis(length))?;
        }
    }
    if let Some(by) = &report.served_by {
        write!(out, " by={by}")?;
    }
    if report.attempts.len() > 1 {
        write!(out, " attempts={}", report.attempts.len())?;
    }
    if let Some(tokens) = report.summary.usage.output_tokens {
        write!(out, " tokens={tokens}")?;
    }
    if let Some(error) = words::request_error(report).filter(|e| *e != outcome) {
        write!(out, " error={error}")?;
    }
    if let Some(message) = words::failure_message(report, redaction) {
        write!(out, " ({message})")?;
    }
    write!(out, " id={}", report.id)
}
