//! Whom to let in, by what the head says about where the request comes from.
//!
//! A web page must not be able to spend the user's keys. It cannot choose `Host`: a page that made its own
//! name resolve to the loopback address (DNS rebinding) sends that name, so a name must be known to us. It
//! cannot hide `Origin` on a POST, so that is refused unless configured; on a GET without one the browser still
//! says that another site asks.

use super::Visit;
use crate::{answer::Refusal, connection::MAX_HEADERS, settings::Settings};
use http::{
    HeaderMap, HeaderValue, Method, StatusCode, Version, header, request::Parts, uri::Authority,
};
use punctual_core::Upstream;
use std::{
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError, Weak},
};

type Checked = Result<(), Box<Refusal>>;

/// Size of the head, form of the target, host and origin.
pub(super) fn check<U: Upstream>(head: &Parts, visit: &Visit<U>) -> Checked {
    // HTTP/1.1 refuses them while it parses; HTTP/2 bounds only the bytes
    if head.headers.len() > MAX_HEADERS {
        return Err(Refusal::new(
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            "too_many_headers",
            format!("the request has more than {MAX_HEADERS} header lines"),
        ));
    }
    let bad = |code, message: &str| Refusal::new(StatusCode::BAD_REQUEST, code, message.to_owned());
    if head.method == Method::CONNECT {
        return Err(bad("bad_request_target", "CONNECT is not served here"));
    }
    if visit.is_http1() && head.uri.authority().is_some() {
        return Err(bad(
            "bad_request_target",
            "send the path alone as the request target, not a whole URL",
        ));
    }
    let settings = &visit.now.settings;
    let line = only_line(&head.headers).filter(|_| visit.is_http1());
    if line.is_some_and(|line| visit.link.let_in.holds(line, settings)) {
        return origin(&head.headers, settings);
    }
    let host = host(head).map_err(|message| bad("bad_host", message))?;
    if !is_known(&host, visit.link.local, settings) {
        let message = "the host this request names is not one of this gateway's; \
                       add it to server.hosts if it should be";
        return Err(Refusal::new(
            StatusCode::MISDIRECTED_REQUEST,
            "unknown_host",
            message.to_owned(),
        ));
    }
    if let Some(line) = line {
        visit.link.let_in.keep(line, settings);
    }
    origin(&head.headers, settings)
}

/// The `Host` under which a connection's requests were let in last: nearly always all of them name the same.
/// Good for the settings it was judged by.
#[derive(Default)]
pub(crate) struct LetIn(Mutex<Option<(HeaderValue, Weak<Settings>)>>);

impl LetIn {
    fn holds(&self, line: &HeaderValue, settings: &Arc<Settings>) -> bool {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // a handle, weak as it is, keeps the address from being used again
        let same = |by: &Weak<Settings>| std::ptr::eq(by.as_ptr(), Arc::as_ptr(settings));
        matches!(&*last, Some((known, by)) if known == line && same(by))
    }

    fn keep(&self, line: &HeaderValue, settings: &Arc<Settings>) {
        // a copy: the line itself holds the memory that the whole head was read into
        let copy = HeaderValue::from_bytes(line.as_bytes()).ok();
        let kept = copy.map(|line| (line, Arc::downgrade(settings)));
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = kept;
    }
}

/// The `Host` line, if there is exactly one.
fn only_line(headers: &HeaderMap) -> Option<&HeaderValue> {
    let mut lines = headers.get_all(header::HOST).iter();
    let line = lines.next();
    line.filter(|_| lines.next().is_none())
}

/// The one host that the request names.
fn host(head: &Parts) -> Result<Authority, &'static str> {
    let mut lines = head.headers.get_all(header::HOST).iter();
    let line = lines.next();
    if lines.next().is_some() {
        return Err("send exactly one Host header");
    }
    let line = line
        .map(|v| Authority::try_from(v.as_bytes()).map_err(|_| "the Host header is not a host"))
        .transpose()?;
    let named = match (head.version, head.uri.authority(), line) {
        (Version::HTTP_2, Some(authority), Some(line)) if *authority != line => {
            return Err("Host and :authority differ");
        }
        (Version::HTTP_2, Some(authority), _) => authority.clone(),
        (_, _, Some(line)) => line,
        (_, _, None) => return Err("send a Host header"),
    };
    let plain = !named.host().is_empty() && !named.as_str().contains('@');
    plain
        .then_some(named)
        .ok_or("the Host header is not a host")
}

fn is_known(authority: &Authority, local: Option<IpAddr>, settings: &Settings) -> bool {
    let host = authority.host();
    let host = host.strip_suffix('.').unwrap_or(host);
    let bare = host
        .strip_prefix('[')
        .and_then(|h| h.strip_suffix(']'))
        .unwrap_or(host);
    // an address is no name that somebody could have pointed at us
    let address = bare.parse::<IpAddr>().ok();
    let ours = address.is_some_and(|a| a.is_loopback() || local.is_some_and(|l| same(a, l)));
    let configured = |known: &String| {
        known == "*" || known.eq_ignore_ascii_case(host) || known.eq_ignore_ascii_case(bare)
    };
    ours || host.eq_ignore_ascii_case("localhost") || settings.hosts.iter().any(configured)
}

fn same(a: IpAddr, b: IpAddr) -> bool {
    a.to_canonical() == b.to_canonical()
}

