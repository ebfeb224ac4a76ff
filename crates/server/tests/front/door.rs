//! Who is let in: hosts, origins, targets, methods, media.

use crate::support::*;
use punctual_core::Outcome;
use punctual_server::Settings;

async fn refused(gate: &Gate, request: &str) -> (u16, String) {
    let answer = gate.caller().await.ask(request).await;
    (answer.status, answer.code())
}

#[tokio::test]
async fn a_request_names_exactly_one_host_that_is_known() {
    let gate = Gate::open().await;
    let request = |line: &str, hosts: &str| {
        format!(
            "{line} HTTP/1.1\r\n{hosts}content-type: application/json\r\ncontent-length: 2\r\n\r\n{{}}"
        )
    };
    let post = "POST /v1/chat/completions";
    for (line, hosts, status, code) in [
        (post, "host: evil.example\r\n", 421, "unknown_host"),
        (
            post,
            "host: localhost.evil.example\r\n",
            421,
            "unknown_host",
        ),
        (post, "", 400, "bad_host"),
        (
            post,
            "host: localhost\r\nhost: localhost\r\n",
            400,
            "bad_host",
        ),
        (
            "POST http://localhost/v1/chat/completions",
            "host: localhost\r\n",
            400,
            "bad_request_target",
        ),
        (
            "CONNECT localhost:443",
            "host: localhost\r\n",
            400,
            "bad_request_target",
        ),
        (
            "GET /healthz",
            "host: evil.example\r\n",
            421,
            "unknown_host",
        ),
    ] {
        assert_eq!(
            refused(&gate, &request(line, hosts)).await,
            (status, code.into()),
            "{line} {hosts}"
        );
    }
    for host in ["127.0.0.1", "[::1]:8080", "LOCALHOST:1"] {
        let (status, _) = refused(&gate, &request(post, &format!("host: {host}\r\n"))).await;
        assert_eq!(status, 400, "past the door, to the body: {host}");
    }
    assert_eq!(gate.fake.sent(), 0);
}

/// A gate that lets in the page `https://ui.example`.
async fn for_a_page() -> Gate {
    let origins = vec!["https://ui.example".to_owned()];
    let settings = Settings {
        origins,
        ..Setup::default().settings
    };
    Gate::with(Setup {
        settings,
        ..Setup::default()
    })
    .await
}

#[tokio::test]
async fn a_web_page_is_refused_unless_its_origin_is_configured() {
    let gate = for_a_page().await;
    for (origin, status) in [
        ("https://ui.example", 200),
        ("https://evil.example", 403),
        ("null", 403),
    ] {
        let line = format!("origin: {origin}\r\n");
        assert_eq!(
            gate.caller()
                .await
                .ask(&chat("chat", false, &line))
                .await
                .status,
            status,
            "{origin}"
        );
    }
    assert_eq!(gate.fake.sent(), 1);
    for (lines, status) in [
        ("sec-fetch-site: cross-site\r\n", 403),
        ("sec-fetch-site: same-site\r\n", 403),
        ("sec-fetch-site: none\r\n", 200),
        ("sec-fetch-site: same-origin\r\n", 200),
        (
            "sec-fetch-site: cross-site\r\norigin: https://ui.example\r\n",
            200,
        ),
    ] {
        for path in ["/v1/models", "/passthrough/primary/x"] {
            let request = request("GET", path, lines, "");
            let answer = gate.caller().await.ask(&request).await;
            assert_eq!(answer.status, status, "{path} {lines}");
        }
    }
}

#[tokio::test]
async fn a_browser_hears_what_the_page_may_send_and_that_it_may_read_the_answer() {
    let gate = for_a_page().await;
    let wish = "access-control-request-method: POST\r\n\
                access-control-request-headers: authorization,content-type\r\n";
    let preflight = async |path: &str, origin: &str| {
        let lines = format!("origin: {origin}\r\n{wish}");
        let request = request("OPTIONS", path, &lines, "");
        gate.caller().await.ask(&request).await
    };
    let (page, allow) = ("https://ui.example", "access-control-allow-origin");
    for (path, methods) in [
        ("/v1/chat/completions", "POST"),
        ("/v1/models", "GET, HEAD"),
        (
            "/passthrough/primary/x",
            "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
        ),
    ] {
        let answer = preflight(path, page).await;
        assert_eq!(
            (answer.status, answer.header(allow)),
            (204, Some(page)),
            "{path}"
        );
        let said = |name: &str| answer.header(&format!("access-control-allow-{name}"));
        assert_eq!(said("methods"), Some(methods));
        assert_eq!(said("headers"), Some("authorization,content-type"));
        assert_eq!(answer.header("vary"), Some("origin"));
    }
    for (path, origin, status) in [
        ("/v1/chat/completions", "https://evil.example", 403),
        ("/v1/nothing", page, 404),
    ] {
        assert_eq!(
            preflight(path, origin).await.status,
            status,
            "{path} {origin}"
        );
    }
    assert_eq!(gate.fake.sent(), 0);
    for (origin, model, status, named) in [
        (page, "chat", 200, Some(page)),
        (page, "nothing", 404, Some(page)),
        ("https://evil.example", "chat", 403, None),
    ] {
        let line = format!("origin: {origin}\r\n");
        let answer = gate.caller().await.ask(&chat(model, false, &line)).await;
        assert_eq!(
            (answer.status, answer.header(allow)),
            (status, named),
            "{model}"
        );
    }
    assert_eq!(
        gate.caller()
            .await
            .ask(&chat("chat", false, ""))
            .await
            .header(allow),
        None
    );
}

