//! What is passed through: bytes in both directions as they are, under the same clocks, lanes and records.

use crate::{
    stage::{Mark, Stage, alone, beside, late},
    support::{Caller, Request, ms},
};
use punctual_sim::{Cuts, Script};
use tokio::time::Instant;

const KEY: &str = "pk-0123456789012345678901234567890123456789012";

fn config(origin: &str) -> String {
    format!(
        "server: {{ listen: 127.0.0.1:0, admin: {{ listen: 127.0.0.1:0 }} }}\n\
         targets:\n\
         \x20 t: {{ dialect: openai, base_url: \"{origin}/v1\", api_key: key-of-t, model: m, max_concurrency: 1, passthrough: true }}\n\
         \x20 g: {{ dialect: gemini, base_url: \"{origin}/v1beta\", api_key: key-of-g, model: m, timeout: 400ms, passthrough: true }}\n\
         routes:\n  r: {{ plan: t }}\n  g: {{ plan: g }}\n"
    )
}

fn sent(method: &'static str, path: &str, label: &str, body: &[u8]) -> Request {
    let mut request = Request::get(path);
    request.method = method;
    request.body = body.to_vec();
    request
        .with("content-type", label)
        .with("content-length", &body.len().to_string())
}

#[test]
fn a_file_goes_up_and_comes_down_byte_for_byte() {
    beside(async {
        let stage = Stage::open(config).await;
        let bytes: Vec<u8> = (0..=255).cycle().take(300_000).collect();
        let mut body =
            b"--b\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n"
                .to_vec();
        body.extend_from_slice(&bytes);
        body.extend_from_slice(b"\r\n--b--\r\n");
        let script = Script::raw(
            200,
            "application/octet-stream",
            &[],
            bytes.clone(),
            Cuts::Random(7),
        );
        stage.sim.set("", script);
        let label = "multipart/form-data; boundary=b";
        let mark = Mark::new();
        let request = sent(
            "POST",
            "/passthrough/t/files?purpose=batch&x=%2F",
            label,
            &body,
        );
        let answer = stage.ask(&mark.on(request)).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(
            answer.header("content-type"),
            Some("application/octet-stream")
        );
        assert!(answer.body == bytes, "{} bytes", answer.body.len());
        let seen = stage.sim.report().pop().unwrap();
        assert_eq!(
            (seen.method.as_str(), seen.path.as_str()),
            ("POST", "/v1/files?purpose=batch&x=%2F")
        );
        assert!(seen.body == body, "{} bytes", seen.body.len());
        assert_eq!(seen.header("content-type"), Some(label));
        assert_eq!(seen.header("authorization"), Some("Bearer key-of-t"));
        let record = stage.record(&mark);
        assert_eq!(record["outcome"], "ok", "{record:#}");
        assert_eq!(record["surface"], "passthrough", "{record:#}");
        assert_eq!(record["served_by"], "t", "{record:#}");
    });
}

