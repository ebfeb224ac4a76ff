//! Clocks that contradict each other: a limit that another one always reaches first.
//!
//! Only what somebody wrote is called a mistake; a default that never fires because a shorter limit was
//! written is just that. Every warning has both numbers. One that many targets inherit is told once.

use super::{Desk, routes::Leaves, targets::Book};
use crate::{path::Path, route::RouteConfig, server::Server, unit::show};
use punctual_core::TargetId;
use std::time::Duration;

/// A limit that never fires.
struct Idle {
    at: Path,
    targets: Vec<String>,
    message: String,
    hint: String,
}

/// Limits that never fire, each once.
#[derive(Default)]
struct Found(Vec<Idle>);

impl Found {
    fn add(&mut self, at: Path, target: &str, message: String, hint: String) {
        match self
            .0
            .iter_mut()
            .find(|i| i.at == at && i.message == message)
        {
            Some(same) if same.targets.iter().any(|t| t == target) => {}
            Some(same) => same.targets.push(target.to_owned()),
            None => self.0.push(Idle {
                at,
                targets: vec![target.to_owned()],
                message,
                hint,
            }),
        }
    }
}

/// Warns about limits that can never fire.
pub(super) fn check(
    book: &Book,
    plans: &[Leaves],
    routes: &[RouteConfig],
    server: &Server,
    desk: &mut Desk<'_>,
) {
    let mut found = Found::default();
    for id in book.ids() {
        within(id, book, &mut found);
    }
    for (route, plan) in routes.iter().zip(plans) {
        let ceiling = [route.deadline, server.request_deadline]
            .into_iter()
            .flatten()
            .min();
        let source = if route.deadline.is_some() && route.deadline == ceiling {
            "its deadline"
        } else {
            "server.request_deadline"
        };
        for (id, _) in plan.leaves.iter().filter(|_| ceiling.is_some()) {
            let limit = Ceiling {
                route: &route.name,
                deadline: ceiling.unwrap_or_default(),
                source,
            };
            against(*id, limit, book, &mut found);
        }
    }
    for idle in found.0 {
        let s = if idle.targets.len() == 1 { "" } else { "s" };
        desk.warn(
            &idle.at,
            format!("target{s} {}: {}", idle.targets.join(", "), idle.message),
        )
        .hint(idle.hint);
    }
}

fn within(id: TargetId, book: &Book, found: &mut Found) {
    let (Some(target), Some(layers)) = (book.target(id), book.layers(id)) else {
        return;
    };
    let l = target.limits;
    let pairs = [
        (
            "connect_timeout",
            l.connect,
            "first_token_timeout",
            l.first_token,
        ),
        ("connect_timeout", l.connect, "timeout", l.attempt),
        (
            "first_token_timeout",
            l.first_token,
            "timeout",
            l.attempt_streamed,
        ),
        (
            "stream_token_timeout",
            l.stream_token,
            "timeout",
            l.attempt_streamed,
        ),
        ("unary_timeout", l.unary, "timeout", l.attempt),
    ];
    for (inner, short, outer, long) in pairs {
        let (Some(at), Some(short), Some(long)) = (layers.origin(inner), short, long) else {
            continue;
        };
        if short >= long {
            let message = format!(
                "{inner} of {} never fires, because {outer} of {} ends the attempt first",
                show(short),
                show(long)
            );
            found.add(
                at,
                &target.name,
                message,
                format!("make {inner} shorter than {outer}, or leave it out"),
            );
        }
    }
}

#[derive(Clone, Copy)]
struct Ceiling<'a> {
    route: &'a str,
    deadline: Duration,
    source: &'a str,
}

fn against(id: TargetId, ceiling: Ceiling<'_>, book: &Book, found: &mut Found) {
    let (Some(target), Some(layers)) = (book.target(id), book.layers(id)) else {
        return;
    };
    let (l, deadline) = (target.limits, ceiling.deadline);
    let clocks = [
        ("connect_timeout", l.connect),
        ("first_token_timeout", l.first_token),
        ("stream_token_timeout", l.stream_token),
        ("unary_timeout", l.unary),
        ("timeout", l.attempt),
    ];
    for (name, limit) in clocks {
        let (Some(at), Some(limit)) = (layers.origin(name), limit) else {
            continue;
        };
        if limit >= deadline {
            let message = format!(
                "{name} of {} never fires on route {}, because {} of {} ends the request first",
                show(limit),
                ceiling.route,
                ceiling.source,
                show(deadline)
            );
            found.add(
                at,
                &target.name,
                message,
                format!(
                    "make it shorter than {}, or raise the deadline",
                    show(deadline)
                ),
            );
        }
    }
}
