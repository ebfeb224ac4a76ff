//! Ladders for people and for programs.
//!
//! The text is for a terminal: one line an attempt, the clock that cuts it last. The JSON has the same in
//! milliseconds, `null` for never.

use super::{Climb, Cut, Ladder, Rung};
use crate::{config::Config, unit::show};
use serde_json::{Value, json};
use std::{fmt, time::Duration};

/// Every route's worst cases for a terminal.
#[must_use]
pub fn render(config: &Config) -> String {
    config
        .ladders()
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("\n")
}

/// Every route's worst cases as an array, times in milliseconds.
#[must_use]
pub fn json(config: &Config) -> Value {
    let ms = |d: Duration| u64::try_from(d.as_millis()).unwrap_or(u64::MAX);
    let rung = |r: &Rung| {
        json!({
            "target": r.name,
            "starts_ms": ms(r.starts),
            "queue_ms": r.queued.map(ms),
            "ends_ms": r.ends.map(ms),
            "cut_by": cut(r.cut),
            "kept_ms": ms(r.kept),
        })
    };
    let climb = |c: &Climb| json!({ "worst_ms": c.worst.map(ms), "attempts": c.rungs.iter().map(rung).collect::<Vec<_>>() });
    let route = |l: &Ladder| {
        json!({
            "route": l.route,
            "deadline_ms": l.deadline.map(ms),
            "streamed": climb(&l.streamed),
            "unary": climb(&l.unary),
        })
    };
    config.ladders().iter().map(route).collect()
}

/// `timeout` and its like, `deadline` or `nothing`.
fn cut(cut: Cut) -> &'static str {
    match cut {
        Cut::Clock(clock) => clock.as_str(),
        Cut::Deadline => "deadline",
        Cut::Nothing => "nothing",
    }
}

fn or_never(d: Option<Duration>) -> String {
    d.map_or_else(|| "never".to_owned(), show)
}

impl fmt::Display for Ladder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let deadline = self.deadline.map_or_else(
            || "no deadline".to_owned(),
            |d| format!("deadline {}", show(d)),
        );
        writeln!(f, "route {}: {deadline}", self.route)?;
        climb(f, "streamed", &self.streamed)?;
        climb(f, "unary", &self.unary)
    }
}

fn climb(f: &mut fmt::Formatter<'_>, kind: &str, climb: &Climb) -> fmt::Result {
    writeln!(
        f,
        "  {kind}, every member silent: {}",
        climb.worst.map_or_else(
            || "never ends".to_owned(),
            |d| format!("ends after {}", show(d))
        )
    )?;
    let widest = climb
        .rungs
        .iter()
        .map(|r| r.name.chars().count())
        .max()
        .unwrap_or(0)
        .max(6);
    writeln!(
        f,
        "    {:>8}  {:<widest$}  {:>8}  cut by",
        "at", "member", "until"
    )?;
    for r in &climb.rungs {
        writeln!(
            f,
            "    {:>8}  {:<widest$}  {:>8}  {}",
            show(r.starts),
            r.name,
            or_never(r.ends),
            why(r)
        )?;
    }
    Ok(())
}

fn why(r: &Rung) -> String {
    if r.queued.is_none() && r.cut == Cut::Nothing {
        return "nothing: the wait for a permit has no max_queue_wait".to_owned();
    }
    let mut out = cut(r.cut).to_owned();
    if !r.kept.is_zero() {
        out.push_str(&format!(" ({} kept for those behind)", show(r.kept)));
    }
    match r.queued {
        None => out.push_str(", after a queue without a limit"),
        Some(q) if !q.is_zero() => out.push_str(&format!(", after up to {} in the queue", show(q))),
        Some(_) => {}
    }
    out
}
