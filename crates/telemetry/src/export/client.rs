//! Delivers one export: over a kept connection, again where the collector asks for it, then not at all.
//!
//! What may be tried again is what OTLP says
//! (<https://opentelemetry.io/docs/specs/otlp/#otlphttp-response>): 429, 502, 503, 504, and a connection
//! that failed. Five tries with pauses that double from one second, or as long as `Retry-After` asks for up
//! to half a minute; then the export is lost, and its owner counts it.

use super::connect::{Export, Sender, Trust, connect};
use crate::settings::Endpoint;
use bytes::{Buf, Bytes, BytesMut};
use http::{
    HeaderValue, Method, Request, StatusCode,
    header::{CONTENT_TYPE, HOST, RETRY_AFTER, USER_AGENT},
};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use std::{io, time::Duration};
use tokio_util::task::TaskTracker;

const TRIES: u32 = 5;
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// An answer is a few bytes; more of it is not read.
const ANSWER: usize = 64 * 1024;

/// What became of an export.
#[derive(Debug)]
pub(super) enum Delivery {
    /// Taken, with the collector's answer.
    Done(Bytes),
    /// Refused or undeliverable.
    Lost,
}

enum Try {
    Done(Bytes),
    Later(Option<Duration>),
    Never(StatusCode),
}

/// A client for one endpoint.
pub(super) struct Client {
    endpoint: Endpoint,
    trust: Trust,
    tracker: TaskTracker,
    connection: Option<Sender>,
    /// Whether the last export was lost; said once, not each time.
    failing: bool,
}

impl Client {
    pub(super) fn new(endpoint: Endpoint, trust: Trust, tracker: TaskTracker) -> Self {
        Self {
            endpoint,
            trust,
            tracker,
            connection: None,
            failing: false,
        }
    }

    /// Sends an encoded request, which is `head` and `rest`.
    pub(super) async fn send(&mut self, head: Bytes, rest: Bytes) -> Delivery {
        let body = [head, rest];
        let mut pause = FIRST_PAUSE;
        for attempt in 1..=TRIES {
            let asked = match self.once(&body).await {
                Ok(Try::Done(answer)) => {
                    self.failing = false;
                    return Delivery::Done(answer);
                }
                Ok(Try::Never(status)) => {
                    self.complain(&format!("it answered {status}"));
                    return Delivery::Lost;
                }
                Ok(Try::Later(asked)) => asked,
                Err(error) => {
                    self.complain(&error.to_string());
                    None
                }
            };
            if attempt < TRIES {
                tokio::time::sleep(asked.unwrap_or(pause).min(LONGEST_PAUSE)).await;
                pause *= 2;
            }
        }
        self.complain("it took nothing");
        Delivery::Lost
    }

    fn complain(&mut self, why: &str) {
        if !std::mem::replace(&mut self.failing, true) {
            let host = self.endpoint.uri.host().unwrap_or_default();
            tracing::warn!("telemetry does not reach the collector at {host}: {why}");
        }
    }

    async fn once(&mut self, body: &[Bytes; 2]) -> io::Result<Try> {
        let limit = self.endpoint.timeout;
        let exchange = tokio::time::timeout(limit, self.exchange(body)).await;
        let answer = exchange.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
        if answer.is_err() {
            self.connection = None;
        }
        answer
    }

    async fn exchange(&mut self, body: &[Bytes; 2]) -> io::Result<Try> {
        let kept = match self.connection.take() {
            Some(mut sender) => sender.ready().await.is_ok().then_some(sender),
            None => None,
        };
        let mut sender = match kept {
            Some(sender) => sender,
            None => connect(&self.endpoint.uri, &self.trust, &self.tracker).await?,
        };
        let response = sender
            .send_request(self.request(body)?)
            .await
            .map_err(io::Error::other)?;
        let status = response.status();
        let asked = response.headers().get(RETRY_AFTER).and_then(seconds);
        let answer = read(response.into_body()).await?;
        self.connection = Some(sender);
        Ok(match status.as_u16() {
            200..=299 => Try::Done(answer),
            429 | 502 | 503 | 504 => Try::Later(asked),
            _ => Try::Never(status),
        })
    }

    fn request(&self, [head, rest]: &[Bytes; 2]) -> io::Result<Request<Export>> {
        let uri = &self.endpoint.uri;
        let path = uri.path_and_query().map_or("/", |p| p.as_str());
        let host = uri.authority().map_or("", |a| a.as_str());
        let mut request = Request::builder()
            .method(Method::POST)
            .uri(path)
            .header(HOST, host)
            .header(
                CONTENT_TYPE,
                HeaderValue::from_static("application/x-protobuf"),
            )
            .header(
                USER_AGENT,
                HeaderValue::from_static(concat!("punctual/", env!("CARGO_PKG_VERSION"))),
            )
            .body(Full::new(head.clone().chain(rest.clone())))
            .map_err(io::Error::other)?;
        let own = request.headers_mut();
        for (name, value) in &self.endpoint.headers {
            own.insert(name.clone(), value.clone());
        }
        Ok(request)
    }
}

fn seconds(value: &HeaderValue) -> Option<Duration> {
    value
        .to_str()
        .ok()?
        .trim()
        .parse()
        .ok()
        .map(Duration::from_secs)
}

async fn read(mut body: Incoming) -> io::Result<Bytes> {
    let mut out = BytesMut::new();
    while let Some(frame) = body.frame().await {
        if let Ok(data) = frame.map_err(io::Error::other)?.into_data() {
            if out.len() + data.len() > ANSWER {
                return Err(io::Error::other("its answer is too long"));
            }
            out.extend_from_slice(&data);
        }
    }
    Ok(out.freeze())
}
