//! Every dialect can be configured in a line, and what it must know is checked.

use super::{config, told};
use crate::Auth;
use punctual_core::Unsupported;

fn file(provider: &str) -> String {
    format!(
        "providers: {{ p: {{ {provider} }} }}\ntargets: {{ t: {{ provider: p, model: m }} }}\nroutes: {{ r: {{ plan: t }} }}\n"
    )
}

#[test]
fn every_dialect_is_configured_in_a_line_and_knows_where_its_servers_are() {
    for (provider, base_url) in [
        ("dialect: openai, api_key: k", "https://api.openai.com/v1"),
        (
            "dialect: responses, api_key: k",
            "https://api.openai.com/v1",
        ),
        (
            "dialect: generic, base_url: http://127.0.0.1:1/v1, api_key: k",
            "http://127.0.0.1:1/v1",
        ),
        (
            "dialect: azure, resource: r, api_key: k",
            "https://r.openai.azure.com/",
        ),
        (
            "dialect: openrouter, api_key: k",
            "https://openrouter.ai/api/v1",
        ),
        ("dialect: ollama", "http://127.0.0.1:11434/"),
        (
            "dialect: anthropic, api_key: k",
            "https://api.anthropic.com/v1",
        ),
        (
            "dialect: gemini, api_key: k",
            "https://generativelanguage.googleapis.com/v1beta",
        ),
        (
            "dialect: vertex, project: p",
            "https://aiplatform.googleapis.com/v1",
        ),
        (
            "dialect: vertex, project: p, location: us-east5",
            "https://us-east5-aiplatform.googleapis.com/v1",
        ),
        (
            "dialect: bedrock, region: us-east-1",
            "https://bedrock-runtime.us-east-1.amazonaws.com/",
        ),
        ("dialect: images, api_key: k", "https://api.openai.com/v1"),
        (
            "dialect: vercel_images, api_key: k",
            "https://ai-gateway.vercel.sh/v3/ai",
        ),
        (
            "dialect: typesafe, base_url: https://h/v1, api_key: k",
            "https://h/v1",
        ),
    ] {
        assert_eq!(told(&file(provider)), Vec::<String>::new(), "{provider}");
        let target = &config(&file(provider)).targets[0];
        assert_eq!(target.base_url.to_string(), base_url, "{provider}");
    }
}

#[test]
fn who_asks_is_found_where_the_dialect_has_it() {
    let auth = |provider| config(&file(provider)).targets[0].auth.clone();
    assert!(matches!(
        auth("dialect: bedrock, region: r, access_key_id: A, secret_access_key: s"),
        Auth::Aws { keys: Some((id, _, None)), .. } if id == "A"
    ));
    assert!(matches!(
        auth("dialect: bedrock, region: r, api_key: k"),
        Auth::Key(_)
    ));
    assert!(matches!(
        auth("dialect: vertex, project: p, credentials_json: '{}'"),
        Auth::Google {
            json: Some(_),
            file: None
        }
    ));
    assert!(matches!(
        auth("dialect: azure, resource: r, tenant_id: t, client_id: c, client_secret: s"),
        Auth::Entra {
            tenant: Some(_),
            ..
        }
    ));
}

#[test]
fn azures_version_is_left_out_where_the_path_has_it() {
    let version = |provider| config(&file(provider)).targets[0].site.api_version.clone();
    assert_eq!(
        version("dialect: azure, resource: r, api_key: k").as_deref(),
        Some("2024-10-21")
    );
    assert_eq!(
        version("dialect: azure, base_url: https://r.openai.azure.com/openai/v1, api_key: k"),
        None
    );
}

#[test]
fn what_a_dialect_must_know_is_asked_for_and_what_is_anothers_is_refused() {
    let first = |provider: &str| told(&file(provider)).remove(0);
    insta::assert_snapshot!(
        [
            first("dialect: openai, api_key: k, num_ctx: 4096"),
            first("dialect: gemini, api_key: k, project: p"),
            first("dialect: vertex"),
            first("dialect: bedrock"),
            first("dialect: bedrock, region: r, access_key_id: A"),
            first("dialect: azure, api_key: k"),
            first("dialect: typesafe, api_key: k"),
            first("dialect: anthropic"),
            first("dialect: ollama, num_ctx: 0"),
            first("dialect: bedrock, aws_region_name: r"),
            first("dialect: vertex, project: p, credentials_file: nowhere.json"),
        ]
        .join("\n")
    );
}

#[test]
fn a_target_sizes_its_own_context() {
    let text = file("dialect: ollama").replace("model: m", "model: m, num_ctx: 8192");
    assert_eq!(config(&text).targets[0].site.num_ctx, Some(8192));
}

#[test]
fn claude_is_invoked_where_the_provider_or_the_target_says_so() {
    let bedrock = |provider: &str, target: &str| {
        let provider = format!("dialect: bedrock, region: r{provider}");
        file(&provider).replace("model: m", target)
    };
    let claude = "model: us.anthropic.claude-sonnet-4-5-20250929-v1:0";
    for (provider, target, invoke) in [
        ("", "", false),
        (", api: converse", "", false),
        (", api: invoke", "", true),
        ("", ", api: invoke", true),
        (", api: invoke", ", api: converse", false),
    ] {
        let text = bedrock(provider, &format!("{claude}{target}"));
        assert_eq!(told(&text), Vec::<String>::new(), "{text}");
        assert_eq!(config(&text).targets[0].site.invoke, invoke, "{text}");
    }
    // what is no Claude is asked otherwise, and only a target that insists on it is wrong
    let nova = "model: \"amazon.nova-lite-v1:0\"";
    assert_eq!(told(&bedrock(", api: invoke", nova)), Vec::<String>::new());
    insta::assert_snapshot!(
        [
            told(&bedrock("", &format!("{nova}, api: invoke"))).remove(0),
            told(&bedrock(", api: rest", claude)).remove(0),
            told(&file("dialect: ollama, api: invoke")).remove(0),
        ]
        .join("\n")
    );
}

#[test]
fn what_has_no_place_is_dropped_or_refused_as_the_route_says() {
    for (word, rule) in [
        ("drop", Unsupported::Drop),
        ("refuse", Unsupported::Refuse),
        ("drop_parameters", Unsupported::DropParameters),
    ] {
        let text =
            file("dialect: ollama").replace("plan: t", &format!("plan: t, unsupported: {word}"));
        assert_eq!(config(&text).routes[0].policy.unsupported, rule);
    }
}
