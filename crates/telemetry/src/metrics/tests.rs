use super::*;
use crate::scene::{self, *};
use punctual_core::Code;

fn metrics() -> Arc<Metrics> {
    let losses = Losses {
        spans: Arc::new(Outbox::new(0, 1)),
        lines: None,
        metrics: Arc::default(),
    };
    Arc::new(Metrics::new("agent-proxy", losses))
}

/// The value of a series, its name without the prefix.
fn value(text: &str, series: &str) -> f64 {
    let series = format!("agent_proxy_{series} ");
    let line = text.lines().find_map(|l| l.strip_prefix(series.as_str()));
    let line = line.unwrap_or_else(|| panic!("{series}is not in\n{text}"));
    line.parse().unwrap()
}

#[tokio::test]
async fn a_request_that_failed_over_is_counted_where_it_went() {
    let metrics = metrics();
    let refused = Refuses(2, Code::Overloaded, 503);
    let scene = Scene::of(vec![vec![refused.clone(), refused], vec![Answers(3)]]);
    scene.play(metrics.clone()).await;
    let text = metrics.text();
    for (series, expected) in [
        (r#"requests_total{route="fast",outcome="ok"}"#, 1.0),
        ("requests_in_flight", 0.0),
        (
            r#"request_duration_seconds_count{route="fast",outcome="ok"}"#,
            1.0,
        ),
        (r#"attempts_total{target="a",outcome="overloaded"}"#, 2.0),
        (r#"attempts_total{target="b",outcome="ok"}"#, 1.0),
        (r#"retries_total{target="a"}"#, 1.0),
        (r#"fallbacks_total{target="b"}"#, 1.0),
        (
            r#"queue_wait_seconds_count{target="b",admitted="true"}"#,
            1.0,
        ),
        (r#"time_to_first_content_seconds_count{route="fast"}"#, 1.0),
        (r#"inter_token_gap_seconds_count{route="fast"}"#, 1.0),
        (r#"held_back_bytes_count{route="fast"}"#, 1.0),
        (
            r#"tokens_total{route="fast",target="b",kind="output"}"#,
            12.0,
        ),
        (
            r#"tokens_total{route="fast",target="b",kind="cached_input"}"#,
            4.0,
        ),
        (r#"deadline_budget_seconds_sum{class="operator"}"#, 60.0),
        (r#"deadline_overshoot_seconds_count"#, 0.0),
        (
            r#"upstream_connections_total{target="a",reused="false"}"#,
            1.0,
        ),
        (
            r#"upstream_connections_total{target="b",reused="true"}"#,
            1.0,
        ),
        (r#"upstream_headers_seconds_count{target="a"}"#, 2.0),
        (r#"upstream_first_content_seconds_count{target="b"}"#, 1.0),
        (r#"telemetry_dropped_total{signal="spans"}"#, 0.0),
    ] {
        assert_eq!(value(&text, series), expected, "{series}");
    }
    assert!(!text.contains("caller's words"));
}

#[tokio::test]
async fn calls_that_were_closed_early_are_counted_with_the_time_they_had_run() {
    let metrics = metrics();
    let mut gone = Scene::of(vec![vec![Hangs]]);
    gone.leaves = Some(Duration::from_millis(20));
    gone.play(metrics.clone()).await;
    let mut late = Scene::of(vec![vec![Hangs]]);
    late.deadline = Duration::from_millis(20);
    late.play(metrics.clone()).await;
    Scene::of(vec![vec![Hangs, Hangs]])
        .play(metrics.clone())
        .await;
    let text = metrics.text();
    for (reason, calls, least) in [
        ("cancelled", 1.0, 0.02),
        ("deadline", 1.0, 0.018),
        ("timeout", 2.0, 0.078),
    ] {
        let of = |name| value(&text, &format!(r#"{name}{{target="a",reason="{reason}"}}"#));
        assert_eq!(of("upstream_closed_early_total"), calls, "{reason}");
        assert!(
            of("upstream_closed_early_run_seconds_total") >= least,
            "{reason}"
        );
    }
    assert_eq!(value(&text, "deadline_overshoot_seconds_count"), 1.0);
    let without = r#"streams_without_content_total{route="fast",outcome="cancelled"}"#;
    assert_eq!(value(&text, without), 1.0);
    let code = r#"request_errors_total{route="fast",code="client_disconnected"}"#;
    assert_eq!(value(&text, code), 1.0);
    assert!(!text.contains("time_to_first_content_seconds_count{route=\"fast\"} 1"));
}

#[tokio::test]
async fn a_request_without_a_route_has_the_route_none() {
    let metrics = metrics();
    scene::reject(metrics.clone());
    let text = metrics.text();
    assert_eq!(
        value(&text, r#"requests_total{route="none",outcome="rejected"}"#),
        1.0
    );
    let code = r#"request_errors_total{route="none",code="invalid_request_deadline"}"#;
    assert_eq!(value(&text, code), 1.0);
    assert_eq!(value(&text, "requests_in_flight"), 0.0);
}

#[test]
fn gauges_that_live_elsewhere_are_read_when_somebody_looks() {
    let metrics = metrics();
    metrics.read_also(Box::new(|gauges| {
        gauges.lane("a", 3, 2);
        gauges.breaker("a", Breaker::from_name("half_open"));
        gauges.breaker("b", Breaker::from_name("open"));
        gauges.cooldown("a", Duration::from_millis(1500));
        gauges.pool("a", 4, 5);
        gauges.memory(10, 20);
    }));
    metrics.read_also(Box::new(|gauges| gauges.lane("a", 4, 2)));
    let good = value(&metrics.text(), "config_last_reload_successful");
    assert_eq!(good, 1.0, "the configuration of the start is in force");
    metrics.reloaded(true);
    metrics.reloaded(false);
    metrics.ignored("x-litellm-timeout");
    let connection = ConnectionGuard::new(metrics.clone());
    let text = metrics.text();
    for (series, expected) in [
        (r#"queue_depth{target="a"}"#, 4.0),
        (r#"permits_in_use{target="a"}"#, 2.0),
        (r#"breaker_state{target="a"}"#, 1.0),
        (r#"breaker_state{target="b"}"#, 2.0),
        (r#"cooldown_left_seconds{target="a"}"#, 1.5),
        (r#"pool_idle{target="a"}"#, 4.0),
        (r#"pool_open{target="a"}"#, 5.0),
        ("memory_taken_bytes", 10.0),
        ("memory_limit_bytes", 20.0),
        (r#"config_reloads_total{result="failure"}"#, 1.0),
        ("config_last_reload_successful", 0.0),
        (
            r#"ignored_deadline_headers_total{header="x-litellm-timeout"}"#,
            1.0,
        ),
        ("connections", 1.0),
    ] {
        assert_eq!(value(&text, series), expected, "{series}");
    }
    assert!(value(&text, "config_last_reload_success_timestamp_seconds") > 1.6e9);
    drop(connection);
    assert_eq!(value(&metrics.text(), "connections"), 0.0);
    assert_eq!(value(&metrics.text(), "connections_accepted_total"), 1.0);
}

#[tokio::test]
async fn what_otlp_carries_is_what_a_scrape_shows() {
    use crate::export::Envelope;
    use opentelemetry_proto::tonic::{
        collector::metrics::v1::ExportMetricsServiceRequest,
        metrics::v1::{metric::Data, number_data_point::Value},
    };
    use prost::Message;
    let metrics = metrics();
    metrics.read_also(Box::new(|g| g.lane("odd \"name\"\\\n,}", 3, 2)));
    let scene = Scene::of(vec![vec![Answers(3)]]);
    scene.play(metrics.clone()).await;
    let window = otlp::Window { started: 5, now: 9 };
    let envelope = Envelope::new(&[("service.name".into(), "gateway".into())]);
    let bytes = otlp::encode(&metrics.open_metrics(), &envelope, window);
    let export = ExportMetricsServiceRequest::decode(&*bytes).unwrap();
    let resource = &export.resource_metrics[0];
    assert_eq!(
        resource.resource.as_ref().unwrap().attributes[0].key,
        "service.name"
    );
    let all = &resource.scope_metrics[0].metrics;
    let find = |name: &str| {
        let name = format!("agent_proxy_{name}");
        all.iter()
            .find(|m| m.name == name)
            .unwrap_or_else(|| panic!("{name}"))
    };
    let Some(Data::Sum(sum)) = &find("requests").data else {
        panic!()
    };
    assert!(sum.is_monotonic && sum.aggregation_temporality == 2);
    assert_eq!(sum.data_points[0].value, Some(Value::AsDouble(1.0)));
    assert_eq!(
        (
            sum.data_points[0].start_time_unix_nano,
            sum.data_points[0].time_unix_nano
        ),
        (5, 9)
    );
    assert_eq!(sum.data_points[0].attributes.len(), 2);
    let duration = find("request_duration_seconds");
    assert_eq!(duration.unit, "s");
    assert_eq!(duration.description, "Request head to last byte.");
    let Some(Data::Histogram(histogram)) = &duration.data else {
        panic!()
    };
    let point = &histogram.data_points[0];
    assert_eq!(point.explicit_bounds, buckets::LONG);
    assert_eq!(point.bucket_counts.len(), buckets::LONG.len() + 1);
    assert_eq!(
        (point.bucket_counts.iter().sum::<u64>(), point.count),
        (1, 1)
    );
    assert!(point.sum.unwrap() >= 0.003);
    let Some(Data::Gauge(gauge)) = &find("queue_depth").data else {
        panic!()
    };
    assert_eq!(gauge.data_points[0].value, Some(Value::AsDouble(3.0)));
    let label = gauge.data_points[0].attributes[0]
        .value
        .clone()
        .unwrap()
        .value;
    use opentelemetry_proto::tonic::common::v1::any_value::Value::StringValue;
    assert_eq!(label, Some(StringValue("odd \"name\"\\\n,}".into())));
}

#[tokio::test]
async fn every_metric_is_documented_under_its_name() {
    let metrics = metrics();
    let refused = Refuses(1, Code::RateLimited, 429);
    let scene = Scene::of(vec![vec![refused], vec![Answers(1)]]);
    scene.play(metrics.clone()).await;
    scene::reject(metrics.clone());
    metrics.read_also(Box::new(|gauges| {
        gauges.lane("a", 0, 0);
        gauges.breaker("a", Breaker::Closed);
        gauges.cooldown("a", Duration::ZERO);
        gauges.pool("a", 0, 0);
        gauges.memory(0, 0);
    }));
    metrics.reloaded(true);
    metrics.ignored("x-litellm-timeout");
    let text = metrics.text();
    let documented = include_str!("../../../../docs/telemetry.md");
    let types = text
        .lines()
        .filter_map(|l| l.strip_prefix("# TYPE agent_proxy_"));
    let names: Vec<_> = types.filter_map(|t| t.split(' ').next()).collect();
    assert!(names.len() > 35);
    for name in names {
        assert!(documented.contains(&format!("`{name}`")), "{name}");
    }
}
