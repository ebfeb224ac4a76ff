use super::*;
use crate::{Auth, Config, Severity};
use punctual_core::{Reserve, TargetId};
use std::time::Duration;

mod dialects;
mod outside;

const SAMPLE: &str = r#"
server: { listen: 127.0.0.1:8080, request_deadline: 180s }
providers: { openai: { api_key: ${OPENAI_API_KEY} } }
targets:
  fast:  { provider: openai, model: gpt-4o-mini, first_token_timeout: 5s, max_concurrency: 32 }
  big:   { provider: openai, model: gpt-4.1 }
  local: { dialect: generic, model: "qwen3:8b", base_url: http://127.0.0.1:11434/v1 }
routes:
  chat:
    aliases: [assistant]
    deadline: 60s
    plan: { fallback: [ fast, { retry: { of: big, max_attempts: 2 } }, { use: local, first_token_timeout: 30s } ] }
  "openai/*": { plan: { pass: openai } }
  "*": { plan: { pass: openai } }
"#;

fn env() -> Environment {
    [("OPENAI_API_KEY", "sk-secret-value")]
        .into_iter()
        .collect()
}

fn read(text: &str) -> Checked {
    check_text("p.yaml", text, &env())
}

fn config(text: &str) -> Config {
    read(text)
        .into_result()
        .map_err(|p| crate::render(&p))
        .unwrap()
        .0
}

/// All problems as `line:column severity path: message (suggestion)`.
fn told(text: &str) -> Vec<String> {
    let line = |p: &crate::Problem| {
        let severity = if p.severity == Severity::Error {
            "E"
        } else {
            "W"
        };
        let hint = p
            .suggestion
            .as_ref()
            .map_or(String::new(), |s| format!(" ({s})"));
        format!(
            "{}:{} {severity} {}: {}{hint}",
            p.line.unwrap_or(0),
            p.column.unwrap_or(0),
            p.path,
            p.message
        )
    };
    read(text).problems.iter().map(line).collect()
}

/// A whole file around one route's plan.
fn with_plan(plan: &str) -> String {
    format!(
        "providers: {{ p: {{ dialect: generic, base_url: http://127.0.0.1:1/v1 }} }}\n\
         targets: {{ a: {{ provider: p, model: a }}, b: {{ provider: p, model: b }} }}\n\
         routes: {{ r: {{ plan: {plan} }}, s: {{ plan: [a, b] }} }}\n"
    )
}

#[test]
fn the_sample_of_the_design_is_served() {
    let c = config(SAMPLE);
    assert_eq!(read(SAMPLE).problems, []);
    assert_eq!(c.server.request_deadline, Some(Duration::from_secs(180)));
    let names: Vec<_> = c.targets.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names, ["big", "fast", "local", "openai/*", "local"]);
    let fast = &c.targets[1];
    assert_eq!(fast.limits.first_token, Some(Duration::from_secs(5)));
    assert_eq!(fast.limits.connect, Some(Duration::from_secs(10)));
    assert_eq!(fast.limits.stream_token, Some(Duration::from_secs(120)));
    assert_eq!(fast.limits.attempt, Some(Duration::from_secs(600)));
    assert_eq!(
        fast.limits.attempt_streamed,
        Some(Duration::from_secs(3600))
    );
    assert_eq!(fast.lane.max_concurrency, 32);
    assert_eq!(fast.reserve, Reserve::Auto);
    assert_eq!(fast.base_url.to_string(), "https://api.openai.com/v1");
    assert!(matches!(fast.auth, Auth::Key(_)));
    assert!(!format!("{c:?}").contains("sk-secret-value"));
}

#[test]
fn a_leaf_with_clocks_of_its_own_shares_lane_and_health() {
    let c = config(SAMPLE);
    let (local, leaf) = (&c.targets[2], &c.targets[4]);
    assert_eq!(leaf.limits.first_token, Some(Duration::from_secs(30)));
    assert_eq!(local.limits.first_token, None);
    assert_eq!(
        (&leaf.lane_id, &leaf.health_id, &leaf.budget_id),
        (&local.lane_id, &local.health_id, &local.budget_id)
    );
    let registry = punctual_core::Registry::default();
    let parts = c.engine_parts(&registry);
    assert_eq!(parts.targets.len(), 5);
    assert_eq!(
        (parts.plans.len(), parts.policies.len()),
        (c.routes.len(), c.routes.len())
    );
    parts.targets[2].health.bench(None);
    assert!(parts.targets[4].health.resting().is_some());
    assert!(parts.targets[1].health.resting().is_none());
}

