//! From the `model` a caller names to the plan that serves it.
//!
//! Exact names win over prefixes, a longer prefix over a shorter one. A model name that the caller chooses
//! behind a prefix goes into paths and labels further on, so only a plain alphabet passes:
//! `[A-Za-z0-9._:/@-]{1,128}`, no `..`.

use punctual_core::{CodeSet, Plan, Policy, TargetId};
use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
    time::Duration,
};

/// A route: what a caller names.
#[derive(Clone, Debug)]
pub struct Route {
    /// Its name in configuration, telemetry and `/readyz/{route}`; `provider/*` for a prefix.
    pub name: Arc<str>,
    /// Whom to ask.
    pub plan: Arc<Plan>,
    /// By which rules.
    pub policy: Arc<Policy>,
    /// Its ceiling over every request.
    pub deadline: Option<Duration>,
    /// What `GET /v1/models` says in `owned_by`.
    pub owned_by: Arc<str>,
}

/// The route of one request, and the model name that its targets may pass on.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The route.
    pub route: Arc<Route>,
    /// The name behind the prefix, or what an exact name stands for.
    pub model: Arc<str>,
}

/// All routes of a snapshot.
#[derive(Clone, Debug, Default)]
pub struct Routes {
    exact: BTreeMap<Box<str>, Resolved>,
    /// Longest first.
    prefixes: Vec<(Box<str>, Arc<Route>)>,
}

impl Routes {
    /// No routes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// `name` is served by `route`; targets that pass the model through send `model`.
    pub fn add(&mut self, name: &str, route: Arc<Route>, model: Arc<str>) {
        self.exact.insert(name.into(), Resolved { route, model });
    }

    /// Every name that begins with `prefix` (`openai/`, or nothing for all) is served by `route`, and the
    /// rest is the model.
    pub fn add_prefix(&mut self, prefix: &str, route: Arc<Route>) {
        self.prefixes.push((prefix.into(), route));
        self.prefixes
            .sort_by_key(|(p, _)| std::cmp::Reverse(p.len()));
    }

    /// The route of `model`.
    #[must_use]
    pub fn resolve(&self, model: &str) -> Option<Resolved> {
        if let Some(found) = self.exact.get(model) {
            return Some(found.clone());
        }
        self.prefixes.iter().find_map(|(prefix, route)| {
            let rest = model.strip_prefix(&**prefix).filter(|r| is_plain(r))?;
            Some(Resolved {
                route: route.clone(),
                model: rest.into(),
            })
        })
    }

    /// Whether a prefix would have led `model` to a route if what follows it were plain.
    #[must_use]
    pub fn is_odd(&self, model: &str) -> bool {
        let rests = self.prefixes.iter();
        let mut rests = rests.filter_map(|(prefix, _)| model.strip_prefix(&**prefix));
        rests.any(|rest| !rest.is_empty() && !is_plain(rest))
    }

    /// The exact names, in order, with their routes.
    pub fn names(&self) -> impl Iterator<Item = (&str, &Arc<Route>)> {
        self.exact.iter().map(|(name, r)| (&**name, &r.route))
    }

    /// Every route once.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Route>> {
        let exact = self.exact.values().map(|r| &r.route);
        let mut told = HashSet::new();
        exact
            .chain(self.prefixes.iter().map(|(_, route)| route))
            .filter(move |route| told.insert(Arc::as_ptr(route)))
    }

    /// A route over every target of the routes that `allowed` lets through, for what is nobody's by name: by
    /// the rules of the first of them and the longest of their ceilings. `None` where there is none.
    #[must_use]
    pub fn over(&self, allowed: impl Fn(&Route) -> bool) -> Option<Arc<Route>> {
        let routes: Vec<_> = self.all().filter(|route| allowed(route)).collect();
        let first = *routes.first()?;
        let ceilings: Option<Vec<Duration>> = routes.iter().map(|route| route.deadline).collect();
        let mut ids: Vec<TargetId> = routes.iter().flat_map(|r| r.plan.targets()).collect();
        ids.sort_unstable();
        ids.dedup();
        let of = ids.into_iter().map(|id| Arc::new(Plan::Target(id)));
        let plan = Plan::Fallback {
            of: of.collect(),
            also_on: CodeSet::NONE,
        };
        Some(Arc::new(Route {
            plan: Arc::new(plan),
            deadline: ceilings.and_then(|all| all.into_iter().max()),
            ..(**first).clone()
        }))
    }

    /// The name most like `model` among those whose route `allowed` lets through, if it is near enough to
    /// be a slip: at most a third of it differs.
    #[must_use]
    pub fn nearest(&self, model: &str, allowed: impl Fn(&str) -> bool) -> Option<&str> {
        let far = model.chars().count().min(96) / 3;
        let near = |name: &&str| distance(name, model);
        let names = self.names().filter(|(_, route)| allowed(&route.name));
        let best = names.map(|(name, _)| name).min_by_key(near)?;
        (model.len() <= 128 && distance(best, model) <= far).then_some(best)
    }
}

