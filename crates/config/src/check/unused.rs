//! What is written and never used, and variables nobody reads.

use super::{Desk, targets::Book};
use crate::{
    environment::VARIABLES,
    path::Path,
    problem::{Severity, closest},
    raw,
};

/// Warns about everything that has no effect.
pub(super) fn check(file: &raw::File, book: &Book, desk: &mut Desk<'_>) {
    let routes_lost = desk.lost(&Path::root().key("routes"));
    for name in book.unused_targets() {
        if !routes_lost {
            desk.warn(
                &Path::root().key("targets").key(name),
                "no route uses this target",
            );
        }
    }
    let targets_lost = desk.lost(&Path::root().key("targets"));
    for name in book.unused_providers() {
        if !routes_lost && !targets_lost {
            desk.warn(
                &Path::root().key("providers").key(name),
                "no target and no route uses this provider",
            );
        }
    }
    if file.routes.as_ref().is_none_or(|r| r.is_empty()) && !routes_lost {
        desk.error(
            &Path::root().key("routes"),
            "there is no route, so every request would be refused",
        )
        .hint("routes: { \"*\": { plan: { pass: PROVIDER } } } sends every model to one provider");
    }
    let unread = desk.env.unknown().filter(|name| !desk.asked_for(name));
    let unknown: Vec<String> = unread.map(str::to_owned).collect();
    for name in unknown {
        let hint =
            closest(&name, VARIABLES.iter().map(|(n, _)| *n)).map(|n| format!("did you mean {n}?"));
        desk.variable(Severity::Warning, &name, "nothing reads this variable")
            .maybe(hint);
    }
}
