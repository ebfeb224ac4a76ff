//! How much is thought.

use super::*;

#[test]
fn thinking_is_asked_for_by_effort() {
    let ask = |reasoning: Reasoning| {
        let request = Request {
            reasoning: Some(reasoning),
            ..Request::default()
        };
        let (body, lost) = ask(&request, &NATIVE);
        let effort = crate::json::member(&body, "reasoning_effort");
        (effort.map(|e| e.trim_matches('"').to_owned()), lost)
    };
    let base = Reasoning::default;
    let effort = |word: &str| Some(word.to_owned());
    for (reasoning, word, names) in [
        (
            Reasoning {
                effort: effort("xhigh"),
                ..base()
            },
            Some("xhigh"),
            vec![],
        ),
        (
            Reasoning {
                effort: effort("none"),
                ..base()
            },
            Some("none"),
            vec![],
        ),
        (
            Reasoning {
                budget: Json::parse("9000"),
                enabled: Some(true),
                ..base()
            },
            Some("medium"),
            vec![],
        ),
        (
            Reasoning {
                enabled: Some(true),
                ..base()
            },
            None,
            vec!["reasoning.enabled"],
        ),
        (
            Reasoning {
                enabled: Some(false),
                budget: Json::parse("9000"),
                ..base()
            },
            None,
            vec!["reasoning.enabled"],
        ),
        (
            Reasoning {
                effort: effort("low"),
                summary: effort("auto"),
                include: Some(false),
                encrypted: true,
                ..base()
            },
            Some("low"),
            vec![
                "reasoning.summary",
                "reasoning.exclude",
                "reasoning.encrypted_content",
            ],
        ),
    ] {
        let (said, lost) = ask(reasoning);
        assert_eq!(
            (said.as_deref(), lost),
            (word, names.into_iter().map(str::to_owned).collect())
        );
    }
}
