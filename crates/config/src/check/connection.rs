//! Where a provider is and as whom it is asked: address, credential, trust, proxy.
//!
//! Credentials are told apart by digests, so that health can be kept by whose it is and nothing shows them.

use super::{Desk, site};
use crate::{
    keys,
    known::{self, Known},
    path::Path,
    raw::{self, Connection, Dialect, ProviderAuth},
    target::{Auth, Site},
};
use http::{HeaderValue, Uri};
use secrecy::{ExposeSecret, SecretString};
use std::path::PathBuf;

/// Where and as whom.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) dialect: Dialect,
    pub(super) base_url: Uri,
    pub(super) site: Site,
    pub(super) auth: Auth,
    pub(super) ca_file: Option<PathBuf>,
    pub(super) client_cert: Option<(PathBuf, PathBuf)>,
    pub(super) proxy: Option<Uri>,
    pub(super) no_proxy: Vec<String>,
    /// Endpoint and credential, without showing the credential.
    pub(super) identity: String,
}

/// The link that a provider, or a target without one, describes.
pub(super) fn check(
    name: &str,
    raw: &Connection,
    place: &raw::Site,
    at: &Path,
    desk: &mut Desk<'_>,
) -> Option<Link> {
    let known = known::provider(name);
    let dialect = raw.dialect.or(known.map(|k| k.dialect));
    let known = known.filter(|k| raw.dialect.is_none_or(|dialect| dialect == k.dialect));
    let implied = dialect.and_then(|dialect| site::base_url(place, dialect, desk));
    let base_url = base_url(raw, known, implied, at, desk);
    let auth = auth(raw, at, desk);
    let ca_file = raw
        .ca_file
        .as_ref()
        .and_then(|f| desk.file(f, &at.key("ca_file")));
    let client_cert = client_cert(raw, at, desk);
    let proxy = raw
        .proxy
        .as_ref()
        .filter(|p| *p != "none")
        .and_then(|p| url(p, &at.key("proxy"), desk));
    let Some(dialect) = dialect else {
        if !desk.lost(at) {
            desk.error(at, "no dialect is named, and the name is not that of a known provider").hint(
                "dialect: openai with a key, dialect: generic for a server of the same API that needs none, \
                 or one of azure, openrouter, responses, anthropic, gemini, vertex, bedrock, ollama, images, \
                 vercel_images, typesafe",
            );
        }
        return None;
    };
    site::check(place, dialect, at, desk);
    let base_url = base_url?;
    let auth = match auth {
        Auth::None => site::auth(place, dialect, at, desk),
        auth => auth,
    };
    compare(&base_url, &auth, dialect, at, desk);
    let site = site::site(place, dialect, &base_url.to_string(), desk);
    let shown = client_cert.as_ref().map(certificate);
    let identity = format!(
        "{base_url}#{}{}",
        fingerprint(&auth),
        shown.unwrap_or_default()
    );
    let no_proxy = match (&raw.no_proxy, raw.proxy.as_deref()) {
        // also none of the environment
        (_, Some("none")) => vec!["*".to_owned()],
        (written, _) => written.as_ref().map(|m| m.0.clone()).unwrap_or_default(),
    };
    Some(Link {
        dialect,
        base_url,
        site,
        auth,
        ca_file,
        client_cert,
        proxy,
        no_proxy,
        identity,
    })
}

fn base_url(
    raw: &Connection,
    known: Option<&Known>,
    implied: Option<String>,
    at: &Path,
    desk: &mut Desk<'_>,
) -> Option<Uri> {
    let path = at.key("base_url");
    let written = raw.base_url.as_deref().or(known.map(|k| k.base_url));
    let Some(text) = written.or(implied.as_deref()) else {
        if !desk.lost(at) {
            let names: Vec<_> = known::PROVIDERS.iter().map(|k| k.name).collect();
            let hint = raw.dialect.and_then(site::place_of).map_or_else(
                || format!("these names imply one: {}", names.join(", ")),
                str::to_owned,
            );
            desk.error(at, "no base_url is named").hint(hint);
        }
        return None;
    };
    let text = text.trim_end_matches('/');
    for end in ["/chat/completions", "/completions", "/embeddings"] {
        if let Some(base) = text.strip_suffix(end) {
            desk.error(
                &path,
                format!("base_url ends in {end}, which is added to it"),
            )
            .hint(format!("write {base}"));
            return None;
        }
    }
    url(text, &path, desk)
}

