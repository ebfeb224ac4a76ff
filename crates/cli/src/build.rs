//! From a checked configuration to what the server runs: the one place where configuration, engine,
//! upstream and server meet. Start and reload both come through here.

mod front;
mod targets;

use punctual_config::{Config, Pattern, RouteConfig};
use punctual_core::{Engine, Registry};
use punctual_server::{Route, Routes, Snapshot};
use punctual_telemetry::Redaction;
use punctual_upstream::{Pools, Upstreams};
use secrecy::ExposeSecret;
use std::sync::Arc;
pub(crate) use targets::dialect;

/// What outlives every configuration: lanes, breakers, budgets, connections.
pub(crate) struct Lasting {
    pub(crate) registry: Registry,
    pub(crate) pools: Arc<Pools>,
    /// The environment's proxies, for targets that name none.
    pub(crate) proxies: targets::Proxies,
}

impl Lasting {
    /// Must be called inside a runtime: the pools have tasks.
    pub(crate) fn new() -> Self {
        Self {
            registry: Registry::default(),
            pools: Pools::new(),
            proxies: targets::Proxies::from_env(|name| std::env::var(name).ok()),
        }
    }
}

/// A snapshot of `config` over what lasts.
///
/// # Errors
/// One sentence naming the target and field, when a target cannot be set up.
pub(crate) fn snapshot(config: &Config, lasting: &Lasting) -> Result<Snapshot<Upstreams>, String> {
    let specs = config
        .targets
        .iter()
        .map(|t| targets::spec(t, &lasting.proxies))
        .collect::<Result<Vec<_>, _>>()?;
    // what can fail comes first: a configuration that is refused has changed no lane
    let settings = Arc::new(front::settings(config)?);
    let upstream = Upstreams::new(specs, &lasting.pools).map_err(|e| e.to_string())?;
    let parts = config.engine_parts(&lasting.registry);
    let routes = routes(config, &parts);
    lasting.registry.sweep();
    Ok(Snapshot {
        engine: Arc::new(Engine {
            targets: parts.targets,
            upstream,
        }),
        routes,
        keys: front::keys(config),
        admin_keys: front::admin_keys(config),
        settings,
    })
}

/// Exact names and aliases stand for one route each; what a wildcard passes on loses its prefix once.
fn routes(config: &Config, parts: &punctual_config::EngineParts) -> Routes {
    let mut routes = Routes::new();
    for (route, (plan, policy)) in config
        .routes
        .iter()
        .zip(parts.plans.iter().zip(&parts.policies))
    {
        let shared = Arc::new(Route {
            name: route.name.as_str().into(),
            plan: plan.clone(),
            policy: policy.clone(),
            deadline: route.deadline,
            owned_by: "punctual".into(),
        });
        let mut exact = |name: &str| routes.add(name, shared.clone(), route.model_for(name).into());
        route.aliases.iter().for_each(|alias| exact(alias));
        match &route.pattern {
            Pattern::Exact(name) => exact(name),
            Pattern::Prefix(prefix) => routes.add_prefix(prefix, shared),
            Pattern::Any => {
                let implied = route.passes.as_ref().map(|provider| format!("{provider}/"));
                // what is written for the provider's own prefix goes before what `*` would make of it
                let written = |prefix: &String| {
                    let is_it = |r: &RouteConfig| r.pattern == Pattern::Prefix(prefix.clone());
                    config.routes.iter().any(is_it)
                };
                if let Some(prefix) = implied.filter(|prefix| !written(prefix)) {
                    routes.add_prefix(&prefix, shared.clone());
                }
                routes.add_prefix("", shared);
            }
        }
    }
    routes
}

/// Every secret of the configuration, for keeping out of what is said.
pub(crate) fn redaction(config: &Config) -> Redaction {
    let keys = config.targets.iter().filter_map(|t| match &t.auth {
        punctual_config::Auth::Key(secret) => Some(secret.expose_secret().to_owned()),
        _ => None,
    });
    let collector = config.telemetry.otlp.iter().flat_map(|otlp| &otlp.headers);
    let headers = config.targets.iter().flat_map(|t| &t.headers);
    let headers = headers
        .chain(collector)
        .filter(|(_, value)| value.is_sensitive())
        .filter_map(|(_, value)| value.to_str().ok())
        // with the scheme and without: whoever repeats a credential may leave `Bearer` out
        .flat_map(|value| [Some(value), value.split_once(' ').map(|(_, bare)| bare)])
        .flatten()
        .map(str::to_owned);
    let admin = config.server.admin.as_ref();
    let token = admin.and_then(|admin| admin.token.as_ref());
    let token = token.map(|token| token.expose_secret().to_owned());
    let hosts = config
        .targets
        .iter()
        .filter_map(|t| t.base_url.host().map(str::to_owned));
    let remote = hosts.filter(|h| h.parse::<std::net::IpAddr>().is_err() && h != "localhost");
    Redaction::new(keys.chain(headers).chain(token).chain(remote))
}

#[cfg(test)]
mod tests;
