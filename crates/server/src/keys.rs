//! Who is asking: the caller's key.
//!
//! How keys are stored and compared is the configuration's; here is where a key may stand in a request, and
//! what holds for its owner. A presented key is never kept, echoed or logged.

use http::{HeaderMap, HeaderName, HeaderValue, header};
use std::{sync::Arc, time::Duration};

/// Only ever ours, for callers whose clients fill all the others (boto3 signs its requests).
const OWN: HeaderName = HeaderName::from_static("x-punctual-key");
/// Where a key may stand: OpenAI's clients, Anthropic's, Azure's, Google's, and anyone's. A caller that sends
/// a key for us and one for an upstream puts them into different ones, and which is whose only the keyring
/// can tell.
static PLACES: [HeaderName; 5] = [
    header::AUTHORIZATION,
    HeaderName::from_static("x-api-key"),
    HeaderName::from_static("api-key"),
    HeaderName::from_static("x-goog-api-key"),
    OWN,
];
/// The scheme of a signature over a request to AWS. Nothing of it holds for what is sent anew.
const SIGNED: &str = "AWS4-HMAC-SHA256";

/// What holds for the owner of a key.
#[derive(Clone, Debug, Default)]
pub struct Key {
    /// Its name in telemetry and fairness; never the key itself.
    pub name: Arc<str>,
    /// The ceiling over every request made with it.
    pub deadline: Option<Duration>,
    /// Names of the routes it may use; `None` is all.
    pub routes: Option<Vec<Arc<str>>>,
    /// Whether it may use passthrough, which is past what its routes allow; `None` is only where it has no list
    /// of them.
    pub passthrough: Option<bool>,
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

    /// Whether it may use passthrough, with the targets of its routes.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        self.passthrough.unwrap_or(self.routes.is_none())
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
    /// Nobody does, and there are none.
    #[default]
    Open,
    /// Nobody does; who sends one that is known is its owner.
    Optional(Arc<dyn Keyring>),
    /// Everybody does.
    Required(Arc<dyn Keyring>),
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Open => "Open",
            Self::Optional(_) => "Optional",
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
    fn ring(&self) -> Option<&dyn Keyring> {
        match self {
            Self::Open => None,
            Self::Optional(ring) | Self::Required(ring) => Some(&**ring),
        }
    }

    fn find(&self, presented: &str) -> Option<Arc<Key>> {
        self.ring()?.find(presented)
    }

    /// Whether `text` is a valid key of ours.
    pub(crate) fn are(&self, text: &str) -> bool {
        self.find(text).is_some()
    }

    /// The owner of the first valid key in `headers`; `Ok(None)` when none is needed and none is there.
    pub(crate) fn check(&self, headers: &HeaderMap) -> Result<Option<Arc<Key>>, Denied> {
        let values = || PLACES.iter().flat_map(|name| headers.get_all(name));
        let mut all = values().filter_map(presented);
        let owner = all.find_map(|key| self.find(key));
        self.admit(owner, || values().any(|value| presented(value).is_some()))
    }

    fn admit(
        &self,
        owner: Option<Arc<Key>>,
        any: impl FnOnce() -> bool,
    ) -> Result<Option<Arc<Key>>, Denied> {
        match self {
            Self::Required(_) if owner.is_none() => Err(match any() {
                true => Denied::Unknown,
                false => Denied::Missing,
            }),
            _ => Ok(owner),
        }
    }

    /// Like [`Keys::check`], and takes every valid key out of `headers`: what is left may be meant for an
    /// upstream, which must never see ours. A signature goes too.
    pub(crate) fn take(&self, headers: &mut HeaderMap) -> Result<Option<Arc<Key>>, Denied> {
        let (mut owner, mut any) = (None, false);
        for name in &PLACES {
            let own = *name == OWN;
            let (mut taken, mut left) = (own, Vec::new());
            for value in headers.get_all(name) {
                let key = presented(value);
                any |= key.is_some();
                let found = key.and_then(|key| self.find(key));
                if found.is_some() || is_signature(value) {
                    taken = true;
                    owner = owner.or(found);
                } else {
                    left.push(value);
                }
            }
            if !taken {
                continue;
            }
            let left: Vec<HeaderValue> = left.into_iter().cloned().collect();
            headers.remove(name);
            for other in left.into_iter().filter(|_| !own) {
                headers.append(name.clone(), other);
            }
        }
        self.admit(owner, || any)
    }
}

fn is_signature(value: &HeaderValue) -> bool {
    let scheme = value.as_bytes().get(..SIGNED.len());
    scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case(SIGNED.as_bytes()))
}

