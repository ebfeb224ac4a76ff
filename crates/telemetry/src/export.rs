//! Sends what was gathered to a collector, away from the requests.
//!
//! One task per signal. It sleeps until its interval is over, a batch is full or a flush is asked for,
//! takes what is there and sends it; meanwhile the bounded [`Outbox`](outbox::Outbox) fills and, when full,
//! drops and counts. A task ends when its [`Telemetry`](crate::Telemetry) is gone.

use crate::settings::Endpoint;
use bytes::Bytes;
use client::{Client, Delivery};
use opentelemetry_proto::tonic::collector::{
    metrics::v1::ExportMetricsServiceResponse, trace::v1::ExportTraceServiceResponse,
};
use outbox::Outbox;
use prost::Message;
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::sync::{Notify, mpsc, oneshot};
use tokio_util::task::TaskTracker;

mod client;
mod connect;
pub(crate) mod outbox;
mod resource;
mod tasks;

pub(crate) use connect::Trust;
pub(crate) use resource::Envelope;
pub(crate) use tasks::Tasks;

/// Asks a task to send all it has; the answer comes when it was sent or given up.
pub(crate) type Flush = oneshot::Sender<()>;

/// What the spans' task works on.
pub(crate) struct Spans {
    pub(crate) endpoint: Endpoint,
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) ready: Arc<Notify>,
    pub(crate) delay: Duration,
    pub(crate) envelope: Envelope,
}

impl Spans {
    pub(crate) async fn run(
        self,
        trust: Trust,
        tracker: TaskTracker,
        mut asked: mpsc::Receiver<Flush>,
    ) {
        let mut client = Client::new(self.endpoint.clone(), trust, tracker);
        loop {
            let flush = tokio::select! {
                () = tokio::time::sleep(self.delay) => None,
                () = self.ready.notified() => None,
                flush = asked.recv() => match flush {
                    Some(flush) => Some(flush),
                    None => return,
                },
            };
            while let Some(chunk) = self.outbox.take() {
                let spans = Bytes::from(chunk.bytes);
                let head = self.envelope.before(spans.len());
                let delivery = client.send(head, spans.clone()).await;
                if spans.is_unique() {
                    self.outbox.recycle(spans.into());
                }
                let lost = match delivery {
                    Delivery::Done(answer) => rejected_spans(&answer),
                    Delivery::Lost => chunk.items as u64,
                };
                self.outbox.lost(lost);
            }
            if let Some(flush) = flush {
                let _ = flush.send(());
            }
        }
    }
}

fn rejected_spans(answer: &[u8]) -> u64 {
    let partial = ExportTraceServiceResponse::decode(answer)
        .ok()
        .and_then(|r| r.partial_success);
    partial.map_or(0, |p| u64::try_from(p.rejected_spans).unwrap_or(0))
}

/// What the metrics' task works on.
pub(crate) struct Metrics {
    pub(crate) endpoint: Endpoint,
    pub(crate) interval: Duration,
    /// The registry as an encoded export request, while there is one.
    pub(crate) encode: Box<dyn Fn() -> Option<Vec<u8>> + Send + Sync>,
    pub(crate) lost: Arc<AtomicU64>,
}

impl Metrics {
    pub(crate) async fn run(
        self,
        trust: Trust,
        tracker: TaskTracker,
        mut asked: mpsc::Receiver<Flush>,
    ) {
        let mut client = Client::new(self.endpoint.clone(), trust, tracker);
        loop {
            let flush = tokio::select! {
                () = tokio::time::sleep(self.interval) => None,
                flush = asked.recv() => match flush {
                    Some(flush) => Some(flush),
                    None => return,
                },
            };
            let Some(request) = (self.encode)() else {
                return;
            };
            let lost = match client.send(request.into(), Bytes::new()).await {
                Delivery::Done(answer) => rejected_points(&answer),
                Delivery::Lost => 1,
            };
            self.lost.fetch_add(lost, Relaxed);
            if let Some(flush) = flush {
                let _ = flush.send(());
            }
        }
    }
}

fn rejected_points(answer: &[u8]) -> u64 {
    let partial = ExportMetricsServiceResponse::decode(answer)
        .ok()
        .and_then(|r| r.partial_success);
    partial.map_or(0, |p| u64::try_from(p.rejected_data_points).unwrap_or(0))
}
