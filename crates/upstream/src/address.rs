//! A `base_url`, read: where to connect, what to call the host, which path each surface has.
//!
//! Pure, and done once per target, so that a request clones what is here and computes nothing. The join
//! has exactly one slash. A URL without a path means the dialect's own: `/v1` for OpenAI's, because that
//! is what everyone's OpenAI-like server has there; any path at all is taken at its word.

use crate::spec::Fault;
use http::{HeaderValue, Uri, uri::PathAndQuery};

/// Host and scheme of an endpoint with its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) tls: bool,
    /// Without the brackets of an IPv6 address.
    pub(crate) host: String,
    pub(crate) port: u16,
    /// `host` or `host:port`, as in a `Host` header.
    pub(crate) authority: String,
    /// Without a slash at its end.
    path: String,
}

const FIELD: &str = "base_url";
const FIX: &str = "write it as https://host[:port][/path], such as https://api.openai.com/v1";

impl Address {
    /// Reads a `base_url`.
    pub(crate) fn parse(base_url: &str, default_path: &str) -> Result<Self, Fault> {
        let fault =
            |problem: &str, fix| Fault::new(FIELD, without_userinfo(base_url), problem, fix);
        if base_url.contains('#') || base_url.contains('?') {
            return Err(fault(
                "has a query or a fragment",
                "end it with the path; parameters belong in headers",
            ));
        }
        let uri: Uri = base_url
            .trim()
            .parse()
            .map_err(|_| fault("is not a URL", FIX))?;
        let tls = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err(fault("does not start with http:// or https://", FIX)),
        };
        let Some(authority) = uri.authority() else {
            return Err(fault("has no host", FIX));
        };
        if authority.as_str().contains('@') {
            return Err(fault(
                "holds a user or a password",
                "put the credential into api_key, and only the host here",
            ));
        }
        let host = authority.host();
        let default = if tls { 443 } else { 80 };
        let port = match authority.as_str().strip_prefix(host) {
            Some("") => default,
            _ => match authority.port_u16() {
                Some(port) if port > 0 => port,
                _ => return Err(fault("has no usable port", FIX)),
            },
        };
        if host.is_empty() || host == "[]" {
            return Err(fault("has no host", FIX));
        }
        let path = uri.path().trim_end_matches('/');
        if path.ends_with("/completions") || path.ends_with("/embeddings") {
            return Err(fault(
                "names one API method",
                "end it before /chat/completions, /completions or /embeddings",
            ));
        }
        let named = match port == default {
            true => host.to_ascii_lowercase(),
            false => format!("{}:{port}", host.to_ascii_lowercase()),
        };
        Ok(Self {
            tls,
            host: host
                .trim_matches(|c| c == '[' || c == ']')
                .to_ascii_lowercase(),
            port,
            authority: named,
            path: if path.is_empty() { default_path } else { path }.to_owned(),
        })
    }

    /// Path below the base: `/v1` and `/chat/completions` make `/v1/chat/completions`.
    pub(crate) fn origin_form(&self, below: &str) -> Uri {
        let joined = format!("{}{below}", self.path);
        // both halves were accepted as a path before
        PathAndQuery::try_from(joined)
            .map(Uri::from)
            .unwrap_or_default()
    }

    /// The same with scheme and authority, for HTTP/2 and for proxies.
    pub(crate) fn absolute_form(&self, below: &str) -> Uri {
        let scheme = if self.tls { "https" } else { "http" };
        Uri::try_from(format!("{scheme}://{}{}{below}", self.authority, self.path))
            .unwrap_or_default()
    }

    /// The `Host` header.
    pub(crate) fn host_header(&self) -> Option<HeaderValue> {
        HeaderValue::from_str(&self.authority).ok()
    }

    /// Scheme and authority as a URL, for a proxy's rules.
    pub(crate) fn origin(&self) -> Uri {
        self.absolute_form("/")
    }
}

/// An error must not repeat a password.
fn without_userinfo(url: &str) -> String {
    match (url.find("://"), url.rfind('@')) {
        (Some(scheme), Some(at)) if scheme + 3 <= at => {
            let head = url.get(..scheme + 3).unwrap_or_default();
            format!("{head}…{}", url.get(at..).unwrap_or_default())
        }
        (None, Some(_)) => String::new(),
        _ => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_join_has_exactly_one_slash() {
        for (base, path) in [
            ("http://h:1/api/v1/", "/api/v1/chat/completions"),
            ("http://h:1/api/v1", "/api/v1/chat/completions"),
            ("http://h:1/api/v1///", "/api/v1/chat/completions"),
            ("http://h:1", "/v1/chat/completions"),
            ("http://h:1/", "/v1/chat/completions"),
            ("https://h/openai", "/openai/chat/completions"),
            (
                "https://generativelanguage.googleapis.com/v1beta/openai/",
                "/v1beta/openai/chat/completions",
            ),
        ] {
            let address = Address::parse(base, "/v1").unwrap();
            assert_eq!(
                address.origin_form("/chat/completions").to_string(),
                path,
                "{base}"
            );
        }
    }

    #[test]
    fn the_host_header_leaves_out_a_default_port() {
        for (base, host, port, named) in [
            (
                "https://API.openai.com/v1",
                "api.openai.com",
                443,
                "api.openai.com",
            ),
            ("https://h:443", "h", 443, "h"),
            ("http://h:443", "h", 443, "h:443"),
            ("http://[::1]:8080/v1", "::1", 8080, "[::1]:8080"),
        ] {
            let a = Address::parse(base, "/v1").unwrap();
            assert_eq!((a.host.as_str(), a.port), (host, port));
            assert_eq!(a.host_header().unwrap(), named);
        }
    }

    #[test]
    fn absolute_form_names_scheme_and_host() {
        let a = Address::parse("http://h:1/x/", "/v1").unwrap();
        assert_eq!(a.absolute_form("/embeddings"), "http://h:1/x/embeddings");
    }

    #[test]
    fn what_is_no_base_url_is_refused_by_name_and_without_its_password() {
        for bad in [
            "",
            "h",
            "ftp://h",
            "http://",
            "http:///v1",
            "//h/v1",
            "http://h:0",
            "http://h:99999",
            "http://h:/v1",
            "https://h/v1?key=1",
            "https://h/v1#x",
            "http://h h/",
            "https://h/v1/chat/completions",
            "unix:/x",
            "http://[]",
            "\u{0}",
        ] {
            assert_eq!(
                Address::parse(bad, "/v1").unwrap_err().field,
                "base_url",
                "{bad}"
            );
        }
        let fault = Address::parse("https://user:hunter2@h/v1", "/v1").unwrap_err();
        assert_eq!(fault.value, "https://…@h/v1");
    }
}
