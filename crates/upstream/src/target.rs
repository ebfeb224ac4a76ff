//! A target as requests use it: checked once, everything that does not change between requests computed.
//!
//! The hot path clones a header map and a URI from here. Secrets stay in `secrecy` types and in header
//! values marked sensitive; they are exposed only to be compared with what an upstream wrote.

use crate::{
    address::Address,
    dial::Proxied,
    dialect::Rules,
    pool::Pool,
    pools::Pools,
    request::{FORWARD, ForwardDeadline, never_forwarded},
    spec::{Auth, Fault, ModelChoice, TargetSpec, UsageRule},
};
use http::{HeaderMap, HeaderName, HeaderValue, Uri, header};
use punctual_core::Call;
use punctual_wire::Surface;
use secrecy::{ExposeSecret, SecretString};
use std::sync::Arc;

/// The product and its version, as `User-Agent`.
const AGENT: &str = concat!("punctual/", env!("CARGO_PKG_VERSION"));

pub(crate) struct Target {
    pub(crate) name: Arc<str>,
    pub(crate) rules: &'static Rules,
    pub(crate) pool: Arc<Pool>,
    /// Sent with every request.
    pub(crate) headers: HeaderMap,
    /// Names of the caller's headers that are passed on.
    pub(crate) forward: Vec<HeaderName>,
    pub(crate) forward_deadline: Vec<ForwardDeadline>,
    pub(crate) model: ModelChoice,
    pub(crate) passes_credentials: bool,
    pub(crate) replay: bool,
    pub(crate) max_response_bytes: usize,
    pub(crate) max_event_bytes: usize,
    usage: UsageRule,
    /// Request targets, one for each surface.
    uris: [Uri; Surface::ALL.len()],
    secrets: Vec<SecretString>,
}

impl Target {
    pub(crate) fn new(spec: &TargetSpec, pools: &Arc<Pools>) -> Result<Self, Fault> {
        let rules = spec.dialect.rules();
        let address = Address::parse(&spec.endpoint.base_url)?;
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
        let uri = |surface: Surface| match absolute {
            true => address.absolute_form((rules.path)(surface)),
            false => address.origin_form((rules.path)(surface)),
        };
        Ok(Self {
            name: spec.name.clone(),
            rules,
            headers: fixed_headers(spec, &address, &pool)?,
            forward: forwarded(spec)?,
            forward_deadline: spec.forward_deadline.clone(),
            model: spec.model.clone(),
            passes_credentials: matches!(spec.auth, Auth::Passthrough),
            replay: spec.replay,
            max_response_bytes: spec.max_response_bytes,
            max_event_bytes: spec.max_event_bytes,
            usage: spec.usage,
            uris: Surface::ALL.map(uri),
            secrets: secrets(spec, &address),
            pool,
        })
    }

    /// The request target of a surface.
    pub(crate) fn uri(&self, surface: Surface) -> Uri {
        let at = Surface::ALL.iter().position(|s| *s == surface);
        at.and_then(|at| self.uris.get(at))
            .cloned()
            .unwrap_or_default()
    }

    /// Whether the usage chunk of this call is there on our account only.
    pub(crate) fn injects_usage(&self, call: &Call) -> bool {
        self.usage == UsageRule::Inject && call.stream && !call.include_usage
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
    if let Auth::Bearer(key) = &spec.auth {
        if !spec.dialect.rules().credential {
            return Err(Fault::new(
                "api_key",
                "",
                format!("is not sent by the dialect {}", spec.dialect.as_str()),
                "use the dialect openai, or leave the key out",
            ));
        }
        headers.insert(header::AUTHORIZATION, bearer(key)?);
    }
    Ok(headers)
}

fn bearer(key: &SecretString) -> Result<HeaderValue, Fault> {
    let value = HeaderValue::try_from(format!("Bearer {}", key.expose_secret()));
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
        Auth::None | Auth::Bearer(_) => &[],
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
    let key = match &spec.auth {
        Auth::Bearer(key) => Some(key.clone()),
        Auth::None | Auth::Passthrough => None,
    };
    let values = spec.headers.values().filter(|value| value.is_sensitive());
    let values = values.filter_map(|value| value.to_str().ok());
    // with the port first: the longer one is taken out whole
    let hosts = [address.authority.as_str(), address.host.as_str()];
    key.into_iter()
        .chain(values.chain(hosts).map(SecretString::from))
        .collect()
}
