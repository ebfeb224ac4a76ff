//! Lists of failure codes: what `retry_on` narrows and `fallback_on` adds.
//!
//! Both are bound by the engine's table of failures, which is asked here and not repeated: nothing can
//! make a code retryable that is not, and only mistakes of a caller can be made to fall back.

use crate::{check::Desk, path::Path, problem::closest};
use punctual_core::{Code, CodeSet, Fault};

fn code(name: &str, path: &Path, desk: &mut Desk<'_>) -> Option<Code> {
    let found = Code::from_name(name);
    if found.is_none() {
        let near = closest(name, Code::ALL.iter().map(|c| c.as_str()));
        desk.error(path, format!("{name:?} is not a failure code"))
            .hint(match near {
                Some(near) => format!("did you mean {near}?"),
                None => "docs/errors.md lists them, such as overloaded or server_error".to_owned(),
            });
    }
    found
}

/// The codes a retry takes; all that may be where nothing is said. `timeout` stays in: whether a timeout
/// is tried again, the target says (`replay_timeouts`).
pub(super) fn retry_on(names: Option<&[String]>, path: &Path, desk: &mut Desk<'_>) -> CodeSet {
    let Some(names) = names else {
        return CodeSet::ALL;
    };
    if names.is_empty() {
        desk.warn(path, "an empty list retries timeouts only");
    }
    names
        .iter()
        .fold(CodeSet::NONE.with(Code::Timeout), |set, name| {
            let Some(code) = code(name, path, desk) else {
                return set;
            };
            if !code.rule().retry {
                desk.error(
                    path,
                    format!("{name} is never retried: it would fail the same way again"),
                )
                .hint("leave it out; a fallback can take it");
            }
            set.with(code)
        })
}

/// The codes of `below` and the ones named, each written with a `+`.
pub(super) fn fallback_on(
    names: Option<&[String]>,
    below: CodeSet,
    path: &Path,
    desk: &mut Desk<'_>,
) -> CodeSet {
    names.into_iter().flatten().fold(below, |set, name| {
        let Some(added) = name.strip_prefix('+') else {
            desk.error(
                path,
                format!("{name:?} has no sign; codes are added to the usual ones"),
            )
            .hint(format!("write \"+{name}\""));
            return set;
        };
        let Some(code) = code(added, path, desk) else {
            return set;
        };
        match code.rule() {
            rule if rule.fall_back => desk
                .warn(path, format!("{added} falls back anyway"))
                .maybe(None),
            rule if rule.fault != Fault::Caller => {
                desk.error(path, format!("{added} never falls back"))
                    .maybe(None);
            }
            _ => {}
        }
        set.with(code)
    })
}
