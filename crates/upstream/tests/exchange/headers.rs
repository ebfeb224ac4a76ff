//! Which headers go upstream and which come back.

use crate::support::{Ask, Bench, HTTP1, HTTP2, WAYS};
use punctual_core::Pieces;
use punctual_sim::{Listen, Seen};
use punctual_upstream::{Auth, ForwardDeadline, ModelChoice, TargetSpec};
use std::time::Duration;

fn ask() -> Ask {
    let mut ask = Ask::unary("m");
    for (name, value) in [
        ("authorization", "Bearer callers-own"),
        ("cookie", "a=b"),
        ("x-api-key", "callers-own"),
        ("connection", "keep-alive, x-hop"),
        ("x-hop", "1"),
        ("x-listed", "1"),
        ("x-not-listed", "1"),
        ("idempotency-key", "k"),
        ("openai-beta", "b"),
        ("openai-organization", "callers-own"),
        ("openai-project", "callers-own"),
        ("user-agent", "sdk/1"),
        ("accept-encoding", "br, gzip"),
        ("x-stainless-timeout", "600"),
        ("x-request-deadline-ms", "9000"),
        ("tracestate", "unreadable-parent=1"),
        ("host", "evil"),
        ("content-length", "1"),
        ("transfer-encoding", "chunked"),
        ("expect", "100-continue"),
    ] {
        ask = ask.header(name, value);
    }
    ask
}

fn target(spec: &mut TargetSpec) {
    spec.auth = Auth::Key("ours".into());
    spec.headers.insert("x-static", "s".parse().unwrap());
    spec.forward_headers = vec!["x-listed".parse().unwrap(), "x-hop".parse().unwrap()];
    spec.model = ModelChoice::Fixed("fixed-model".into());
}

fn names(seen: &Seen) -> Vec<&str> {
    let mut names: Vec<_> = seen.headers.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    names
}

#[tokio::test]
async fn nothing_goes_upstream_that_is_not_on_the_list() {
    for way in WAYS {
        let bench = Bench::with(way, Listen::loopback(), target).await;
        bench.hear(&ask()).await.complete();
        let seen = bench.seen(|_| true).await;
        assert_eq!(
            names(&seen),
            [
                "accept",
                "accept-encoding",
                "authorization",
                "content-length",
                "content-type",
                "host",
                "idempotency-key",
                "openai-beta",
                "traceparent",
                "user-agent",
                "x-listed",
                "x-static",
            ],
            "{way:?}"
        );
        assert_eq!(seen.header("authorization"), Some("Bearer ours"));
        assert!(bench.sim.url().ends_with(seen.header("host").unwrap()));
        assert_eq!(seen.model, "fixed-model");
        assert!(seen.header("user-agent").unwrap().starts_with("punctual/"));
    }
}

#[tokio::test]
async fn the_time_left_is_told_as_the_target_wants_it() {
    let told = |spec: &mut TargetSpec| {
        spec.forward_deadline = vec![ForwardDeadline::Punctual, ForwardDeadline::LiteLlm];
    };
    for way in [HTTP1, HTTP2] {
        let bench = Bench::with(way, Listen::loopback(), told).await;
        let mut ask = Ask::unary("m").header("x-litellm-timeout", "2.5");
        ask.left = Some(Duration::from_millis(30_000));
        bench.hear(&ask).await.complete();
        let seen = bench.seen(|_| true).await;
        // less what connecting took
        let left: u64 = seen
            .header("x-request-deadline-ms")
            .unwrap()
            .parse()
            .unwrap();
        assert!((20_000..=29_950).contains(&left), "{left}");
        assert_eq!(seen.header("x-litellm-timeout"), Some("2.500"));
        assert_eq!(seen.header("x-litellm-num-retries"), Some("0"));
    }
}

#[tokio::test]
async fn no_time_is_told_where_nobody_set_a_deadline() {
    let told = |spec: &mut TargetSpec| spec.forward_deadline = ForwardDeadline::ALL.to_vec();
    let bench = Bench::with(HTTP1, Listen::loopback(), told).await;
    let mut ask = Ask::unary("m");
    ask.limit = Some(Duration::from_secs(600));
    bench.hear(&ask).await.complete();
    let seen = bench.seen(|_| true).await;
    for header in ForwardDeadline::ALL {
        assert_eq!(seen.header(header.header()), None);
    }
}

