use super::*;
use crate::scene::{self, Act, Refuses, Scene};
use collector::{Collector, said};
use opentelemetry_proto::tonic::{
    collector::{
        metrics::v1::ExportMetricsServiceRequest,
        trace::v1::{ExportTracePartialSuccess, ExportTraceServiceResponse},
    },
    trace::v1::Span,
};
use prost::Message;
use punctual_core::{Code, SpanId, Trace};
use std::sync::atomic::Ordering::Relaxed;

mod collector;
mod delivery;
mod tree;

const LONG: Duration = Duration::from_secs(20);

fn settings(address: &str, more: &[(&str, &str)]) -> Settings {
    let of = |name: &str| match name {
        "OTEL_EXPORTER_OTLP_ENDPOINT" => Some(address.to_owned()),
        _ => {
            let pair = more.iter().find(|(k, _)| *k == name);
            pair.map(|(_, v)| (*v).to_owned())
        }
    };
    Settings::from_env(of).with_log(LogFormat::Off)
}

/// Plays a scene and gives back its spans.
async fn spans(scene: Scene, more: &[(&str, &str)]) -> Vec<Span> {
    let (collector, address) = Collector::listen().await;
    let telemetry = Telemetry::start(settings(&address, more)).unwrap();
    scene.play(telemetry.observer()).await;
    assert!(telemetry.flush(LONG).await);
    collector.spans()
}

fn named<'a>(spans: &'a [Span], name: &str) -> Vec<&'a Span> {
    spans.iter().filter(|s| s.name == name).collect()
}

fn ms(span: &Span) -> f64 {
    (span.end_time_unix_nano - span.start_time_unix_nano) as f64 / 1e6
}

#[tokio::test]
async fn a_wait_is_exported_as_it_closes_while_its_attempt_is_held() {
    let (collector, address) = Collector::listen().await;
    let more = [("OTEL_BSP_SCHEDULE_DELAY", "5")];
    let telemetry = Telemetry::start(settings(&address, &more)).unwrap();
    let mut scene = Scene::of(vec![vec![Act::Hangs, Act::Hangs]]);
    scene.held = Some(Duration::from_millis(30));
    scene.stream = false;
    let playing = scene.play(telemetry.observer());
    let waiting = tokio::time::timeout(LONG, collector.until("queue.wait"));
    let wait = tokio::select! {
        _ = playing => panic!("the attempt is never over"),
        wait = waiting => wait.unwrap(),
    };
    assert!((29.0..150.0).contains(&ms(&wait)), "{} ms", ms(&wait));
    assert_eq!(collector.spans().len(), 1, "nothing else has ended");
}

#[tokio::test]
async fn a_cancelled_request_is_cancelled_on_every_span_that_was_open() {
    for (act, phase) in [(Act::Hangs, "awaiting_content"), (Act::Stalls, "streaming")] {
        let mut scene = Scene::of(vec![vec![act]]);
        scene.leaves = Some(Duration::from_millis(20));
        let all = spans(scene, &[]).await;
        for name in ["request.chat", "resilience.attempt", "upstream.chat"] {
            let span = named(&all, name)[0];
            assert_eq!(said(span, "error.type"), "client_disconnected", "{name}");
            assert_eq!(span.status.as_ref().unwrap().code, 2, "{name}");
        }
        let request = named(&all, "request.chat")[0];
        assert_eq!(said(request, "punctual.outcome"), "cancelled");
        assert_eq!(said(request, "punctual.reason"), "gone");
        assert_eq!(said(request, "punctual.phase"), phase);
        let status = if phase == "streaming" { "200" } else { "499" };
        assert_eq!(said(request, "http.response.status_code"), status);
        assert!(named(&all, "queue.wait")[0].status.is_none(), "it was over");
    }
}

#[tokio::test]
async fn an_expired_wait_says_why_on_its_span() {
    let mut scene = Scene::of(vec![vec![]]);
    scene.held = Some(Duration::from_millis(60));
    scene.deadline = Duration::from_millis(20);
    let all = spans(scene, &[]).await;
    let wait = named(&all, "queue.wait")[0];
    assert_eq!(said(wait, "punctual.queue.admitted"), "false");
    assert_eq!(said(wait, "punctual.reason"), "deadline");
    assert_eq!(said(wait, "error.type"), "request_deadline_exceeded");
    let request = named(&all, "request.chat")[0];
    assert_eq!(said(request, "http.response.status_code"), "504");
    assert_eq!(said(request, "punctual.phase"), "queued");
    let message = &request.status.as_ref().unwrap().message;
    assert!(message.contains("deadline of 20 ms"), "{message}");
}

#[tokio::test]
async fn a_members_own_timeout_is_named_with_its_limit() {
    let all = spans(Scene::of(vec![vec![Act::Hangs, Act::Hangs]]), &[]).await;
    for attempt in named(&all, "resilience.attempt") {
        assert_eq!(said(attempt, "error.type"), "timeout");
        assert_eq!(
            said(attempt, "punctual.timeout_type"),
            "first_token_timeout"
        );
        assert_eq!(said(attempt, "punctual.limit_ms"), "40");
    }
    let request = named(&all, "request.chat")[0];
    assert_eq!(said(request, "error.type"), "timeout");
    assert_eq!(said(request, "punctual.outcome"), "failed");
}

#[tokio::test]
async fn a_trace_that_is_not_sampled_is_exported_only_if_something_in_it_failed() {
    let unsampled = |targets| {
        let mut scene = Scene::of(targets);
        scene.trace = Trace {
            parent: Some(SpanId::mint()),
            sampled: false,
            ..Trace::root()
        };
        scene
    };
    assert!(
        spans(unsampled(vec![vec![Act::Answers(1)]]), &[])
            .await
            .is_empty()
    );
    let refuses = Refuses(1, Code::Unauthorized, 401);
    let failed = unsampled(vec![vec![refuses], vec![Act::Answers(1)]]);
    let all = spans(failed, &[]).await;
    assert_eq!(all.len(), 7, "the whole tree");
    let off = [("OTEL_TRACES_SAMPLER", "always_off")];
    assert!(
        spans(Scene::of(vec![vec![Act::Answers(1)]]), &off)
            .await
            .is_empty()
    );
    let (collector, address) = Collector::listen().await;
    let telemetry = Telemetry::start(settings(&address, &off)).unwrap();
    scene::reject(telemetry.observer());
    telemetry.flush(LONG).await;
    let request = &collector.spans()[0];
    assert_eq!(said(request, "error.type"), "invalid_request_deadline");
    let mut trace = Trace::root();
    telemetry.sample(&mut trace);
    assert!(!trace.sampled, "the upstream is told");
}

#[tokio::test]
async fn the_prefix_of_attributes_and_metrics_is_configured() {
    let (collector, address) = Collector::listen().await;
    let telemetry = Telemetry::start(settings(&address, &[]).with_prefix("agentproxy")).unwrap();
    Scene::of(vec![vec![Act::Answers(1)]])
        .play(telemetry.observer())
        .await;
    telemetry.flush(LONG).await;
    let wait = collector.until("queue.wait").await;
    assert_eq!(said(&wait, "agentproxy.queue.admitted"), "true");
    assert!(
        telemetry
            .metrics_text()
            .contains("\nagentproxy_requests_total{")
    );
}