#[test]
fn a_model_is_answered_by_the_closest_route() {
    let c = config(SAMPLE);
    let of = |model: &str| c.route(model).map(|(n, m)| (c.routes[n].name.clone(), m));
    let some = |r: &str, m: &str| Some((r.to_owned(), m.to_owned()));
    assert_eq!(of("chat"), some("chat", "chat"));
    assert_eq!(of("assistant"), some("chat", "chat"));
    assert_eq!(of("openai/gpt-4o"), some("openai/*", "gpt-4o"));
    assert_eq!(of("gpt-4o"), some("*", "gpt-4o"));
    assert_eq!(of("meta/llama"), some("*", "meta/llama"));
    assert_eq!(of(""), None);
    assert_eq!(c.models(), ["assistant", "chat"]);
    let pass = c.targets.iter().find(|t| t.name == "openai/*").unwrap();
    assert!(pass.model.is_none() && !pass.benchable);
}

#[test]
fn the_provider_s_prefix_comes_off_once() {
    let c = config(
        "providers: { openrouter: { api_key: k } }\n\
         routes: { \"*\": { plan: { pass: openrouter } }, \"or/*\": { plan: { pass: openrouter } } }\n",
    );
    let model = |m: &str| c.route(m).unwrap().1;
    assert_eq!(model("openrouter/openai/gpt-4o"), "openai/gpt-4o");
    assert_eq!(model("openai/gpt-4o"), "openai/gpt-4o");
    assert_eq!(model("or/openai/gpt-4o"), "openai/gpt-4o");
}

#[test]
fn off_and_not_said_differ_on_every_layer() {
    let c = config(
        "defaults: { connect_timeout: 1s, timeouts: 2m, first_token_timeout: 9s }\n\
         providers: { p: { dialect: generic, base_url: http://127.0.0.1:1/v1, first_token_timeout: none } }\n\
         targets:\n  a: { provider: p, model: a, connect_timeout: 0 }\n  \
         b: { provider: p, model: b, timeout: none, first_token_timeout: 3s, reserve: 25% }\n\
         routes: { r: { plan: [a, b] } }\n",
    );
    let (a, b) = (&c.targets[0].limits, &c.targets[1].limits);
    assert_eq!((a.connect, b.connect), (None, Some(Duration::from_secs(1))));
    assert_eq!(
        (a.first_token, b.first_token),
        (None, Some(Duration::from_secs(3)))
    );
    assert_eq!(
        (a.attempt, a.attempt_streamed),
        (
            Some(Duration::from_secs(120)),
            Some(Duration::from_secs(120))
        )
    );
    assert_eq!((b.attempt, b.attempt_streamed), (None, None));
    assert_eq!(c.targets[1].reserve, Reserve::Percent(25));
}

