//! Serving without a file: one route for every provider the environment has a key for, and for model
//! servers that answer on this machine.
//!
//! A server that tells its models has each of them as a route of its own too, so that callers can list them.
//!
//! What is found becomes the same raw form a file becomes, and goes through the same check. Whether a
//! local server answers is for the caller to try; this names the candidates. llama.cpp listens where
//! Punctual does by default (127.0.0.1:8080), and we must not take ourselves for a model server: a
//! candidate at our own address is left out, so llama.cpp is found once `PUNCTUAL_LISTEN` says another.

use crate::{
    check::Desk,
    config::Checked,
    environment::Environment,
    known::{self, Known},
    load,
    problem::Severity,
    raw::{File, Plan, Provider, Route, Secret, Step, Target},
};
use http::Uri;
use std::{
    collections::BTreeMap,
    net::{IpAddr, SocketAddr},
    path::PathBuf,
};

/// Local servers that are looked for.
const LOCAL: [&str; 2] = ["ollama", "llamacpp"];

/// Models of one server that have a route of their own; the rest are asked for by name all the same.
const LISTED: usize = 256;

/// A model server on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalServer {
    /// Its name among known providers.
    pub provider: &'static str,
    /// Where it listens, if it runs.
    pub address: SocketAddr,
    /// The names of its models, if it told them.
    pub models: Vec<String>,
}

/// What was found, in words and as a configuration.
#[derive(Debug)]
pub struct Found {
    /// One line for each thing found, and for what was seen and cannot be used.
    pub notes: Vec<String>,
    /// The configuration.
    pub checked: Checked,
}

/// Addresses worth a try.
#[must_use]
pub fn candidates(env: &Environment) -> Vec<LocalServer> {
    let ours: Vec<SocketAddr> = env
        .get("PUNCTUAL_LISTEN")
        .unwrap_or("127.0.0.1:8080")
        .split(',')
        .filter_map(|a| a.trim().parse().ok())
        .collect();
    let is_ours = |a: &SocketAddr| {
        ours.iter()
            .any(|o| o.port() == a.port() && (o.ip() == a.ip() || o.ip().is_unspecified()))
    };
    let server = |name: &&'static str| {
        let uri = known::provider(name)?.base_url.parse::<Uri>().ok()?;
        let ip: IpAddr = uri.host()?.parse().ok()?;
        Some(LocalServer {
            provider: name,
            address: SocketAddr::new(ip, uri.port_u16()?),
            models: Vec::new(),
        })
    };
    LOCAL
        .iter()
        .filter_map(server)
        .filter(|s| !is_ours(&s.address))
        .collect()
}

/// The configuration that the environment and the servers that `answered` make.
#[must_use]
pub fn config(env: &Environment, answered: &[LocalServer]) -> Found {
    let (mut notes, mut providers) = (Vec::new(), BTreeMap::new());
    for known in known::PROVIDERS {
        if let Some((provider, note)) = provider(known, env, answered) {
            providers.insert(known.name.to_owned(), provider);
            notes.push(note);
        }
    }
    let mut desk = Desk::new(env, None, PathBuf::new());
    if providers.is_empty() {
        desk.variable(
            Severity::Error,
            "OPENAI_API_KEY",
            "neither this nor another provider's key is set, no local model server answers, and there is no file",
        )
        .hint(format!(
            "set one of {}; or start Ollama; or write punctual.yaml (punctual schema describes it)",
            keys().join(", ")
        ));
        return Found {
            notes,
            checked: Checked::refused(desk.into_problems()),
        };
    }
    let mut routes: BTreeMap<String, Route> = providers
        .keys()
        .map(|name| (format!("{name}/*"), pass(name)))
        .collect();
    if let (1, Some(only)) = (providers.len(), providers.keys().next()) {
        routes.insert("*".to_owned(), pass(only));
        notes.push(format!(
            "every other model name goes to {only} too, the only provider"
        ));
    }
    let mut targets = BTreeMap::new();
    for (server, model) in answered.iter().flat_map(listed) {
        let name = format!("{}/{model}", server.provider);
        let target = Target {
            provider: Some(server.provider.to_owned()),
            model: Some(model.to_owned()),
            ..Target::default()
        };
        targets.insert(name.clone(), target);
        let route = Route {
            plan: Some(Plan::Name(name.clone())),
            ..Route::default()
        };
        routes.insert(name, route);
    }
    let file = File {
        targets: Some(targets),
        providers: Some(providers),
        routes: Some(routes),
        ..File::default()
    };
    Found {
        notes,
        checked: load::finish(&file, desk),
    }
}

