//! From a target of the configuration to what the upstream crate needs to reach it.

use punctual_config::{Auth, Dialect, TargetConfig};
use punctual_upstream as up;
use std::{fs, path::Path};

/// Proxies of the environment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Proxies(up::EgressProxy);

impl Proxies {
    /// `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`, in capitals or not. `HTTP_PROXY` in capitals
    /// is not read where a CGI request could set it (`REQUEST_METHOD` is there), as curl does.
    pub(crate) fn from_env(get: impl Fn(&str) -> Option<String>) -> Self {
        let either = |name: &str| {
            get(&name.to_lowercase())
                .or_else(|| get(name))
                .unwrap_or_default()
        };
        let all = either("ALL_PROXY");
        let or_all = |value: String| if value.is_empty() { all.clone() } else { value };
        let http = if get("REQUEST_METHOD").is_some() {
            get("http_proxy").unwrap_or_default()
        } else {
            either("HTTP_PROXY")
        };
        Self(up::EgressProxy {
            http: or_all(http),
            https: or_all(either("HTTPS_PROXY")),
            no_proxy: either("NO_PROXY"),
        })
    }

    fn of(&self, target: &TargetConfig) -> Option<up::EgressProxy> {
        let no_proxy = if target.no_proxy.is_empty() {
            self.0.no_proxy.clone()
        } else {
            target.no_proxy.join(",")
        };
        if no_proxy.split(',').any(|host| host.trim() == "*") {
            return None;
        }
        if let Some(proxy) = &target.proxy {
            let address = proxy.to_string();
            return Some(up::EgressProxy {
                http: address.clone(),
                https: address,
                no_proxy,
            });
        }
        let any = !self.0.http.is_empty() || !self.0.https.is_empty();
        any.then(|| up::EgressProxy {
            no_proxy,
            ..self.0.clone()
        })
    }
}

/// A dialect as the upstream crate names it.
pub(crate) const fn dialect(dialect: Dialect) -> up::Dialect {
    match dialect {
        Dialect::Openai => up::Dialect::OpenAi,
        Dialect::Generic => up::Dialect::Generic,
        Dialect::Responses => up::Dialect::Responses,
        Dialect::Azure => up::Dialect::Azure,
        Dialect::Openrouter => up::Dialect::OpenRouter,
        Dialect::Ollama => up::Dialect::Ollama,
        Dialect::Anthropic => up::Dialect::Anthropic,
        Dialect::Gemini => up::Dialect::Gemini,
        Dialect::Vertex => up::Dialect::Vertex,
        Dialect::Bedrock => up::Dialect::Bedrock,
        Dialect::Images => up::Dialect::Images,
        Dialect::VercelImages => up::Dialect::VercelImages,
        Dialect::Typesafe => up::Dialect::TypeSafe,
    }
}

fn auth(auth: &Auth) -> up::Auth {
    match auth {
        Auth::None => up::Auth::None,
        Auth::Key(secret) => up::Auth::Key(secret.clone()),
        Auth::Passthrough => up::Auth::Passthrough,
        Auth::Aws {
            region,
            keys,
            profile,
        } => up::Auth::Aws(up::AwsAuth {
            region: region.clone(),
            keys: keys.clone().map(|(id, secret, token)| up::AwsKeys {
                access_key_id: id,
                secret_access_key: secret,
                session_token: token,
            }),
            profile: profile.clone(),
            ..up::AwsAuth::default()
        }),
        Auth::Google { file, json } => up::Auth::Google(up::GoogleAuth {
            file: file.clone(),
            json: json.clone(),
            ..up::GoogleAuth::default()
        }),
        Auth::Entra {
            tenant,
            client_id,
            client_secret,
        } => up::Auth::Azure(up::AzureAuth {
            tenant: tenant.clone(),
            client_id: client_id.clone(),
            client_secret: client_secret.clone(),
            ..up::AzureAuth::default()
        }),
    }
}

/// The specification of one target.
///
/// # Errors
/// One sentence, when a file cannot be read or a dialect is not built.
pub(super) fn spec(t: &TargetConfig, proxies: &Proxies) -> Result<up::TargetSpec, String> {
    let deadline = |h: &http::HeaderName| up::ForwardDeadline::from_header(h.as_str());
    Ok(up::TargetSpec {
        name: t.name.as_str().into(),
        dialect: dialect(t.dialect),
        endpoint: up::Endpoint {
            base_url: t.base_url.to_string(),
            http2: t.http2,
            tls: tls(t)?,
            proxy: proxies.of(t),
        },
        site: up::Site {
            api_version: t.site.api_version.clone(),
            project: t.site.project.clone(),
            location: t.site.location.clone(),
            invoke: t.site.invoke,
            num_ctx: t.site.num_ctx,
            ..up::Site::default()
        },
        model: t.model.as_deref().map_or(up::ModelChoice::FromCaller, |m| {
            up::ModelChoice::Fixed(m.into())
        }),
        auth: auth(&t.auth),
        headers: t.headers.iter().cloned().collect(),
        forward_headers: t.forward_headers.clone(),
        forward_deadline: t.forward_deadline.iter().filter_map(deadline).collect(),
        usage: if t.inject_usage {
            up::UsageRule::Inject
        } else {
            up::UsageRule::AsSent
        },
        replay: t.replay_timeouts,
        max_response_bytes: t.max_response_bytes,
        max_event_bytes: t.max_event_bytes,
    })
}

fn tls(t: &TargetConfig) -> Result<up::Tls, String> {
    let client = match &t.client_cert {
        Some((chain, key)) => Some(up::ClientCert {
            chain_pem: read(t, chain)?,
            key_pem: read(t, key)?,
        }),
        None => None,
    };
    let ca_pem = t.ca_file.as_deref().map(|path| read(t, path)).transpose()?;
    Ok(up::Tls {
        only_ca: ca_pem.is_some(),
        ca_pem,
        client,
        server_name: None,
    })
}

fn read(t: &TargetConfig, path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|e| format!("target {}: {} cannot be read: {e}", t.name, path.display()))
}