#[test]
fn every_mistake_is_told_with_its_place() {
    let file = "\
server:
  listen: 0.0.0.0:8080
  lame_duk: 5s
targets:
  fast:
    provider: opnai
    model: 4.1
    first_token_timeuot: 5s
    timeout: 5
    time_to_first_token_timeout_ms: 500
providers:
  openai: { api_key: ${NOPE}, dialect: ollama }
routes:
  chat: { plan: [fsat, fast], deadline: 1 h }
";
    let told = told(file);
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn values_of_another_kind_are_told_in_plain_words() {
    let target = |more: &str| {
        let text = format!("targets: {{ a: {{ provider: openai, model: m, {more} }} }}\n");
        told(&text)
    };
    for (written, words) in [
        (
            "max_concurrency: -1",
            "this is -1; here stands a whole number from 0 to 4294967295",
        ),
        (
            "max_concurrency: 1.5",
            "this is 1.5; here stands a whole number from 0 to 4294967295",
        ),
        (
            "max_queue: none",
            "this is \"none\"; here stands a whole number from 0 to 4294967295",
        ),
        (
            "max_queue: [1]",
            "this is a list; here stands a whole number from 0 to 4294967295",
        ),
        ("http2: maybe", "this is \"maybe\"; here stands on or off"),
        ("usage: 3", "here stands one word of "),
    ] {
        let told = target(written);
        assert!(
            told.iter().any(|line| line.contains(words)),
            "{written}: {told:?}"
        );
    }
}

#[test]
fn a_key_with_nothing_behind_it_is_told() {
    let told = told(
        "server: { request_deadline: }\nkeys:\nroutes:\n  r: { deadline: , plan: { pass: openai } }\n",
    );
    for key in [
        "1:11 W server.request_deadline",
        "2:1 W keys",
        "4:8 W routes.r.deadline",
    ] {
        let words = format!("{key}: nothing stands here, so it counts as left out");
        assert!(
            told.iter().any(|line| line.starts_with(&words)),
            "{key}: {told:#?}"
        );
    }
}

#[test]
fn a_list_is_never_read_as_the_values_of_keys() {
    for (file, key) in [
        ("[]\n", "1:1 E : "),
        ("[ 1, x ]\n", "1:1 E : "),
        ("server: []\n", "1:1 E server: "),
        ("server: [ 127.0.0.1:1 ]\n", "1:1 E server: "),
        ("keys: { k: [ a ] }\n", "1:9 E keys.k: "),
        ("targets: { t: [ openai, m ] }\n", "1:12 E targets.t: "),
        ("routes: { r: [ t ] }\n", "1:11 E routes.r: "),
    ] {
        let told = told(file);
        let said = format!("{key}this is a list; here stands a map of keys");
        assert!(told.iter().any(|line| line.starts_with(&said)), "{told:#?}");
    }
}

#[test]
fn a_file_that_is_nested_too_deep_is_told_so() {
    for (open, close, depth) in [
        ("[", "]", 40),
        ("[", "]", 5_000),
        ("{ a: ", " }", 40),
        ("{ a: ", " }", 5_000),
    ] {
        let told = told(&format!(
            "a: {}x{}\n",
            open.repeat(depth),
            close.repeat(depth)
        ));
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(
            told[0].ends_with(": the file is nested deeper than 32 levels"),
            "{told:?}"
        );
    }
    let nested = "{ fallback: [ { retry: { of: ".repeat(6) + "a" + &" } } ] }".repeat(6);
    let told = told(&format!("routes: {{ r: {{ plan: {nested} }} }}\n"));
    assert!(!told.iter().any(|line| line.contains("levels")), "{told:?}");
}

#[test]
fn a_file_that_is_not_yaml_says_where() {
    assert_eq!(told("server:\n\tlisten: x\n").len(), 1);
    let p = read("routes:\n  a: { plan: [x, }\n");
    assert!(p.config.is_none() && p.problems[0].line.is_some(), "{p:?}");
    assert_eq!(told("[1, 2]")[0].split(' ').nth(1), Some("E"));
    assert!(told("")[0].contains("there is no route"));
}

#[test]
fn plans_that_cannot_be_meant_are_told() {
    let mut out = Vec::new();
    for plan in [
        "[]",
        "nope",
        "p",
        "{}",
        "{ use: a, retry: { of: b } }",
        "{ retry: { of: a, first_token_timeout: 3s } }",
        "{ retry: { of: a }, first_token_timeout: 3s }",
        "{ retry: { max_attempts: 2 } }",
        "{ retry: { of: a, max_attempts: 0 } }",
        "{ retry: { of: a, max_attempts: 20 } }",
        "{ retry: { of: a, multiplier: 0.5 } }",
        "{ retry: { of: a, retry_on: [timeout, not_found, overlaoded] } }",
        "{ fallback: { of: [a, b], fallback_on: [invalid_request] } }",
        "{ fallback: { of: [a, b], fallback_on: [+timeout, +internal, +invalid_request] } }",
        "{ pass: q }",
        "[a, b, { retry: { of: a } }]",
        "[{ retry: { of: a, max_attempts: 16 } }, b]",
        "[{ use: a, timeout: none }, b]",
        "{ round_robin: [a, a, b] }",
        "[{ round_robin: [a, b] }, a]",
    ] {
        out.push(format!("{plan}\n  {}", told(&with_plan(plan)).join("\n  ")));
    }
    insta::assert_snapshot!(out.join("\n"));
}

#[test]
fn clocks_that_contradict_each_other_are_told_with_both_numbers() {
    let file = "\
server: { request_deadline: 30s }
defaults: { connect_timeout: 10s }
providers: { p: { dialect: generic, base_url: http://127.0.0.1:1/v1 } }
targets:
  a: { provider: p, model: a, first_token_timeout: 10s, timeout: 10s }
routes:
  r: { plan: a, deadline: 60s }
  s: { plan: a, deadline: 5s, min_attempt: 5s }
";
    insta::assert_snapshot!(told(file).join("\n"));
}

#[test]
fn others_need_a_key_unless_that_is_said() {
    let plan = with_plan("a");
    let errors = |server: &str| told(&format!("{server}\n{plan}")).len();
    assert_eq!(errors("server: { listen: 127.0.0.1:80 }"), 0);
    assert_eq!(errors("server: { listen: [\"[::1]:80\", 0.0.0.0:80] }"), 1);
    assert_eq!(errors("server: { listen: 0.0.0.0:80, auth: none }"), 0);
    assert_eq!(
        errors("server: { listen: 0.0.0.0:80 }\nkeys: { ci: { value: 0123456789abcdefg } }"),
        0
    );
    assert_eq!(errors("server: { admin: { listen: 0.0.0.0:81 } }"), 1);
    assert_eq!(errors("server: { listen: 127.0.0.1:8081 }"), 1);
}

#[test]
fn keys_are_hashed_and_limited() {
    let hash = crate::keys::hash("from-a-hash");
    let file = format!(
        "keys:\n  ci: {{ hash: \"{hash}\", value: 0123456789abcdef, deadline: 30s, routes: [r], heartbeat_interval: 0 }}\n{}",
        with_plan("a")
    );
    let c = config(&file);
    for presented in ["from-a-hash", "0123456789abcdef"] {
        let key = c.keys.verify(presented).unwrap();
        assert_eq!(
            (&*key.name, key.deadline),
            ("ci", Some(Duration::from_secs(30)))
        );
        assert_eq!(key.heartbeat_interval, Some(None));
        assert!(!key.passthrough, "it is bound to its routes");
    }
    let passes = |more: &str| {
        let key = format!("keys:\n  ci: {{ value: 0123456789abcdef{more} }}\n");
        let c = config(&format!("{key}{}", with_plan("a")));
        c.keys.verify("0123456789abcdef").unwrap().passthrough
    };
    assert!(passes("") && passes(", routes: [r], passthrough: true"));
    assert!(!passes(", routes: [r]") && !passes(", passthrough: false"));
    let bad = "keys:\n  a: { value: [0123456789abcdef, b, c] }\n  b: { hash: sha256:12, routes: [nope] }\n  c: {}\n  d: { value: 0123456789abcdef }\n";
    insta::assert_snapshot!(told(&format!("{bad}{}", with_plan("a"))).join("\n"));
}

#[test]
fn targets_on_one_lane_are_one_width() {
    let file = |b: &str| {
        format!(
            "providers: {{ p: {{ dialect: generic, base_url: http://127.0.0.1:1/v1, lane: gpu }} }}\n\
             targets:\n  a: {{ provider: p, model: a, max_concurrency: 2 }}\n  b: {{ provider: p, model: b{b} }}\n\
             routes: {{ r: {{ plan: [a, b] }} }}\n"
        )
    };
    let c = config(&file(""));
    assert_eq!(c.targets[0].lane_id, c.targets[1].lane_id);
    assert_eq!(c.targets[1].lane.max_concurrency, 2);
    assert!(
        told(&file(", max_concurrency: 3"))[0]
            .contains("lane gpu says a different max_concurrency")
    );
}

#[test]
fn credentials_of_callers_and_ours_never_share_a_plan() {
    let file = "providers: { openai: { api_key: k }, groq: { auth: passthrough } }\n\
                routes: { r: { plan: [{ pass: openai }, { pass: groq }] } }\n";
    assert!(told(file)[0].contains("shares a plan"), "{:?}", told(file));
}

#[test]
fn the_environment_has_the_last_word() {
    let env: Environment = [
        ("OPENAI_API_KEY", "k"),
        ("PUNCTUAL_REQUEST_DEADLINE", "2.5"),
        ("PUNCTUAL_LISTEN", "127.0.0.1:9"),
        ("PROXY_REQUEST_TIMEOUT", "30"),
        ("PUNCTUAL_LISTNE", "x"),
    ]
    .into_iter()
    .collect();
    let checked = check_text("p.yaml", SAMPLE, &env);
    let (c, warnings) = checked.into_result().unwrap();
    assert_eq!(c.server.request_deadline, Some(Duration::from_millis(2500)));
    assert_eq!(c.server.listen[0].port(), 9);
    assert!(c.server.agent_proxy);
    assert_eq!(
        c.targets[0].limits.attempt_streamed,
        Some(Duration::from_secs(30))
    );
    let slip = warnings
        .iter()
        .find(|w| w.path == "PUNCTUAL_LISTNE")
        .unwrap();
    assert_eq!(
        slip.suggestion.as_deref(),
        Some("did you mean PUNCTUAL_LISTEN?")
    );
    assert_eq!(slip.file, None);
}

#[test]
fn the_plan_keeps_its_shape() {
    let c = config(SAMPLE);
    let parts = c.engine_parts(&punctual_core::Registry::default());
    let chat = c.routes.iter().position(|r| r.name == "chat").unwrap();
    assert_eq!(
        parts.plans[chat].targets(),
        [TargetId(1), TargetId(0), TargetId(4)]
    );
    assert_eq!(parts.plans[chat].max_attempts(), 4);
}

#[test]
fn the_referee_s_file_loads_unchanged() {
    let path = std::path::Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../benches/referee/configs/punctual/config.yaml"
    ));
    let (c, warnings) = load(path, &env()).into_result().unwrap();
    println!("{}", crate::render(&warnings));
    assert_eq!(c.routes.len(), 7);
    assert_eq!(c.files, [path]);
    assert_eq!(c.route("delay-30"), Some((0, "delay-30".to_owned())));
    assert!(warnings.iter().all(|w| !w.is_error()));
}

#[test]
fn no_problem_shows_what_the_environment_holds() {
    let file = SAMPLE
        .replace("127.0.0.1:8080", "${OPENAI_API_KEY}")
        .replace("deadline: 60s", "deadline: ${OPENAI_API_KEY}");
    let told = told(&file).join("\n");
    assert!(
        told.contains("server.listen") && told.contains("routes.chat.deadline"),
        "{told}"
    );
    assert!(!told.contains("sk-secret"), "{told}");
}

#[test]
fn a_section_that_cannot_be_read_is_one_mistake() {
    let list = SAMPLE.replace("targets:", "targets: [x]\nignored:");
    let told = told(&list);
    assert!(
        told.iter().all(|t| !t.contains("there is no target")),
        "{told:#?}"
    );
}

proptest::proptest! {
    #[test]
    fn no_text_is_too_wrong_to_be_checked(cuts in proptest::collection::vec((0usize..900, 0usize..40, "[-a-z0-9:{}\\[\\]*&!|>'\"$#,. \n\t]{0,6}"), 1..6)) {
        let mut text = SAMPLE.to_owned();
        for (at, length, put) in cuts {
            let at = at.min(text.len());
            let end = (at + length).min(text.len());
            text.replace_range(at..end, &put);
        }
        let checked = read(&text);
        let errors = checked.problems.iter().any(crate::Problem::is_error);
        proptest::prop_assert_eq!(checked.config.is_none(), errors);
        if let Some(config) = checked.config {
            let _ = config.ladders();
            let _ = config.engine_parts(&punctual_core::Registry::default());
        }
    }
}

#[test]
fn files_names_and_addresses_are_looked_at() {
    let file = "\
server:
  tls: { cert_file: nowhere.pem }
  trusted_peers: [10.0.0.0/8, 10.0.0]
  listen: :8080
telemetry: { prefix: 9x, otlp: { endpoint: http://127.0.0.1:4317, sample: 2 }, log: maybe }
providers:
  a: { dialect: generic, base_url: https://u:p@host/v1 }
  b: { dialect: openai, base_url: http://host.example/v1/chat/completions, api_key: k }
  c: { dialect: openai, base_url: http://host.example, api_key: k, client_cert_file: nowhere.pem }
  d: { api_key: k, api_key_file: k }
  groq: {}
targets:
  x: { provider: c, model: m, forward_deadline: [X-Litellm-Timeot], headers: { Host: h }, forward_headers: [Cookie] }
  y: { provider: c, model: m, base_url: http://127.0.0.1/v1 }
  z: { model: m }
  w: { provider: groq }
routes:
  r: { plan: x, aliases: [s, t, \"u*\"] }
  s: { plan: x, aliases: [t] }
  \"gpt*\": { plan: y }
  empty: {}
compat: other
";
    insta::assert_snapshot!(told(file).join("\n"));
}

#[test]
fn rules_of_a_route_reach_every_fallback_in_it() {
    let c = config(&with_plan("a").replace("plan: [a, b] }", "plan: [a, [b, a]], fallback_on: [+invalid_request], max_retry_after: 0, heartbeat_interval: none }"));
    let r = &c.routes[1];
    let crate::Shape::Fallback { of, also_on } = &r.plan else {
        panic!("{:?}", r.plan)
    };
    let crate::Shape::Fallback { also_on: inner, .. } = &of[1] else {
        panic!("{of:?}")
    };
    for set in [also_on, inner] {
        assert!(
            set.has(punctual_core::Code::InvalidRequest)
                && !set.has(punctual_core::Code::ContentRefused)
        );
    }
    assert_eq!(
        (r.policy.max_retry_after, r.policy.heartbeat),
        (Duration::ZERO, None)
    );
    assert_eq!(c.routes[0].policy.heartbeat, Some(Duration::from_secs(20)));
}
