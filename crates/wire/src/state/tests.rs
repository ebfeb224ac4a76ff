use super::{Carried, carried, fingerprint};

#[test]
fn the_published_values_come_out() {
    assert_eq!(fingerprint(""), 0xcbf2_9ce4_8422_2325);
    assert_eq!(fingerprint("foobar"), 0x8594_4171_f739_67e8);
}

fn of(body: &str) -> (Vec<u64>, bool) {
    let Carried { pieces, required } = carried(body);
    (pieces, required)
}

#[test]
fn what_only_its_maker_can_continue_is_required() {
    for body in [
        r#"{"model":"m","previous_response_id":"resp_1","input":"x"}"#,
        r#"{"conversation":"resp_1"}"#,
        r#"{"conversation":{"id":"resp_1"}}"#,
    ] {
        assert_eq!(of(body), (vec![fingerprint("resp_1")], true), "{body}");
    }
    assert_eq!(of(r#"{"previous_response_id":null}"#), (vec![], false));
}

#[test]
fn state_is_found_at_any_depth_and_told_once() {
    let body = r#"{"messages":[{"content":[
        {"type":"thinking","thinking":"…","signature":"sig"},
        {"type":"redacted_thinking","data":"opaque"},
        {"data":"opaque too","type":"redacted_thinking"},
        {"data":"encrypted","type":"reasoning.encrypted"},
        {"type":"image","source":{"type":"base64","data":"picture"}},
        {"type":"document","source":{"type":"file","file_id":"f_1"}},
        {"type":"thinking","thinking":"…","signature":"sig"}]}],
        "container":{"id":"c_1","skills":[{"skill_id":"s"}]}}"#;
    let expected = ["sig", "opaque", "opaque too", "encrypted", "f_1", "c_1"].map(fingerprint);
    assert_eq!(of(body), (expected.to_vec(), false));
}

#[test]
fn an_ordinary_request_carries_none() {
    let words = r#"{"messages":[{"role":"user","content":"my signature and file_id"}],"data":"x"}"#;
    assert_eq!(of(words), (vec![], false));
    assert_eq!(of("{\"signature\":"), (vec![], false));
}
