//! A web page that may ask, and what its browser has to hear.
//!
//! Which pages may is `server.origins`, judged at the door. A browser asks first whether the page may send what
//! it wants to send (a preflight, which carries no key), and hands the page an answer only if that names the
//! page's origin (<https://fetch.spec.whatwg.org/#http-cors-protocol>). Keys come in headers that the page sets
//! itself; cookies are nothing to us, so credentials are not offered.

use super::{Visit, place::Place};
use crate::answer::{self, Answered};
use http::{HeaderMap, HeaderValue, Method, header, request::Parts};
use punctual_core::Upstream;

/// How long a browser need not ask again, in seconds; few keep to more.
const MAX_AGE: HeaderValue = HeaderValue::from_static("600");

/// The origin of a page.
#[derive(Clone, Debug)]
pub(crate) struct Page(HeaderValue);

impl Page {
    /// The page behind a request, if a browser names one. Whether it is let in is judged at the door.
    pub(super) fn of(headers: &HeaderMap) -> Option<Self> {
        headers.get(header::ORIGIN).cloned().map(Self)
    }

    /// Lets it read an answer, and every header of it.
    pub(crate) fn stamp(&self, headers: &mut HeaderMap) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, self.0.clone());
        let all = HeaderValue::from_static("*");
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, all);
        let by = HeaderValue::from_static("origin");
        headers.insert(header::VARY, by);
    }
}

/// Whether a browser asks for a page what it may send.
pub(super) fn is_preflight(head: &Parts) -> bool {
    head.method == Method::OPTIONS
        && head.headers.contains_key(header::ORIGIN)
        && head
            .headers
            .contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// What it may: whatever this place takes, with every header that it names.
pub(super) fn preflight<U: Upstream>(
    visit: &Visit<U>,
    place: Place<'_>,
    head: &Parts,
) -> Answered<U> {
    let mut headers = HeaderMap::with_capacity(8);
    let methods = HeaderValue::from_static(place.methods().unwrap_or_default());
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, methods);
    // by name: a wildcard leaves out Authorization
    if let Some(asked) = head.headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, asked.clone());
    }
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, MAX_AGE);
    answer::empty(visit, headers)
}
