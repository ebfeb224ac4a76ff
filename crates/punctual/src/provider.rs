//! Clients of providers: one type for each API, with the settings that all of them have.
//!
//! Making one does nothing but keep what it was told: no I/O, no look into the environment.

use crate::{
    leaf::{Spec, WireLeaf},
    member,
    node::Node,
};
use punctual_core::{LaneLimits, RetryBudget};
use std::sync::{Arc, OnceLock};

pub mod anthropic;
pub mod aws;
pub mod google;
pub mod openai;
mod picture;
mod speech;
pub mod typesafe;
pub mod vercel;

/// What all clients of providers are.
#[derive(Clone)]
pub(crate) struct Wire {
    spec: Spec,
    /// Benched, cooled and bound to a budget by what its calls come to.
    guarded: bool,
    /// Made when it is first asked for; clones have the same.
    node: Arc<OnceLock<Node>>,
}

impl Wire {
    pub(crate) fn new(spec: Spec) -> Self {
        Self {
            spec,
            guarded: false,
            node: Arc::default(),
        }
    }

    pub(crate) fn edit(mut self, change: impl FnOnce(&mut Spec)) -> Self {
        change(&mut self.spec);
        self.node = Arc::default();
        self
    }

    pub(crate) fn guarded(mut self) -> Self {
        self.guarded = true;
        self.node = Arc::default();
        self
    }

    pub(crate) fn node(&self) -> Node {
        let make = || {
            let spec = self.spec.clone();
            let mut target = member::target(&spec.label(), spec.timeouts);
            target.replay_timeouts = spec.replays;
            target.allow_empty = spec.allow_empty;
            target.reserve = spec.reserve;
            target.benchable = self.guarded;
            if self.guarded {
                target.budget = Arc::<RetryBudget>::default();
            }
            if let Some(max_concurrency) = spec.max_concurrency {
                target.lane.resize(LaneLimits {
                    max_concurrency: max_concurrency.max(1),
                    max_queue: usize::MAX,
                    ..LaneLimits::default()
                });
            }
            Node::wire(WireLeaf::new(spec), target)
        };
        self.node.get_or_init(make).clone()
    }
}

/// A client type: its documentation, its name and how it begins.
macro_rules! client {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone)]
        pub struct $name($crate::provider::Wire);

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}({:?})", stringify!($name), $crate::Client::node(self))
            }
        }

        impl $crate::Client for $name {
            fn node(&self) -> $crate::Node {
                self.0.node()
            }
        }

        impl $name {
            fn edit(self, change: impl FnOnce(&mut $crate::leaf::Spec)) -> Self {
                Self(self.0.edit(change))
            }

            /// Its name in records and errors; provider and model unless set.
            #[must_use]
            pub fn named(self, name: &str) -> Self {
                self.edit(|spec| spec.name = Some(name.into()))
            }

            /// Its clocks; a [`Duration`](std::time::Duration) alone is the total.
            #[must_use]
            pub fn timeouts(self, timeouts: impl Into<$crate::Timeouts>) -> Self {
                self.edit(|spec| spec.timeouts = timeouts.into())
            }

            /// Another address: `http://` or `https://`, host, optional port, optional path.
            #[must_use]
            pub fn base_url(self, url: impl Into<String>) -> Self {
                self.edit(|spec| spec.base_url = url.into())
            }

            /// The key itself.
            #[must_use]
            pub fn key(self, key: impl Into<String>) -> Self {
                let key = $crate::leaf::Key::Value(key.into().into());
                self.edit(|spec| spec.key = key)
            }

            /// The key from this environment variable, read at each call. One that is not set makes the
            /// attempt fail, which a fallback passes over.
            #[must_use]
            pub fn key_from(self, variable: &str) -> Self {
                self.edit(|spec| spec.key = $crate::leaf::Key::Env(variable.into()))
            }

            /// No key at all.
            #[must_use]
            pub fn without_key(self) -> Self {
                self.edit(|spec| spec.key = $crate::leaf::Key::None)
            }

            /// Credentials that are computed or fetched, in place of a key. They are looked for when the client
            /// is first asked, fetched within an attempt's time by one attempt for all that wait, and kept for
            /// the client and its clones.
            #[must_use]
            pub fn credentials(self, credentials: impl Into<$crate::Credentials>) -> Self {
                let auth = Box::new(credentials.into().into_auth());
                self.edit(|spec| spec.key = $crate::leaf::Key::Fetched(auth))
            }

            /// A header of every request.
            #[must_use]
            pub fn header(self, name: &str, value: &str) -> Self {
                self.edit(|spec| spec.headers.push((name.into(), value.into(), false)))
            }

            /// A header whose value is a secret: it is taken out of whatever the provider repeats.
            #[must_use]
            pub fn secret_header(self, name: &str, value: &str) -> Self {
                self.edit(|spec| spec.headers.push((name.into(), value.into(), true)))
            }

            /// A header of the call that is passed on.
            #[must_use]
            pub fn forward_header(self, name: &str) -> Self {
                self.edit(|spec| spec.forward_headers.push(name.into()))
            }

            /// A header that tells the provider how much time is left: lowered to that where it is sent
            /// anyway, never raised, never 0.
            #[must_use]
            pub fn forward_deadline(self, header: $crate::ForwardDeadline) -> Self {
                self.edit(|spec| spec.forward_deadline.push(header))
            }

            /// A parameter of the URL's query.
            #[must_use]
            pub fn query(self, name: &str, value: &str) -> Self {
                self.edit(|spec| spec.query.push((name.into(), value.into())))
            }

            /// A JSON object that is merged into every request's body, last and at any depth; `null` removes
            /// a member. Text that is no JSON makes the attempt fail before anything is sent.
            #[must_use]
            pub fn extra_body(self, json: &str) -> Self {
                let why = "the extra body of a client is not JSON; write it as an object";
                let extra = $crate::wire::middle::Json::parse(json).ok_or_else(|| why.to_owned());
                self.edit(|spec| spec.extra = Some(extra))
            }

            /// How much of a deadline is kept for the members behind it in a fallback.
            #[must_use]
            pub fn reserve(self, reserve: $crate::Reserve) -> Self {
                self.edit(|spec| spec.reserve = reserve)
            }

            /// False: it is not asked again, and nobody else is, once a request may have been processed and
            /// its answer did not come.
            #[must_use]
            pub fn replays(self, replays: bool) -> Self {
                self.edit(|spec| spec.replays = replays)
            }

            /// An answer without content is an answer.
            #[must_use]
            pub fn allow_empty(self) -> Self {
                self.edit(|spec| spec.allow_empty = true)
            }

            /// At most so many requests at a time, over all calls and clones; others wait.
            #[must_use]
            pub fn max_concurrency(self, requests: usize) -> Self {
                self.edit(|spec| spec.max_concurrency = Some(requests))
            }

            /// Over all calls and clones, it has the breaker, the cooldowns and the budget of retries that a
            /// target of the gateway has. Otherwise each call stands for itself.
            #[must_use]
            pub fn guarded(self) -> Self {
                Self(self.0.guarded())
            }

            /// HTTP/2.
            #[must_use]
            pub fn http2(self) -> Self {
                self.edit(|spec| spec.http2 = true)
            }

            /// Trust and identity on `https`.
            #[must_use]
            pub fn tls(self, tls: $crate::Tls) -> Self {
                self.edit(|spec| spec.tls = tls)
            }

            /// The proxy on the way out.
            #[must_use]
            pub fn proxy(self, proxy: $crate::EgressProxy) -> Self {
                self.edit(|spec| spec.proxy = Some(proxy))
            }
        }
    };
}
pub(crate) use client;
