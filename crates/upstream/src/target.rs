//! A target as requests use it: checked once, everything that does not change between requests computed.
//!
//! The hot path clones a header map and a URI from here. Secrets stay in `secrecy` types and in header
//! values marked sensitive; they are exposed only to be compared with what an upstream wrote.

use crate::{
    address::Address,
    aside::Aside,
    auth::Signer,
    bonds::{Bonds, Maker},
    dial::Proxied,
    dialect::{Rules, Slot, with_query},
    pool::Pool,
    pools::Pools,
    request::{FORWARD, ForwardDeadline, never_forwarded},
    spec::{Auth, Dialect, Fault, ModelChoice, Site, TargetSpec, UsageRule},
    way::Way,
};
use http::{HeaderMap, HeaderName, HeaderValue, Uri, header};
use punctual_core::Call;
use punctual_wire::{Api, Surface, Via};
use secrecy::{ExposeSecret, SecretString};
use std::sync::Arc;

/// The product and its version, as `User-Agent`.
const AGENT: &str = concat!("punctual/", env!("CARGO_PKG_VERSION"));

pub(crate) struct Target {
    pub(crate) name: Arc<str>,
    pub(crate) dialect: Dialect,
    pub(crate) rules: &'static Rules,
    pub(crate) site: Site,
    /// Who remembers which maker a piece of state has, and who this target is among them.
    pub(crate) bonds: Arc<Bonds>,
    pub(crate) maker: Maker,
    pub(crate) pool: Arc<Pool>,
    pub(crate) aside: Aside,
    /// Sent with every request.
    pub(crate) headers: HeaderMap,
    /// Names of the caller's headers that are passed on.
    pub(crate) forward: Vec<HeaderName>,
    pub(crate) forward_deadline: Vec<ForwardDeadline>,
    pub(crate) model: ModelChoice,
    pub(crate) passes_credentials: bool,
    /// Makes the credential of each request, where it is not the same for all.
    pub(crate) signer: Option<Signer>,
    pub(crate) replay: bool,
    pub(crate) max_response_bytes: usize,
    pub(crate) max_event_bytes: usize,
    usage: UsageRule,
    address: Address,
    /// Request targets name scheme and host.
    absolute: bool,
    /// How each surface is served with the target's own model, or with any where the path names none:
    /// computed once.
    ways: Vec<[Option<Way>; 2]>,
    secrets: Vec<SecretString>,
}

impl Target {
    pub(crate) fn new(spec: &TargetSpec, pools: &Arc<Pools>) -> Result<Self, Fault> {
        let rules = spec.dialect.rules();
        let address = Address::parse(&spec.endpoint.base_url, rules.base)?;
        if spec.usage == UsageRule::Inject && !rules.stream_options {
            return Err(Fault::new(
                "usage",
                "inject",
                format!("cannot be used with the dialect {}", spec.dialect.as_str()),
                "use the dialect openai, or leave usage out",
            ));
        }
        let pool = pools.pool(&spec.name, &address, &spec.endpoint)?;
        let absolute = pool.place.is_http2() || pool.place.proxied() == Proxied::Forward;
        let mut target = Self {
            name: spec.name.clone(),
            dialect: spec.dialect,
            rules,
            site: spec.site.clone(),
            bonds: pools.bonds.clone(),
            maker: Maker::of(spec, &address),
            aside: pools.aside.clone(),
            headers: fixed_headers(spec, &address, &pool)?,
            forward: forwarded(spec)?,
            forward_deadline: spec.forward_deadline.clone(),
            model: spec.model.clone(),
            passes_credentials: matches!(spec.auth, Auth::Passthrough),
            signer: Signer::new(spec, pools)?,
            replay: spec.replay,
            max_response_bytes: spec.max_response_bytes,
            max_event_bytes: spec.max_event_bytes,
            usage: spec.usage,
            secrets: secrets(spec, &address),
            address,
            absolute,
            ways: Vec::new(),
            pool,
        };
        target.ways = target.known_ways();
        Ok(target)
    }

    /// What can be computed before there is a call.
    fn known_ways(&self) -> Vec<[Option<Way>; 2]> {
        let model = match &self.model {
            ModelChoice::Fixed(model) => model,
            ModelChoice::FromCaller if self.rules.model_in_path => return Vec::new(),
            ModelChoice::FromCaller => "",
        };
        let each = |surface| [false, true].map(|stream| Way::of(self, surface, model, stream));
        Surface::ALL.into_iter().map(each).collect()
    }

    /// Whether it serves a call, without the details of how.
    pub(crate) fn serves(&self, call: &Call) -> bool {
        let surface = crate::dialect::surface(call.surface);
        let api = |surface| (self.rules.api)(&self.site, surface, self.model(call));
        let api = surface.and_then(|s| Some((s, api(s)?)));
        let via = api.and_then(|(surface, api)| Via::between(surface, api));
        let stored = call.path.is_some();
        via.is_some_and(|via| via.is_relay() || !stored)
    }