#[tokio::test]
async fn only_json_that_is_not_compressed_is_taken() {
    let gate = Gate::open().await;
    let request = |lines: &str| {
        format!(
            "POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\n{lines}content-length: 2\r\n\r\n{{}}"
        )
    };
    for (lines, status) in [
        ("", 415),
        ("content-type: text/plain\r\n", 415),
        ("content-type: application/x-www-form-urlencoded\r\n", 415),
        ("content-type: application/jsonp\r\n", 415),
        (
            "content-type: application/json\r\ncontent-encoding: gzip\r\n",
            415,
        ),
        ("content-type: application/json\r\nexpect: tea\r\n", 417),
        (
            "content-type: Application/JSON ; charset=utf-8\r\ncontent-encoding: identity\r\n",
            400,
        ),
    ] {
        assert_eq!(refused(&gate, &request(lines)).await.0, status, "{lines}");
    }
}

#[tokio::test]
async fn a_wrong_path_and_a_wrong_method_are_told_apart() {
    let gate = Gate::open().await;
    for (line, status, code) in [
        ("GET /v1/chat/completions", 405, "method_not_allowed"),
        ("OPTIONS /v1/chat/completions", 405, "method_not_allowed"),
        ("POST /v1/models", 405, "method_not_allowed"),
        ("TRACE /passthrough/primary/x", 405, "method_not_allowed"),
        ("PROPFIND /passthrough/primary/x", 405, "method_not_allowed"),
        ("GET /", 404, "unknown_path"),
        ("POST /v1/../v1/chat/completions", 404, "unknown_path"),
        ("POST /v1beta/models/m:generateContent", 404, "unknown_path"),
        ("POST /passthrough/primary", 404, "unknown_path"),
    ] {
        let found = refused(
            &gate,
            &format!("{line} HTTP/1.1\r\nhost: localhost\r\n\r\n"),
        )
        .await;
        assert_eq!(found, (status, code.into()), "{line}");
    }
    let answer = gate.caller().await.get("/v1/chat/completions").await;
    assert_eq!(answer.header("allow"), Some("POST"));
    let reports = gate.reports(5).await;
    assert!(
        reports
            .iter()
            .all(|r| r.outcome == Some(Outcome::Rejected) && r.status == Some(405))
    );
}

#[tokio::test]
async fn an_upgrade_is_never_honoured_and_nobody_hears_of_it() {
    let gate = Gate::open().await;
    let upgrade = "connection: upgrade\r\nupgrade: websocket\r\n";
    let answer = gate.caller().await.ask(&chat("chat", false, upgrade)).await;
    assert_eq!(answer.status, 200);
    assert!(!gate.fake.calls()[0].headers.contains_key("upgrade"));
}

#[tokio::test]
async fn alive_and_ready_need_no_key() {
    let gate = Gate::open().await;
    let mut caller = gate.caller().await;
    assert_eq!(caller.get("/healthz").await.status, 200);
    assert_eq!(caller.get("/readyz").await.status, 200);
    assert_eq!(caller.get("/readyz/chat").await.status, 200);
    assert_eq!(caller.get("/readyz/nobody").await.status, 404);
    let now = gate.gateway.current();
    now.engine.targets[0].health.bench(None);
    assert_eq!(caller.get("/readyz/chat").await.status, 503);
    assert_eq!(caller.get("/readyz/team").await.status, 200);
    assert_eq!(
        caller.get("/readyz").await.status,
        200,
        "something can still be served"
    );
    now.engine.targets[1].credential.bench(None);
    assert_eq!(caller.get("/readyz").await.status, 503);
}