fn provider(
    known: &Known,
    env: &Environment,
    answered: &[LocalServer],
) -> Option<(Provider, String)> {
    let name = known.name;
    if let Some(variable) = known.key {
        let key = Secret::from(env.get(variable)?);
        let provider = Provider {
            api_key: Some(key),
            ..Provider::default()
        };
        return Some((provider, format!("{name}/<model>: {variable} is set")));
    }
    let server = answered.iter().find(|s| s.provider == name)?;
    let path = known.base_url.parse::<Uri>().ok();
    let path = path.as_ref().map_or("", Uri::path).trim_end_matches('/');
    let base_url = format!("http://{}{path}", server.address);
    let note = format!("{name}/<model>: a server answers on {}", server.address);
    Some((
        Provider {
            base_url: Some(base_url),
            ..Provider::default()
        },
        note,
    ))
}

/// The models of a server whose names can be names of routes.
fn listed(server: &LocalServer) -> impl Iterator<Item = (&LocalServer, &str)> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._:/@-".contains(c);
    let models = server.models.iter().map(String::as_str);
    let models = models.filter(move |m| (1..=100).contains(&m.len()) && m.chars().all(plain));
    models.map(move |model| (server, model)).take(LISTED)
}

fn pass(provider: &str) -> Route {
    let step = Step {
        pass: Some(provider.to_owned()),
        ..Step::default()
    };
    Route {
        plan: Some(Plan::Step(Box::new(step))),
        ..Route::default()
    }
}

fn keys() -> Vec<&'static str> {
    known::PROVIDERS.iter().filter_map(|k| k.key).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(pairs: &[(&str, &str)]) -> Environment {
        pairs.iter().copied().collect()
    }

    #[test]
    fn one_key_serves_every_model() {
        let found = config(&env(&[("OPENAI_API_KEY", "k")]), &[]);
        let (c, warnings) = found.checked.into_result().unwrap();
        assert_eq!(warnings, []);
        let route = |m: &str| {
            c.route(m)
                .map(|(n, model)| (c.routes[n].name.as_str(), model))
        };
        assert_eq!(route("gpt-4o"), Some(("*", "gpt-4o".to_owned())));
        assert_eq!(
            route("openai/gpt-4o"),
            Some(("openai/*", "gpt-4o".to_owned()))
        );
    }

    #[test]
    fn several_providers_are_told_apart_by_prefix() {
        let local = LocalServer {
            provider: "ollama",
            address: "127.0.0.1:11434".parse().unwrap(),
            models: Vec::new(),
        };
        let found = config(&env(&[("GROQ_API_KEY", "k")]), &[local]);
        let (c, _) = found.checked.into_result().unwrap();
        assert_eq!(c.route("gpt-4o"), None);
        let (n, model) = c.route("ollama/qwen3:8b").unwrap();
        assert_eq!(
            (c.routes[n].name.as_str(), model.as_str()),
            ("ollama/*", "qwen3:8b")
        );
        let ollama = c.targets.iter().find(|t| t.name == "ollama/*").unwrap();
        assert_eq!(ollama.base_url.to_string(), "http://127.0.0.1:11434/");
        assert_eq!(found.notes.len(), 2);
    }

    #[test]
    fn a_model_that_a_server_tells_is_a_route_of_its_own() {
        let local = LocalServer {
            provider: "ollama",
            address: "127.0.0.1:11434".parse().unwrap(),
            models: ["qwen3:8b", "hf.co/a/b:Q4", "no name", ""]
                .map(str::to_owned)
                .into(),
        };
        let (c, warnings) = config(&env(&[]), &[local]).checked.into_result().unwrap();
        assert_eq!(warnings, []);
        let names: Vec<_> = c.routes.iter().map(|r| r.name.as_str()).collect();
        for name in ["ollama/qwen3:8b", "ollama/hf.co/a/b:Q4"] {
            assert!(names.contains(&name), "{names:?}");
            let (n, _) = c.route(name).unwrap();
            assert_eq!(c.routes[n].name, name);
        }
        assert_eq!(names.len(), 4, "{names:?}");
        let (n, model) = c.route("ollama/another").unwrap();
        assert_eq!(
            (c.routes[n].name.as_str(), model.as_str()),
            ("ollama/*", "another")
        );
    }

    #[test]
    fn nothing_found_says_what_to_do() {
        let problems = config(&env(&[]), &[]).checked.into_result().unwrap_err();
        assert!(
            problems[0]
                .suggestion
                .as_ref()
                .is_some_and(|s| s.contains("GROQ_API_KEY"))
        );
    }

    #[test]
    fn we_are_never_our_own_model_server() {
        let names = |e: &[(&str, &str)]| {
            candidates(&env(e))
                .into_iter()
                .map(|s| s.provider)
                .collect::<Vec<_>>()
        };
        assert_eq!(names(&[]), ["ollama"]);
        assert_eq!(names(&[("PUNCTUAL_LISTEN", "0.0.0.0:8080")]), ["ollama"]);
        assert_eq!(
            names(&[("PUNCTUAL_LISTEN", "127.0.0.1:9000")]),
            ["ollama", "llamacpp"]
        );
    }
}
