//! Who said what: speakers, calls and their results.

use super::*;

#[test]
fn speakers_become_user_and_model_and_instructions_stand_first() {
    let request = question(vec![
        Message::text(Role::System, "Be kind."),
        Message::text(Role::Developer, "Be brief."),
        Message::text(Role::User, "Hi"),
        Message::text(Role::Assistant, "Hello"),
        Message::text(Role::User, "Well"),
        Message::text(Role::User, "?"),
    ]);
    let (text, lost) = write(&request);
    let expected = concat!(
        r#"{"systemInstruction":{"parts":[{"text":"Be kind."},{"text":"Be brief."}]},"contents":["#,
        r#"{"role":"user","parts":[{"text":"Hi"}]},{"role":"model","parts":[{"text":"Hello"}]},"#,
        r#"{"role":"user","parts":[{"text":"Well"}]},{"role":"user","parts":[{"text":"?"}]}]}"#
    );
    assert_eq!((text.as_str(), lost), (expected, vec![]));
    let late = question(vec![
        Message::text(Role::User, "Hi"),
        Message::text(Role::System, "Now"),
    ]);
    assert_eq!(write(&late).1, ["messages[].role"]);
}

#[test]
fn calls_made_at_once_and_their_results_are_one_content_each() {
    let failed = Part::ToolResult(ToolResult {
        id: "9".into(),
        name: None,
        parts: vec![Part::text("no")],
        is_error: true,
        cache: None,
    });
    let request = question(vec![
        Message::text(Role::User, "?"),
        message(
            Role::Assistant,
            vec![
                Part::Reasoning {
                    text: "hm".into(),
                    signature: Some("czA=".into()),
                    opaque: None,
                    id: None,
                },
                signed(call("1", "f", r#"{"a":1.0}"#), "czE="),
            ],
        ),
        message(Role::Assistant, vec![call("2", "g", "")]),
        message(Role::Tool, vec![result("1", vec![Part::text("42")])]),
        message(
            Role::Tool,
            vec![result("2", vec![Part::text(r#"{"ok": 1.0}"#)]), failed],
        ),
    ]);
    let (text, lost) = write(&request);
    let expected = concat!(
        r#"{"contents":[{"role":"user","parts":[{"text":"?"}]},"#,
        r#"{"role":"model","parts":[{"text":"hm","thought":true,"thoughtSignature":"czA="},"#,
        r#"{"functionCall":{"id":"1","name":"f","args":{"a":1.0}},"thoughtSignature":"czE="},"#,
        r#"{"functionCall":{"id":"2","name":"g","args":{}}}]},"#,
        r#"{"role":"user","parts":[{"functionResponse":{"id":"1","name":"f","response":{"output":"42"}}},"#,
        r#"{"functionResponse":{"id":"2","name":"g","response":{"ok": 1.0}}},"#,
        r#"{"functionResponse":{"id":"9","name":"9","response":{"error":"no"}}}]}]}"#
    );
    assert_eq!((text.as_str(), lost), (expected, vec![]));
}

#[test]
fn a_call_of_another_model_is_not_refused_for_its_signature() {
    let calls = vec![call("1", "f", ""), call("2", "g", "")];
    let request = question(vec![message(Role::Assistant, calls)]);
    let word = "skip_thought_signature_validator";
    let (text, _) = write_for("gemini-3-flash-preview", &request);
    assert_eq!(text.matches(word).count(), 1);
    assert!(!write(&request).0.contains(word));
    let calls = vec![signed(call("1", "f", ""), "cw=="), call("2", "g", "")];
    let request = question(vec![message(Role::Assistant, calls)]);
    assert!(
        !write_for("gemini-3-flash-preview", &request)
            .0
            .contains(word)
    );
}

#[test]
fn broken_arguments_are_lost_and_named() {
    let request = question(vec![message(
        Role::Assistant,
        vec![call("1", "f", "{\"a\":")],
    )]);
    let (text, lost) = write(&request);
    assert!(text.contains(r#""args":{}"#));
    assert_eq!(lost, ["messages[].tool_calls[].function.arguments"]);
}

#[test]
fn instructions_alone_are_said_by_the_user() {
    let (text, lost) = write(&question(vec![Message::text(Role::System, "Say hi.")]));
    assert_eq!(
        text,
        r#"{"contents":[{"role":"user","parts":[{"text":"Say hi."}]}]}"#
    );
    assert_eq!(lost, ["messages[].role"]);
}
