//! Questions to Claude where others serve it: what they have no place for is left out and named.

use serde_json::{Value, json};

use crate::{
    api::Api,
    middle::{
        Json, Message, Options, Part, Request, Role, Source, Tool,
        sample::{inline, message, picture, question, result, written},
    },
};

const ALL: [Api; 3] = [Api::Messages, Api::VertexMessages, Api::InvokeMessages];

/// The question in each of these APIs, and what was lost in it.
fn asked(request: &Request) -> [(Value, Vec<String>); 3] {
    ALL.map(|api| {
        let options = Options {
            model: "claude-sonnet-4-5",
            ..Options::default()
        };
        let (text, lost) = written(api.codec().unwrap(), request, &options);
        (serde_json::from_str(&text).unwrap(), lost)
    })
}

fn hi() -> Request {
    question(vec![Message::text(Role::User, "hi")])
}

#[test]
fn a_member_that_a_host_does_not_know_is_not_sent_and_is_named() {
    for (name, taken) in [
        ("cache_control", [true, true, false]),
        ("container", [true, false, false]),
        ("context_management", [true, true, true]),
        ("fallbacks", [true, false, false]),
        ("inference_geo", [true, false, false]),
        ("mcp_servers", [true, false, false]),
        ("speed", [true, false, false]),
        ("user_profile_id", [true, false, false]),
        ("of_tomorrow", [false, false, false]),
    ] {
        let value = match name {
            "cache_control" | "context_management" => json!({}),
            "fallbacks" | "mcp_servers" => json!([]),
            _ => json!("x"),
        };
        let request = Request {
            extra: vec![(name.to_owned(), Json::of(&value))],
            ..hi()
        };
        for ((body, lost), taken) in asked(&request).iter().zip(taken) {
            assert_eq!(body.get(name).is_some(), taken, "{body}");
            assert_eq!(lost.iter().any(|lost| lost == name), !taken, "{name}");
        }
    }
}

#[test]
fn tiers_are_anthropics_own_and_the_usual_one_is_nothing_to_miss() {
    for (tier, own, named) in [
        ("auto", json!("auto"), false),
        ("default", json!("standard_only"), false),
        ("priority", json!(null), true),
    ] {
        let request = Request {
            service_tier: Some(tier.to_owned()),
            ..hi()
        };
        let [own_body, vertex, bedrock] = asked(&request);
        assert_eq!(own_body.0["service_tier"], own);
        for (body, lost) in [vertex, bedrock] {
            assert_eq!(body.get("service_tier"), None);
            assert_eq!(lost, vec!["service_tier"; usize::from(named)]);
        }
    }
}

#[test]
fn pictures_and_files_reach_a_host_only_within_the_question() {
    let url = || Source::Url("https://example.com/a.png".into());
    let file = |source| Part::File {
        source,
        name: Some("a.pdf".into()),
        cache: None,
    };
    for (part, inside) in [
        (picture(url()), false),
        (picture(Source::Id("file_1".into())), false),
        (picture(inline("image/png")), true),
        (file(url()), false),
        (file(Source::Id("file_1".into())), false),
        (file(inline("application/pdf")), true),
    ] {
        let name = format!("messages[].content[].{}", part.kind());
        for nested in [false, true] {
            let said = match nested {
                false => message(Role::User, vec![Part::text("hi"), part.clone()]),
                true => message(Role::Tool, vec![result("c", vec![part.clone()])]),
            };
            let [own, vertex, bedrock] = asked(&question(vec![said]));
            assert_eq!(own.1, [""; 0], "{name}");
            for (body, lost) in [vertex, bedrock] {
                let sent = body.to_string();
                assert_eq!(sent.contains(r#""source":"#), inside, "{sent}");
                assert!(!sent.contains("example.com") && !sent.contains("file_1"));
                let expected = vec![name.clone(); usize::from(!inside)];
                assert_eq!(lost, expected, "{sent}");
            }
        }
    }
}

#[test]
fn tools_that_run_with_anthropic_do_not_run_with_a_host() {
    for (kind, runs) in [
        ("computer_20250124", [true, true, true]),
        ("memory_20250818", [true, true, true]),
        ("web_search_20250305", [true, true, false]),
        ("web_fetch_20250910", [true, false, false]),
        ("code_execution_20250825", [true, false, false]),
        ("advisor_20260301", [true, false, false]),
        ("mcp_toolset", [true, false, false]),
        ("web_search_preview", [false, false, false]),
    ] {
        let request = Request {
            tools: vec![Tool::Hosted {
                kind: kind.to_owned(),
                value: Json::of(&json!({ "type": kind })),
            }],
            ..hi()
        };
        for ((body, lost), runs) in asked(&request).iter().zip(runs) {
            assert_eq!(body.get("tools").is_some(), runs, "{kind}: {body}");
            let named = vec![format!("tools[].{kind}"); usize::from(!runs)];
            assert_eq!(*lost, named);
        }
    }
}
