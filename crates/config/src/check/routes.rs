//! The routes section: names, rules, and a compiled plan each.

use super::{
    Desk,
    desk::limit,
    plan::{Compiled, Compiler},
    targets::Book,
};
use crate::{
    path::Path,
    raw,
    route::{Pattern, RouteConfig},
    server::Server,
    target::Auth,
    unit::show,
};
use punctual_core::{CommitOn, Policy, TargetId, Unsupported};
use std::{collections::BTreeMap, sync::Arc, time::Duration};

/// Where the leaves of a route's plan stand.
#[derive(Debug)]
pub(super) struct Leaves {
    pub(super) at: Path,
    pub(super) leaves: Vec<(TargetId, Path)>,
}

/// The checked routes, and for each where its leaves stand.
pub(super) fn check(
    file: &raw::File,
    server: &Server,
    book: &mut Book,
    desk: &mut Desk<'_>,
) -> (Vec<RouteConfig>, Vec<Leaves>) {
    let (mut routes, mut plans) = (Vec::new(), Vec::new());
    let mut taken: BTreeMap<String, String> = BTreeMap::new();
    for (name, raw) in file.routes.iter().flatten() {
        let at = Path::root().key("routes").key(name);
        claim(name, raw, file, &at, &mut taken, desk);
        let pattern = Pattern::parse(name).unwrap_or_else(|message| {
            desk.error_at_key(&at, message).maybe(None);
            Pattern::Any
        });
        let deadline = deadline(raw, server, &at, desk);
        let Some(plan) = &raw.plan else {
            if !desk.lost(&at) {
                desk.error(&at, "no plan is written")
                    .hint("plan: TARGET, or plan: { pass: PROVIDER }");
            }
            continue;
        };
        let Some(Compiled {
            shape,
            leaves,
            passes,
        }) = Compiler::new(name, raw, &at, book, desk).compile(plan)
        else {
            continue;
        };
        check_credentials(&leaves, book, &at, desk);
        let policy = Arc::new(policy(raw, server, &at, desk));
        let (aliases, name) = (raw.aliases.clone().unwrap_or_default(), name.clone());
        routes.push(RouteConfig {
            name,
            pattern,
            aliases,
            deadline,
            plan: shape,
            policy,
            passes,
        });
        plans.push(Leaves { at, leaves });
    }
    (routes, plans)
}

fn claim(
    name: &str,
    raw: &raw::Route,
    file: &raw::File,
    at: &Path,
    taken: &mut BTreeMap<String, String>,
    desk: &mut Desk<'_>,
) {
    for (i, alias) in raw.aliases.iter().flatten().enumerate() {
        let path = at.key("aliases").item(i);
        if alias.is_empty() || alias.contains('*') {
            desk.error(&path, format!("{alias:?} is not a name"))
                .hint("an alias is one exact name");
        } else if file.routes.as_ref().is_some_and(|r| r.contains_key(alias)) {
            desk.error(&path, format!("{alias:?} is a route of its own"));
        } else if let Some(other) = taken.insert(alias.clone(), name.to_owned()) {
            desk.error(&path, format!("{alias:?} is already an alias of {other}"));
        }
    }
}

fn deadline(raw: &raw::Route, server: &Server, at: &Path, desk: &mut Desk<'_>) -> Option<Duration> {
    let mine = limit(raw.deadline, None);
    if let (Some(mine), Some(all)) = (mine, server.request_deadline)
        && mine > all
    {
        desk.warn(
            &at.key("deadline"),
            format!(
                "{} is longer than server.request_deadline of {}, which ends it first",
                show(mine),
                show(all)
            ),
        )
        .hint("raise server.request_deadline, or lower this one");
    }
    mine
}

fn policy(raw: &raw::Route, server: &Server, at: &Path, desk: &mut Desk<'_>) -> Policy {
    let default = Policy::default();
    let or =
        |t: Option<crate::unit::Timeout>, d: Duration| t.map_or(d, crate::unit::Timeout::or_zero);
    let min_attempt = or(raw.min_attempt, default.min_attempt);
    let ceiling = [limit(raw.deadline, None), server.request_deadline]
        .into_iter()
        .flatten()
        .min();
    if let Some(deadline) = ceiling.filter(|d| *d <= min_attempt) {
        desk.error(
            &at.key("min_attempt"),
            format!(
                "no attempt can start: min_attempt is {}, the deadline {}",
                show(min_attempt),
                show(deadline)
            ),
        )
        .hint("lower min_attempt, or raise the deadline");
    }
    let total = desk.count(
        raw.max_attempts_total,
        default.max_attempts_total,
        &at.key("max_attempts_total"),
    );
    Policy {
        max_attempts_total: u32::try_from(total).unwrap_or(u32::MAX),
        min_attempt,
        max_retry_after: or(raw.max_retry_after, default.max_retry_after),
        max_cooldown_wait: or(raw.max_cooldown_wait, default.max_cooldown_wait),
        commit_on: match raw.commit_on {
            Some(raw::CommitText::Text) => CommitOn::Text,
            Some(raw::CommitText::Content) | None => CommitOn::Content,
        },
        unsupported: match raw.unsupported {
            Some(raw::UnsupportedText::Drop) => Unsupported::Drop,
            Some(raw::UnsupportedText::Refuse) => Unsupported::Refuse,
            Some(raw::UnsupportedText::DropParameters) | None => Unsupported::DropParameters,
        },
        heartbeat: limit(raw.heartbeat_interval, server.heartbeat_interval),
        patience: or(raw.patience, default.patience),
        caller_stall: server.caller_stall_timeout,
        ..default
    }
}

/// A caller's credential and ours never stand in one plan: a fallback would send the prompt of one account
/// on the bill of another.
fn check_credentials(leaves: &[(TargetId, Path)], book: &Book, at: &Path, desk: &mut Desk<'_>) {
    let passes = |id: &TargetId| {
        book.target(*id)
            .is_some_and(|t| matches!(t.auth, Auth::Passthrough))
    };
    if leaves.iter().any(|(id, _)| passes(id)) && leaves.iter().any(|(id, _)| !passes(id)) {
        desk.error(
            &at.key("plan"),
            "a target with auth: passthrough shares a plan with one that has our credential",
        )
        .hint("give them routes of their own");
    }
}
