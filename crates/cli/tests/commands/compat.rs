//! Coming from an agent-proxy: its variables are understood, and its callers find what they look for.

use crate::{
    stage::{Stage, error},
    support::Request,
    term::Folder,
};

const CONFIG: &str = r#"
providers: { sim: { dialect: openai, base_url: "{upstream}/v1", api_key: sk-test } }
targets: { t: { provider: sim, model: t, max_concurrency: 1, max_queue: 0 } }
routes: { r: { plan: t } }
"#;
const PROXY: &[(&str, &str)] = &[
    ("PROXY_REQUEST_DEADLINE", "0.8"),
    ("PROXY_REQUEST_TIMEOUT", "30"),
];

fn stage() -> Stage {
    let stage = Stage::start(CONFIG, PROXY, |_| {});
    stage.sim.set("t", "silent-headers".parse().unwrap());
    stage
}

#[test]
fn the_type_of_an_error_repeats_its_code() {
    let answer = stage().chat("r", false);
    let error = error(&answer);
    assert_eq!(answer.status, 504);
    assert_eq!(
        (&error["type"], &error["code"]),
        (
            &"request_deadline_exceeded".into(),
            &"request_deadline_exceeded".into()
        )
    );
}

#[test]
fn a_full_queue_is_a_rate_limit() {
    let stage = stage();
    let _holder = stage.begin(&Request::chat("r", false));
    assert!(stage.arrived(1));
    let answer = stage.chat("r", false);
    assert_eq!(answer.status, 429);
    assert_eq!(error(&answer)["type"], "rate_limit_error");
    assert!(answer.header("retry-after").is_some());
}

#[test]
fn a_deadline_nobody_can_read_is_ignored_and_counted() {
    let stage = stage();
    stage.sim.set("t", "tokens=1".parse().unwrap());
    let answer = stage.ask(&Request::chat("r", false).with("x-request-deadline-ms", "soon"));
    assert_eq!(answer.status, 200);
    let status = stage.admin(&Request::get("/status")).json();
    assert_eq!(status["unreadable_deadlines"], 1);
}

#[test]
fn every_exchange_is_bound_by_ten_minutes_streamed_or_not() {
    let text = "providers: { vllm: {} }\nroutes: { r: { plan: { pass: vllm } } }\n";
    let worst = |env: &[(&str, &str)]| {
        let ran = Folder::with(text).run_with(&["check", "--json"], env);
        let said: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        let ms = |kind: &str| said["routes"][0][kind]["worst_ms"].as_u64().unwrap();
        (ms("streamed"), ms("unary"))
    };
    assert_eq!(worst(&[]), (3_600_000, 600_000));
    assert_eq!(
        worst(&[("PROXY_REQUEST_DEADLINE", "0")]),
        (600_000, 600_000)
    );
    assert_eq!(worst(&[("PROXY_REQUEST_TIMEOUT", "2.5")]), (2_500, 2_500));
}

#[test]
fn a_value_that_is_no_number_of_seconds_stops_it_and_is_named() {
    let text = "providers: { vllm: {} }\nroutes: { r: { plan: { pass: vllm } } }\n";
    for value in ["10s", "-1", "1e3", "inf"] {
        let ran = Folder::with(text).run_with(&["serve"], &[("PROXY_REQUEST_DEADLINE", value)]);
        assert_eq!(ran.code, Some(1), "{value}");
        assert!(
            ran.err.contains("PROXY_REQUEST_DEADLINE") && ran.err.contains(value),
            "{}",
            ran.err
        );
    }
}
