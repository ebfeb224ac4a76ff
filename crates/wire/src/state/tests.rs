use super::fingerprint;
use crate::{Surface, peek::peek};

#[test]
fn the_published_values_come_out() {
    assert_eq!(fingerprint(""), 0xcbf2_9ce4_8422_2325);
    assert_eq!(fingerprint("foobar"), 0x8594_4171_f739_67e8);
}

/// What a body with these further members carries.
fn on(surface: Surface, members: &str) -> (Vec<u64>, Vec<u64>) {
    let body = format!(r#"{{"model":"m","messages":[],"prompt":"p",{members}}}"#);
    let state = peek(surface, &body.into()).expect(members).state;
    (state.required, [state.files, state.pieces].concat())
}

fn of(members: &str) -> (Vec<u64>, Vec<u64>) {
    on(Surface::Responses, members)
}

#[test]
fn what_only_its_maker_can_continue_is_required() {
    for members in [
        r#""previous_response_id":"resp_1","input":"x""#,
        r#""previous_respons\u0065_id":"re\u0073p_1""#,
        r#""Previous_Response_ID":"resp_1""#,
        r#""conversation":"resp_1""#,
        r#""conversation":{"id":"resp_1"}"#,
    ] {
        let expected = (vec![fingerprint("resp_1")], vec![]);
        assert_eq!(of(members), expected, "{members}");
    }
    for none in ["null", "\"\"", "{}", "[\"resp_1\"]", "1"] {
        let members = format!(r#""conversation":{none},"previous_response_id":{none}"#);
        assert_eq!(of(&members), (vec![], vec![]), "{none}");
    }
    let both = r#""conversation":{"id":"a","id":"b"}"#;
    assert_eq!(of(both).0, ["a", "b"].map(fingerprint));
    let twice = r#""previous_response_id":"a","conversation":{"id":"a","id":"a"}"#;
    assert_eq!(of(twice).0, ["a"].map(fingerprint));
}

#[test]
fn what_is_required_is_found_in_a_body_that_cannot_be_read_through() {
    let deep = format!("{}{}", "[".repeat(1000), "]".repeat(1000));
    for odd in [&deep, r#"["a\ud83d b"]"#, "[1e400]"] {
        let members = format!(r#""input":{odd},"previous_response_id":"resp_1""#);
        assert_eq!(of(&members).0, [fingerprint("resp_1")], "{odd:.20}");
    }
    assert_eq!(of(r#""conversation":"\ud83d""#).0.len(), 1);
}

#[test]
fn nothing_is_required_but_at_the_top_of_a_question_of_the_responses_api() {
    let inside = r#""input":[{"previous_response_id":"a","conversation":"b"}],
        "metadata":{"conversation":"c"},"tools":[{"parameters":{"conversation":"d"}}]"#;
    assert_eq!(of(inside), (vec![], vec![]));
    let top = r#""input":"x","previous_response_id":"a","conversation":"b""#;
    for surface in Surface::ALL {
        let required = on(surface, top).0;
        let expected = match surface {
            Surface::Responses => vec![fingerprint("a"), fingerprint("b")],
            _ => vec![],
        };
        assert_eq!(required, expected, "{surface}");
    }
}

#[test]
fn what_callers_and_tools_write_as_they_like_is_no_state() {
    let members = r#""metadata":{"signature":"a","file_id":"b"},
        "input":[{"content":[{"type":"tool_use","input":{"file_id":"c","container":{"id":"d"}}}]},
            {"type":"x","arguments":{"signature":"e"},"file_id":"mine"}],
        "tools":[{"parameters":{"file_id":"f"}},{"input_schema":{"signature":"g"}},
            {"type":"code_interpreter","container":"yours"}],
        "text":{"format":{"schema":{"container_id":"h"}}}"#;
    assert_eq!(
        of(members),
        (vec![], ["mine", "yours"].map(fingerprint).to_vec())
    );
}

#[test]
fn state_is_found_at_any_depth_and_told_once() {
    let members = r#""input":[{"content":[
        {"type":"thinking","thinking":"…","signature":"sig"},
        {"type":"redacted_thinking","data":"opaque"},
        {"data":"opaque too","type":"redacted_thinking"},
        {"data":"encrypted","type":"reasoning.encrypted"},
        {"type":"image","source":{"type":"base64","data":"picture"}},
        {"type":"document","source":{"type":"file","file_id":"f_1"}},
        {"type":"thinking","thinking":"…","signature":"sig"}]}],
        "container":{"id":"c_1","skills":[{"skill_id":"s"}]}"#;
    let expected = ["f_1", "c_1", "sig", "opaque", "opaque too", "encrypted"].map(fingerprint);
    assert_eq!(of(members), (vec![], expected.to_vec()));
}

#[test]
fn what_is_kept_with_a_provider_is_told_apart_from_thoughts() {
    let members = r#""input":[{"type":"item_reference","id":"msg_1"},{"id":"fc_1","type":"function_call"},
            {"id":"rs_1","type":"item_reference"},
            {"type":"reasoning","id":"rs_2","encrypted_content":"thought"}],
        "tools":[{"type":"file_search","vector_store_ids":["vs_1","vs_2"]},
            {"type":"code_interpreter","container":{"type":"auto","file_ids":["f_1"]}}]"#;
    let body = format!(r#"{{"model":"m",{members}}}"#);
    let state = peek(Surface::Responses, &body.into()).unwrap().state;
    assert_eq!(state.items, ["msg_1", "rs_1"].map(fingerprint));
    assert_eq!(state.files, ["vs_1", "vs_2", "f_1"].map(fingerprint));
    assert_eq!(state.pieces, ["thought"].map(fingerprint));
    assert!(state.required.is_empty());
}

#[test]
fn an_ordinary_request_carries_none() {
    let words = r#""input":[{"role":"user","content":"my signature and file_id"}],"data":"x""#;
    assert_eq!(of(words), (vec![], vec![]));
}
