//! What a path means. The set is small and fixed: one `match` is the router.
//!
//! `/v1` may be left out everywhere, as clients whose `base_url` lacks it do. An id or a path that goes
//! upstream is only cut out here; whether it may is judged where it is used.

use crate::answer::Refusal;
use http::{Method, StatusCode};
use percent_encoding::percent_decode_str;
use punctual_core::Surface;
use std::borrow::Cow;

/// What is passed on. `TRACE` is not: what it echoes are the headers that we add, our credential among them.
const PASSED: &str = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

/// Where a request wants to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place<'a> {
    /// An LLM surface.
    Ask(Ask<'a>),
    Models,
    /// One model, percent-encoded as it came.
    Model(&'a str),
    /// The process is alive.
    Live,
    /// It can serve: anything, or one route.
    Ready(Option<&'a str>),
    Unknown,
}

/// What is asked for on an LLM surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ask<'a> {
    /// What a JSON body says, which names a model.
    Body(Surface),
    /// A response made before, by its id.
    Stored(Stored<'a>),
    /// Whatever a provider has there.
    Passed(Passed<'a>),
}

/// A response made before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stored<'a> {
    pub(super) id: &'a str,
    /// Path below a provider's base URL: `/responses/{id}…`
    pub(super) below: &'a str,
    /// The methods it takes.
    methods: &'static str,
}

/// What is passed on as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Passed<'a> {
    /// The target's name, percent-encoded as it came.
    pub(super) target: &'a str,
    /// Path below its base URL, as it came.
    pub(super) below: &'a str,
}

impl Stored<'_> {
    /// The response itself, nothing about it.
    pub(super) fn is_whole(self) -> bool {
        self.below.strip_prefix("/responses/") == Some(self.id)
    }
}

impl<'a> Passed<'a> {
    /// The target's name.
    pub(super) fn name(self) -> Cow<'a, str> {
        percent_decode_str(self.target).decode_utf8_lossy()
    }
}

impl Ask<'_> {
    pub(super) const fn surface(self) -> Surface {
        match self {
            Self::Body(surface) => surface,
            Self::Stored(_) => Surface::Responses,
            Self::Passed(_) => Surface::Passthrough,
        }
    }
}

impl<'a> Place<'a> {
    pub(super) fn of(path: &'a str) -> Self {
        let path = path
            .strip_prefix("/v1")
            .filter(|p| p.starts_with('/'))
            .unwrap_or(path);
        match path {
            "/chat/completions" => Self::Ask(Ask::Body(Surface::Chat)),
            "/completions" => Self::Ask(Ask::Body(Surface::Completions)),
            "/embeddings" => Self::Ask(Ask::Body(Surface::Embeddings)),
            "/responses" => Self::Ask(Ask::Body(Surface::Responses)),
            "/messages" => Self::Ask(Ask::Body(Surface::Messages)),
            "/messages/count_tokens" => Self::Ask(Ask::Body(Surface::CountTokens)),
            "/images/generations" => Self::Ask(Ask::Body(Surface::Images)),
            "/systemone" => Self::Ask(Ask::Body(Surface::SystemOne)),
            "/models" => Self::Models,
            "/healthz" => Self::Live,
            "/readyz" => Self::Ready(None),
            other => Self::below(other),
        }
    }

    /// A path of which a part is a name.
    fn below(path: &'a str) -> Self {
        let named = |prefix| path.strip_prefix(prefix).filter(|rest| !rest.is_empty());
        if let Some(id) = named("/models/") {
            return Self::Model(id);
        }
        if let Some(route) = named("/readyz/") {
            return Self::Ready(Some(route));
        }
        if let Some(rest) = named("/responses/") {
            return stored(path, rest).map_or(Self::Unknown, |s| Self::Ask(Ask::Stored(s)));
        }
        let passed = named("/passthrough/").and_then(passed);
        passed.map_or(Self::Unknown, |p| Self::Ask(Ask::Passed(p)))
    }

    /// What it takes; `None` where nothing is.
    pub(super) fn methods(self) -> Option<&'static str> {
        match self {
            Self::Unknown => None,
            Self::Ask(Ask::Passed(_)) => Some(PASSED),
            Self::Ask(Ask::Body(_)) => Some("POST"),
            Self::Ask(Ask::Stored(stored)) => Some(stored.methods),
            _ => Some("GET, HEAD"),
        }
    }

    pub(super) fn allows(self, method: &Method) -> Result<(), Box<Refusal>> {
        let Some(allowed) = self.methods() else {
            return Ok(());
        };
        if allowed.split(", ").any(|a| a == method.as_str()) {
            return Ok(());
        }
        let status = StatusCode::METHOD_NOT_ALLOWED;
        let listed = match allowed.rsplit_once(", ") {
            Some((others, last)) => format!("{others} or {last}"),
            None => allowed.to_owned(),
        };
        let message = format!("this path takes {listed} only");
        Err(Refusal::new(status, "method_not_allowed", message).with_allow(allowed))
    }
}

