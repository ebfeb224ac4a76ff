//! Turns of the conversation, and what is in them.

use super::*;

#[test]
fn a_turn_of_the_model_is_one_message_and_its_results_follow_it() {
    let input = r#"[
        {"role":"user","content":"Weather?"},
        {"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":"b"}],"encrypted_content":"e"},
        {"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Let me see.","annotations":[]}]},
        {"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":"{}"},
        {"type":"function_call","call_id":"c2","name":"g","arguments":"{\"x\":"},
        {"type":"function_call_output","call_id":"c2","output":"broken"},
        {"type":"function_call_output","call_id":"c1","output":[{"type":"input_text","text":"sun"},{"type":"input_image","image_url":"data:image/png;base64,aGk="}]},
        {"role":"assistant","content":"Sunny."},
        {"role":"assistant","content":"Really."}
    ]"#;
    let result = |id: &str, name: &str, parts| {
        Part::ToolResult(ToolResult {
            id: id.to_owned(),
            name: Some(name.to_owned()),
            parts,
            is_error: false,
            cache: None,
        })
    };
    let picture = Part::Image {
        source: Source::Inline {
            media_type: "image/png".to_owned(),
            data: "aGk=".to_owned(),
        },
        detail: None,
        cache: None,
    };
    let thought = Part::Reasoning {
        text: "a\n\nb".to_owned(),
        signature: None,
        opaque: Some("e".to_owned()),
        id: Some("rs_1".to_owned()),
    };
    let expected = [
        Message::text(Role::User, "Weather?"),
        message(
            Role::Assistant,
            vec![
                thought,
                Part::text("Let me see."),
                call("c1", "f", "{}"),
                call("c2", "g", "{\"x\":"),
            ],
        ),
        message(
            Role::Tool,
            vec![
                result("c2", "g", vec![Part::text("broken")]),
                result("c1", "f", vec![Part::text("sun"), picture]),
            ],
        ),
        Message::text(Role::Assistant, "Sunny."),
        Message::text(Role::Assistant, "Really."),
    ];
    assert_eq!(messages(input), expected);
}

#[test]
fn a_text_after_a_call_stays_with_it_so_that_the_result_can_follow() {
    let input = r#"[{"type":"function_call","call_id":"c","name":"f","arguments":""},{"role":"assistant","content":"wait"},{"type":"function_call_output","call_id":"c","output":""}]"#;
    let read = messages(input);
    let turn = vec![call("c", "f", ""), Part::text("wait")];
    assert_eq!(read.first(), Some(&message(Role::Assistant, turn)));
    assert_eq!(read.len(), 2);
}

#[test]
fn pictures_files_and_sound_are_found_where_they_are() {
    let input = r#"[{"role":"user","content":[
        {"type":"input_image","image_url":"https://a.example/x.png","detail":"low"},
        {"type":"input_image","file_id":"file_1","image_url":null},
        {"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,aGk="},
        {"type":"input_file","file_data":"aGk="},
        {"type":"input_file","file_url":"https://a.example/a.pdf"},
        {"type":"input_file","file_id":"file_2"},
        {"type":"input_audio","input_audio":{"data":"aGk=","format":"wav"}},
        {"type":"input_hologram","x":1}]}]"#;
    let image = |source, detail: Option<&str>| Part::Image {
        source,
        detail: detail.map(str::to_owned),
        cache: None,
    };
    let file = |source, name: Option<&str>| Part::File {
        source,
        name: name.map(str::to_owned),
        cache: None,
    };
    let inline = |media_type: &str| Source::Inline {
        media_type: media_type.to_owned(),
        data: "aGk=".to_owned(),
    };
    let expected = vec![
        image(
            Source::Url("https://a.example/x.png".to_owned()),
            Some("low"),
        ),
        image(Source::Id("file_1".to_owned()), None),
        file(inline("application/pdf"), Some("a.pdf")),
        file(inline(""), None),
        file(Source::Url("https://a.example/a.pdf".to_owned()), None),
        file(Source::Id("file_2".to_owned()), None),
        Part::Audio {
            data: "aGk=".to_owned(),
            format: "wav".to_owned(),
        },
        Part::Other {
            kind: "input_hologram".to_owned(),
            value: json(r#"{"type":"input_hologram","x":1}"#),
        },
    ];
    assert_eq!(messages(input), [message(Role::User, expected)]);
}

#[test]
fn items_that_only_this_api_has_stay_in_their_place() {
    let input = r#"[{"id":"msg_1"},{"type":"item_reference","id":"rs_1"},{"type":"web_search_call","id":"ws_1"}]"#;
    let kinds = |message: &Message| {
        let kind = |part: &Part| match part {
            Part::Other { kind, .. } => kind.clone(),
            other => format!("{other:?}"),
        };
        message.parts.iter().map(kind).collect::<Vec<_>>()
    };
    let read = messages(input);
    assert_eq!(
        read.iter().map(kinds).collect::<Vec<_>>(),
        [["item_reference", "item_reference", "web_search_call"]]
    );
}
