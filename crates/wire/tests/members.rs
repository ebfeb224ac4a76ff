//! Every member of the middle form reaches a provider or is named: none is lost in silence, whatever the dialect
//! and the kind of model.
//!
//! A question that has a member is written beside the same question without it. Where the two bodies are the same,
//! the member's loss must have been named. A member that is new in the middle form does not compile here until it
//! has a row.

#![expect(clippy::unwrap_used, reason = "a test")]

use punctual_wire::{
    Api,
    middle::{
        Format, Json, Lost, Message, Options, Part, Reasoning, Request, Role, Sampling, Tool,
        ToolChoice,
    },
};

/// Who is asked: the API, a model there, and whether it is OpenAI's own among those who speak its words.
const ASKED: [(Api, &str, bool); 13] = [
    (Api::Chat, "gpt-5", true),
    (Api::Chat, "qwen3", false),
    (Api::Responses, "gpt-5", true),
    (Api::Messages, "claude-sonnet-4-5", false),
    (Api::Messages, "claude-opus-4-8", false),
    (Api::VertexMessages, "claude-sonnet-4-5", false),
    (Api::InvokeMessages, "claude-sonnet-4-5", false),
    (Api::Gemini, "gemini-2.5-pro", false),
    (Api::Gemini, "gemini-3-pro", false),
    (
        Api::Converse,
        "anthropic.claude-sonnet-4-5-20250929-v1:0",
        false,
    ),
    (Api::Converse, "openai.gpt-oss-120b-1:0", false),
    (Api::Converse, "amazon.nova-pro-v1:0", false),
    (Api::Ollama, "qwen3:8b", false),
];

fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn number(text: &str) -> Option<Json> {
    Json::parse(text)
}