#[test]
fn every_method_goes_with_its_query_and_an_error_comes_back_as_it_is() {
    beside(async {
        let stage = Stage::open(config).await;
        for method in ["GET", "PUT", "PATCH", "DELETE"] {
            stage.sim.reset();
            let request = sent(method, "/passthrough/t/models?limit=2", "text/plain", b"");
            stage.ask(&request).await;
            let seen = stage.sim.report().pop().unwrap();
            assert_eq!(
                (seen.method.as_str(), seen.path.as_str()),
                (method, "/v1/models?limit=2")
            );
        }
        // a key of Google's clients goes in the URL; ours goes in its header
        let path = "/passthrough/g/models/m:countTokens";
        let request = Request::post(path, r#"{"contents":[]}"#);
        let answer = stage.ask(&request).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        let seen = stage.sim.report().pop().unwrap();
        assert_eq!(seen.path, "/v1beta/models/m:countTokens");
        assert_eq!(seen.header("x-goog-api-key"), Some("key-of-g"));
    });
}

/// What an upstream says with an error status, and what of it reaches nobody.
fn refusal(status: u16, body: impl Into<Vec<u8>>, cuts: Cuts) -> Script {
    let headers = [
        ("retry-after", "7"),
        ("x-ratelimit-remaining-requests", "3"),
        ("x-amzn-errortype", "SomeException"),
        ("set-cookie", "a=secret"),
        ("openai-organization", "secret"),
        ("www-authenticate", "secret"),
        ("server", "secret"),
    ];
    Script::raw(
        status,
        "application/problem+json",
        &headers,
        body.into(),
        cuts,
    )
}

#[test]
fn an_error_of_the_provider_comes_in_its_own_words_and_is_recorded_as_what_it_is() {
    beside(async {
        let cases = [
            (400, "invalid_request", "upstream_rejected"),
            (402, "quota_exhausted", "failed"),
            (403, "unauthorized", "failed"),
            (404, "invalid_request", "upstream_rejected"),
            (408, "server_error", "failed"),
            (409, "invalid_request", "upstream_rejected"),
            (429, "rate_limited", "failed"),
            (500, "server_error", "failed"),
            (503, "overloaded", "failed"),
            (529, "overloaded", "failed"),
        ];
        let stage = Stage::open(|origin| {
            let (mut targets, mut routes) = (String::new(), String::new());
            for (n, _, _) in cases {
                targets += &format!("  s{n}: {{ dialect: openai, base_url: \"{origin}/v1\", api_key: key-of-{n}, model: m, passthrough: true }}\n");
                routes += &format!("  s{n}: {{ plan: s{n} }}\n");
            }
            format!("targets:\n{targets}routes:\n{routes}")
        })
        .await;
        let body = |key: &str| format!("{{ \"odd\\u00e9\" : 1e400, \"said\":\"no {key} \" }}\n");
        for (status, code, outcome) in cases {
            stage.sim.reset();
            let theirs = body(&format!("key-of-{status}"));
            stage.sim.set("", refusal(status, theirs, Cuts::EveryByte));
            let mark = Mark::new();
            let asks = Request::get(&format!("/passthrough/s{status}/files"));
            let answer = stage.ask(&mark.on(asks)).await;
            let said = answer.text();
            assert_eq!(
                (answer.status, said.as_str()),
                (status, &*body("[redacted]"))
            );
            for (name, value) in [
                ("content-type", Some("application/problem+json")),
                ("retry-after", Some("7")),
                ("x-ratelimit-remaining-requests", Some("3")),
                ("x-amzn-errortype", Some("SomeException")),
                ("x-should-retry", None),
            ] {
                assert_eq!(answer.header(name), value, "{name} of {status}");
            }
            let all = format!("{:?}", answer.headers);
            assert!(!all.contains("secret"), "{status}: {all}");
            assert_eq!(stage.sim.report().len(), 1, "{status}");
            let record = stage.record(&mark);
            for (name, value) in [
                ("outcome", outcome.into()),
                ("error", code.into()),
                ("status", serde_json::json!(status)),
            ] {
                assert_eq!(record[name], value, "{status}: {record:#}");
            }
            let attempt = &record["attempts"][0];
            assert_eq!(
                (&attempt["code"], &attempt["status"]),
                (&code.into(), &status.into())
            );
        }
    });
}

#[test]
fn an_error_about_our_own_key_is_ours_and_one_about_the_callers_is_the_providers() {
    beside(async {
        let stage = Stage::open(|origin| {
            let target = |name: &str, auth: &str| format!("  {name}: {{ dialect: openai, base_url: \"{origin}/v1\", {auth}, model: m, passthrough: true }}\n");
            let (ours, theirs) = (target("ours", "api_key: key-of-ours"), target("theirs", "auth: passthrough"));
            format!("targets:\n{ours}{theirs}routes:\n  a: {{ plan: ours }}\n  b: {{ plan: theirs }}\n")
        })
        .await;
        for (target, status, given, said) in [
            ("ours", 401, 502, "unauthorized"),
            ("theirs", 401, 401, "bad [redacted]"),
            ("ours", 407, 502, "connect_failed"),
            ("ours", 302, 502, "malformed_response"),
        ] {
            stage
                .sim
                .set("", refusal(status, "bad key-of-caller", Cuts::Whole));
            let asks = Request::get(&format!("/passthrough/{target}/files"));
            let answer = stage
                .ask(&asks.with("authorization", "Bearer key-of-caller"))
                .await;
            assert_eq!(answer.status, given, "{target} {status}: {}", answer.text());
            assert!(
                answer.text().contains(said),
                "{target} {status}: {}",
                answer.text()
            );
        }
    });
}

#[test]
fn a_long_error_of_the_provider_is_passed_on_as_it_comes_without_secrets() {
    beside(async {
        let body = |key: &str| format!("{}{key}", "0123456789".repeat(1_000)).repeat(40);
        for cuts in [Cuts::Whole, Cuts::Random(5)] {
            let stage = Stage::open(config).await;
            stage.sim.set("", refusal(400, body("key-of-t"), cuts));
            let answer = stage.ask(&Request::get("/passthrough/t/files")).await;
            assert_eq!((answer.status, answer.complete), (400, true));
            assert!(
                answer.text() == body("[redacted]"),
                "{} bytes",
                answer.body.len()
            );
        }
    });
}

#[test]
fn a_stream_is_passed_on_as_it_comes_and_ends_with_its_deadline_or_its_caller() {
    alone(async {
        let stage = Stage::open(config).await;
        stage.plays("s", "tokens=5,gap=150ms");
        let body = r#"{"model":"s","stream":true,"messages":[]}"#;
        let asks = || Request::post("/passthrough/t/chat/completions", body);
        let answer = stage.ask(&asks()).await;
        assert!(
            answer.done() && answer.pieces.len() >= 5,
            "{}",
            answer.text()
        );
        let spread = answer.ended_at - answer.head_at;
        assert!(spread >= ms(400), "all at once, after {spread:?}");

        stage.plays("s", "tokens=5,stall-after=2");
        let mark = Mark::new();
        let started = Instant::now();
        let request = mark.on(asks()).with("x-request-deadline-ms", "400");
        let cut = stage.ask(&request).await;
        stage.at("deadline", cut.ended_at - started, ms(400));
        // nothing is put into bytes of which nothing is known: they break off
        assert!(!cut.complete, "{}", cut.text());
        assert!(!cut.text().contains("error"), "{}", cut.text());
        let record = stage.record(&mark);
        assert_eq!(record["outcome"], "deadline_exceeded", "{record:#}");

        let mark = Mark::new();
        let mut caller = Caller::connect(stage.gateway.addr).await;
        caller.send(&mark.on(asks())).await;
        caller.hear(b"tok0", ms(10_000)).await;
        let left = caller.leave();
        let wanted = |s: &punctual_sim::Seen| {
            s.closed.is_some() && s.header("traceparent").is_some_and(|t| t.contains(&mark.0))
        };
        let seen = stage.seen("s", wanted).await;
        stage.within("closed", late(seen.closed.unwrap().0, left), ms(10));
        let record = stage.record(&mark);
        assert_eq!(record["outcome"], "cancelled", "{record:#}");

        stage.plays("s", "tokens=5,fin-after=2");
        let mark = Mark::new();
        let broken = stage.ask(&mark.on(asks())).await;
        assert!(!broken.complete, "{}", broken.text());
        let record = stage.record(&mark);
        assert_eq!(record["outcome"], "truncated", "{record:#}");

        stage.plays("s", "silent-headers");
        let silent = stage
            .ask(&asks().with("x-request-deadline-ms", "300"))
            .await;
        assert_eq!(
            (silent.status, silent.code().as_str()),
            (504, "request_deadline_exceeded")
        );
    });
}

#[test]
fn what_is_passed_through_takes_its_place_in_the_lane() {
    beside(async {
        let stage = Stage::open(config).await;
        stage.plays("s", "silent-headers");
        let body = r#"{"model":"s","stream":true,"messages":[]}"#;
        let holder = {
            let mut holder = Caller::connect(stage.gateway.addr).await;
            let path = "/passthrough/t/chat/completions";
            holder.send(&Request::post(path, body)).await;
            stage.seen("s", |s| s.received.is_some()).await;
            holder
        };
        let waits = Request::get("/passthrough/t/models").with("x-request-deadline-ms", "300");
        let mark = Mark::new();
        let late = stage.ask(&mark.on(waits)).await;
        assert_eq!(late.status, 504, "{}", late.text());
        assert_eq!(late.json()["error"]["phase"], "queued", "{}", late.text());
        assert_eq!(stage.sim.report().len(), 1);
        holder.leave();
        stage.seen("s", |s| s.closed.is_some()).await;
        let next = stage.ask(&Request::get("/passthrough/t/models")).await;
        assert_eq!(next.status, 200, "{}", next.text());
    });
}

#[test]
fn paths_that_lead_elsewhere_and_keys_that_may_not_are_refused() {
    beside(async {
        let stage = Stage::open(|origin| {
            format!(
                "{}keys:\n  some: {{ value: {KEY}, routes: [ r ], passthrough: true }}\n",
                config(origin)
            )
        })
        .await;
        for (path, status, code) in [
            ("/passthrough/t/../admin", 400, "invalid_passthrough_path"),
            ("/passthrough/t/a/%2e%2e/b", 400, "invalid_passthrough_path"),
            ("/passthrough/t/a/.%2E/b", 400, "invalid_passthrough_path"),
            ("/passthrough/t//a", 400, "invalid_passthrough_path"),
            ("/passthrough/x/models", 404, "target_not_found"),
            ("/passthrough/g/models", 403, "target_not_allowed"),
            ("/passthrough/t/models", 200, "-"),
        ] {
            let request = Request::get(path).with("authorization", &format!("Bearer {KEY}"));
            let answer = stage.ask(&request).await;
            assert_eq!(
                (answer.status, answer.code().as_str()),
                (status, code),
                "{path}: {}",
                answer.text()
            );
        }
        let without = stage.ask(&Request::get("/passthrough/t/models")).await;
        assert_eq!(without.status, 401);
        let seen = stage.sim.report();
        assert_eq!(seen.len(), 1, "{seen:#?}");
        // never the caller's own key
        assert_eq!(seen[0].header("authorization"), Some("Bearer key-of-t"));
    });
}
