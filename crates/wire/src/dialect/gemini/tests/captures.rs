//! Real streams, read in place where they are.

use super::*;

#[test]
fn real_streams_are_read_to_their_end() {
    for (name, begins, ends, output) in [
        (
            "31-gemini-stream.sse",
            "Whiskers tw",
            "before sunrise.\n",
            "output: Some(33)",
        ),
        (
            "32-gemini-stream-thoughts.sse",
            "Here is",
            "",
            "reasoning: Some(713)",
        ),
        (
            "34-gemini-two-terminals.sse",
            "The first number is 121932631112635269.",
            "number is 63.",
            "output: Some(304)",
        ),
        (
            "38-vertex-stream.sse",
            "In digital realms",
            "data-driven days.",
            "output: Some(1514)",
        ),
    ] {
        let Some(body) = sample::recording(name) else {
            continue;
        };
        let lines = told(Framing::Sse, &[&body], 1);
        let text = joined(&lines, "Text", "text");
        assert!(
            text.starts_with(begins) && text.ends_with(ends),
            "{name}: {text}"
        );
        assert_eq!(
            only(&lines, &["Ended", "Unparsed", "Error"]),
            ["Ended"],
            "{name}"
        );
        assert!(
            only(&lines, &["Usage"]).last().unwrap().contains(output),
            "{name}"
        );
        let bytes: Vec<&[u8]> = body.chunks(1).collect();
        assert_eq!(told(Framing::Sse, &bytes, 1), lines, "{name} byte by byte");
    }
}

#[test]
fn streamed_arguments_without_a_last_part_are_whole() {
    let Some(body) = sample::recording("36-gemini-stream-missing-terminal-call.jsonl") else {
        return;
    };
    let events = body.split(|b| *b == b'\n').filter(|line| !line.is_empty());
    let body = events.map(|line| [b"data: ", line, b"\r\n\r\n"].concat());
    let lines = told(Framing::Sse, &[&body.collect::<Vec<_>>().concat()], 1);
    let input = joined(&lines, "ToolInput", "json");
    let value: serde_json::Value = serde_json::from_str(&input).unwrap();
    assert_eq!(value["operations"][1]["itemid"], "banana_001");
    assert_eq!(value["operations"].as_array().unwrap().len(), 2);
    assert!(input.contains(r#""price":0.5"#));
    let marks = [
        "ToolCall ",
        "CallSignature",
        "ToolDone",
        "Finish",
        "Ended",
        "Usage",
    ];
    let marks: Vec<_> = only(&lines, &marks)
        .iter()
        .map(|l| l.split([' ', '(']).next().unwrap().to_owned())
        .collect();
    assert_eq!(
        marks,
        [
            "ToolCall",
            "CallSignature",
            "ToolDone",
            "Usage",
            "Finish",
            "Ended"
        ]
    );
}

#[test]
fn a_real_error_has_its_class() {
    let Some(body) = sample::recording("40-vertex-error-400.json") else {
        return;
    };
    let verdict = crate::Verdict::in_band(&body);
    assert_eq!(verdict.class, crate::Class::InvalidRequest);
    assert!(verdict.message.unwrap().contains("supported range"));
}
