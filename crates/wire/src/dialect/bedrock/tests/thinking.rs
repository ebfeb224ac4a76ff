use super::question::{CLAUDE, call, json, written};
use crate::middle::{Message, Part, Reasoning, Request, Role, ToolChoice};

const NEWER: &str = "global.anthropic.claude-opus-4-6-v1";

fn asking(reasoning: Reasoning) -> Request {
    Request {
        messages: vec![Message::text(Role::User, "x")],
        reasoning: Some(reasoning),
        ..Request::default()
    }
}

fn effort(effort: &str) -> Request {
    asking(Reasoning {
        effort: Some(effort.into()),
        ..Reasoning::default()
    })
}

fn budget(tokens: &str) -> Request {
    asking(Reasoning {
        budget: json(tokens),
        ..Reasoning::default()
    })
}

const BUDGET: &str =
    r#""additionalModelRequestFields":{"thinking":{"type":"enabled","budget_tokens":"#;

#[test]
fn older_models_are_asked_by_a_budget_and_newer_ones_by_an_effort() {
    let (text, lost) = written(&effort("medium"), CLAUDE);
    assert!(text.contains(&format!("{BUDGET}8192}}}}")), "{text}");
    assert!(!text.contains("outputConfig") && lost.is_empty());
    let (text, lost) = written(&effort("medium"), NEWER);
    assert!(
        text.contains(r#"{"thinking":{"type":"adaptive"}}"#),
        "{text}"
    );
    assert!(
        text.contains(r#""outputConfig":{"effort":"medium"}"#),
        "{text}"
    );
    assert!(lost.is_empty());
    assert!(
        written(&budget("9000"), CLAUDE)
            .0
            .contains(&format!("{BUDGET}9000"))
    );
    assert!(
        written(&budget("9000"), NEWER)
            .0
            .contains(r#""effort":"medium""#)
    );
    let told = asking(Reasoning {
        enabled: Some(true),
        summary: Some("auto".into()),
        ..Reasoning::default()
    });
    let adaptive = r#"{"thinking":{"type":"adaptive","display":"summarized"}}"#;
    assert!(written(&told, NEWER).0.contains(adaptive));
}

#[test]
fn no_thinking_is_asked_for_in_no_words() {
    for request in [effort("none"), budget("0")] {
        for model in [CLAUDE, NEWER, "amazon.nova-pro-v1:0"] {
            let (text, lost) = written(&request, model);
            assert!(
                !text.contains("thinking") && !text.contains("effort"),
                "{text}"
            );
            assert!(lost.is_empty());
        }
    }
}

#[test]
fn an_effort_gives_way_to_what_the_model_would_refuse() {
    let mut small = effort("high");
    small.sampling.max_tokens = json("4096");
    small.sampling.temperature = json("0");
    let (text, lost) = written(&small, CLAUDE);
    assert!(text.contains(&format!("{BUDGET}4095")), "{text}");
    assert!(!text.contains("temperature"));
    assert_eq!(lost, ["temperature"]);
    small.sampling.max_tokens = json("1024");
    let (text, lost) = written(&small, CLAUDE);
    assert!(!text.contains("thinking") && text.contains(r#""temperature":0"#));
    assert_eq!(lost, ["reasoning_effort"]);

    let mut forced = effort("low");
    forced.tool_choice = Some(ToolChoice::Required);
    let mut unsigned = effort("low");
    let parts = vec![Part::reasoning("hm"), call("c", "f", "{}")];
    unsigned.messages.push(Message {
        role: Role::Assistant,
        parts,
        name: None,
    });
    for request in [forced, unsigned] {
        let (text, lost) = written(&request, CLAUDE);
        assert!(!text.contains("thinking"), "{text}");
        assert!(lost.contains(&"reasoning_effort".to_owned()));
    }
}

#[test]
fn a_budget_in_so_many_words_is_sent_whatever_stands_beside_it() {
    let mut literal = budget("2000");
    literal.sampling.max_tokens = json("1000");
    literal.sampling.temperature = json("0.5");
    literal.tool_choice = Some(ToolChoice::Required);
    let (text, lost) = written(&literal, CLAUDE);
    assert!(text.contains(&format!("{BUDGET}2000")) && text.contains("0.5"));
    assert_eq!(lost, ["tool_choice"], "there is no tool");
}

#[test]
fn other_makers_have_their_own_words_or_none() {
    let (text, lost) = written(&effort("high"), "openai.gpt-oss-120b-1:0");
    assert!(text.contains(r#""additionalModelRequestFields":{"reasoning_effort":"high"}"#));
    assert!(lost.is_empty());
    assert_eq!(
        written(&effort("high"), "deepseek.r1-v1:0").1,
        ["reasoning_effort"]
    );
    assert_eq!(written(&budget("5000"), "deepseek.r1-v1:0").1, ["thinking"]);
}
