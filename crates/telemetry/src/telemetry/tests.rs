use super::*;
use crate::scene::{self, Act, Refuses, Scene};
use collector::{Collector, said};
use opentelemetry_proto::tonic::{
    collector::{
        metrics::v1::ExportMetricsServiceRequest,
        trace::v1::{ExportTracePartialSuccess, ExportTraceServiceResponse},
    },
    trace::v1::{Span, span::SpanKind},
};
use prost::Message;
use punctual_core::{Code, SpanId, Trace};
use std::{collections::HashMap, sync::atomic::Ordering::Relaxed};

mod collector;
mod delivery;

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

fn number(span: &Span, key: &str) -> f64 {
    said(span, key).parse().unwrap_or_else(|_| panic!("{key}"))
}

#[tokio::test]
async fn a_request_that_failed_over_is_one_complete_tree() {
    let refuses = Refuses(3, Code::Overloaded, 503);
    let mut scene = Scene::of(vec![vec![refuses.clone(), refuses], vec![Act::Answers(5)]]);
    let (parent, state) = (SpanId::mint(), "vendor=1");
    scene.trace.parent = Some(parent);
    scene.trace.state = Some(state.parse().unwrap());
    let trace = scene.trace.clone();
    let all = spans(scene, &[]).await;
    let mut names: Vec<_> = all.iter().map(|s| s.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "queue.wait",
            "queue.wait",
            "queue.wait",
            "request.chat",
            "resilience.attempt",
            "resilience.attempt",
            "resilience.attempt",
            "resilience.backoff",
            "upstream.chat",
            "upstream.chat",
            "upstream.chat",
        ]
    );
    let by_id: HashMap<_, _> = all.iter().map(|s| (s.span_id.clone(), s)).collect();
    assert_eq!(by_id.len(), all.len(), "ids are unique");
    let request = named(&all, "request.chat")[0];
    assert_eq!(request.span_id, trace.span.0);
    for span in &all {
        assert_eq!(
            (&*span.trace_id, span.trace_state.as_str()),
            (&trace.id.0[..], state)
        );
        let (above, kind) = match span.name.as_str() {
            "request.chat" => (None, SpanKind::Server),
            "upstream.chat" => (Some("resilience.attempt"), SpanKind::Client),
            _ => (Some("request.chat"), SpanKind::Internal),
        };
        assert_eq!(span.kind, i32::from(kind), "{}", span.name);
        match above {
            Some(name) => assert_eq!(by_id[&span.parent_span_id].name, name),
            None => assert_eq!(span.parent_span_id, parent.0),
        }
        assert!(span.start_time_unix_nano >= request.start_time_unix_nano);
        assert!(span.end_time_unix_nano <= request.end_time_unix_nano);
    }
    the_request_says_all(request, &all);
    the_parts_say_theirs(&all);
}

fn the_request_says_all(request: &Span, all: &[Span]) {
    for (key, value) in [
        ("punctual.outcome", "ok"),
        ("punctual.attempt_count", "3"),
        ("punctual.served_by", "b"),
        ("punctual.fallback_index", "2"),
        ("punctual.committed", "true"),
        ("punctual.committed_by", "content"),
        ("punctual.route", "fast"),
        ("punctual.key", "team"),
        ("punctual.deadline.budget_ms", "60000"),
        ("punctual.deadline.source", "server"),
        ("punctual.deadline.source_class", "operator"),
        ("punctual.possibly_billed_attempts", "3"),
        ("punctual.heartbeats", "0"),
        ("http.response.status_code", "200"),
        ("error.type", ""),
        ("gen_ai.operation.name", "chat"),
        ("gen_ai.request.model", "fast"),
        ("gen_ai.response.model", "model-2"),
        ("gen_ai.response.id", "answer-1"),
        ("gen_ai.response.finish_reasons", "[length]"),
        ("gen_ai.usage.input_tokens", "7"),
        ("gen_ai.usage.output_tokens", "12"),
        ("gen_ai.usage.cache_read.input_tokens", "4"),
    ] {
        assert_eq!(said(request, key), value, "{key}");
    }
    assert!(request.status.is_none());
    let sum = |name| named(all, name).into_iter().map(ms).sum::<f64>();
    let parts = sum("queue.wait") + sum("resilience.attempt") + sum("resilience.backoff");
    let ends = number(request, "punctual.receive_ms") + number(request, "punctual.send_ms");
    let rest = ms(request) - parts - ends;
    assert!((-0.1..=55.0).contains(&rest), "{rest} ms are nobody's");
    let attempts = number(request, "punctual.attempt_ms");
    assert!((attempts - sum("resilience.attempt")).abs() < 0.1);
}

fn the_parts_say_theirs(all: &[Span]) {
    for wait in named(all, "queue.wait") {
        assert_eq!(said(wait, "punctual.queue.admitted"), "true");
        assert!(wait.attributes.iter().all(|a| !a.key.starts_with("gen_ai")));
        assert!(wait.status.is_none());
    }
    let mut attempts = named(all, "resilience.attempt");
    attempts.sort_by_key(|s| said(s, "punctual.attempt"));
    for failed in &attempts[..2] {
        assert_eq!(said(failed, "http.response.status_code"), "503");
        assert_eq!(said(failed, "error.type"), "overloaded");
        let status = failed.status.as_ref().unwrap();
        assert_eq!(
            (status.code, status.message.as_str()),
            (2, ""),
            "the words are the upstream's"
        );
    }
    let won = attempts[2];
    for (key, value) in [
        ("punctual.target", "b"),
        ("punctual.request_sent", "yes"),
        ("punctual.ambiguous", "false"),
        ("punctual.upstream_request_id", "req_1"),
        ("gen_ai.usage.output_tokens", "12"),
        ("gen_ai.response.finish_reasons", "[length]"),
        ("http.response.status_code", "200"),
    ] {
        assert_eq!(said(won, key), value, "{key}");
    }
    assert!(number(won, "punctual.first_content_ms") >= 5.0);
    for upstream in named(all, "upstream.chat") {
        let above = attempts
            .iter()
            .find(|a| a.span_id == upstream.parent_span_id)
            .unwrap();
        let of = |s, key| said(s, key);
        assert_eq!(of(upstream, "error.type"), of(above, "error.type"));
        assert_eq!(upstream.status, above.status);
        let usage = |a: &&_| matches!(a, opentelemetry_proto::tonic::common::v1::KeyValue { key, .. } if key.starts_with("gen_ai.usage") || key.contains("finish"));
        assert_eq!(upstream.attributes.iter().filter(usage).count(), 0);
    }
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
