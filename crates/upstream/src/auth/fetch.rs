//! One small HTTP exchange with whoever hands out credentials.
//!
//! A connection of its own, HTTP/1.1, closed afterwards: tokens are fetched once an hour. It is dialled as
//! any other, so that proxies, trust and the cache of names are the same, and it belongs to the future that
//! asks: dropping that closes it.

use super::{form, refusal::Refusal};
use crate::{
    address::Address,
    aside::Aside,
    dial::Proxied,
    http1::Driven,
    pool::{Pool, count},
    pools::Pools,
    request::Payload,
    spec::{EgressProxy, Endpoint, Fault, TargetSpec, Tls},
};
use bytes::{Bytes, BytesMut};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode, Uri, header};
use hyper::{body::Body, client::conn::http1::Builder};
use std::{
    future::poll_fn,
    net::IpAddr,
    pin::{Pin, pin},
    sync::Arc,
    time::Duration,
};
use tokio::time::timeout;

/// Whether no one between can read what is sent to `url`: it is https, this machine, or one of `known` hosts.
pub(super) fn is_private(url: &str, known: &[&str]) -> bool {
    let Ok(uri) = url.parse::<Uri>() else {
        return false;
    };
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    let loopback = host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    let known = loopback || host == "localhost" || known.contains(&host);
    uri.scheme_str() == Some("https") || known
}

/// What a token or an error of a token endpoint takes, many times over.
const BODY: usize = 64 * 1024;
/// How long an exchange may take, connecting included, where the attempt allows more.
const LIMIT: Duration = Duration::from_secs(10);
/// Metadata services are in the same rack, or not there at all.
const LOCAL_LIMIT: Duration = Duration::from_secs(2);

/// How the services of one target are reached.
pub(super) struct Reach<'a> {
    pools: &'a Arc<Pools>,
    name: Arc<str>,
    tls: Tls,
    proxy: Option<&'a EgressProxy>,
}

impl<'a> Reach<'a> {
    /// As the target itself, but as nobody: its authorities are trusted beside the platform's.
    pub(super) fn of(spec: &'a TargetSpec, pools: &'a Arc<Pools>) -> Self {
        Self {
            pools,
            name: format!("{} (credential)", spec.name).into(),
            tls: Tls {
                ca_pem: spec.endpoint.tls.ca_pem.clone(),
                ..Tls::default()
            },
            proxy: spec.endpoint.proxy.as_ref(),
        }
    }

    /// Where what takes long is done.
    pub(super) fn aside(&self) -> Aside {
        self.pools.aside.clone()
    }
}

/// A service that hands out credentials.
pub(super) struct Service {
    /// In messages.
    pub(super) what: &'static str,
    pool: Arc<Pool>,
    address: Address,
    path: String,
    limit: Duration,
}

/// What it answered.
pub(super) struct Reply {
    pub(super) status: StatusCode,
    pub(super) body: Bytes,
}

impl Service {
    /// At `url`, which `field` says.
    pub(super) fn new(
        what: &'static str,
        field: &'static str,
        url: &str,
        reach: &Reach<'_>,
    ) -> Result<Self, Fault> {
        Self::reached(what, field, url, reach, reach.proxy, LIMIT)
    }

    /// One on this machine or beside it: no proxy leads there.
    pub(super) fn local(
        what: &'static str,
        field: &'static str,
        url: &str,
        reach: &Reach<'_>,
    ) -> Result<Self, Fault> {
        Self::reached(what, field, url, reach, None, LOCAL_LIMIT)
    }

    fn reached(
        what: &'static str,
        field: &'static str,
        url: &str,
        reach: &Reach<'_>,
        proxy: Option<&EgressProxy>,
        limit: Duration,
    ) -> Result<Self, Fault> {
        let bad = |problem: String| {
            let fix = "write it as https://host[:port][/path]";
            Fault::new(field, "", problem, fix)
        };
        let uri: Uri = url.parse().map_err(|_| bad("is not a URL".to_owned()))?;
        let origin = match (uri.scheme_str(), uri.authority()) {
            (Some(scheme), Some(authority)) => format!("{scheme}://{authority}"),
            _ => return Err(bad("is not a URL with a scheme and a host".to_owned())),
        };
        let address = Address::parse(&origin, "").map_err(|fault| bad(fault.problem))?;
        let endpoint = Endpoint {
            base_url: origin,
            http2: false,
            tls: reach.tls.clone(),
            proxy: proxy.cloned(),
        };
        let pool = reach.pools.pool(&reach.name, &address, &endpoint)?;
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        Ok(Self {
            what,
            pool,
            address,
            path: path.to_owned(),
            limit,
        })
    }

