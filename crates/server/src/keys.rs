//! Who is asking: the caller's key.
//!
//! How keys are stored and compared is the configuration's; here is where a key may stand in a request, and
//! what holds for its owner. A presented key is never kept, echoed or logged.

use http::{HeaderMap, header};
use std::{sync::Arc, time::Duration};

/// What holds for the owner of a key.
#[derive(Clone, Debug, Default)]
pub struct Key {
    /// Its name in telemetry and fairness; never the key itself.
    pub name: Arc<str>,
    /// The ceiling over every request made with it.
    pub deadline: Option<Duration>,
    /// Names of the routes it may use; `None` is all.
    pub routes: Option<Vec<Arc<str>>>,
    /// Replaces the route's interval of heartbeats; `Some(None)` turns them off.
    pub heartbeat: Option<Option<Duration>>,
}

impl Key {
    /// Whether it may use the route of this name.
    #[must_use]
    pub fn may_use(&self, route: &str) -> bool {
        self.routes
            .as_ref()
            .is_none_or(|allowed| allowed.iter().any(|a| **a == *route))
    }
}

/// Finds the owner of a presented key, in constant time over the secret part.
pub trait Keyring: Send + Sync + 'static {
    /// `None` when no such key is valid now.
    fn find(&self, presented: &str) -> Option<Arc<Key>>;
}

impl<F: Fn(&str) -> Option<Arc<Key>> + Send + Sync + 'static> Keyring for F {
    fn find(&self, presented: &str) -> Option<Arc<Key>> {
        self(presented)
    }
}

/// Whether callers need a key.
#[derive(Clone, Default)]
pub enum Keys {
    /// Nobody does.
    #[default]
    Open,
    /// Everybody does.
    Required(Arc<dyn Keyring>),
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Open => "Open",
            Self::Required(_) => "Required",
        })
    }
}

/// Why a request was not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Denied {
    Missing,
    Unknown,
}

impl Keys {
    /// The owner of the key in `headers`; `Ok(None)` when none is needed.
    pub(crate) fn check(&self, headers: &HeaderMap) -> Result<Option<Arc<Key>>, Denied> {
        let Self::Required(ring) = self else {
            return Ok(None);
        };
        let presented = presented(headers).ok_or(Denied::Missing)?;
        ring.find(presented).map(Some).ok_or(Denied::Unknown)
    }
}

/// `Authorization: Bearer`, `x-api-key` (Anthropic's clients) or `api-key` (Azure's), in this order.
fn presented(headers: &HeaderMap) -> Option<&str> {
    let text = |name: &str| headers.get(name).and_then(|v| v.to_str().ok());
    let bearer = text(header::AUTHORIZATION.as_str()).and_then(|value| {
        let (scheme, key) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
    });
    bearer
        .or_else(|| text("x-api-key"))
        .or_else(|| text("api-key"))
        .filter(|key| !key.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let parsed = pairs
            .iter()
            .map(|(n, v)| (n.parse().unwrap(), v.parse().unwrap()));
        parsed
            .collect::<Vec<(http::HeaderName, http::HeaderValue)>>()
            .into_iter()
            .collect()
    }

    #[test]
    fn a_key_may_stand_in_three_headers() {
        for pair in [
            ("authorization", "Bearer k"),
            ("authorization", "bearer  k"),
            ("x-api-key", "k"),
            ("api-key", "k"),
        ] {
            assert_eq!(presented(&headers(&[pair])), Some("k"), "{pair:?}");
        }
        for pair in [
            ("authorization", "Basic k"),
            ("authorization", "Bearer "),
            ("cookie", "k"),
        ] {
            assert_eq!(presented(&headers(&[pair])), None, "{pair:?}");
        }
    }

    #[test]
    fn an_open_door_asks_for_nothing_and_a_shut_one_says_why() {
        assert!(Keys::Open.check(&HeaderMap::new()).unwrap().is_none());
        let key = Arc::new(Key::default());
        let ring = move |k: &str| (k == "good").then(|| key.clone());
        let keys = Keys::Required(Arc::new(ring));
        assert_eq!(keys.check(&HeaderMap::new()).unwrap_err(), Denied::Missing);
        let bad = headers(&[("x-api-key", "bad")]);
        assert_eq!(keys.check(&bad).unwrap_err(), Denied::Unknown);
        assert!(
            keys.check(&headers(&[("x-api-key", "good")]))
                .unwrap()
                .is_some()
        );
    }

    #[test]
    fn a_key_without_a_list_may_use_every_route() {
        assert!(Key::default().may_use("chat"));
        let bound = Key {
            routes: Some(vec!["chat".into()]),
            ..Key::default()
        };
        assert!(bound.may_use("chat") && !bound.may_use("big"));
    }
}
