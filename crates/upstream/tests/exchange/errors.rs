//! What upstreams say no with.

use crate::support::{Ask, Bench, HTTP1, HTTP2, WAYS};
use punctual_core::{Code, Sent, Surface};
use punctual_sim::Listen;
use punctual_upstream::{Auth, TargetSpec};
use std::time::Duration;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    task::JoinSet,
};

#[tokio::test]
async fn a_status_becomes_its_code() {
    let bench = Bench::new(HTTP1).await;
    for (status, code) in [
        (429, Code::RateLimited),
        (402, Code::QuotaExhausted),
        (503, Code::Overloaded),
        (529, Code::Overloaded),
        (500, Code::ServerError),
        (522, Code::ServerError),
        (408, Code::ServerError),
        (401, Code::Unauthorized),
        (403, Code::Unauthorized),
        (404, Code::NotFound),
        (422, Code::InvalidRequest),
        (407, Code::ConnectFailed),
        (307, Code::MalformedResponse),
    ] {
        let ask = Ask::stream(&format!("sim:status={status}"));
        let failure = bench.fails(&ask).await;
        assert_eq!(failure.code, code, "{status}");
        if status != 407 {
            assert_eq!(failure.status.unwrap().as_u16(), status);
            assert_eq!(failure.sent, Sent::Yes);
        }
        assert_eq!(failure.body.is_some(), code == Code::InvalidRequest);
    }
}

#[tokio::test]
async fn an_error_without_words_names_the_target_and_the_status() {
    let bench = Bench::new(HTTP1).await;
    let untold = crate::support::body("{\"error\":{\"code\":422}}", "");
    bench.sim.set("untold", untold);
    for (model, code, status) in [
        ("sim:status=400,empty", Code::InvalidRequest, 400),
        ("sim:status=422,html", Code::InvalidRequest, 422),
        ("sim:status=520,empty", Code::ServerError, 520),
        ("untold", Code::InvalidRequest, 422),
    ] {
        let failure = bench.fails(&Ask::unary(model)).await;
        let words = format!("answered with error {status} and gave no reason");
        assert_eq!(failure.code, code, "{model}");
        assert!(failure.message.contains(&words), "{}", failure.message);
        let Some(body) = &failure.body else {
            assert_eq!(code, Code::ServerError, "{model}");
            continue;
        };
        let envelope = format!(
            "{{\"error\":{{\"message\":\"{}\",\"type\":\"invalid_request_error\",\"code\":\"invalid_request\",\"param\":null}}}}",
            failure.message
        );
        assert_eq!(body, &envelope, "{model}");
    }
}

#[tokio::test]
async fn a_403_or_404_benches_only_where_it_is_about_the_target() {
    let bench = Bench::new(HTTP1).await;
    for (model, surface, benches) in [
        ("sim:status=403", Surface::Chat, true),
        ("sim:status=403,html", Surface::Chat, false),
        ("sim:status=403,empty", Surface::Chat, false),
        ("sim:status=404", Surface::Chat, true),
        ("sim:status=404", Surface::Embeddings, false),
        ("sim:status=403", Surface::Completions, false),
    ] {
        let ask = Ask {
            surface,
            ..Ask::unary(model)
        };
        let failure = bench.fails(&ask).await;
        assert_eq!(failure.benches, benches, "{model} {surface:?}");
    }
}

#[tokio::test]
async fn what_was_said_before_the_words_stopped_is_kept() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let front = listener.local_addr().unwrap();
    let fronted = |spec: &mut TargetSpec| spec.endpoint.base_url = format!("http://{front}/v1");
    let bench = Bench::with(HTTP1, Listen::loopback(), fronted).await;
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut read = Vec::new();
        while !read.ends_with(b"}") {
            socket.read_buf(&mut read).await.unwrap();
        }
        let answer = "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: 999\r\n\r\n\
            {\"error\":{\"message\":\"maximum context length is 8\"}}";
        socket.write_all(answer.as_bytes()).await.unwrap();
        std::future::pending::<()>().await;
    });
    let failure = bench.fails(&Ask::unary("m")).await;
    assert_eq!(failure.code, Code::ContextLengthExceeded);
}

#[tokio::test]
async fn redirects_are_never_followed() {
    let bench = Bench::new(HTTP1).await;
    let location = format!(
        "sim:status=302,header=location:{}/v1/elsewhere",
        bench.sim.url()
    );
    bench
        .sim
        .set("away", location.trim_start_matches("sim:").parse().unwrap());
    assert_eq!(
        bench.fails(&Ask::unary("away")).await.code,
        Code::MalformedResponse
    );
    assert_eq!(bench.sim.report().len(), 1);
}