fn origin(headers: &HeaderMap, settings: &Settings) -> Checked {
    let allowed = |value: &http::HeaderValue| {
        let known = |o: &String| o.as_bytes() == value.as_bytes();
        settings.origins.iter().any(known)
    };
    let mut origins = headers.get_all(header::ORIGIN).iter().peekable();
    let good = match origins.peek() {
        None => !is_from_another_site(headers),
        Some(_) => origins.all(allowed),
    };
    if good {
        return Ok(());
    }
    let message = "requests from web pages are refused; add the page's origin to server.origins if \
                   it should be let in";
    Err(Refusal::new(
        StatusCode::FORBIDDEN,
        "origin_not_allowed",
        message.to_owned(),
    ))
}

/// Whether a browser says that a page asks which is not ours: `same-site` is another port or subdomain
/// (W3C Fetch Metadata). What a person types, and whatever is no browser, says nothing of the kind.
fn is_from_another_site(headers: &HeaderMap) -> bool {
    let another = |value: &HeaderValue| {
        let others = [&b"cross-site"[..], b"same-site"];
        others
            .iter()
            .any(|o| value.as_bytes().eq_ignore_ascii_case(o))
    };
    headers.get_all("sec-fetch-site").iter().any(another)
}

/// Whether a request that carries nothing but a head may read what operators read.
pub(crate) fn is_local_name(head: &Parts, local: Option<IpAddr>, settings: &Settings) -> bool {
    host(head).is_ok_and(|h| is_known(&h, local, settings))
        && origin(&head.headers, settings).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::Request;

    fn parts(version: Version, uri: &str, hosts: &[&str]) -> Parts {
        let mut r = Request::builder().version(version).uri(uri);
        for host in hosts {
            r = r.header("host", *host);
        }
        r.body(()).unwrap().into_parts().0
    }

    fn named(version: Version, uri: &str, hosts: &[&str]) -> Result<String, &'static str> {
        host(&parts(version, uri, hosts)).map(|h| h.to_string())
    }

    #[test]
    fn exactly_one_host_is_named() {
        let (h1, h2) = (Version::HTTP_11, Version::HTTP_2);
        assert_eq!(
            named(h1, "/", &["localhost:8080"]).unwrap(),
            "localhost:8080"
        );
        assert_eq!(named(h2, "http://a:1/", &[]).unwrap(), "a:1");
        assert_eq!(named(h2, "http://a:1/", &["a:1"]).unwrap(), "a:1");
        for (version, uri, hosts) in [
            (h1, "/", &[][..]),
            (h1, "/", &["a", "b"]),
            (h1, "/", &["a", "a"]),
            (h1, "/", &[""]),
            (h1, "/", &["a@b"]),
            (h1, "/", &["a b"]),
            (h2, "http://a:1/", &["b:1"]),
        ] {
            assert!(
                named(version, uri, hosts).is_err(),
                "{version:?} {uri} {hosts:?}"
            );
        }
    }

    #[test]
    fn a_host_is_known_by_loopback_by_address_or_by_configuration() {
        let settings = Settings {
            hosts: vec!["Gate.example".into()],
            ..Settings::default()
        };
        let local = Some("192.168.1.5".parse().unwrap());
        let known = |h: &str| is_known(&h.parse().unwrap(), local, &settings);
        for good in [
            "localhost:1",
            "LOCALHOST",
            "localhost.",
            "127.0.0.1:80",
            "127.8.8.8",
            "[::1]:9",
            "192.168.1.5:8080",
            "[::ffff:192.168.1.5]",
            "gate.example:443",
        ] {
            assert!(known(good), "{good}");
        }
        for bad in [
            "evil.example",
            "localhost.evil.example",
            "192.168.1.6",
            "0.0.0.0",
            "gate.example.evil",
        ] {
            assert!(!known(bad), "{bad}");
        }
        let any = Settings {
            hosts: vec!["*".into()],
            ..Settings::default()
        };
        assert!(is_known(&"evil.example".parse().unwrap(), None, &any));
    }

    #[test]
    fn a_host_that_was_let_in_is_good_for_the_same_settings_only() {
        let (let_in, settings) = (LetIn::default(), Arc::new(Settings::default()));
        let line = HeaderValue::from_static("localhost:1");
        assert!(!let_in.holds(&line, &settings));
        let_in.keep(&line, &settings);
        assert!(let_in.holds(&line, &settings));
        let other = HeaderValue::from_static("localhost:2");
        assert!(!let_in.holds(&other, &settings));
        assert!(!let_in.holds(&line, &Arc::new(Settings::default())));
    }

    #[test]
    fn a_web_page_is_refused_unless_its_origin_is_configured() {
        let settings = Settings {
            origins: vec!["https://ui.example".into()],
            ..Settings::default()
        };
        let with = |lines: &[(&'static str, &'static str)]| {
            let mut map = HeaderMap::new();
            for (name, value) in lines {
                map.append(*name, HeaderValue::from_static(value));
            }
            origin(&map, &settings).is_ok()
        };
        let (ui, evil) = (
            ("origin", "https://ui.example"),
            ("origin", "https://evil.example"),
        );
        assert!(with(&[]) && with(&[ui]));
        assert!(!with(&[("origin", "null")]) && !with(&[evil]) && !with(&[ui, evil]));
        let site = |value| ("sec-fetch-site", value);
        assert!(with(&[site("none")]) && with(&[site("same-origin")]));
        assert!(with(&[site("cross-site"), ui]));
        for far in ["cross-site", "same-site", "Cross-Site"] {
            assert!(!with(&[site(far)]) && !with(&[site(far), evil]), "{far}");
        }
    }
}
