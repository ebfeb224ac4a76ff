//! A ladder for a terminal.

use super::{Climb, Cut, Ladder, Rung};
use crate::unit::show;
use std::{fmt, time::Duration};

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
        "  {kind}, every member silent: ends after {}",
        or_never(climb.worst)
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
    let mut out = match r.cut {
        Cut::Clock(clock) => clock.as_str().to_owned(),
        Cut::Deadline => "the deadline".to_owned(),
        Cut::Nothing => "nothing".to_owned(),
    };
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
