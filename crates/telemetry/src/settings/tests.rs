use super::*;
use crate::sampler::Root;

fn from(pairs: &[(&str, &str)]) -> Settings {
    Settings::from_env(|name| {
        let pair = pairs.iter().find(|(k, _)| *k == name);
        pair.map(|(_, v)| (*v).to_owned())
    })
}

#[test]
fn without_an_endpoint_nothing_is_exported() {
    let s = from(&[("OTEL_TRACES_EXPORTER", "otlp")]);
    assert!(s.traces.is_none() && s.metrics.is_none());
    assert!(s.warnings.is_empty());
    assert_eq!(s.batch, Batch::default());
}

#[test]
fn a_general_endpoint_serves_both_signals_and_an_own_one_is_taken_as_it_is() {
    let s = from(&[
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318/base/"),
        ("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "https://m.example/x"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "api-key=a%20b, x-team = core"),
        ("OTEL_EXPORTER_OTLP_TIMEOUT", "1500"),
        ("OTEL_EXPORTER_OTLP_METRICS_TIMEOUT", "200"),
    ]);
    let (t, m) = (s.traces.unwrap(), s.metrics.unwrap());
    assert_eq!(t.uri, "http://collector:4318/base/v1/traces");
    assert_eq!(m.uri, "https://m.example/x");
    assert_eq!(t.headers["api-key"], "a b");
    assert_eq!(t.headers["x-team"], "core");
    assert_eq!(t.timeout, Duration::from_millis(1500));
    assert_eq!(m.timeout, Duration::from_millis(200));
    assert!(!format!("{t:?}").contains("a b"));
}

#[test]
fn exporters_and_the_whole_sdk_can_be_switched_off() {
    let url = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318");
    let s = from(&[url, ("OTEL_TRACES_EXPORTER", "none")]);
    assert!(s.traces.is_none() && s.metrics.is_some());
    let s = from(&[url, ("OTEL_METRICS_EXPORTER", "console")]);
    assert!(s.metrics.is_none());
    assert!(s.warnings[0].contains("OTEL_METRICS_EXPORTER=console"));
    let s = from(&[url, ("OTEL_SDK_DISABLED", "TRUE")]);
    assert!(s.traces.is_none() && s.metrics.is_none());
}

#[test]
fn what_is_not_understood_is_a_warning_that_names_it_and_no_secret() {
    let s = from(&[
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://user:hunter2@c:4318"),
        ("OTEL_BSP_SCHEDULE_DELAY", "soon"),
        ("OTEL_TRACES_SAMPLER", "jaeger_remote"),
        ("OTEL_RESOURCE_ATTRIBUTES", "env=test,oops"),
    ]);
    let said = s.warnings.join("\n");
    for name in [
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        "OTEL_BSP_SCHEDULE_DELAY=soon",
        "OTEL_TRACES_SAMPLER=jaeger_remote",
        "OTEL_RESOURCE_ATTRIBUTES",
    ] {
        assert!(said.contains(name), "{said}");
    }
    assert!(!said.contains("hunter2"));
    assert!(s.traces.is_none());
    let s = from(&[
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4317"),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
    ]);
    assert!(s.warnings[0].contains("grpc") && s.traces.is_some());
}

#[test]
fn batches_the_sampler_and_the_resource_are_as_the_environment_says() {
    let s = from(&[
        ("OTEL_BSP_SCHEDULE_DELAY", "100"),
        ("OTEL_BSP_MAX_QUEUE_SIZE", "100"),
        ("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "500"),
        ("OTEL_METRIC_EXPORT_INTERVAL", "1000"),
        ("OTEL_TRACES_SAMPLER", "parentbased_traceidratio"),
        ("OTEL_TRACES_SAMPLER_ARG", "0.5"),
        ("OTEL_SERVICE_NAME", "gateway"),
        (
            "OTEL_RESOURCE_ATTRIBUTES",
            "service.name=x,region=eu%2Dwest",
        ),
    ]);
    assert_eq!(s.batch.delay, Duration::from_millis(100));
    assert_eq!((s.batch.queue, s.batch.size), (100, 100));
    assert_eq!(s.metric_interval, Duration::from_secs(1));
    assert_eq!(s.sampler.root, Root::Below(1 << 62));
    let of = |key| {
        let pair = s.resource.iter().find(|(k, _)| k == key);
        pair.map(|(_, v)| v.as_str())
    };
    assert_eq!(of("service.name"), Some("gateway"));
    assert_eq!(of("region"), Some("eu-west"));
    assert_eq!(of("telemetry.sdk.language"), Some("rust"));
}