    /// How a surface is served; `None` where it is not.
    pub(crate) fn way(&self, surface: Surface, call: &Call) -> Option<Way> {
        if let (Surface::Passthrough, Some(path)) = (surface, &call.path) {
            return Way::raw(self, path);
        }
        if call.native {
            return Way::native(self, surface, call);
        }
        let at = Surface::ALL.iter().position(|s| *s == surface);
        match at.and_then(|at| self.ways.get(at)) {
            Some([whole, stream]) => match call.stream {
                true => stream.clone(),
                false => whole.clone(),
            },
            None => Way::of(self, surface, self.model(call), call.stream),
        }
        .and_then(|way| way.below(self, call))
    }

    /// The model it is asked for.
    pub(crate) fn model<'a>(&'a self, call: &'a Call) -> &'a str {
        match &self.model {
            ModelChoice::Fixed(model) => model,
            ModelChoice::FromCaller => &call.model,
        }
    }

    /// The request target for what is below the base URL.
    pub(crate) fn uri(&self, below: &str) -> Uri {
        let asked = with_query(below, &self.site.query);
        let below = asked.as_ref();
        match self.absolute {
            true => self.address.absolute_form(below),
            false => self.address.origin_form(below),
        }
    }

    /// The name and port that requests are for.
    pub(crate) fn authority(&self) -> &str {
        &self.address.authority
    }

    /// Whether the usage chunk of this call is there on our account only.
    pub(crate) fn injects_usage(&self, call: &Call, way: &Way) -> bool {
        let has_it = way.via.is_relay() && matches!(way.api, Api::Chat | Api::Completions);
        has_it && self.usage == UsageRule::Inject && call.stream && !call.include_usage
    }

    /// What must not be repeated of what the upstream says: key, host, sensitive headers.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = &str> {
        self.secrets.iter().map(ExposeSecret::expose_secret)
    }
}

fn fixed_headers(spec: &TargetSpec, address: &Address, pool: &Pool) -> Result<HeaderMap, Fault> {
    let mut headers = HeaderMap::with_capacity(24);
    if !pool.place.is_http2()
        && let Some(host) = address.host_header()
    {
        headers.insert(header::HOST, host);
    }
    headers.insert(header::USER_AGENT, HeaderValue::from_static(AGENT));
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    headers.insert(
        header::ACCEPT_ENCODING,
        HeaderValue::from_static("identity"),
    );
    if let Some(auth) = pool.place.forward_auth() {
        headers.insert(header::PROXY_AUTHORIZATION, auth.clone());
    }
    for (name, value) in &spec.headers {
        if ForwardDeadline::from_header(name.as_str()).is_none()
            && *name != header::AUTHORIZATION
            && let Some(fix) = never_forwarded(name)
        {
            return Err(Fault::new("headers", name.as_str(), "cannot be set", fix));
        }
        headers.insert(name.clone(), value.clone());
    }
    for (name, value) in spec.dialect.rules().fixed {
        let name = HeaderName::from_static(name);
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
    if let Auth::Key(key) = &spec.auth {
        let (name, value) = slot(spec.dialect.rules().key, key)?;
        headers.insert(name, value);
    }
    Ok(headers)
}

/// Where a key goes, and what stands there. Anthropic's OAuth tokens are no API keys.
fn slot(slot: Slot, key: &SecretString) -> Result<(HeaderName, HeaderValue), Fault> {
    let oauth = key.expose_secret().starts_with("sk-ant-oat");
    match slot {
        Slot::Header(name) if !oauth => Ok((
            HeaderName::from_static(name),
            sensitive(key.expose_secret().to_owned())?,
        )),
        _ => Ok((
            header::AUTHORIZATION,
            sensitive(format!("Bearer {}", key.expose_secret()))?,
        )),
    }
}

fn sensitive(text: String) -> Result<HeaderValue, Fault> {
    let value = HeaderValue::try_from(text);
    let mut value = value.map_err(|_| {
        Fault::new(
            "api_key",
            "",
            "holds a character that cannot stand in a header",
            "remove line ends and control characters from it",
        )
    })?;
    value.set_sensitive(true);
    Ok(value)
}

fn forwarded(spec: &TargetSpec) -> Result<Vec<HeaderName>, Fault> {
    for name in &spec.forward_headers {
        if let Some(fix) = never_forwarded(name) {
            return Err(Fault::new(
                "forward_headers",
                name.as_str(),
                "cannot be passed on",
                fix,
            ));
        }
    }
    let rules = spec.dialect.rules();
    let account = match &spec.auth {
        Auth::Passthrough => rules.account,
        _ => &[],
    };
    let dialect = rules.forward.iter().chain(account);
    let mut names: Vec<HeaderName> = FORWARD.to_vec();
    names.extend(dialect.map(|name| HeaderName::from_static(name)));
    names.extend(spec.forward_headers.iter().cloned());
    // what the target fixes is not the caller's to add to
    names.retain(|name| !spec.headers.contains_key(name));
    names.sort_unstable_by(|a, b| a.as_str().cmp(b.as_str()));
    names.dedup();
    Ok(names)
}

fn secrets(spec: &TargetSpec, address: &Address) -> Vec<SecretString> {
    let own = spec.auth.secrets();
    let values = spec.headers.values().filter(|value| value.is_sensitive());
    let values = values.filter_map(|value| value.to_str().ok());
    // with the port first: the longer one is taken out whole
    let hosts = [address.authority.as_str(), address.host.as_str()];
    own.into_iter()
        .chain(values.chain(hosts).map(SecretString::from))
        .collect()
}