fn stored<'a>(below: &'a str, rest: &'a str) -> Option<Stored<'a>> {
    let (id, methods) = match rest.split_once('/') {
        None => (rest, "GET, DELETE"),
        Some((id, "input_items")) => (id, "GET"),
        Some((id, "cancel")) => (id, "POST"),
        Some(_) => return None,
    };
    Some(Stored { id, below, methods })
}

fn passed(rest: &str) -> Option<Passed<'_>> {
    let slash = rest.find('/').filter(|at| *at > 0)?;
    let (target, below) = rest.split_at_checked(slash)?;
    Some(Passed { target, below })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_means_one_thing_with_and_without_v1() {
        let body = |surface| Place::Ask(Ask::Body(surface));
        for (path, place) in [
            ("/v1/chat/completions", body(Surface::Chat)),
            ("/chat/completions", body(Surface::Chat)),
            ("/v1/completions", body(Surface::Completions)),
            ("/v1/embeddings", body(Surface::Embeddings)),
            ("/v1/responses", body(Surface::Responses)),
            ("/messages", body(Surface::Messages)),
            ("/v1/messages/count_tokens", body(Surface::CountTokens)),
            ("/v1/images/generations", body(Surface::Images)),
            ("/v1/systemone", body(Surface::SystemOne)),
            ("/v1/models", Place::Models),
            ("/v1/models/a/b", Place::Model("a/b")),
            ("/v1/models/a%2Fb", Place::Model("a%2Fb")),
            ("/v1/models/", Place::Unknown),
            ("/readyz", Place::Ready(None)),
            ("/readyz/chat", Place::Ready(Some("chat"))),
            ("/v1/responses/", Place::Unknown),
            ("/v1/responses/r/more", Place::Unknown),
            ("/v1/responses/r/cancel/", Place::Unknown),
            ("/v1/messages/batches", Place::Unknown),
            ("/passthrough", Place::Unknown),
            ("/passthrough/t", Place::Unknown),
            ("/passthrough//files", Place::Unknown),
            ("/v1", Place::Unknown),
            ("/v1chat/completions", Place::Unknown),
            ("/v1/v1/chat/completions", Place::Unknown),
            ("/v1/chat/completions/", Place::Unknown),
            ("", Place::Unknown),
            ("*", Place::Unknown),
        ] {
            assert_eq!(Place::of(path), place, "{path}");
        }
    }

    #[test]
    fn what_was_made_before_is_named_by_its_id() {
        for (path, below) in [
            ("/v1/responses/r-1", "/responses/r-1"),
            ("/responses/r-1/cancel", "/responses/r-1/cancel"),
            (
                "/v1/responses/r-1/input_items",
                "/responses/r-1/input_items",
            ),
        ] {
            let Place::Ask(Ask::Stored(stored)) = Place::of(path) else {
                panic!("{path}");
            };
            assert_eq!((stored.id, stored.below), ("r-1", below));
        }
    }

    #[test]
    fn what_is_passed_on_is_named_by_target_and_path() {
        for (path, target, below) in [
            ("/passthrough/t/", "t", "/"),
            ("/v1/passthrough/t/files/f-1", "t", "/files/f-1"),
            ("/passthrough/t%2Fx//a", "t%2Fx", "//a"),
        ] {
            let passed = Place::Ask(Ask::Passed(Passed { target, below }));
            assert_eq!(Place::of(path), passed);
        }
    }

    #[test]
    fn a_wrong_method_is_told_the_right_one() {
        assert!(Place::of("/v1/messages").allows(&Method::POST).is_ok());
        assert!(Place::Models.allows(&Method::HEAD).is_ok());
        for method in [Method::GET, Method::DELETE] {
            assert!(Place::of("/v1/responses/r").allows(&method).is_ok());
        }
        for method in PASSED.split(", ") {
            let method = method.parse().unwrap();
            assert!(Place::of("/passthrough/t/x").allows(&method).is_ok());
        }
        let odd = || Method::from_bytes(b"PROPFIND").unwrap();
        for (path, method, allow) in [
            ("/chat/completions", Method::OPTIONS, "POST"),
            ("/passthrough/t/x", Method::TRACE, PASSED),
            ("/passthrough/t/x", odd(), PASSED),
            ("/chat/completions", Method::GET, "POST"),
            ("/responses/r", Method::POST, "GET, DELETE"),
            ("/responses/r/cancel", Method::GET, "POST"),
            ("/responses/r/input_items", Method::POST, "GET"),
            ("/models", Method::POST, "GET, HEAD"),
        ] {
            let refusal = Place::of(path).allows(&method).unwrap_err();
            assert_eq!((refusal.status.as_u16(), refusal.allow), (405, Some(allow)));
        }
    }
}
