//! How much is thought.

use super::*;

#[test]
fn thinking_is_asked_for_by_budget_or_by_level() {
    let thinking = |model: &str, reasoning: Reasoning| {
        let request = Request {
            reasoning: Some(reasoning),
            ..Request::default()
        };
        let (text, _) = write_for(model, &request);
        let found = text.split_once(r#""thinkingConfig":"#);
        found
            .map(|(_, config)| config.trim_end_matches('}').to_owned() + "}")
            .unwrap_or_default()
    };
    let effort = |effort: &str| Reasoning {
        effort: Some(effort.into()),
        ..Reasoning::default()
    };
    let (flash, pro, late) = (
        "gemini-2.5-flash",
        "gemini-2.5-pro",
        "gemini-3-flash-preview",
    );
    for (model, asked, expected) in [
        (
            flash,
            effort("low"),
            r#"{"includeThoughts":true,"thinkingBudget":1024}"#,
        ),
        (
            flash,
            effort("xhigh"),
            r#"{"includeThoughts":true,"thinkingBudget":24576}"#,
        ),
        (
            pro,
            effort("xhigh"),
            r#"{"includeThoughts":true,"thinkingBudget":32768}"#,
        ),
        (
            late,
            effort("xhigh"),
            r#"{"includeThoughts":true,"thinkingLevel":"HIGH"}"#,
        ),
        (
            late,
            effort("minimal"),
            r#"{"includeThoughts":true,"thinkingLevel":"MINIMAL"}"#,
        ),
        (
            late,
            effort("none"),
            r#"{"includeThoughts":false,"thinkingBudget":0}"#,
        ),
        (
            flash,
            effort("none"),
            r#"{"includeThoughts":false,"thinkingBudget":0}"#,
        ),
        (
            late,
            Reasoning {
                budget: Some(json("2048")),
                enabled: Some(true),
                ..Reasoning::default()
            },
            r#"{"includeThoughts":true,"thinkingBudget":2048}"#,
        ),
        (
            flash,
            Reasoning {
                enabled: Some(true),
                ..Reasoning::default()
            },
            r#"{"includeThoughts":true,"thinkingBudget":-1}"#,
        ),
        (
            late,
            Reasoning {
                enabled: Some(true),
                include: Some(false),
                ..Reasoning::default()
            },
            r#"{"includeThoughts":false}"#,
        ),
        (
            flash,
            Reasoning {
                summary: Some("auto".into()),
                ..Reasoning::default()
            },
            r#"{"includeThoughts":true}"#,
        ),
        (flash, Reasoning::default(), ""),
    ] {
        assert_eq!(thinking(model, asked), expected, "{model}");
    }
}
