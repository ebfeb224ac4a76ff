//! What the commands write for people: standard output for results, standard error for complaints.
//!
//! A reader that goes away (`punctual demo | head`) is no error of ours: what cannot be written is dropped.

use std::io::Write;

/// One line of result.
pub(crate) fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// One line of complaint.
pub(crate) fn complain(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}
