//! One request that failed over, as the tree of its spans.

use super::*;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use std::collections::HashMap;

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
        ("punctual.fallback_index", "1"),
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
