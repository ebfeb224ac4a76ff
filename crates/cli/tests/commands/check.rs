//! `punctual check`: exit codes, places, numbers, the table, and JSON.

use crate::{sample::GOOD, term::Folder};
use std::path::Path;

/// Each line that is marked holds one mistake, and what is said of it.
const WRONG: &[(&str, &str)] = &[
    ("server:", ""),
    (
        "  listen: 8080",
        "write 127.0.0.1:8080 for this machine only",
    ),
    ("  request_deadlin: 3s", "did you mean request_deadline?"),
    ("  max_body_bytes: 10", "no unit"),
    ("  admin: none", "here stands a map of keys"),
    ("providers:", ""),
    (
        "  openai: { api_key: \"${NOT_SET_HERE}\" }",
        "NOT_SET_HERE is not set",
    ),
    (
        "  one: { dialect: gemni, base_url: \"http://127.0.0.1:1/v1\" }",
        "did you mean gemini?",
    ),
    (
        "  two: { dialect: openai, api_key: k, base_url: \"http://127.0.0.1:1/v1/chat/completions\" }",
        "write http://127.0.0.1:1/v1",
    ),
    ("  vllm: { first_token_timeout: 5 }", "write 5s or 5ms"),
    ("targets:", ""),
    ("  a: { provider: opnai, model: x }", "did you mean openai?"),
    ("routes:", ""),
    (
        "  r: { plan: { retry: { of: nobody, max_attempts: 0 } } }",
        "max_attempts is the total",
    ),
    (
        "  s: { plan: { fallback: [ { pass: vllm }, { pass: nowhere } ] } }",
        "there is no provider \"nowhere\"",
    ),
    (
        "  t: { deadline: 1s, min_attempt: 2s, plan: { pass: vllm } }",
        "min_attempt is 2s, the deadline 1s",
    ),
    (
        "  u: { capture: errors, plan: { pass: vllm } }",
        "bodies are never captured",
    ),
];

#[test]
fn every_mistake_is_told_with_its_line_and_a_way_out() {
    let text: Vec<&str> = WRONG.iter().map(|(line, _)| *line).collect();
    let ran = Folder::with(&text.join("\n")).run(&["check"]);
    assert_eq!(ran.code, Some(1), "{}", ran.out);
    for (n, (line, said)) in WRONG
        .iter()
        .enumerate()
        .filter(|(_, (_, said))| !said.is_empty())
    {
        let place = format!("punctual.yaml:{}:", n + 1);
        let told = ran.out.lines().collect::<Vec<_>>();
        // a problem is a line with its place, and perhaps an indented line with the fix
        let found = told
            .windows(2)
            .any(|two| two[0].starts_with(&place) && two.iter().any(|l| l.contains(said)));
        assert!(found, "{place} {line}: {said:?} is not in\n{}", ran.out);
    }
    let mistakes = WRONG.iter().filter(|(_, said)| !said.is_empty()).count();
    assert!(
        ran.out.contains(&format!("\n{} errors, ", mistakes + 1)),
        "{}",
        ran.out
    );
}