fn function(strict: Option<bool>, cache: Option<Json>) -> Tool {
    Tool::Function {
        name: "now".into(),
        description: text("The time."),
        parameters: Json::parse(r#"{"type":"object","properties":{}}"#),
        strict,
        cache,
    }
}

/// Rows: a name, the question with the member, and the one without.
struct Rows(Vec<(String, Request, Request)>);

impl Rows {
    fn add(&mut self, name: &str, change: impl FnOnce(&mut Request)) {
        self.beside(name, |_| (), change);
    }

    /// `base` is what both have.
    fn beside(
        &mut self,
        name: &str,
        base: impl FnOnce(&mut Request),
        change: impl FnOnce(&mut Request),
    ) {
        let mut without = Request {
            model: "route".into(),
            messages: vec![Message::text(Role::User, "hi")],
            ..Request::default()
        };
        base(&mut without);
        let mut with = without.clone();
        change(&mut with);
        self.0.push((name.to_owned(), with, without));
    }
}

fn rows() -> Rows {
    // what is new has no row yet; `model`, `stream` and `include_usage` decide the way and the form of the answer
    let Request {
        model: _,
        stream: _,
        include_usage: _,
        messages: _,
        tools: _,
        tool_choice: _,
        parallel_tools: _,
        format: _,
        reasoning: _,
        sampling: _,
        user: _,
        service_tier: _,
        cache_key: _,
        store: _,
        metadata: _,
        verbosity: _,
        extra: _,
    } = Request::default();
    let mut rows = Rows(Vec::new());
    rows.add("messages", |r| {
        r.messages.push(Message::text(Role::Assistant, "yes"))
    });
    rows.add("name", |r| r.messages[0].name = text("ada"));
    let json = || Json::parse(r#"{"type":"ephemeral"}"#);
    rows.add("cache of a text", |r| {
        r.messages[0].parts = vec![Part::Text {
            text: "hi".into(),
            citations: None,
            cache: json(),
        }];
    });
    rows.add("citations of a text", |r| {
        r.messages[0].parts = vec![Part::Text {
            text: "hi".into(),
            citations: Json::parse(r#"[{"type":"x"}]"#),
            cache: None,
        }];
    });
    rows.add("tools", |r| r.tools = vec![function(None, None)]);
    let tools = |r: &mut Request| r.tools = vec![function(None, None)];
    rows.beside("strict", tools, |r| {
        r.tools = vec![function(Some(true), None)]
    });
    rows.beside("cache of a tool", tools, |r| {
        r.tools = vec![function(None, json())]
    });
    rows.beside("parallel tools", tools, |r| r.parallel_tools = Some(false));
    for choice in [
        ToolChoice::None,
        ToolChoice::Required,
        ToolChoice::Function("now".into()),
    ] {
        let name = format!("tool choice {choice:?}");
        if choice != ToolChoice::None {
            rows.add(&format!("{name} of none"), |r| {
                r.tool_choice = Some(choice.clone())
            });
        }
        rows.beside(&name, tools, |r| r.tool_choice = Some(choice));
    }
    rows.add("JSON", |r| r.format = Some(Format::JsonObject));
    let schema = |description| Format::JsonSchema {
        name: text("n"),
        description,
        schema: Json::parse(r#"{"type":"object","properties":{}}"#).unwrap(),
        strict: Some(true),
    };
    rows.add("a schema", |r| r.format = Some(schema(None)));
    rows.beside(
        "description of a schema",
        |r| r.format = Some(schema(None)),
        |r| r.format = Some(schema(text("d"))),
    );
    thinking(&mut rows);
    sampling(&mut rows);
    rows.add("user", |r| r.user = text("u-1"));
    rows.add("service_tier", |r| r.service_tier = text("priority"));
    rows.add("prompt_cache_key", |r| r.cache_key = text("k"));
    rows.add("store", |r| r.store = Some(true));
    rows.add("metadata", |r| r.metadata = Json::parse(r#"{"run":"1"}"#));
    rows.add("metadata that is long", |r| {
        r.metadata = Some(Json::of(
            &[("run", "x".repeat(300))]
                .into_iter()
                .collect::<std::collections::BTreeMap<_, _>>(),
        ));
    });
    rows.add("verbosity", |r| r.verbosity = text("low"));
    for own in [
        "modalities",
        "audio",
        "prediction",
        "web_search_options",
        "prompt_cache_retention",
        "safety_identifier",
        "min_p",
        "repetition_penalty",
        "keep_alive",
        "safety_settings",
        "cachedContent",
        "guardrailConfig",
        "performanceConfig",
        "container",
        "mcp_servers",
        "truncation",
        "previous_response_id",
        "of_tomorrow",
    ] {
        rows.add(own, |r| {
            r.extra = vec![(own.to_owned(), Json::parse("{}").unwrap())]
        });
    }
    rows
}

fn thinking(rows: &mut Rows) {
    let Reasoning {
        enabled: _,
        effort: _,
        budget: _,
        summary: _,
        include: _,
        encrypted: _,
    } = Reasoning::default();
    fn asked(effort: Option<&str>) -> impl Fn(&mut Request) {
        let effort = effort.map(str::to_owned);
        move |r| {
            r.reasoning = Some(Reasoning {
                effort: effort.clone(),
                ..Reasoning::default()
            });
        }
    }
    rows.add("thinking switched on", |r| {
        r.reasoning = Some(Reasoning {
            enabled: Some(true),
            ..Reasoning::default()
        });
    });
    for effort in ["minimal", "low", "medium", "high", "xhigh", "of_tomorrow"] {
        rows.add(&format!("effort {effort}"), asked(Some(effort)));
    }
    rows.add("budget", |r| {
        r.reasoning = Some(Reasoning {
            budget: number("2048"),
            ..Reasoning::default()
        });
    });
    let hard = || asked(Some("high"));
    rows.beside("a detailed summary", hard(), |r| {
        r.reasoning.as_mut().unwrap().summary = text("detailed");
    });
    rows.beside("thoughts left out", hard(), |r| {
        r.reasoning.as_mut().unwrap().include = Some(false);
    });
}

fn sampling(rows: &mut Rows) {
    let Sampling {
        max_tokens: _,
        temperature: _,
        top_p: _,
        top_k: _,
        frequency_penalty: _,
        presence_penalty: _,
        seed: _,
        stop: _,
        n: _,
        logprobs: _,
        top_logprobs: _,
        logit_bias: _,
    } = Sampling::default();
    rows.add("max_tokens", |r| r.sampling.max_tokens = number("77"));
    rows.add("temperature", |r| r.sampling.temperature = number("0.25"));
    rows.add("top_p", |r| r.sampling.top_p = number("0.75"));
    rows.add("top_k", |r| r.sampling.top_k = number("40"));
    rows.add("frequency_penalty", |r| {
        r.sampling.frequency_penalty = number("0.5")
    });
    rows.add("presence_penalty", |r| {
        r.sampling.presence_penalty = number("0.5")
    });
    rows.add("seed", |r| r.sampling.seed = number("7"));
    rows.add("stop", |r| r.sampling.stop = vec!["END".into()]);
    rows.add("n", |r| r.sampling.n = number("2"));
    rows.add("logprobs", |r| r.sampling.logprobs = Some(true));
    rows.add("top_logprobs", |r| r.sampling.top_logprobs = number("2"));
    rows.add("logit_bias", |r| {
        r.sampling.logit_bias = Json::parse(r#"{"50256":-100}"#)
    });
}

/// Whether it changes nothing to ask for it: the Responses API tells no thoughts in words unless it is asked to.
fn is_so_anyway(api: Api, name: &str) -> bool {
    (api, name) == (Api::Responses, "thoughts left out")
}

#[test]
fn no_member_is_lost_in_silence() {
    let rows = rows();
    let mut silent = Vec::new();
    for (api, model, native) in ASKED {
        let options = Options {
            model,
            stream_options: native,
            ..Options::default()
        };
        let write = |request| {
            let mut lost = Lost::default();
            let body = (api.codec().unwrap().request)(request, &options, &mut lost);
            (body, lost)
        };
        for (name, with, without) in &rows.0 {
            let ((body, lost), (plain, before)) = (write(with), write(without));
            let told = lost != before;
            if body == plain && !told && !is_so_anyway(api, name) {
                silent.push(format!("{api:?} {model} loses {name}"));
            }
        }
    }
    assert!(silent.is_empty(), "{silent:#?}");
}
