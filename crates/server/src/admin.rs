//! The administrative listener: metrics, health, status.
//!
//! It is not for callers: HTTP/1.1 without TLS, few connections, short clocks, keys of its own. The host and
//! origin rules of the public listener hold here too, or a web page could read it.

use crate::{front::is_local_name, gateway::Gateway, health, listen, load::Load};
use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use punctual_core::Upstream;
use std::{convert::Infallible, net::IpAddr, sync::Arc, time::Duration};
use tokio::{
    net::{TcpListener, TcpStream},
    time::timeout,
};

/// Connections at the same time; operators and scrapers are few.
const CONNECTIONS: usize = 32;
const IDLE: Duration = Duration::from_secs(30);
/// A connection is closed after this long whatever it does.
const AGE: Duration = Duration::from_secs(300);

/// Serves operators on `listener` for ever.
pub(crate) async fn listen<U: Upstream>(gateway: Arc<Gateway<U>>, listener: TcpListener) {
    let places = Arc::new(Load::default());
    loop {
        let Some((socket, _)) = listen::next(&listener).await else {
            continue;
        };
        if let Some(place) = places.take(CONNECTIONS) {
            let serve = connection(gateway.clone(), socket);
            gateway.tasks.spawn(async move {
                let _ = timeout(AGE, serve).await;
                drop(place);
            });
        }
    }
}

async fn connection<U: Upstream>(gateway: Arc<Gateway<U>>, socket: TcpStream) {
    let local = socket.local_addr().ok().map(|a| a.ip());
    let mut over = gateway.follow();
    let service = service_fn(|request| {
        let answer = answer(&gateway, local, request);
        async move { Ok::<_, Infallible>(answer) }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(IDLE);
    tokio::select! {
        _ = http.serve_connection(TokioIo::new(socket), service) => {}
        _ = over.wait_for(|s| *s == crate::shutdown::Stage::Over) => {}
    }
}

fn answer<U: Upstream>(
    gateway: &Gateway<U>,
    local: Option<IpAddr>,
    request: Request<Incoming>,
) -> Response<Full<Bytes>> {
    let now = gateway.current();
    let (head, _) = request.into_parts();
    let say = |status: StatusCode, text: &'static str| (status, "text/plain", text.into());
    let path = head.uri.path();
    let (status, kind, body): (_, _, Bytes) = if !is_local_name(&head, local, &now.settings) {
        say(StatusCode::MISDIRECTED_REQUEST, "unknown host\n")
    } else if head.method != Method::GET && head.method != Method::HEAD {
        say(StatusCode::METHOD_NOT_ALLOWED, "GET only\n")
    } else if now.admin_keys.check(&head.headers).is_err() {
        say(
            StatusCode::UNAUTHORIZED,
            "send Authorization: Bearer <key>\n",
        )
    } else {
        let json = "application/json";
        match (path, path.strip_prefix("/readyz/")) {
            ("/metrics", _) => {
                let text = (gateway.hooks.metrics)(&gateway.stats());
                (StatusCode::OK, METRICS, text.into())
            }
            ("/healthz", _) => (StatusCode::OK, json, health::live()),
            ("/status", _) => (StatusCode::OK, json, health::status(gateway)),
            ("/readyz", _) => {
                let (status, body) = health::ready(gateway, &now, None);
                (status, json, body)
            }
            (_, Some(route)) => {
                let (status, body) = health::ready(gateway, &now, Some(route));
                (status, json, body)
            }
            _ => say(StatusCode::NOT_FOUND, "/metrics /healthz /readyz /status\n"),
        }
    };
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static(kind);
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

/// Prometheus' text format (<https://prometheus.io/docs/instrumenting/exposition_formats/>). Under the type of
/// OpenMetrics a scrape of it fails for want of the closing `# EOF`.
const METRICS: &str = "text/plain; version=0.0.4; charset=utf-8";
