//! Which surfaces a route's members serve.
//!
//! A member that cannot serve what was asked for is passed over, so a plan of two may have one for embeddings
//! and nobody may have meant that. What holds for all members comes first, then what only some of them serve.

use crate::build;
use punctual_config::{Config, RouteConfig, TargetConfig};
use punctual_core::Registry;

/// A surface, and the names of the members that serve it in the order of the plan.
pub(super) type Served<'a> = Vec<(&'static str, Vec<&'a str>)>;

/// The members of a route, each once: with clocks of its own one may be there several times.
fn members<'a>(config: &'a Config, route: &RouteConfig) -> Vec<&'a TargetConfig> {
    let mut members: Vec<&TargetConfig> = Vec::new();
    for id in route.plan.plan(&Registry::default()).targets() {
        let target = config.targets.get(usize::from(id.0));
        members.extend(target.filter(|t| members.iter().all(|m| m.name != t.name)));
    }
    members
}

fn served<'a>(members: &[&'a TargetConfig]) -> Served<'a> {
    let mut served: Served<'a> = Vec::new();
    for member in members {
        let model = member.model.as_deref().unwrap_or_default();
        for surface in build::dialect(member.dialect).surfaces(model) {
            match served.iter_mut().find(|(s, _)| *s == surface.as_str()) {
                Some((_, by)) => by.push(&member.name),
                None => served.push((surface.as_str(), vec![&member.name])),
            }
        }
    }
    served
}

/// What each surface of a route is served by.
pub(super) fn of<'a>(config: &'a Config, route: &RouteConfig) -> Served<'a> {
    served(&members(config, route))
}

/// One line: `serves chat, responses; embeddings by fast`.
pub(super) fn line(config: &Config, route: &RouteConfig) -> String {
    let members = members(config, route);
    let served = served(&members);
    let of_all = served.iter().filter(|(_, by)| by.len() == members.len());
    let of_all: Vec<&str> = of_all.map(|(surface, _)| *surface).collect();
    let some = served.iter().filter(|(_, by)| by.len() < members.len());
    let some = some.map(|(surface, by)| format!("{surface} by {}", by.join(", ")));
    let all = Some(of_all.join(", ")).filter(|all| !all.is_empty());
    let parts: Vec<String> = all.into_iter().chain(some).collect();
    format!("  serves {}", parts.join("; "))
}