fn is_plain(model: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b"._:/@-".contains(&b);
    (1..=128).contains(&model.len()) && model.bytes().all(allowed) && !model.contains("..")
}

/// Edits between two names, without regard to case (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().flat_map(char::to_lowercase).take(128).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().flat_map(char::to_lowercase).enumerate() {
        let mut corner = i;
        let mut left = i + 1;
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (above, y) in row.iter_mut().skip(1).zip(&b) {
            let cost = (corner + usize::from(x != *y))
                .min(*above + 1)
                .min(left + 1);
            corner = std::mem::replace(above, cost);
            left = cost;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(name: &str) -> Arc<Route> {
        Arc::new(Route {
            name: name.into(),
            plan: Arc::new(Plan::Target(TargetId(0))),
            policy: Arc::default(),
            deadline: None,
            owned_by: "punctual".into(),
        })
    }

    fn routes() -> Routes {
        let mut r = Routes::new();
        r.add("chat", route("chat"), "chat".into());
        r.add("gpt", route("chat"), "gpt-4o".into());
        r.add_prefix("openai/", route("openai/*"));
        r.add_prefix("openai/ft/", route("openai/ft/*"));
        r
    }

    #[test]
    fn a_route_of_several_names_is_told_once() {
        let mut r = Routes::new();
        let any = route("*");
        r.add_prefix("openai/", any.clone());
        r.add_prefix("", any.clone());
        r.add("gpt", any, "gpt".into());
        assert_eq!(r.all().count(), 1);
    }

    #[test]
    fn what_is_nobodys_by_name_may_go_to_every_target_of_the_routes_allowed() {
        let of = |name: &str, ids: &[u16], seconds: Option<u64>| {
            let leaf = |id: &u16| Arc::new(Plan::Target(TargetId(*id)));
            Arc::new(Route {
                plan: Arc::new(Plan::Fallback {
                    of: ids.iter().map(leaf).collect(),
                    also_on: CodeSet::NONE,
                }),
                deadline: seconds.map(Duration::from_secs),
                ..(*route(name)).clone()
            })
        };
        let mut r = Routes::new();
        r.add("a", of("a", &[2, 0], Some(5)), "a".into());
        r.add("b", of("b", &[0, 1], Some(9)), "b".into());
        r.add_prefix("", of("*", &[3], None));
        let over = |names: &[&str]| {
            let found = r.over(|route| names.contains(&&*route.name))?;
            let ids: Vec<_> = found.plan.targets().iter().map(|id| id.0).collect();
            Some((ids, found.deadline.map(|d| d.as_secs())))
        };
        assert_eq!(over(&["a", "b"]), Some((vec![0, 1, 2], Some(9))));
        assert_eq!(over(&["a", "*"]), Some((vec![0, 2, 3], None)));
        assert_eq!(over(&[]), None);
    }

    fn found(model: &str) -> Option<(String, String)> {
        let r = routes().resolve(model)?;
        Some((r.route.name.to_string(), r.model.to_string()))
    }

    #[test]
    fn exact_names_win_and_then_the_longest_prefix() {
        let pair = |a: &str, b: &str| Some((a.to_owned(), b.to_owned()));
        assert_eq!(found("chat"), pair("chat", "chat"));
        assert_eq!(found("gpt"), pair("chat", "gpt-4o"));
        assert_eq!(found("openai/o3"), pair("openai/*", "o3"));
        assert_eq!(found("openai/ft/x:1"), pair("openai/ft/*", "x:1"));
        assert_eq!(found("nobody"), None);
    }

    #[test]
    fn a_model_chosen_by_the_caller_has_a_plain_alphabet() {
        for bad in [
            "",
            "../x",
            "a b",
            "a?b",
            "a#b",
            "ä",
            "a\r\nb",
            &"x".repeat(129),
        ] {
            assert_eq!(found(&format!("openai/{bad}")), None, "{bad}");
        }
        assert!(found(&format!("openai/{}", "x".repeat(128))).is_some());
        let odd = |model: &str| routes().is_odd(model);
        assert!(odd("openai/a b") && odd("openai/../x"));
        assert!(!odd("nobody") && !odd("a b") && !odd("openai/") && !odd("openai/o3"));
    }

    #[test]
    fn a_slip_is_answered_with_the_name_meant() {
        let r = routes();
        assert_eq!(r.nearest("chatt", |_| true), Some("chat"));
        assert_eq!(r.nearest("CHAT", |_| true), Some("chat"));
        assert_eq!(r.nearest("something-else", |_| true), None);
        assert_eq!(r.nearest("", |_| true), None);
        assert_eq!(r.nearest("chatt", |route| route != "chat"), None);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
