//! Credentials that are fetched or computed, as upstreams and token endpoints see them.

use crate::support::{Ask, Bench, HTTP1, HTTP2, PATIENCE, WAYS, attempt};
use punctual_core::{Code, Progress};
use punctual_sim::{Listen, Seen};
use punctual_upstream::{Auth, AwsAuth, AwsKeys, GoogleAuth, TargetSpec};
use ring::digest::{SHA256, digest};
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// A user's credentials whose token endpoint is the simulator itself.
fn google(spec: &mut TargetSpec) {
    let token_url = spec.endpoint.base_url.replace("/v1", "/token");
    let json =
        r#"{"type":"authorized_user","client_id":"c","client_secret":"s","refresh_token":"r"}"#;
    spec.auth = Auth::Google(GoogleAuth {
        json: Some(json.into()),
        token_url: Some(token_url),
        ..GoogleAuth::default()
    });
}

fn aws(spec: &mut TargetSpec) {
    spec.auth = Auth::Aws(AwsAuth {
        region: Some("us-east-1".into()),
        keys: Some(AwsKeys {
            access_key_id: "AKIA".into(),
            secret_access_key: "secret".into(),
            session_token: Some("session".into()),
        }),
        ..AwsAuth::default()
    });
}

async fn bench(script: &str) -> Bench {
    let bench = Bench::with(HTTP1, Listen::loopback(), google).await;
    bench.sim.set("google-token", script.parse().unwrap());
    bench
}

fn asked(bench: &Bench, model: &str) -> Vec<Seen> {
    let all = bench.sim.report().into_iter();
    all.filter(|seen| seen.model == model).collect()
}

#[tokio::test]
async fn a_request_is_signed_as_it_is_sent() {
    for way in WAYS {
        let bench = Bench::with(way, Listen::loopback(), aws).await;
        let mut ask = Ask::stream("sim:tokens=1");
        ask.padding = 100_000;
        bench.hear(&ask).await.complete();
        let seen = &bench.sim.report()[0];
        let sum = digest(&SHA256, &seen.body);
        let hex: String = sum.as_ref().iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!(
            seen.header("x-amz-content-sha256"),
            Some(hex.as_str()),
            "{way:?}"
        );
        assert_eq!(seen.header("x-amz-security-token"), Some("session"));
        let value = seen.header("authorization").unwrap();
        assert!(
            value.starts_with("AWS4-HMAC-SHA256 Credential=AKIA/"),
            "{value}"
        );
        assert!(value.contains("/us-east-1/bedrock/aws4_request"), "{value}");
    }
}

#[tokio::test]
async fn a_token_is_fetched_once_for_all_and_over_every_way() {
    for way in WAYS {
        let bench = Bench::with(way, Listen::loopback(), google).await;
        bench.sim.set("google-token", "delay=50ms".parse().unwrap());
        let ask = Ask::unary("sim:tokens=1");
        let (a, b, c) = tokio::join!(bench.hear(&ask), bench.hear(&ask), bench.hear(&ask));
        for heard in [a, b, c] {
            heard.complete();
        }
        bench.hear(&ask).await.complete();
        assert_eq!(asked(&bench, "google-token").len(), 1, "{way:?}");
        for seen in asked(&bench, "sim:tokens=1") {
            assert_eq!(seen.header("authorization"), Some("Bearer sim-token-0"));
        }
    }
}

#[tokio::test]
async fn when_the_attempt_that_fetches_leaves_its_socket_closes_and_the_next_takes_over() {
    let bench = bench("silent-headers").await;
    let ask = Ask::unary("sim:tokens=1");
    let leaver = timeout(Duration::from_millis(150), bench.send(&ask));
    // asked second: it waits for the first one's fetch
    let next = bench.hear(&ask);
    let change = async {
        bench
            .sim
            .wait(PATIENCE, |all| all.len() == 1)
            .await
            .unwrap();
        bench.sim.set("google-token", "tokens=1".parse().unwrap());
    };
    let (left, heard, ()) = tokio::join!(leaver, next, change);
    assert!(left.is_err());
    heard.complete();
    let closed = bench.sim.wait(PATIENCE, |all| {
        all.first().is_some_and(|seen| seen.closed.is_some())
    });
    let tokens = closed.await.unwrap();
    let first = &tokens[0];
    let took = first.closed.unwrap().0 - first.arrived;
    assert!(took < Duration::from_millis(250), "{took:?}");
    let seen = asked(&bench, "sim:tokens=1");
    assert_eq!(seen.len(), 1);
    assert_eq!(seen[0].header("authorization"), Some("Bearer sim-token-1"));
}

#[tokio::test]
async fn a_token_that_does_not_come_is_cut_by_whoever_waits() {
    let bench = bench("silent-headers").await;
    let started = Instant::now();
    let cut = timeout(Duration::from_millis(100), bench.send(&Ask::unary("m"))).await;
    let took = started.elapsed();
    assert!(cut.is_err());
    assert!(took < Duration::from_millis(200), "{took:?}");
    assert!(asked(&bench, "m").is_empty());
}

#[tokio::test]
async fn whoever_hands_out_tokens_fails_like_an_upstream_and_refuses_like_one() {
    for (script, code) in [
        ("status=400", Code::Unauthorized),
        ("status=401", Code::Unauthorized),
        ("status=429", Code::ServerError),
        ("status=503", Code::ServerError),
        ("truncated", Code::ConnectFailed),
        ("rst", Code::ConnectFailed),
    ] {
        let bench = bench(script).await;
        let failure = bench.fails(&Ask::unary("m")).await;
        assert_eq!(failure.code, code, "{script}: {}", failure.message);
        let text = &failure.message;
        assert!(text.contains("Google's token endpoint"), "{text}");
        assert!(!text.contains("127.0.0.1"), "{text}");
        assert!(asked(&bench, "m").is_empty(), "{script}");
    }
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = nobody.local_addr().unwrap().port();
    drop(nobody);
    let bench = Bench::with(HTTP2, Listen::loopback(), |spec| {
        google(spec);
        if let Auth::Google(auth) = &mut spec.auth {
            auth.token_url = Some(format!("http://127.0.0.1:{port}/token"));
        }
    })
    .await;
    let progress = Progress::new();
    let refused = attempt(&bench.upstreams, &Ask::unary("m"), &progress).await;
    assert!(refused.is_err_and(|failure| failure.code == Code::ConnectFailed));
}
