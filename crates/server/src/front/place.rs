//! What a path means. The set is small and fixed: one `match` is the router.

use crate::answer::Refusal;
use http::{Method, StatusCode};
use punctual_core::Surface;

/// Where a request wants to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place<'a> {
    /// An LLM surface.
    Ask(Surface),
    Models,
    /// One model, percent-encoded as it came.
    Model(&'a str),
    /// The process is alive.
    Live,
    /// It can serve: anything, or one route.
    Ready(Option<&'a str>),
    /// A surface of the APIs we speak that is not there yet.
    Unbuilt,
    Unknown,
}

impl<'a> Place<'a> {
    /// `/v1` may be left out, as clients whose `base_url` lacks it do.
    pub(super) fn of(path: &'a str) -> Self {
        match path
            .strip_prefix("/v1")
            .filter(|p| p.starts_with('/'))
            .unwrap_or(path)
        {
            "/chat/completions" => Self::Ask(Surface::Chat),
            "/completions" => Self::Ask(Surface::Completions),
            "/embeddings" => Self::Ask(Surface::Embeddings),
            "/models" => Self::Models,
            "/healthz" => Self::Live,
            "/readyz" => Self::Ready(None),
            "/responses" | "/messages" | "/images/generations" => Self::Unbuilt,
            other => match (
                other.strip_prefix("/models/"),
                other.strip_prefix("/readyz/"),
            ) {
                (Some(id), _) if !id.is_empty() => Self::Model(id),
                (_, Some(route)) if !route.is_empty() => Self::Ready(Some(route)),
                _ => Self::Unknown,
            },
        }
    }

    pub(super) fn allows(self, method: &Method) -> Result<(), Box<Refusal>> {
        let allowed = match self {
            Self::Unknown => return Ok(()),
            Self::Ask(_) | Self::Unbuilt => "POST",
            _ => "GET, HEAD",
        };
        if allowed.split(", ").any(|a| a == method.as_str()) {
            return Ok(());
        }
        let status = StatusCode::METHOD_NOT_ALLOWED;
        let message = format!("this path takes {allowed} only");
        Err(Refusal::new(status, "method_not_allowed", message).with_allow(allowed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_means_one_thing_with_and_without_v1() {
        for (path, place) in [
            ("/v1/chat/completions", Place::Ask(Surface::Chat)),
            ("/chat/completions", Place::Ask(Surface::Chat)),
            ("/v1/completions", Place::Ask(Surface::Completions)),
            ("/v1/embeddings", Place::Ask(Surface::Embeddings)),
            ("/v1/models", Place::Models),
            ("/v1/models/a/b", Place::Model("a/b")),
            ("/v1/models/a%2Fb", Place::Model("a%2Fb")),
            ("/v1/models/", Place::Unknown),
            ("/readyz", Place::Ready(None)),
            ("/readyz/chat", Place::Ready(Some("chat"))),
            ("/v1/responses", Place::Unbuilt),
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
    fn a_wrong_method_is_told_the_right_one() {
        assert!(Place::Ask(Surface::Chat).allows(&Method::POST).is_ok());
        assert!(Place::Models.allows(&Method::HEAD).is_ok());
        for (place, method, allow) in [
            (Place::Ask(Surface::Chat), Method::OPTIONS, "POST"),
            (Place::Ask(Surface::Chat), Method::GET, "POST"),
            (Place::Models, Method::POST, "GET, HEAD"),
        ] {
            let refusal = place.allows(&method).unwrap_err();
            assert_eq!((refusal.status.as_u16(), refusal.allow), (405, Some(allow)));
        }
    }
}
