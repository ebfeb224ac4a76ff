//! Questions: everything beside the messages.

use serde_json::{Value, json};

use super::{read, write};
use crate::middle::{Format, Json, Message, Reasoning, Request, Role, Sampling, Tool, ToolChoice};

fn hi(request: Request) -> Request {
    Request {
        model: "m".into(),
        messages: vec![Message::text(Role::User, "hi")],
        ..request
    }
}

fn number(value: impl serde::Serialize) -> Option<Json> {
    Some(Json::of(&value))
}

fn effort(effort: &str) -> Option<Reasoning> {
    Some(Reasoning {
        effort: Some(effort.into()),
        ..Reasoning::default()
    })
}

/// What is asked for thinking and tokens, and what was lost.
fn thinking(reasoning: Option<Reasoning>, max: Option<u64>, model: &str) -> (Value, Vec<String>) {
    let request = hi(Request {
        reasoning,
        sampling: Sampling {
            max_tokens: max.and_then(number),
            ..Sampling::default()
        },
        ..Request::default()
    });
    let (written, lost) = write(&request, model);
    let told = ["max_tokens", "thinking", "output_config"].map(|name| written[name].clone());
    (json!(told), lost)
}

#[test]
fn thinking_fits_the_model_and_the_limit() {
    let old = "claude-sonnet-4-5";
    let enabled = |tokens: u64| json!({"type": "enabled", "budget_tokens": tokens});
    for (effort_said, max, expected) in [
        ("low", None, json!([5120, enabled(1024), null])),
        ("high", None, json!([28_672, enabled(24_576), null])),
        ("high", Some(30_000), json!([30_000, enabled(24_576), null])),
        ("high", Some(10_000), json!([10_000, enabled(5000), null])),
        ("high", Some(1100), json!([1100, enabled(1024), null])),
        ("none", None, json!([4096, null, null])),
    ] {
        let (told, lost) = thinking(effort(effort_said), max, old);
        assert_eq!(told, expected, "{effort_said} {max:?}");
        assert_eq!(lost, [""; 0]);
    }
    let (told, lost) = thinking(effort("low"), Some(1024), old);
    assert_eq!(told, json!([1024, null, null]));
    assert_eq!(lost, ["reasoning_effort"]);

    let adaptive = json!({"type": "adaptive", "display": "summarized"});
    for (effort_said, model, expected) in [
        (
            "minimal",
            "claude-opus-4-6",
            json!([5120, adaptive, {"effort": "low"}]),
        ),
        (
            "xhigh",
            "claude-opus-4-6",
            json!([36_864, adaptive, {"effort": "high"}]),
        ),
        (
            "xhigh",
            "claude-opus-4-7",
            json!([36_864, adaptive, {"effort": "xhigh"}]),
        ),
        (
            "none",
            "claude-opus-5",
            json!([4096, {"type": "disabled"}, null]),
        ),
    ] {
        let (told, lost) = thinking(effort(effort_said), None, model);
        assert_eq!(told, expected, "{effort_said} {model}");
        assert_eq!(lost, [""; 0]);
    }
    let (told, lost) = thinking(effort("none"), None, "claude-fable-5");
    assert_eq!(told, json!([4096, null, null]));
    assert_eq!(lost, ["reasoning_effort"]);
}

#[test]
fn a_budget_is_kept_where_there_are_budgets() {
    let budget = |tokens: u64| {
        Some(Reasoning {
            enabled: Some(true),
            budget: number(tokens),
            include: Some(false),
            ..Reasoning::default()
        })
    };
    let enabled = json!({"type": "enabled", "budget_tokens": 9000, "display": "omitted"});
    for model in ["claude-3-7-sonnet-latest", "claude-opus-4-6", "kimi-k2"] {
        let (told, _) = thinking(budget(9000), None, model);
        assert_eq!(told, json!([13_096, enabled, null]), "{model}");
    }
    let (told, _) = thinking(budget(9000), None, "claude-opus-4-7");
    let adaptive = json!({"type": "adaptive", "display": "omitted"});
    assert_eq!(told, json!([13_096, adaptive, {"effort": "medium"}]));
    let (told, _) = thinking(budget(100), None, "claude-sonnet-4-5");
    assert_eq!(told[1]["budget_tokens"], 1024, "the least there is");
}

