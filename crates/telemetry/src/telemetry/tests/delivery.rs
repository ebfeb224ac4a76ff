//! How exports arrive, and what becomes of those that do not.

use super::*;
use std::io::Write;

async fn play(telemetry: &Telemetry) {
    Scene::of(vec![vec![Act::Answers(1)]])
        .play(telemetry.observer())
        .await;
}

#[tokio::test]
async fn an_export_is_tried_again_where_the_collector_asks_for_it_on_one_connection() {
    let (collector, address) = Collector::listen().await;
    let more = [
        ("OTEL_METRICS_EXPORTER", "none"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "api-key=secret"),
        ("OTEL_SERVICE_NAME", "gateway"),
    ];
    let telemetry = Telemetry::start(settings(&address, &more)).unwrap();
    collector
        .answers
        .lock()
        .unwrap()
        .extend([(503, vec![]), (429, vec![]), (200, vec![])]);
    play(&telemetry).await;
    assert!(telemetry.flush(LONG).await);
    assert_eq!(collector.requests(), 3);
    assert_eq!(collector.connections.load(Relaxed), 1);
    assert_eq!(telemetry.dropped(), 0);
    let received = collector.received.lock().unwrap();
    assert_eq!(received[2].path, "/v1/traces");
    assert_eq!(received[2].headers["api-key"], "secret");
    assert_eq!(
        received[2].headers["content-type"],
        "application/x-protobuf"
    );
    assert_eq!(received[0].body, received[2].body);
}

#[tokio::test]
async fn what_the_collector_refuses_is_lost_once_and_counted() {
    let (collector, address) = Collector::listen().await;
    let more = [("OTEL_METRICS_EXPORTER", "none")];
    let telemetry = Telemetry::start(settings(&address, &more)).unwrap();
    collector.answers.lock().unwrap().push_back((400, vec![]));
    play(&telemetry).await;
    assert!(telemetry.flush(LONG).await);
    assert_eq!((collector.requests(), telemetry.dropped()), (1, 4));
    let partial = ExportTraceServiceResponse {
        partial_success: Some(ExportTracePartialSuccess {
            rejected_spans: 3,
            ..ExportTracePartialSuccess::default()
        }),
    };
    collector
        .answers
        .lock()
        .unwrap()
        .push_back((200, partial.encode_to_vec()));
    play(&telemetry).await;
    assert!(telemetry.flush(LONG).await);
    assert_eq!(telemetry.dropped(), 7);
    let lost = r#"punctual_telemetry_dropped_total{signal="spans"} 7"#;
    assert!(telemetry.metrics_text().contains(lost));
}

#[tokio::test]
async fn a_full_queue_drops_spans_and_counts_them_without_waiting() {
    let address = "http://127.0.0.1:9";
    let more = [
        ("OTEL_BSP_MAX_QUEUE_SIZE", "6"),
        ("OTEL_METRICS_EXPORTER", "none"),
    ];
    let telemetry = Telemetry::start(settings(address, &more)).unwrap();
    for _ in 0..5 {
        play(&telemetry).await;
    }
    assert!(
        telemetry.dropped() >= 20 - 6 - 6,
        "one batch may be under way"
    );
    let began = tokio::time::Instant::now();
    assert!(
        !telemetry.flush(Duration::from_millis(50)).await,
        "nobody is there"
    );
    assert!(began.elapsed() < Duration::from_millis(150));
}

#[tokio::test]
async fn a_full_batch_does_not_wait_for_its_time() {
    let (collector, address) = Collector::listen().await;
    let more = [
        ("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "4"),
        ("OTEL_BSP_SCHEDULE_DELAY", "3600000"),
    ];
    let telemetry = Telemetry::start(settings(&address, &more)).unwrap();
    play(&telemetry).await;
    let request = tokio::time::timeout(LONG, collector.until("request.chat")).await;
    assert!(request.is_ok());
}

#[tokio::test]
async fn metrics_go_out_at_their_interval_and_at_a_flush() {
    let (collector, address) = Collector::listen().await;
    let more = [("OTEL_TRACES_EXPORTER", "none")];
    let telemetry = Telemetry::start(settings(&address, &more)).unwrap();
    play(&telemetry).await;
    assert!(telemetry.flush(LONG).await);
    let received = collector.received.lock().unwrap();
    assert_eq!(received[0].path, "/v1/metrics");
    let export = ExportMetricsServiceRequest::decode(received[0].body.clone()).unwrap();
    let metrics = &export.resource_metrics[0].scope_metrics[0].metrics;
    assert!(metrics.iter().any(|m| m.name == "punctual_requests"));
}

#[tokio::test]
async fn a_collector_behind_tls_is_reached_when_its_certificate_is_believed() {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = rustls::pki_types::PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let server = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    let (collector, address) = Collector::listen_tls(Arc::new(server).into()).await;
    let root = made.cert.der().clone();
    let start = |trust: &dyn Fn() -> Result<Trust, rustls::Error>| {
        let more = [("OTEL_METRICS_EXPORTER", "none")];
        Telemetry::start_trusting(settings(&address, &more), trust).unwrap()
    };
    let telemetry = start(&|| Ok(Trust::only(root.clone())));
    play(&telemetry).await;
    assert!(telemetry.flush(LONG).await);
    assert_eq!(collector.spans().len(), 4);
    let stranger = start(&Trust::platform);
    play(&stranger).await;
    assert!(!stranger.flush(Duration::from_millis(200)).await);
    assert_eq!(collector.spans().len(), 4);
}

#[tokio::test]
async fn a_flush_writes_the_log_and_an_end_loses_nothing() {
    #[derive(Clone, Default)]
    struct Sink(Arc<std::sync::Mutex<Vec<u8>>>);
    impl Write for Sink {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let sink = Sink::default();
    let telemetry = Telemetry::start(Settings::default().with_log_to(sink.clone())).unwrap();
    play(&telemetry).await;
    scene::reject(telemetry.observer());
    assert!(telemetry.flush(LONG).await);
    let text = String::from_utf8(sink.0.lock().unwrap().clone()).unwrap();
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[1]["outcome"], "rejected");
}

#[tokio::test]
async fn the_lateness_of_the_event_loop_is_measured() {
    let telemetry = Telemetry::start(Settings::default().with_log(LogFormat::Off)).unwrap();
    let count = "\npunctual_event_loop_lateness_seconds_count 0\n";
    assert!(telemetry.metrics_text().contains(count));
    let measured = async {
        while telemetry.metrics_text().contains(count) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    assert!(tokio::time::timeout(LONG, measured).await.is_ok());
}
