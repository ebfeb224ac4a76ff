//! The proxy on the way out.
//!
//! Which one, and whether at all, is decided by hyper-util's matcher, which knows the rules that curl
//! has for `NO_PROXY`. An `https` target (and an HTTP/2 one) goes through a `CONNECT` tunnel; a plain one
//! is asked of the proxy in absolute form, because many proxies open tunnels to port 443 only.

use super::DialError;
use crate::{
    address::Address,
    request::Payload,
    spec::{EgressProxy, Fault},
};
use http::{HeaderValue, Method, Request, Uri, header};
use hyper::client::conn::http1;
use hyper_util::{client::proxy::matcher::Matcher, rt::TokioIo};
use std::{
    future::{Future, poll_fn},
    pin::{Pin, pin},
    sync::Arc,
    task::Poll,
};
use tokio::net::TcpStream;

/// How a proxy takes part in requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Proxied {
    /// It does not.
    No,
    /// It opened a tunnel and sees none of them.
    Tunnel,
    /// It forwards each, asked in absolute form.
    Forward,
}

/// Where a proxy is and what it wants to see.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Proxy {
    pub(crate) host: Arc<str>,
    pub(crate) port: u16,
    pub(crate) auth: Option<HeaderValue>,
}

/// The proxy for `address`, if the rules name one.
pub(super) fn choose(
    rules: Option<&EgressProxy>,
    address: &Address,
    http2: bool,
) -> Result<Option<(Proxied, Proxy)>, Fault> {
    let Some(rules) = rules else { return Ok(None) };
    let (field, text) = match address.tls {
        true => ("https_proxy", &rules.https),
        false => ("http_proxy", &rules.http),
    };
    if text.is_empty() {
        return Ok(None);
    }
    let matcher = Matcher::builder()
        .all(text.as_str())
        .no(rules.no_proxy.as_str())
        .build();
    // the value may hold a password: it is not repeated
    let fault = |problem| {
        let fix = "write it as http://[user:password@]host:port";
        Fault::new(field, "", problem, fix)
    };
    let unfiltered = Matcher::builder().all(text.as_str()).build();
    if unfiltered.intercept(&address.origin()).is_none() {
        return Err(fault("is not a proxy URL"));
    }
    let Some(found) = matcher.intercept(&address.origin()) else {
        return Ok(None);
    };
    if found.uri().scheme_str() != Some("http") {
        return Err(fault(
            "is not an http:// proxy, the only kind that is supported",
        ));
    }
    let host = found.uri().host().unwrap_or_default();
    let proxy = Proxy {
        host: host.trim_matches(|c| c == '[' || c == ']').into(),
        port: found.uri().port_u16().unwrap_or(80),
        auth: found.basic_auth().cloned(),
    };
    let how = match address.tls || http2 {
        true => Proxied::Tunnel,
        false => Proxied::Forward,
    };
    Ok(Some((how, proxy)))
}

/// Asks the proxy at the other end of `tcp` for a tunnel to `host:port`.
pub(super) async fn tunnel(
    tcp: TcpStream,
    proxy: &Proxy,
    host: &str,
    port: u16,
) -> Result<TcpStream, DialError> {
    let request = connect_request(proxy, host, port).ok_or(DialError::ProxyAnswer)?;
    let handshake = http1::handshake::<_, Payload>(TokioIo::new(tcp)).await;
    let (mut sender, mut conn) = handshake.map_err(|_| DialError::ProxyAnswer)?;
    let mut answer = pin!(sender.send_request(request));
    let mut over = false;
    let answer = poll_fn(|cx| {
        if !over && Pin::new(&mut conn).poll_without_shutdown(cx).is_ready() {
            over = true;
        }
        match answer.as_mut().poll(cx) {
            Poll::Pending if over => Poll::Ready(None),
            answer => answer.map(Result::ok),
        }
    });
    let answer = answer.await.ok_or(DialError::ProxyAnswer)?;
    if !answer.status().is_success() {
        return Err(DialError::ProxyStatus(answer.status().as_u16()));
    }
    let parts = conn.into_parts();
    // TLS and HTTP/2 servers wait for the client to speak: early bytes are the proxy's
    match parts.read_buf.is_empty() {
        true => Ok(parts.io.into_inner()),
        false => Err(DialError::ProxyAnswer),
    }
}

fn connect_request(proxy: &Proxy, host: &str, port: u16) -> Option<Request<Payload>> {
    let authority = match host.contains(':') {
        true => format!("[{host}]:{port}"),
        false => format!("{host}:{port}"),
    };
    let mut request = Request::new(Payload::default());
    *request.method_mut() = Method::CONNECT;
    *request.uri_mut() = Uri::try_from(authority.as_str()).ok()?;
    let headers = request.headers_mut();
    headers.insert(header::HOST, HeaderValue::try_from(authority).ok()?);
    if let Some(auth) = &proxy.auth {
        headers.insert(header::PROXY_AUTHORIZATION, auth.clone());
    }
    Some(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(http: &str, https: &str, no_proxy: &str) -> EgressProxy {
        EgressProxy {
            http: http.to_owned(),
            https: https.to_owned(),
            no_proxy: no_proxy.to_owned(),
        }
    }

    fn chosen(rules: &EgressProxy, base: &str) -> Option<(Proxied, Proxy)> {
        choose(Some(rules), &Address::parse(base, "/v1").unwrap(), false).unwrap()
    }

    #[test]
    fn https_is_tunnelled_and_http_is_forwarded() {
        let rules = rules("http://p:3128", "http://u:s%40@q", "");
        let (how, proxy) = chosen(&rules, "http://h/v1").unwrap();
        assert_eq!(
            (how, &*proxy.host, proxy.port),
            (Proxied::Forward, "p", 3128)
        );
        let (how, proxy) = chosen(&rules, "https://h/v1").unwrap();
        assert_eq!((how, &*proxy.host, proxy.port), (Proxied::Tunnel, "q", 80));
        // u:s@
        assert_eq!(proxy.auth.unwrap(), "Basic dTpzQA==");
    }

    #[test]
    fn no_proxy_matches_names_their_subdomains_networks_and_everything() {
        for (no, base, direct) in [
            ("h.test", "http://h.test", true),
            ("h.test", "http://a.h.test", true),
            (".h.test", "http://a.h.test", true),
            ("h.test", "http://oh.test", false),
            ("10.0.0.0/8, ::1", "http://10.1.2.3", true),
            ("10.0.0.0/8, ::1", "http://[::1]:8080", true),
            ("10.0.0.0/8", "http://11.1.2.3", false),
            ("*", "http://anything", true),
        ] {
            let chosen = chosen(&rules("http://p", "", no), base);
            assert_eq!(chosen.is_none(), direct, "{no} {base}");
        }
    }

    #[test]
    fn what_is_no_http_proxy_is_refused_without_its_password() {
        let address = Address::parse("http://h", "/v1").unwrap();
        for bad in ["socks5://u:secret@p:1", "https://u:secret@p", "://secret"] {
            let fault = choose(Some(&rules(bad, "", "")), &address, false)
                .err()
                .unwrap();
            assert_eq!((fault.field, fault.value.as_str()), ("http_proxy", ""));
        }
        assert!(choose(None, &address, false).unwrap().is_none());
        assert!(chosen(&rules("", "http://p", ""), "http://h").is_none());
    }
}