#[test]
fn calls_without_their_thoughts_leave_no_room_for_a_budget() {
    let body = |thought: &str| {
        format!(
            r#"{{"model":"m","max_tokens":4096,"thinking":{{"type":"enabled","budget_tokens":2000}},"messages":[{{"role":"user","content":"x"}},{{"role":"assistant","content":[{thought}{{"type":"tool_use","id":"1","name":"f","input":{{}}}}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"1"}}]}}]}}"#
        )
    };
    let (written, lost) = write(&read(&body("")), "");
    assert_eq!(written.get("thinking"), None);
    assert_eq!(lost, ["reasoning_effort"]);
    let signed = r#"{"type":"thinking","thinking":"x","signature":"s"},"#;
    let (written, lost) = write(&read(&body(signed)), "");
    assert_eq!(written["thinking"]["budget_tokens"], 2000);
    assert_eq!(lost, [""; 0]);
    let (written, _) = write(&read(&body("")), "claude-opus-4-8");
    assert_eq!(written["thinking"]["type"], "adaptive");
}

#[test]
fn sampling_is_what_the_model_takes() {
    let sampling = |temperature: f64| Sampling {
        temperature: number(temperature),
        top_p: number(0.5),
        top_k: number(40),
        ..Sampling::default()
    };
    let of = |temperature, reasoning, model| {
        let request = hi(Request {
            sampling: sampling(temperature),
            reasoning,
            ..Request::default()
        });
        let (written, lost) = write(&request, model);
        let told = ["temperature", "top_p", "top_k"].map(|name| written[name].clone());
        (json!(told), lost)
    };
    let old = "claude-haiku-4-5";
    assert_eq!(of(1.5, None, old), (json!([1.5, 0.5, 40]), vec![]));
    let all: Vec<String> = ["temperature", "top_p", "top_k"].map(Into::into).into();
    assert_eq!(
        of(0.0, effort("low"), old),
        (json!([null, null, null]), all.clone())
    );
    assert_eq!(
        of(0.0, None, "claude-opus-4-8"),
        (json!([null, null, null]), all.clone())
    );
    let (told, lost) = of(1.0, None, "claude-opus-4-8");
    assert_eq!((told, lost), (json!([1.0, null, null]), all[1..].to_vec()));
}