#[tokio::test]
async fn a_passed_through_credential_is_the_callers_and_nobodys_else() {
    let pass = |spec: &mut TargetSpec| spec.auth = Auth::Passthrough;
    let bench = Bench::with(HTTP1, Listen::loopback(), pass).await;
    bench.hear(&ask()).await.complete();
    let seen = bench.seen(|_| true).await;
    assert_eq!(seen.header("authorization"), Some("Bearer callers-own"));
    assert_eq!(seen.header("cookie"), None);
    assert_eq!(seen.header("openai-organization"), Some("callers-own"));
    assert_eq!(seen.header("openai-project"), Some("callers-own"));
    bench.hear(&Ask::unary("m")).await.complete();
    assert_eq!(bench.seen(|_| true).await.header("authorization"), None);
}

#[tokio::test]
async fn a_credential_for_a_connection_is_not_passed_on_to_a_shared_one() {
    let pass = |spec: &mut TargetSpec| spec.auth = Auth::Passthrough;
    let bench = Bench::with(HTTP1, Listen::loopback(), pass).await;
    for (credential, sent) in [
        ("NTLM TlRMTVNTUAAB", false),
        ("negotiate YIIJ", false),
        ("Negotiate", false),
        ("Basic bnRsbTo=", true),
        ("NTLMish x", true),
    ] {
        let ask = Ask::unary("m").header("authorization", credential);
        bench.hear(&ask).await.complete();
        let seen = bench.seen(|_| true).await;
        let expected = sent.then_some(credential);
        assert_eq!(seen.header("authorization"), expected);
    }
}

#[tokio::test]
async fn whom_to_bill_is_the_callers_to_say_only_where_the_target_says_so() {
    let opted = |spec: &mut TargetSpec| {
        target(spec);
        spec.forward_headers = vec!["openai-project".parse().unwrap()];
    };
    let bench = Bench::with(HTTP1, Listen::loopback(), opted).await;
    bench.hear(&ask()).await.complete();
    let seen = bench.seen(|_| true).await;
    assert_eq!(seen.header("openai-project"), Some("callers-own"));
    assert_eq!(seen.header("openai-organization"), None);
}

#[tokio::test]
async fn a_header_that_is_passed_on_stands_there_once() {
    let passes = |spec: &mut TargetSpec| {
        spec.forward_headers = vec!["user-agent".parse().unwrap()];
    };
    let bench = Bench::with(HTTP1, Listen::loopback(), passes).await;
    for (ask, agent) in [(ask(), "sdk/1"), (Ask::unary("m"), "punctual/")] {
        bench.hear(&ask).await.complete();
        let seen = bench.seen(|_| true).await;
        let agents = names(&seen)
            .into_iter()
            .filter(|name| *name == "user-agent");
        assert_eq!(agents.count(), 1);
        assert!(seen.header("user-agent").unwrap().starts_with(agent));
    }
}

#[tokio::test]
async fn only_listed_headers_come_back() {
    let bench = Bench::new(HTTP1).await;
    let ask = Ask::unary(
        "sim:header=set-cookie:a=b,header=x-ratelimit-remaining-requests:3,header=x-request-id:req_1,header=openai-organization:acme,header=x-internal:1",
    );
    let answer = bench.send(&ask).await.unwrap();
    let head = answer.head();
    assert_eq!(head.request_id.as_deref(), Some("req_1"));
    let mut names: Vec<_> = head.headers.keys().map(|name| name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["content-type", "x-ratelimit-remaining-requests"]);
}

#[tokio::test]
async fn the_body_goes_as_it_came_but_for_the_model() {
    let bench = Bench::with(HTTP1, Listen::loopback(), target).await;
    bench.hear(&Ask::unary("caller-model")).await.complete();
    let body = String::from_utf8(bench.seen(|_| true).await.body.to_vec()).unwrap();
    assert!(
        body.starts_with(
            "{\"model\":\"fixed-model\",\"stream\":false,\"max_tokens\":64,\"messages\":[{"
        ),
        "{body}"
    );
}
