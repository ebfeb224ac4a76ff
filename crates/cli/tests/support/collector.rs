//! An OTLP collector: takes protobuf over HTTP on a socket and keeps the decoded spans.

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper_util::rt::TokioIo;
use opentelemetry_proto::tonic::{
    collector::{metrics::v1::ExportMetricsServiceRequest, trace::v1::ExportTraceServiceRequest},
    common::v1::{KeyValue, any_value::Value},
    trace::v1::Span,
};
use prost::Message;
use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{net::TcpListener, sync::Notify, time::timeout};

#[derive(Default)]
struct Got {
    spans: Mutex<Vec<Span>>,
    metrics: Mutex<Vec<ExportMetricsServiceRequest>>,
    changed: Notify,
}

pub struct Collector {
    pub addr: SocketAddr,
    got: Arc<Got>,
    task: tokio::task::JoinHandle<()>,
}

impl Collector {
    #[expect(clippy::disallowed_methods, reason = "the collector's own connections")]
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let got = Arc::new(Got::default());
        let mine = got.clone();
        let task = tokio::spawn(async move {
            while let Ok((tcp, _)) = listener.accept().await {
                let got = mine.clone();
                tokio::spawn(async move {
                    let service = hyper::service::service_fn(move |r| take(r, got.clone()));
                    let _ = hyper::server::conn::http1::Builder::new()
                        .serve_connection(TokioIo::new(tcp), service)
                        .await;
                });
            }
        });
        Self { addr, got, task }
    }

    /// Environment that makes a gateway send here, soon.
    pub fn env(&self) -> Vec<(String, String)> {
        let of = |n: &str, v: String| (n.to_owned(), v);
        vec![
            of(
                "OTEL_EXPORTER_OTLP_ENDPOINT",
                format!("http://{}", self.addr),
            ),
            of("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf".into()),
            of("OTEL_BSP_SCHEDULE_DELAY", "50".into()),
        ]
    }

    pub fn spans(&self) -> Vec<Span> {
        self.got.spans.lock().unwrap().clone()
    }

    pub fn metrics(&self) -> Vec<ExportMetricsServiceRequest> {
        self.got.metrics.lock().unwrap().clone()
    }

    /// Waits until the spans satisfy `enough`.
    pub async fn wait(&self, enough: impl Fn(&[Span]) -> bool) -> Vec<Span> {
        let waited = timeout(Duration::from_secs(10), async {
            loop {
                let changed = self.got.changed.notified();
                if enough(&self.spans()) {
                    return;
                }
                changed.await;
            }
        });
        assert!(
            waited.await.is_ok(),
            "spans missing: {:#?}",
            self.spans().iter().map(|s| &s.name).collect::<Vec<_>>()
        );
        self.spans()
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn take(
    request: http::Request<hyper::body::Incoming>,
    got: Arc<Got>,
) -> Result<http::Response<Empty<Bytes>>, hyper::Error> {
    let path = request.uri().path().to_owned();
    let body = request.into_body().collect().await?.to_bytes();
    if path.ends_with("/v1/traces") {
        let export = ExportTraceServiceRequest::decode(body).expect("valid protobuf");
        let spans = export
            .resource_spans
            .into_iter()
            .flat_map(|r| r.scope_spans)
            .flat_map(|s| s.spans);
        got.spans.lock().unwrap().extend(spans);
    } else {
        got.metrics
            .lock()
            .unwrap()
            .push(ExportMetricsServiceRequest::decode(body).expect("valid protobuf"));
    }
    got.changed.notify_waiters();
    Ok(http::Response::new(Empty::new()))
}

/// An attribute as text; `None` when it is not there.
pub fn attribute(attributes: &[KeyValue], name: &str) -> Option<String> {
    let value = attributes
        .iter()
        .find(|a| a.key == name)?
        .value
        .as_ref()?
        .value
        .as_ref()?;
    Some(match value {
        Value::StringValue(s) => s.clone(),
        Value::BoolValue(b) => b.to_string(),
        Value::IntValue(i) => i.to_string(),
        Value::DoubleValue(d) => d.to_string(),
        other => format!("{other:?}"),
    })
}