#[tokio::test]
async fn hints_limits_and_ids_come_with_the_failure() {
    let bench = Bench::new(HTTP1).await;
    let ask = Ask::unary(
        "sim:status=429,retry-after=7,header=x-request-id:req_9,header=x-should-retry:false,header=set-cookie:a=b,header=x-ratelimit-limit-requests:3",
    );
    let failure = bench.fails(&ask).await;
    assert_eq!(failure.retry_after, Some(Duration::from_secs(7)));
    assert_eq!(failure.should_retry, Some(false));
    let headers = failure.headers.unwrap();
    assert_eq!(headers["x-upstream-request-id"], "req_9");
    assert_eq!(headers["x-ratelimit-limit-requests"], "3");
    assert!(!headers.contains_key("set-cookie"));
}

#[tokio::test]
async fn errors_inside_a_200_are_failures_with_their_meaning() {
    let bench = Bench::new(HTTP1).await;
    for (ask, code) in [
        (
            Ask::stream("sim:error=rate_limit,error-first"),
            Code::RateLimited,
        ),
        (
            Ask::stream("sim:error=overloaded,error-after=2"),
            Code::Overloaded,
        ),
        (
            Ask::unary("sim:error=insufficient_quota"),
            Code::QuotaExhausted,
        ),
        (
            Ask::stream("sim:error=rate_limit,json-for-stream"),
            Code::RateLimited,
        ),
    ] {
        let failure = bench.fails(&ask).await;
        assert_eq!(failure.code, code, "{}", ask.model);
        assert_eq!(failure.sent, Sent::Yes);
    }
}

#[tokio::test]
async fn neither_key_nor_host_nor_the_callers_own_credential_comes_back() {
    let said = "{\"error\":{\"message\":\"key sk-secret-1 at 127.0.0.1 is bad\",\"type\":\"invalid_request_error\"}}";
    let keyed = |spec: &mut TargetSpec| spec.auth = Auth::Key("sk-secret-1".into());
    let passed = |spec: &mut TargetSpec| spec.auth = Auth::Passthrough;
    for status in [400, 500] {
        for bench in [
            Bench::with(HTTP1, Listen::loopback(), keyed).await,
            Bench::with(HTTP1, Listen::loopback(), passed).await,
        ] {
            let script = crate::support::body(said, &format!(",status={status}"));
            bench.sim.set("echo", script);
            let ask = Ask::unary("echo").header("authorization", "Bearer sk-secret-1");
            let failure = bench.fails(&ask).await;
            let body = failure.body.clone().unwrap_or_default();
            let told = format!("{} {}", failure.message, String::from_utf8_lossy(&body));
            assert!(
                !told.contains("sk-secret-1") && !told.contains("127.0.0.1"),
                "{told}"
            );
            assert!(told.contains("is bad"), "{told}");
            let seen = bench.seen(|_| true).await;
            assert_eq!(seen.header("authorization"), Some("Bearer sk-secret-1"));
        }
    }
}

#[tokio::test]
async fn an_error_whose_body_never_ends_is_an_error_all_the_same() {
    let bench = Bench::new(HTTP1).await;
    let failure = bench
        .fails(&Ask::unary("sim:status=503,trickle=20ms"))
        .await;
    assert_eq!(failure.code, Code::Overloaded);
}

#[tokio::test]
async fn a_fresh_connection_that_closes_unanswered_may_have_done_the_work() {
    for way in WAYS {
        let bench = Bench::new(way).await;
        for script in ["sim:fin", "sim:rst"] {
            let failure = bench.fails(&Ask::unary(script)).await;
            assert_eq!(failure.code, Code::Truncated, "{way:?} {script}");
        }
        assert_eq!(bench.sim.report().len(), 2, "{way:?}");
    }
}

#[tokio::test]
async fn a_port_nobody_listens_on_is_a_connection_that_failed_and_names_no_host() {
    for way in [HTTP1, HTTP2] {
        let port = {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            listener.local_addr().unwrap().port()
        };
        let elsewhere = |spec: &mut TargetSpec| {
            spec.endpoint.base_url = format!("http://127.0.0.1:{port}");
        };
        let bench = Bench::with(way, Listen::loopback(), elsewhere).await;
        let failure = bench.fails(&Ask::unary("m")).await;
        assert_eq!(failure.code, Code::ConnectFailed);
        assert_eq!(failure.sent, Sent::No);
        assert!(
            failure.message.contains("TCP: connection refused"),
            "{}",
            failure.message
        );
        assert!(!failure.message.contains("127.0.0.1"));
        assert_eq!(bench.pools.stats()[0].failed_dials, 1);
    }
}

#[tokio::test]
async fn an_answer_before_the_body_was_read_is_heard() {
    for way in WAYS {
        let early = |spec: &mut TargetSpec| {
            let base = spec
                .endpoint
                .base_url
                .replace("/v1", "/sim:unread,status=413/v1");
            spec.endpoint.base_url = base;
        };
        let bench = Bench::with(way, Listen::loopback(), early).await;
        let mut ask = Ask::unary("m");
        ask.padding = 20 << 20;
        let failure = bench.fails(&ask).await;
        assert_eq!(failure.code, Code::InvalidRequest, "{way:?} {failure:?}");
        assert_eq!(failure.status.unwrap(), 413);
        assert_eq!(bench.pools.stats()[0].idle, 0);
    }
}