#[test]
fn a_good_file_passes_and_its_worst_case_is_shown() {
    let ran = Folder::with(GOOD).run_with(&["check"], &[("OPENAI_API_KEY", "sk-x")]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
    assert!(ran.out.contains("route chat: deadline 1m\n"), "{}", ran.out);
    assert!(ran.out.ends_with("0 errors, 0 warnings\n"), "{}", ran.out);
}

#[test]
fn the_table_is_the_plan_with_every_member_silent() {
    let text = r#"
providers: { vllm: {} }
targets:
  a: { provider: vllm, model: a, first_token_timeout: 2s }
  b: { provider: vllm, model: b }
routes: { r: { deadline: 10s, plan: [ a, b ] } }
"#;
    let ran = Folder::with(text).run(&["check"]);
    assert_eq!(ran.code, Some(0));
    let table = "\
route r: deadline 10s
  streamed, every member silent: ends after 10s
          at  member     until  cut by
          0s  a             2s  first_token_timeout (5s kept for those behind)
          2s  b            10s  deadline
  unary, every member silent: ends after 10s
          at  member     until  cut by
          0s  a             5s  reserve (5s kept for those behind)
          5s  b            10s  deadline
";
    assert!(ran.out.starts_with(table), "{}", ran.out);
}

#[test]
fn what_each_route_serves_is_told_with_who_serves_it() {
    let text = r#"
providers:
  vllm: {}
  claude: { dialect: anthropic, base_url: "http://127.0.0.1:1/v1", api_key: sk-of-a-test }
targets:
  fast: { provider: vllm, model: a }
  good: { provider: claude, model: b }
routes:
  r: { plan: [ fast, good, { use: fast, timeout: 9s } ] }
  s: { plan: good }
"#;
    let folder = Folder::with(text);
    let ran = folder.run(&["check"]);
    for line in [
        "  serves chat, responses, messages; completions by fast; embeddings by fast; images by fast; \
         count_tokens by good\n",
        "  serves chat, responses, messages, count_tokens\n",
    ] {
        assert!(ran.out.contains(line), "{line} is not in\n{}", ran.out);
    }
    let said: serde_json::Value =
        serde_json::from_str(&folder.run(&["check", "--json"]).out).unwrap();
    let surfaces = &said["routes"][0]["surfaces"];
    assert_eq!(surfaces["chat"], serde_json::json!(["fast", "good"]));
    assert_eq!(surfaces["count_tokens"], serde_json::json!(["good"]));
}

#[test]
fn clocks_that_never_fire_are_warned_of_with_both_numbers_and_served_all_the_same() {
    let text = r#"
providers: { vllm: {} }
targets: { a: { provider: vllm, model: a, first_token_timeout: 40s, timeout: 20s } }
routes: { r: { deadline: 15s, plan: a } }
"#;
    let ran = Folder::with(text).run(&["check"]);
    assert_eq!(ran.code, Some(0), "{}", ran.out);
    assert!(
        ran.out
            .contains("first_token_timeout of 40s never fires, because timeout of 20s"),
        "{}",
        ran.out
    );
    assert!(
        ran.out
            .contains("timeout of 20s never fires on route r, because its deadline of 15s"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("0 errors, 3 warnings"), "{}", ran.out);
}

#[test]
fn json_says_the_same_to_programs() {
    let wrong = Folder::with("providers: { vllm: {} }\nroutes: { r: { plan: { pass: vlm } } }\n")
        .run(&["check", "--json"]);
    assert_eq!(wrong.code, Some(1));
    let said: serde_json::Value = serde_json::from_str(&wrong.out).unwrap();
    let problems = said["problems"].as_array().unwrap();
    let problem = problems.iter().find(|p| p["severity"] == "error").unwrap();
    assert_eq!(
        (&problem["severity"], &problem["line"], &problem["file"]),
        (&"error".into(), &2.into(), &"punctual.yaml".into())
    );
    assert_eq!(problem["suggestion"], "did you mean vllm?");
    assert!(said["routes"].is_null());

    let good = Folder::with(GOOD).run_with(&["check", "--json"], &[("OPENAI_API_KEY", "sk-x")]);
    assert_eq!(good.code, Some(0));
    let said: serde_json::Value = serde_json::from_str(&good.out).unwrap();
    let chat = said["routes"]
        .as_array()
        .unwrap()
        .iter()
        .find(|r| r["route"] == "chat")
        .unwrap();
    assert_eq!(chat["deadline_ms"], 60_000);
    assert_eq!(chat["streamed"]["attempts"][0]["target"], "fast");
    assert!(!good.out.contains("sk-x"));
}

#[test]
fn the_file_is_an_argument_an_option_or_a_variable() {
    let text = "providers: { vllm: {} }\nroutes: { r: { plan: { pass: vllm } } }\n";
    let folder = Folder::new();
    folder.write("mine.yaml", text);
    folder.write("wrong.yaml", "routes: 3\n");
    let env = [("PUNCTUAL_CONFIG", "mine.yaml")];
    assert_eq!(folder.run(&["check", "mine.yaml"]).code, Some(0));
    assert_eq!(folder.run(&["check", "-c", "mine.yaml"]).code, Some(0));
    assert_eq!(folder.run_with(&["check"], &env).code, Some(0));
    assert_eq!(
        folder.run_with(&["check", "wrong.yaml"], &env).code,
        Some(1)
    );
    let none = folder.run(&["check"]);
    assert_eq!(none.code, Some(1));
    assert!(
        none.out.contains("punctual.yaml: error: cannot read it"),
        "{}",
        none.out
    );
}

#[test]
fn what_serve_could_not_start_with_does_not_pass() {
    let text = r#"
server: { tls: { cert_file: cert.pem, key_file: key.pem } }
providers: { vllm: {} }
routes: { r: { plan: { pass: vllm } } }
"#;
    let folder = Folder::with(text);
    folder.write("cert.pem", "not a certificate\n");
    folder.write("key.pem", "not a key\n");
    let checked = folder.run(&["check"]);
    assert_eq!(checked.code, Some(1), "{}", checked.out);
    assert!(
        checked.out.contains("server.tls.cert_file"),
        "{}",
        checked.out
    );
    assert_eq!(folder.run(&["serve"]).code, Some(3));
}

#[test]
fn an_unknown_variable_of_ours_is_a_warning() {
    let text = "providers: { vllm: {} }\nroutes: { r: { plan: { pass: vllm } } }\n";
    let env = [("PUNCTUAL_REQUEST_DEADLIN", "5"), ("PROXY_PORT", "1")];
    let ran = Folder::with(text).run_with(&["check"], &env);
    assert_eq!(ran.code, Some(0));
    assert!(
        ran.out.contains("did you mean PUNCTUAL_REQUEST_DEADLINE?"),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("PROXY_PORT: nothing reads this variable"),
        "{}",
        ran.out
    );
}

#[test]
fn the_referees_configuration_passes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let file = root.join("benches/referee/configs/punctual/config.yaml");
    let ran = Folder::new().run(&["check", &file.display().to_string()]);
    assert_eq!(ran.code, Some(0), "{}", ran.out);
}
