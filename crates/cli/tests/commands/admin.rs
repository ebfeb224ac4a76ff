//! The administrative listener: a socket of its own, with a token of its own, and nothing of it in public.

use crate::{stage::Stage, support::Request, term::Folder};
use std::time::Duration;

const CONFIG: &str = r#"
server: { listen: 127.0.0.1:0, admin: { listen: 127.0.0.1:0, token: "an-admin-token" } }
keys: { agent: { value: "a-callers-key-0123456789" } }
providers: { sim: { dialect: openai, base_url: "{upstream}/v1", api_key: sk-test } }
targets: { t: { provider: sim, model: t } }
routes: { r: { plan: t } }
"#;

fn with(path: &str, token: &str) -> Request {
    Request::get(path).with("authorization", &format!("Bearer {token}"))
}

#[test]
fn its_pages_are_for_holders_of_the_token_and_for_nobody_else() {
    let stage = Stage::start(CONFIG, &[], |_| {});
    for path in ["/metrics", "/healthz", "/readyz", "/readyz/r", "/status"] {
        assert_eq!(
            stage.admin(&with(path, "an-admin-token")).status,
            200,
            "{path}"
        );
        for refused in ["a-callers-key-0123456789", "guess", ""] {
            assert_eq!(
                stage.admin(&with(path, refused)).status,
                401,
                "{path} {refused}"
            );
        }
    }
    assert_eq!(stage.admin(&with("/nothing", "an-admin-token")).status, 404);
    let page = with("/metrics", "an-admin-token").with("origin", "https://evil.example");
    assert_eq!(stage.admin(&page).status, 421, "a web page reads nothing");
}

#[test]
fn the_token_opens_no_route_and_metrics_are_not_public() {
    let stage = Stage::start(CONFIG, &[], |_| {});
    let chat = Request::chat("r", false);
    let as_admin = chat.clone().with("authorization", "Bearer an-admin-token");
    assert_eq!(stage.ask(&as_admin).status, 401);
    for path in ["/metrics", "/status"] {
        assert!(
            matches!(
                stage.ask(&with(path, "a-callers-key-0123456789")).status,
                401 | 404
            ),
            "{path}"
        );
    }
}

#[test]
fn a_route_is_ready_while_one_of_its_targets_is() {
    let stage = Stage::start(
        &CONFIG
            .replace(", token: \"an-admin-token\"", "")
            .replace("keys:", "#"),
        &[],
        |_| {},
    );
    assert_eq!(stage.admin(&Request::get("/readyz/r")).status, 200);
    assert_eq!(stage.admin(&Request::get("/readyz/other")).status, 404);
    stage
        .sim
        .set("t", "status=429,retry-after=20".parse().unwrap());
    assert_eq!(stage.chat("r", false).status, 429);
    assert_eq!(stage.admin(&Request::get("/readyz/r")).status, 503);
    let status = stage.admin(&Request::get("/status")).json();
    assert!(
        status["targets"][0]["rests_ms"]
            .as_u64()
            .is_some_and(|ms| (15_000..=22_000).contains(&ms)),
        "{status}"
    );
}

#[test]
fn without_one_nothing_listens_and_nothing_is_said() {
    let folder = Folder::with(
        "server: { listen: 127.0.0.1:0, admin: { listen: none } }\nproviders: { vllm: {} }\nroutes: { r: { plan: { pass: vllm } } }\n",
    );
    let mut child = folder
        .command(&["serve"])
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let said = crate::support::gateway::Lines::follow(child.stderr.take().unwrap());
    said.find(Duration::from_secs(20), |l| {
        l.contains("routes: r").then_some(())
    })
    .expect("it starts");
    child.kill().unwrap();
    child.wait().unwrap();
    let said = said.all();
    assert!(said.iter().any(|l| l.contains("listening on")), "{said:#?}");
    assert!(
        !said.iter().any(|l| l.contains("administration")),
        "{said:#?}"
    );
}
