//! A collector on a real socket: keeps what it is sent, answers what it is told to.

use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use opentelemetry_proto::tonic::{
    collector::trace::v1::ExportTraceServiceRequest, common::v1::any_value::Value, trace::v1::Span,
};
use prost::Message;
use std::{
    collections::VecDeque,
    convert::Infallible,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering::Relaxed},
    },
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpListener,
    sync::Notify,
};
use tokio_util::task::TaskTracker;

pub(super) struct Received {
    pub(super) path: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

#[derive(Default)]
pub(super) struct Collector {
    pub(super) received: Mutex<Vec<Received>>,
    /// What to answer next; 200 when there is nothing.
    pub(super) answers: Mutex<VecDeque<(u16, Vec<u8>)>>,
    pub(super) connections: AtomicU32,
    arrived: Notify,
}

impl Collector {
    /// Listens; the address is for `http://`.
    pub(super) async fn listen() -> (Arc<Self>, String) {
        let (collector, listener, address) = Self::bind().await;
        let serving = collector.clone();
        TaskTracker::new().spawn(async move {
            while let Ok((tcp, _)) = listener.accept().await {
                serving.clone().serve(tcp);
            }
        });
        (collector, format!("http://{address}"))
    }

    /// Listens with TLS; the address is for `https://`.
    pub(super) async fn listen_tls(acceptor: tokio_rustls::TlsAcceptor) -> (Arc<Self>, String) {
        let (collector, listener, address) = Self::bind().await;
        let serving = collector.clone();
        TaskTracker::new().spawn(async move {
            while let Ok((tcp, _)) = listener.accept().await {
                if let Ok(tls) = acceptor.accept(tcp).await {
                    serving.clone().serve(tls);
                }
            }
        });
        (collector, format!("https://localhost:{}", address.port()))
    }

    async fn bind() -> (Arc<Self>, TcpListener, std::net::SocketAddr) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        (Arc::default(), listener, address)
    }

    fn serve(self: Arc<Self>, io: impl AsyncRead + AsyncWrite + Send + Unpin + 'static) {
        self.connections.fetch_add(1, Relaxed);
        TaskTracker::new().spawn(async move {
            let service = service_fn(|request| self.take(request));
            let _ = http1::Builder::new()
                .serve_connection(TokioIo::new(io), service)
                .await;
        });
    }

    async fn take(&self, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
        let (head, body) = request.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        let path = head.uri.path().to_owned();
        let headers = head.headers;
        self.received.lock().unwrap().push(Received {
            path,
            headers,
            body,
        });
        self.arrived.notify_one();
        let answer = self.answers.lock().unwrap().pop_front();
        let (status, body) = answer.unwrap_or((200, Vec::new()));
        let mut response = Response::new(Full::new(Bytes::from(body)));
        *response.status_mut() = status.try_into().unwrap();
        let asked = http::HeaderValue::from_static("0");
        response.headers_mut().insert("retry-after", asked);
        Ok(response)
    }

    /// Requests so far.
    pub(super) fn requests(&self) -> usize {
        self.received.lock().unwrap().len()
    }

    /// All spans so far.
    pub(super) fn spans(&self) -> Vec<Span> {
        let received = self.received.lock().unwrap();
        let bodies = received
            .iter()
            .filter(|r| r.path == "/v1/traces")
            .map(|r| r.body.clone());
        bodies
            .flat_map(|body| {
                ExportTraceServiceRequest::decode(body)
                    .unwrap()
                    .resource_spans
            })
            .flat_map(|r| r.scope_spans)
            .flat_map(|s| s.spans)
            .collect()
    }

    /// Waits until a span of this name is there.
    pub(super) async fn until(&self, name: &str) -> Span {
        loop {
            if let Some(span) = self.spans().into_iter().find(|s| s.name == name) {
                return span;
            }
            self.arrived.notified().await;
        }
    }
}

/// An attribute as text; an empty one for none.
pub(super) fn said(span: &Span, key: &str) -> String {
    let found = span.attributes.iter().find(|a| a.key == key);
    let value = found.and_then(|a| a.value.clone()).and_then(|v| v.value);
    fn text(value: Value) -> String {
        match value {
            Value::StringValue(s) => s,
            Value::IntValue(n) => n.to_string(),
            Value::BoolValue(b) => b.to_string(),
            Value::DoubleValue(d) => d.to_string(),
            Value::ArrayValue(a) => {
                let all: Vec<_> = a
                    .values
                    .into_iter()
                    .filter_map(|v| v.value)
                    .map(text)
                    .collect();
                format!("[{}]", all.join(","))
            }
            other => panic!("{other:?}"),
        }
    }
    value.map(text).unwrap_or_default()
}
