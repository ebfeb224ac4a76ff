//! What a client of a provider is told when it is made: plain data, looked at when it is first asked.

use super::{Made, Speech, mistake};
use crate::{call::unsendable, timeouts::Timeouts};
use http::{HeaderMap, HeaderName, HeaderValue};
use punctual_core::{Code, Failure, Reserve};
use punctual_upstream::{
    Auth, Dialect, EgressProxy, Endpoint, ForwardDeadline, ModelChoice, Site, TargetSpec, Tls,
};
use punctual_wire::{dialect::bedrock::Family, middle::Json};
use secrecy::SecretString;
use std::sync::Arc;

/// Where a key comes from.
#[derive(Clone, Debug)]
pub(crate) enum Key {
    /// There is none.
    None,
    /// Here it is.
    Value(SecretString),
    /// An environment variable, read at each call.
    Env(Arc<str>),
    /// What is computed or fetched in its place.
    Fetched(Box<Auth>),
}

impl Key {
    pub(super) fn read(&self) -> Made<Option<SecretString>> {
        let variable = |name: &str| {
            std::env::var(name)
                .ok()
                .filter(|key| !key.trim().is_empty())
        };
        match self {
            Self::None | Self::Fetched(_) => Ok(None),
            Self::Value(key) => Ok(Some(key.clone())),
            Self::Env(name) => match variable(name) {
                Some(key) => Ok(Some(SecretString::from(key))),
                None => {
                    let text =
                        format!("the environment variable {name} is not set; set it to the key");
                    let mut failure = Failure::new(Code::Unauthorized, text);
                    failure.reason = Some("missing_credential");
                    Err(failure)
                }
            },
        }
    }
}

/// A client of a provider.
#[derive(Clone)]
pub(crate) struct Spec {
    pub(crate) provider: &'static str,
    pub(crate) name: Option<Arc<str>>,
    pub(crate) model: Arc<str>,
    pub(crate) speech: Speech,
    pub(crate) dialect: Dialect,
    pub(crate) base_url: String,
    pub(crate) site: Site,
    /// Where the client is, for who signs.
    pub(crate) region: Option<String>,
    pub(crate) key: Key,
    pub(crate) stream_options: bool,
    pub(crate) plain_content: bool,
    pub(crate) headers: Vec<(String, String, bool)>,
    pub(crate) forward_headers: Vec<String>,
    pub(crate) forward_deadline: Vec<ForwardDeadline>,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) extra: Option<Result<Json, String>>,
    pub(crate) timeouts: Timeouts,
    pub(crate) reserve: Reserve,
    pub(crate) replays: bool,
    pub(crate) allow_empty: bool,
    pub(crate) max_concurrency: Option<usize>,
    pub(crate) http2: bool,
    pub(crate) tls: Tls,
    pub(crate) proxy: Option<EgressProxy>,
}

impl Spec {
    pub(crate) fn new(
        provider: &'static str,
        dialect: Dialect,
        speech: Speech,
        base_url: &str,
        key: Key,
        model: impl Into<Arc<str>>,
    ) -> Self {
        Self {
            provider,
            name: None,
            model: model.into(),
            speech,
            dialect,
            base_url: base_url.to_owned(),
            site: Site::default(),
            region: None,
            key,
            stream_options: true,
            plain_content: false,
            headers: Vec::new(),
            forward_headers: Vec::new(),
            forward_deadline: Vec::new(),
            query: Vec::new(),
            extra: None,
            timeouts: Timeouts::new(),
            reserve: Reserve::Auto,
            replays: true,
            allow_empty: false,
            max_concurrency: None,
            http2: false,
            tls: Tls::default(),
            proxy: None,
        }
    }

    /// Its name, or provider and model.
    pub(crate) fn label(&self) -> Arc<str> {
        let made = || format!("{}/{}", self.provider, self.model).into();
        self.name.clone().unwrap_or_else(made)
    }

    /// Who asks, by the key that was read.
    pub(super) fn auth(&self, key: Option<SecretString>) -> Auth {
        match (&self.key, key) {
            (Key::Fetched(auth), _) => match (**auth).clone() {
                Auth::Aws(mut aws) => {
                    aws.region = aws.region.or_else(|| self.region.clone());
                    Auth::Aws(aws)
                }
                auth => auth,
            },
            (_, Some(key)) => Auth::Key(key),
            (_, None) => Auth::None,
        }
    }

    pub(super) fn target(&self) -> Made<TargetSpec> {
        self.check_model()?;
        let mut target = TargetSpec::new(self.label(), self.base_url.clone());
        target.dialect = self.dialect;
        target.site = self.site.clone();
        target.site.query.clone_from(&self.query);
        target.model = ModelChoice::Fixed(self.model.clone());
        target.headers = self.header_map()?;
        target.forward_headers = self.forwarded()?;
        target.forward_deadline.clone_from(&self.forward_deadline);
        target.replay = self.replays;
        target.endpoint = Endpoint {
            base_url: self.base_url.clone(),
            http2: self.http2,
            tls: self.tls.clone(),
            proxy: self.proxy.clone(),
        };
        Ok(target)
    }

    /// InvokeModel has no words for another maker's models.
    fn check_model(&self) -> Made<()> {
        match Family::of(&self.model) {
            Family::Claude | Family::Unknown => Ok(()),
            _ if !self.site.invoke => Ok(()),
            _ => {
                let text = format!(
                    "{} asks by InvokeModel, which is for Claude, and {} is not Claude; leave invoke_model out",
                    self.label(),
                    self.model
                );
                Err(mistake("bad_client", text))
            }
        }
    }

    fn header_map(&self) -> Made<HeaderMap> {
        let mut map = HeaderMap::new();
        for (name, value, secret) in &self.headers {
            let header = || format!("the header {name:?} of {}", self.label());
            let bad = || mistake("bad_client", unsendable(&header()));
            let name = HeaderName::try_from(name).map_err(|_| bad())?;
            let mut value = HeaderValue::try_from(value).map_err(|_| bad())?;
            value.set_sensitive(*secret);
            map.append(name, value);
        }
        Ok(map)
    }

    fn forwarded(&self) -> Made<Vec<HeaderName>> {
        let read = |name: &String| {
            let text = format!(
                "{name:?} is no name of a header, so {} cannot pass it on; a name has letters, digits and -",
                self.label()
            );
            HeaderName::try_from(name).map_err(|_| mistake("bad_client", text))
        };
        self.forward_headers.iter().map(read).collect()
    }
}
