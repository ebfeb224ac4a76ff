//! What telemetry costs a request: four spans, all metrics, one log line, encoding included.
//!
//! `cargo bench -p punctual-telemetry`. Prints microseconds per request on the calling thread, for each part
//! and for all, and the CPU time of the whole process, so that the work of writers is in it.
//! No collector is there: spans pile up, and the page faults of that are in the figure.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "it prints, and may stop"
)]

use punctual_core::{
    AttemptReport, Deadline, Event, NoObserver, Observer, Outcome, Phase, QueueReport, Record,
    Report, Sent, Source, SpanId, Surface, Trace, Usage,
};
use punctual_telemetry::{LogFormat, Settings, Telemetry};
use std::{hint::black_box, sync::Arc, time::Duration};
use tokio::time::Instant;

const REQUESTS: u32 = 50_000;

/// A request served at the first attempt.
fn report() -> Report {
    let now = Instant::now();
    let mut deadline = Deadline::starting(now);
    deadline.tighten(Duration::from_secs(60), Source::Route);
    let (id, observer) = (Arc::from("req_0123456789abcdef0123"), Arc::new(NoObserver));
    let record = Record::open(id, Surface::Chat, Trace::root(), deadline, observer);
    let mut r = record.report().clone();
    let target: Arc<str> = "openai-main".into();
    let later = |ms| now + Duration::from_millis(ms);
    r.route = Some("chat".into());
    r.key = Some("team-a".into());
    r.stream = true;
    r.queue_waits.push(QueueReport {
        span: SpanId::mint(),
        started: now,
        ended: now,
        attempt: 1,
        target: target.clone(),
        admitted: true,
        refused: None,
        predicted: None,
    });
    r.summary.usage = Usage {
        input_tokens: Some(812),
        output_tokens: Some(240),
        cached_input_tokens: Some(512),
        reasoning_tokens: None,
    };
    r.summary.finish = Some("stop".into());
    r.summary.model = Some("gpt-4o-mini-2024-07-18".into());
    r.summary.response_id = Some("chatcmpl-9f0123456789abcdef0123456789".into());
    r.summary.content_events = 240;
    r.attempts.push(AttemptReport {
        span: SpanId::mint(),
        upstream_span: SpanId::mint(),
        number: 1,
        sends: 1,
        target: target.clone(),
        started: now,
        ended: later(900),
        failed: None,
        completed: true,
        message: None,
        timeout: None,
        status: Some(200),
        sent: Sent::Yes,
        reused_connection: true,
        connect: Some(Duration::from_micros(3)),
        tls: None,
        headers: Some(Duration::from_millis(180)),
        first_content: Some(Duration::from_millis(210)),
        request_id: Some("req_fedcba9876543210".into()),
        retry_after: None,
        retry_budget_empty: false,
        usage: r.summary.usage,
        finish: r.summary.finish.clone(),
        model: r.summary.model.clone(),
        content_events: 240,
    });
    r.phase = Phase::Streaming;
    r.attempt = Duration::from_millis(900);
    r.elapsed = Duration::from_millis(901);
    r.committed = Some(later(211));
    r.committed_by = Some("content");
    r.served_by = Some(target);
    r.status = Some(200);
    r.delivered_bytes = 61_000;
    r.outcome = Some(Outcome::Ok);
    r
}

fn play(observer: &dyn Observer, r: &Report) {
    observer.on(r, &Event::Received);
    observer.on(r, &Event::QueueLeft(&r.queue_waits[0]));
    let target = &*r.attempts[0].target;
    observer.on(r, &Event::AttemptStarted { number: 1, target });
    observer.on(r, &Event::Committed);
    observer.on(r, &Event::AttemptEnded(&r.attempts[0]));
    observer.on(r, &Event::Finished);
}

/// CPU time of the process in ms, to 10 ms; zero where it is not told.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit(')').next().unwrap_or_default();
    let ticks: f64 = after
        .split_whitespace()
        .skip(11)
        .take(2)
        .filter_map(|n| n.parse::<f64>().ok())
        .sum();
    ticks * 10.0
}

fn measure(name: &str, traces: bool, log: LogFormat) {
    let settings = Settings::from_env(|variable| match variable {
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT" if traces => Some("http://127.0.0.1:9".into()),
        "OTEL_BSP_MAX_QUEUE_SIZE" => Some("1000000".into()),
        _ => None,
    });
    let settings = settings.with_log(log).with_log_to(std::io::sink());
    let telemetry = Telemetry::start(settings).unwrap();
    let (observer, report) = (telemetry.observer(), report());
    for _ in 0..1000 {
        play(black_box(&*observer), black_box(&report));
    }
    let (began, used) = (Instant::now(), cpu());
    for _ in 0..REQUESTS {
        play(black_box(&*observer), black_box(&report));
    }
    let each = |us: f64| us / f64::from(REQUESTS);
    println!(
        "{name:20} {:6.2} µs a request, {:6.2} µs of CPU in the process, {} lost",
        each(began.elapsed().as_secs_f64() * 1e6),
        each((cpu() - used) * 1e3),
        telemetry.dropped(),
    );
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.unwrap();
    let _inside = runtime.enter();
    measure("metrics", false, LogFormat::Off);
    measure("metrics, spans", true, LogFormat::Off);
    measure("metrics, log", false, LogFormat::Json);
    measure("metrics, spans, log", true, LogFormat::Json);
}