#[test]
fn tools_and_their_choice_are_written() {
    let function = |parameters: Option<&str>, strict| Tool::Function {
        name: "f".into(),
        description: None,
        parameters: parameters.and_then(Json::parse),
        strict,
        cache: None,
    };
    let hosted = |kind: &str| Tool::Hosted {
        kind: kind.into(),
        value: Json::of(&json!({ "type": kind })),
    };
    let request = hi(Request {
        tools: vec![
            function(None, Some(true)),
            function(Some(r#"{"properties":{"z":{},"a":{}}}"#), Some(false)),
            function(Some("{}"), None),
            hosted("web_search_20250305"),
            hosted("web_search_2025_08_26"),
            hosted("file_search"),
        ],
        parallel_tools: Some(false),
        ..Request::default()
    });
    let (written, lost) = write(&request, "");
    assert_eq!(
        written["tools"],
        json!([
            {"name": "f", "input_schema": {"type": "object", "properties": {}}, "strict": true},
            {"name": "f", "input_schema": {"type": "object", "properties": {"z": {}, "a": {}}}},
            {"name": "f", "input_schema": {"type": "object", "properties": {}}},
            {"type": "web_search_20250305"},
        ])
    );
    assert_eq!(
        lost,
        ["tools[].web_search_2025_08_26", "tools[].file_search"]
    );
    let choose = |tool_choice, parallel_tools| {
        let tools = request.tools.clone();
        let request = hi(Request {
            tools,
            tool_choice,
            parallel_tools,
            ..Request::default()
        });
        write(&request, "").0["tool_choice"].clone()
    };
    let named = ToolChoice::Function("f".into());
    assert_eq!(
        choose(None, Some(false)),
        json!({"type": "auto", "disable_parallel_tool_use": true})
    );
    assert_eq!(choose(None, Some(true)), Value::Null);
    assert_eq!(
        choose(Some(ToolChoice::Auto), None),
        json!({"type": "auto"})
    );
    assert_eq!(
        choose(Some(ToolChoice::Required), None),
        json!({"type": "any"})
    );
    assert_eq!(
        choose(Some(named.clone()), Some(false)),
        json!({"type": "tool", "name": "f", "disable_parallel_tool_use": true})
    );
    assert_eq!(
        choose(Some(ToolChoice::None), Some(false)),
        json!({"type": "none"})
    );
    let without = hi(Request {
        tool_choice: Some(named),
        ..Request::default()
    });
    let (written, lost) = write(&without, "");
    assert_eq!(written.get("tool_choice"), None);
    assert_eq!(lost, ["tool_choice"]);
}

#[test]
fn everything_without_a_place_is_named() {
    let request = hi(Request {
        format: Some(Format::JsonObject),
        sampling: Sampling {
            frequency_penalty: number(0.5),
            presence_penalty: number(0),
            seed: number(1),
            stop: vec!["a".into(), "\n".into()],
            n: number(2),
            logprobs: Some(true),
            top_logprobs: number(3),
            logit_bias: number(json!({"1": 2})),
            ..Sampling::default()
        },
        service_tier: Some("flex".into()),
        cache_key: Some("k".into()),
        store: Some(true),
        metadata: number(json!({"a": "b"})),
        verbosity: Some("low".into()),
        extra: vec![("prediction".into(), Json::of(&1))],
        ..Request::default()
    });
    let (written, mut lost) = write(&request, "");
    assert_eq!(
        written,
        json!({"model": "m", "max_tokens": 4096, "messages": [{"role": "user", "content": "hi"}], "stop_sequences": ["a"]})
    );
    lost.sort();
    assert_eq!(
        lost,
        [
            "frequency_penalty",
            "logit_bias",
            "logprobs",
            "metadata",
            "n",
            "prediction",
            "prompt_cache_key",
            "response_format",
            "seed",
            "service_tier",
            "stop",
            "store",
            "top_logprobs",
            "verbosity",
        ]
    );
}

#[test]
fn a_schema_has_one_form_out_and_two_in() {
    let schema = r#"{"type":"object","properties":{"z":{"type":"number"},"a":{"maximum":1e400}}}"#;
    let expected = Format::JsonSchema {
        name: None,
        description: None,
        schema: Json::parse(schema).unwrap(),
        strict: Some(true),
    };
    for form in [
        format!(r#""output_format":{{"type":"json_schema","schema":{schema}}}"#),
        format!(
            r#""output_config":{{"format":{{"type":"json_schema","schema":{schema}}},"effort":"max"}}"#
        ),
    ] {
        let request = read(&format!(r#"{{"model":"m","messages":[],{form}}}"#));
        assert_eq!(request.format.as_ref(), Some(&expected));
        let written =
            (super::UPSTREAM.request)(&hi(request), &Default::default(), &mut Default::default());
        let written = String::from_utf8(written.to_vec()).unwrap();
        let config =
            format!(r#""output_config":{{"format":{{"type":"json_schema","schema":{schema}}}}}"#);
        assert!(written.contains(&config), "{written}");
    }
}

#[test]
fn thinking_and_tiers_are_read() {
    let request = |members: &str| read(&format!(r#"{{"model":"m","messages":[],{members}}}"#));
    let thinking = |members: &str| request(members).reasoning.unwrap();
    let adaptive = thinking(
        r#""thinking":{"type":"adaptive","display":"omitted"},"output_config":{"effort":"max"}"#,
    );
    assert_eq!(
        adaptive,
        Reasoning {
            enabled: Some(true),
            effort: Some("xhigh".into()),
            include: Some(false),
            ..Reasoning::default()
        }
    );
    assert_eq!(
        thinking(r#""thinking":{"type":"disabled"}"#).wanted(),
        Some(false)
    );
    let enabled = thinking(r#""thinking":{"type":"enabled","budget_tokens":5000}"#);
    assert_eq!(enabled.budget, number(5000));
    assert_eq!(
        thinking(r#""output_config":{"effort":"low"}"#).effort(),
        Some("low")
    );
    assert_eq!(request(r#""thinking":null"#).reasoning, None);
    assert_eq!(
        request(r#""service_tier":"standard_only""#)
            .service_tier
            .as_deref(),
        Some("default")
    );
    let choice = request(r#""tool_choice":{"type":"auto","disable_parallel_tool_use":false}"#);
    assert_eq!(choice.parallel_tools, Some(true));
}

#[test]
fn an_effort_gives_way_to_a_call_that_must_be_made() {
    let tools = vec![Tool::Function {
        name: "f".into(),
        description: None,
        parameters: None,
        strict: None,
        cache: None,
    }];
    let asked = |model: &str, choice, budget| {
        let request = hi(Request {
            tools: tools.clone(),
            tool_choice: Some(choice),
            reasoning: Some(Reasoning {
                budget,
                ..effort("low").unwrap()
            }),
            ..Request::default()
        });
        let (written, lost) = write(&request, model);
        (written["thinking"]["type"].clone(), lost)
    };
    let named = vec!["reasoning_effort".to_owned()];
    for (model, form) in [
        ("claude-sonnet-4-5", "enabled"),
        ("claude-opus-4-7", "adaptive"),
    ] {
        for choice in [ToolChoice::Required, ToolChoice::Function("f".into())] {
            assert_eq!(
                asked(model, choice, None),
                (Value::Null, named.clone()),
                "{model}"
            );
        }
        assert_eq!(asked(model, ToolChoice::Auto, None), (json!(form), vec![]));
    }
    let literal = asked("claude-sonnet-4-5", ToolChoice::Required, number(2048));
    assert_eq!(literal, (json!("enabled"), vec![]));
}

#[test]
fn a_member_of_the_same_name_and_another_form_is_not_passed_on() {
    for (name, ours, theirs) in [
        (
            "context_management",
            json!({"edits": []}),
            json!([{"type": "compaction"}]),
        ),
        ("fallbacks", json!([{"model": "m"}]), json!(["gpt"])),
        ("mcp_servers", json!([{"type": "url"}]), json!({})),
    ] {
        let written = |value: &Value| {
            let request = hi(Request {
                extra: vec![(name.to_owned(), Json::of(value))],
                ..Request::default()
            });
            let (written, lost) = write(&request, "claude-sonnet-4-5");
            (written[name].is_null(), lost)
        };
        assert_eq!(written(&ours), (false, vec![]), "{name}");
        assert_eq!(written(&theirs), (true, vec![name.to_owned()]), "{name}");
    }
}

#[test]
fn who_asks_is_told_under_either_name() {
    let told = |user: Option<&str>, identifier: &str| {
        let request = hi(Request {
            user: user.map(Into::into),
            extra: vec![("safety_identifier".to_owned(), Json::of(identifier))],
            ..Request::default()
        });
        let (written, lost) = write(&request, "claude-sonnet-4-5");
        (written["metadata"]["user_id"].clone(), lost)
    };
    assert_eq!(told(None, "s"), (json!("s"), vec![]));
    let named = vec!["safety_identifier".to_owned()];
    assert_eq!(told(Some("u"), "s"), (json!("u"), named));
}