/// The key in a line of one of [`PLACES`]: all of it, or what follows `Bearer`.
fn presented(value: &HeaderValue) -> Option<&str> {
    let text = value.to_str().ok()?.trim();
    let key = match text.split_once(' ') {
        Some((scheme, key)) if scheme.eq_ignore_ascii_case("bearer") => key.trim(),
        Some(_) => return None,
        None if text.eq_ignore_ascii_case("bearer") => return None,
        None => text,
    };
    (!key.is_empty()).then_some(key)
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

    fn ring() -> Keys {
        let key = Arc::new(Key::default());
        Keys::Required(Arc::new(move |k: &str| (k == "k").then(|| key.clone())))
    }

    #[test]
    fn a_key_may_stand_where_the_clients_of_each_api_put_theirs() {
        for pair in [
            ("x-goog-api-key", "k"),
            ("x-punctual-key", "k"),
            ("x-punctual-key", "Bearer k"),
            ("authorization", "Bearer k"),
            ("authorization", "bearer  k"),
            ("x-api-key", "k"),
            ("api-key", "k"),
        ] {
            assert!(ring().check(&headers(&[pair])).is_ok(), "{pair:?}");
        }
        for pair in [
            ("authorization", "Basic k"),
            (
                "authorization",
                "AWS4-HMAC-SHA256 Credential=k, Signature=k",
            ),
            ("authorization", "Bearer "),
            ("authorization", "Bearer"),
            ("cookie", "k"),
        ] {
            let denied = ring().check(&headers(&[pair])).unwrap_err();
            assert_eq!(denied, Denied::Missing, "{pair:?}");
        }
    }

    #[test]
    fn our_key_is_found_and_taken_wherever_it_stands_and_the_upstreams_stays() {
        for name in ["x-api-key", "api-key", "x-goog-api-key", "x-punctual-key"] {
            let mut sent = headers(&[("authorization", "Bearer theirs"), (name, "k")]);
            assert!(ring().take(&mut sent).is_ok(), "{name}");
            assert_eq!(sent, headers(&[("authorization", "Bearer theirs")]));
        }
        let mut sent = headers(&[
            ("authorization", "Bearer k"),
            ("authorization", "Bearer theirs"),
            ("x-api-key", "theirs"),
            ("api-key", "k"),
        ]);
        assert!(ring().take(&mut sent).is_ok());
        let left = [("authorization", "Bearer theirs"), ("x-api-key", "theirs")];
        assert_eq!(sent, headers(&left));
    }

    #[test]
    fn a_signature_is_nobodys_key_and_goes_nowhere() {
        let signed = (
            "authorization",
            "AWS4-HMAC-SHA256 Credential=AKIA/x, Signature=0",
        );
        let mut sent = headers(&[signed, ("x-punctual-key", "k")]);
        assert!(ring().take(&mut sent).unwrap().is_some());
        assert!(sent.is_empty(), "{sent:?}");
        let mut sent = headers(&[signed, ("x-punctual-key", "no key")]);
        assert_eq!(Keys::Open.take(&mut sent).unwrap().map(|_| ()), None);
        assert!(sent.is_empty(), "{sent:?}");
        assert_eq!(
            ring().take(&mut headers(&[signed])).unwrap_err(),
            Denied::Missing
        );
    }

    #[test]
    fn a_key_that_nobody_asks_for_is_found_and_taken_all_the_same() {
        let Keys::Required(ring) = ring() else {
            panic!("a ring");
        };
        let keys = Keys::Optional(ring);
        let theirs = [("authorization", "Bearer theirs")];
        let mut sent = headers(&[("authorization", "Bearer k"), theirs[0]]);
        assert!(keys.take(&mut sent).unwrap().is_some());
        assert_eq!(sent, headers(&theirs));
        assert!(keys.take(&mut sent).unwrap().is_none());
        assert_eq!(sent, headers(&theirs));
        assert!(keys.check(&HeaderMap::new()).unwrap().is_none());
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

    #[test]
    fn a_key_with_a_list_of_routes_passes_nothing_on_unless_it_is_told_it_may() {
        let key = |routes: Option<Vec<Arc<str>>>, passthrough| Key {
            routes,
            passthrough,
            ..Key::default()
        };
        let list = || Some(vec!["chat".into()]);
        assert!(key(None, None).may_pass() && key(list(), Some(true)).may_pass());
        assert!(!key(list(), None).may_pass() && !key(None, Some(false)).may_pass());
    }
}
