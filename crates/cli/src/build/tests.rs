use super::*;
use punctual_config::{Environment, check_text};

fn config(text: &str) -> Config {
    let env: Environment = [("K", "sk-of-the-target")].into_iter().collect();
    let checked = check_text("p.yaml", text, &env).into_result();
    checked.map_err(|p| punctual_config::render(&p)).unwrap().0
}

const PROVIDERS: &str = "
providers:
  openai: { base_url: https://openai.example/v1, dialect: openai, api_key: \"${K}\" }
  other: { base_url: https://other.example/v1, dialect: openai, api_key: \"${K}\" }
targets: { t: { provider: openai, model: m } }
";

#[test]
fn a_model_is_served_by_the_route_that_the_configuration_says() {
    for routes in [
        "routes: { '*': { plan: { pass: openai } }, 'openai/*': { plan: { pass: openai } } }",
        "routes: { 'openai/*': { plan: { pass: other } }, '*': { plan: { pass: openai } } }",
        "routes: { '*': { plan: { pass: openai } }, 'openai/*': { plan: t } }",
        "routes: { '*': { plan: { pass: openai } } }",
        "routes: { '*': { plan: t } }",
        "routes: { '*': { plan: { pass: openai } }, 'openai/ft/*': { plan: { pass: other } } }",
        "routes: { 'openai/o3': { plan: t }, '*': { plan: { pass: openai } }, 'other/*': { plan: { pass: other } } }",
    ] {
        let config = config(&format!("{PROVIDERS}{routes}\n"));
        let parts = config.engine_parts(&Registry::default());
        let routed = super::routes(&config, &parts);
        for model in [
            "gpt-4o",
            "openai/gpt-4o",
            "openai/o3",
            "openai/ft/x",
            "other/a/b",
        ] {
            let found = routed.resolve(model).unwrap();
            let (n, sent) = config.route(model).unwrap();
            let said = (config.routes[n].name.as_str(), sent.as_str());
            assert_eq!(
                (&*found.route.name, &*found.model),
                said,
                "{model} by {routes}"
            );
        }
    }
}

#[test]
fn passthrough_is_there_where_a_target_its_provider_or_all_of_them_say_so() {
    let reached = |defaults: &str, provider: &str, target: &str| {
        let text = format!(
            "defaults: {{ {defaults} }}
providers:
  p: {{ base_url: https://p.example/v1, dialect: openai, api_key: \"${{K}}\", {provider} }}
targets: {{ t: {{ provider: p, model: m, {target} }}, u: {{ provider: p, model: m }} }}
routes: {{ r: {{ plan: [ t, u, {{ pass: p }} ] }} }}
"
        );
        front::settings(&config(&text)).unwrap().passthrough
    };
    let on = "passthrough: true";
    assert_eq!(reached("", "", ""), [""; 0]);
    assert_eq!(reached("", "", on), ["t"]);
    assert_eq!(reached("", on, "passthrough: false"), ["u", "p/*"]);
    assert_eq!(reached(on, "", ""), ["t", "u", "p/*"]);
}

#[test]
fn every_secret_of_the_configuration_is_kept_out_of_what_is_said() {
    let config = config(&format!(
        "server: {{ admin: {{ token: admin-token }} }}
telemetry: {{ otlp: {{ endpoint: http://127.0.0.1:4318, headers: {{ authorization: \"Bearer of-the-collector\" }} }} }}
defaults: {{ headers: {{ x-team-key: key-in-a-header }} }}{PROVIDERS}routes: {{ r: {{ plan: t }} }}
"
    ));
    let redaction = redaction(&config);
    for secret in [
        "sk-of-the-target",
        "admin-token",
        "of-the-collector",
        "key-in-a-header",
        "openai.example",
    ] {
        let said = format!("no, {secret} will not do");
        assert_eq!(redaction.scrub(&said), "no, [redacted] will not do");
    }
}
