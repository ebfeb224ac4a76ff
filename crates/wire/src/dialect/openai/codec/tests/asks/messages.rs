//! The conversation.

use super::*;

#[test]
fn results_stand_right_behind_their_calls_and_what_is_no_text_follows_them() {
    let messages = vec![
        Message::text(Role::System, "s"),
        Message::text(Role::Developer, "d"),
        said(
            Role::Assistant,
            vec![
                Part::Reasoning {
                    text: "hm".into(),
                    signature: Some("sealed".into()),
                    opaque: Some("sealed".into()),
                    id: None,
                },
                call("a"),
                Part::text("so"),
                call("bad"),
            ],
        ),
        said(
            Role::Tool,
            vec![result("a", vec![Part::text("r"), image()])],
        ),
        said(Role::Tool, vec![result("bad", vec![])]),
        Message::text(Role::User, "go on"),
    ];
    let (body, lost) = talk(messages, &NATIVE);
    let expected = concat!(
        r#"[{"role":"system","content":"s"},{"role":"developer","content":"d"},"#,
        r#"{"role":"assistant","content":"so","reasoning_content":"hm","tool_calls":["#,
        r#"{"id":"a","type":"function","function":{"name":"f","arguments":"{\"cut"}},"#,
        r#"{"id":"bad","type":"function","function":{"name":"f","arguments":"{\"cut"}}]},"#,
        r#"{"role":"tool","content":"r","tool_call_id":"a"},{"role":"tool","content":"","tool_call_id":"bad"},"#,
        r#"{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA==","detail":"low"}},{"type":"text","text":"go on"}]}]"#
    );
    assert_eq!(body, expected);
    assert!(!body.contains("sealed"), "proofs of another maker");
    let last = vec![said(Role::Tool, vec![result("a", vec![image()])])];
    let shown = r#"[{"role":"tool","content":"","tool_call_id":"a"},{"role":"user","content":[{"type":"image_url""#;
    assert!(talk(last, &NATIVE).0.starts_with(shown));
    let redacted = "messages[].content[].redacted_thinking";
    assert_eq!(
        lost,
        [redacted, "messages[].content[].is_error", "cache_control"]
    );
}

#[test]
fn content_is_a_string_where_it_can_be_one() {
    let two = || vec![said(Role::User, vec![Part::text("a"), Part::text("b")])];
    let parts =
        r#"[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}]"#;
    assert_eq!(talk(two(), &NATIVE).0, parts);
    assert_eq!(
        talk(two(), &PLAIN).0,
        "[{\"role\":\"user\",\"content\":\"a\\nb\"}]"
    );
    let calls = vec![said(Role::Assistant, vec![call("a")])];
    assert!(
        talk(calls, &NATIVE)
            .0
            .starts_with(r#"[{"role":"assistant","content":null,"tool_calls""#)
    );
    let refusal = || {
        vec![said(
            Role::Assistant,
            vec![Part::Refusal { text: "no".into() }],
        )]
    };
    let own = r#"[{"role":"assistant","content":null,"refusal":"no"}]"#;
    assert_eq!(talk(refusal(), &NATIVE).0, own);
    assert_eq!(
        talk(refusal(), &PLAIN).0,
        r#"[{"role":"assistant","content":"no"}]"#
    );
    let nothing = vec![said(Role::Assistant, vec![]), said(Role::User, vec![])];
    let empty = r#"[{"role":"assistant","content":""},{"role":"user","content":""}]"#;
    assert_eq!(talk(nothing, &NATIVE).0, empty);
}

#[test]
fn media_have_their_parts_and_what_has_none_is_named() {
    let file = |source, name: Option<&str>| Part::File {
        source,
        name: name.map(Into::into),
        cache: None,
    };
    let inline = |media_type: &str| Source::Inline {
        media_type: media_type.into(),
        data: "AA==".into(),
    };
    let user = vec![
        Part::Audio {
            data: "UklG".into(),
            format: "wav".into(),
        },
        file(inline("application/pdf"), Some("a.pdf")),
        file(inline(""), None),
        file(inline("video/mp4"), None),
        file(Source::Id("file-1".into()), Some("x")),
        Part::Image {
            source: Source::Id("file-2".into()),
            detail: None,
            cache: None,
        },
        Part::Other {
            kind: "search_result".into(),
            value: Json::parse("{}").unwrap(),
        },
    ];
    let (body, lost) = talk(
        vec![said(Role::User, user), said(Role::Assistant, vec![image()])],
        &NATIVE,
    );
    let expected = concat!(
        r#"[{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"UklG","format":"wav"}},"#,
        r#"{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,AA=="}},"#,
        r#"{"type":"file","file":{"filename":"file","file_data":"AA=="}},"#,
        r#"{"type":"video_url","video_url":{"url":"data:video/mp4;base64,AA=="}},"#,
        r#"{"type":"file","file":{"file_id":"file-1"}}]},{"role":"assistant","content":""}]"#
    );
    assert_eq!(body, expected);
    assert_eq!(
        lost,
        [
            "messages[].content[].image_url",
            "messages[].content[].search_result"
        ]
    );
}

#[test]
fn the_address_of_a_file_is_lost_and_named() {
    let file = Part::File {
        source: Source::Url("https://x.example/a.pdf".into()),
        name: None,
        cache: None,
    };
    let parts = vec![Part::text("?"), file];
    let (written, lost) = talk(vec![said(Role::User, parts)], &NATIVE);
    assert_eq!(written, r#"[{"role":"user","content":"?"}]"#);
    assert_eq!(lost, ["messages[].content[].file"]);
}
