//! A client of a provider, as a leaf of a plan: what it says, to whom, with which key.
//!
//! A leaf is pure data until it is first asked. Then its address is checked, its key read (from a value or
//! from the environment, at every call, so that a key that is not there yet is a failure of that attempt and
//! no more) and its connections found. What was made is kept for each runtime and key.

use crate::{call::Call, credentials, member::Own, merge, runtime};
use punctual_core::{Call as CoreCall, Code, Failure, Surface};
use punctual_upstream::{Pools, SpecError, Upstreams};
use punctual_wire::{
    frame::Framing,
    middle::{Lost, Options, UpstreamCodec},
};
use secrecy::{ExposeSecret, SecretString};
use std::sync::{Arc, Mutex, PoisonError, Weak};

mod spec;
pub(crate) use spec::{Key, Spec};

/// Who speaks for a leaf.
#[derive(Clone)]
pub(crate) enum Speaker {
    Wire(Arc<WireLeaf>),
    Own(Arc<dyn Own>),
}

/// How questions are written for a client and answers read.
#[derive(Clone, Copy)]
pub(crate) struct Speech {
    pub(crate) surface: Surface,
    pub(crate) codec: &'static UpstreamCodec,
    pub(crate) framing: Framing,
    pub(crate) streams: bool,
    /// Whether `codec` is of the provider's own API.
    pub(crate) native: bool,
}

/// A way to the provider that was made before.
struct Ready {
    pools: Weak<Pools>,
    key: Option<SecretString>,
    upstreams: Arc<Upstreams>,
}

/// As many runtimes and keys are remembered.
const REMEMBERED: usize = 8;

/// A client of a provider.
pub(crate) struct WireLeaf {
    spec: Spec,
    ready: Mutex<Vec<Ready>>,
}

type Made<T> = Result<T, Box<Failure>>;

impl WireLeaf {
    pub(crate) fn new(spec: Spec) -> Self {
        Self {
            spec,
            ready: Mutex::default(),
        }
    }

    pub(crate) fn provider(&self) -> &'static str {
        self.spec.provider
    }

    pub(crate) fn speech(&self) -> Speech {
        self.spec.speech
    }

    /// The way to the provider, from the present runtime.
    pub(crate) fn upstreams(&self) -> Made<Arc<Upstreams>> {
        let key = self.spec.key.read()?;
        let pools = runtime::pools().ok_or_else(no_runtime)?;
        let same = |ready: &&Ready| {
            std::ptr::eq(ready.pools.as_ptr(), Arc::as_ptr(&pools)) && is_same(&ready.key, &key)
        };
        let mut known = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ready) = known.iter().find(same) {
            return Ok(ready.upstreams.clone());
        }
        let mut target = self.spec.target()?;
        target.auth = self.spec.auth(key.clone());
        let made = Upstreams::new(vec![target], &pools);
        let upstreams = Arc::new(made.map_err(|fault| self.unfit(&fault))?);
        known.retain(|ready| ready.pools.strong_count() > 0);
        if known.len() >= REMEMBERED {
            known.remove(0);
        }
        known.push(Ready {
            pools: Arc::downgrade(&pools),
            key,
            upstreams: upstreams.clone(),
        });
        Ok(upstreams)
    }

    fn unfit(&self, fault: &SpecError) -> Box<Failure> {
        let fetched = matches!(self.spec.key, Key::Fetched(_));
        let missing = fetched.then(|| credentials::missing(fault)).flatten();
        missing.unwrap_or_else(|| mistake("bad_client", fault.to_string()))
    }

    /// The call in this client's own words.
    pub(crate) fn call(&self, call: &Call, core: &CoreCall) -> Made<CoreCall> {
        let speech = self.spec.speech;
        if core.stream && !speech.streams {
            let text = format!("{} does not stream; ask it with invoke", self.spec.label());
            return Err(mistake("member_cannot_stream", text));
        }
        let mut lost = Lost::default();
        let options = Options {
            model: &self.spec.model,
            num_ctx: self.spec.site.num_ctx,
            stream_options: self.spec.stream_options,
            plain_content: self.spec.plain_content,
        };
        let body = (speech.codec.request)(&call.request, &options, &mut lost);
        if !lost.content.is_empty() {
            let text = format!(
                "{} has no place for {}",
                self.spec.label(),
                lost.content.join(", ")
            );
            return Err(Failure::new(Code::Unsupported, text));
        }
        let body = match &self.spec.extra {
            Some(extra) => merge::merge(&body, extra)?,
            None => body,
        };
        Ok(CoreCall {
            surface: speech.surface,
            model: self.spec.model.clone(),
            body,
            native: speech.native,
            ..core.clone()
        })
    }
}

fn is_same(old: &Option<SecretString>, new: &Option<SecretString>) -> bool {
    match (old, new) {
        (Some(old), Some(new)) => old.expose_secret() == new.expose_secret(),
        (old, new) => old.is_none() && new.is_none(),
    }
}

fn no_runtime() -> Box<Failure> {
    Failure::new(Code::Internal, "there is no runtime to make connections on")
}

/// A mistake in how a client or a call was put together.
pub(crate) fn mistake(reason: &'static str, message: String) -> Box<Failure> {
    let mut failure = Failure::new(Code::InvalidRequest, message);
    failure.reason = Some(reason);
    failure
}