    /// Where the service is, without its host, as it is sent.
    pub(super) fn uri(&self) -> Uri {
        self.address.origin_form(&self.path)
    }

    /// As in the `Host` header.
    pub(super) fn authority(&self) -> &str {
        &self.address.authority
    }

    /// `GET`, below the service's own path.
    pub(super) async fn get(
        &self,
        below: &str,
        headers: &[(HeaderName, HeaderValue)],
    ) -> Result<Reply, Refusal> {
        self.ask(Method::GET, below, headers, Bytes::new()).await
    }

    /// `POST` of a form, by whom `client` says.
    pub(super) async fn post(
        &self,
        client: Option<&HeaderValue>,
        fields: &[(&str, &str)],
    ) -> Result<Reply, Refusal> {
        let kind = HeaderValue::from_static("application/x-www-form-urlencoded");
        let mut headers = vec![(header::CONTENT_TYPE, kind)];
        headers.extend(client.map(|client| (header::AUTHORIZATION, client.clone())));
        let body = form::encode_fields(fields).into();
        self.ask(Method::POST, "", &headers, body).await
    }

    /// Any request. The reply is whatever was answered, whatever its status.
    pub(super) async fn ask(
        &self,
        method: Method,
        below: &str,
        headers: &[(HeaderName, HeaderValue)],
        body: Bytes,
    ) -> Result<Reply, Refusal> {
        let request = self.request(method, below, headers, body);
        let exchange = Box::pin(self.exchange(request));
        match timeout(self.limit, exchange).await {
            Ok(reply) => reply,
            Err(_) => {
                let late = format!("no answer within {} s", self.limit.as_secs());
                Err(Refusal::unreachable(self.what, late))
            }
        }
    }

    fn request(
        &self,
        method: Method,
        below: &str,
        headers: &[(HeaderName, HeaderValue)],
        body: Bytes,
    ) -> Request<Payload> {
        let path = match below.is_empty() {
            true => self.path.clone(),
            false => format!("{}{below}", self.path.trim_end_matches('/')),
        };
        let mut request = Request::new(Payload::new(vec![body]));
        *request.method_mut() = method;
        *request.uri_mut() = match self.pool.place.proxied() {
            Proxied::Forward => self.address.absolute_form(&path),
            _ => self.address.origin_form(&path),
        };
        let all = request.headers_mut();
        if let Some(host) = self.address.host_header() {
            all.insert(header::HOST, host);
        }
        if let Some(auth) = self.pool.place.forward_auth() {
            all.insert(header::PROXY_AUTHORIZATION, auth.clone());
        }
        all.insert(header::ACCEPT, HeaderValue::from_static("*/*"));
        all.extend(headers.iter().cloned().collect::<HeaderMap>());
        request
    }

    async fn exchange(&self, request: Request<Payload>) -> Result<Reply, Refusal> {
        let pool = &self.pool;
        count(&pool.counts.dials);
        let dialled = pool
            .dialer
            .dial(&pool.place, pool.counts.open.clone())
            .await;
        let dialled = dialled.map_err(|why| {
            count(&pool.counts.failed_dials);
            Refusal::unreachable(self.what, why)
        })?;
        let broken = || Refusal::unreachable(self.what, "the connection broke");
        let shaken = Builder::new().handshake(dialled.io).await;
        let (mut sender, conn) = shaken.map_err(|_| broken())?;
        let mut driven = Driven::new(conn, dialled.wire);
        let mut answer = pin!(sender.send_request(request));
        let answer = poll_fn(|cx| driven.poll(cx, |cx| answer.as_mut().poll(cx)));
        let answer = answer.await.ok_or_else(broken)?.map_err(|_| broken())?;
        let (head, mut body) = answer.into_parts();
        let mut whole = BytesMut::new();
        loop {
            let frame = poll_fn(|cx| driven.poll(cx, |cx| Pin::new(&mut body).poll_frame(cx)));
            let Some(frame) = frame.await.flatten() else {
                break;
            };
            if let Ok(data) = frame.map_err(|_| broken())?.into_data() {
                whole.extend_from_slice(&data);
            }
            if whole.len() > BODY {
                return Err(Refusal::unusable(self.what));
            }
        }
        Ok(Reply {
            status: head.status,
            body: whole.freeze(),
        })
    }
}