/// An absolute http or https URL without credentials or query.
pub(super) fn url(text: &str, path: &Path, desk: &mut Desk<'_>) -> Option<Uri> {
    let uri = text.trim_end_matches('/').parse::<Uri>().ok();
    let Some(uri) =
        uri.filter(|u| matches!(u.scheme_str(), Some("http" | "https")) && u.host().is_some())
    else {
        desk.error(path, "this is not an http or https URL")
            .hint("write it whole: https://host/v1");
        return None;
    };
    if uri.authority().is_some_and(|a| a.as_str().contains('@')) {
        desk.error(path, "a URL with a credential in it would reach logs")
            .hint("use api_key, or headers");
        return None;
    }
    if uri.query().is_some() {
        desk.error(path, "a base URL has no query")
            .hint("leave out everything from ? on");
        return None;
    }
    Some(uri)
}

fn auth(raw: &Connection, at: &Path, desk: &mut Desk<'_>) -> Auth {
    let key = match (&raw.api_key, &raw.api_key_file) {
        (Some(_), Some(_)) => {
            desk.error(at, "api_key and api_key_file say the same thing twice")
                .hint("keep one of them");
            None
        }
        (Some(key), None) if key.expose().trim().is_empty() => {
            desk.error(&at.key("api_key"), "the key is empty")
                .hint("leave it out if none is needed");
            None
        }
        (Some(key), None) => Some(SecretString::from(key.expose().trim().to_owned())),
        (None, Some(file)) => desk.secret_file(file, &at.key("api_key_file")),
        (None, None) => None,
    };
    if raw.auth == Some(ProviderAuth::Passthrough) {
        if key.is_some() {
            desk.error(
                &at.key("auth"),
                "auth: passthrough sends the caller's credential; the key here is unused",
            )
            .hint("keep one of them");
        }
        return Auth::Passthrough;
    }
    if let Some(key) = &key
        && HeaderValue::from_str(key.expose_secret()).is_err()
    {
        desk.error(
            &at.key("api_key"),
            "the key has characters that cannot stand in a header",
        );
    }
    key.map_or(Auth::None, Auth::Key)
}

fn client_cert(raw: &Connection, at: &Path, desk: &mut Desk<'_>) -> Option<(PathBuf, PathBuf)> {
    match (&raw.client_cert_file, &raw.client_key_file) {
        (Some(cert), Some(key)) => {
            let cert = desk.file(cert, &at.key("client_cert_file"));
            let key = desk.file(key, &at.key("client_key_file"));
            Some((cert?, key?))
        }
        (None, None) => None,
        _ => {
            desk.error(at, "client_cert_file and client_key_file go together");
            None
        }
    }
}

fn is_loopback(uri: &Uri) -> bool {
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost"
        || host
            .parse::<std::net::IpAddr>()
            .is_ok_and(|ip| ip.is_loopback())
}

fn compare(base_url: &Uri, auth: &Auth, dialect: Dialect, at: &Path, desk: &mut Desk<'_>) {
    if base_url.scheme_str() == Some("http")
        && !is_loopback(base_url)
        && !matches!(auth, Auth::None)
    {
        desk.warn(
            &at.key("base_url"),
            "the credential goes over the network unencrypted",
        )
        .hint("use https");
    }
    if site::needs_key(dialect) && matches!(auth, Auth::None) && !desk.lost(at) {
        let hint = match dialect {
            Dialect::Openai => {
                "add api_key: ${NAME}, or write dialect: generic for a server that needs none"
            }
            _ => "add api_key: ${NAME}",
        };
        desk.warn(at, "no api_key: requests go without a credential")
            .hint(hint);
    }
}

/// Tells credentials apart without showing them.
fn fingerprint(auth: &Auth) -> String {
    match auth {
        Auth::None => "none".to_owned(),
        Auth::Passthrough => "caller".to_owned(),
        Auth::Key(key) => digits(key.expose_secret().as_bytes()),
        Auth::Aws { keys, profile, .. } => match keys {
            Some((id, ..)) => format!("aws-{}", digits(id.as_bytes())),
            None => format!("aws-{}", profile.as_deref().unwrap_or("default")),
        },
        Auth::Google { file, json } => match (file, json) {
            (_, Some(json)) => format!("google-{}", digits(json.expose_secret().as_bytes())),
            (Some(file), None) => {
                format!("google-{}", digits(file.display().to_string().as_bytes()))
            }
            (None, None) => "google".to_owned(),
        },
        Auth::Entra {
            tenant, client_id, ..
        } => {
            let who = [tenant.as_deref(), client_id.as_deref()].map(Option::unwrap_or_default);
            format!("entra-{}", digits(who.join("/").as_bytes()))
        }
    }
}

/// Tells client certificates apart, by what is in their files.
fn certificate((cert, key): &(PathBuf, PathBuf)) -> String {
    let content = |path| std::fs::read(path).unwrap_or_default();
    format!("+cert-{}", digits(&[content(cert), content(key)].concat()))
}

/// The first digits of a digest.
pub(super) fn digits(secret: &[u8]) -> String {
    keys::hex(secret).chars().take(16).collect()
}
