//! What is refused, and in which words.

use super::*;

#[test]
fn a_fault_names_its_member_and_its_place_and_never_a_value() {
    for (body, param, column) in [
        (r#"{"model":"m","input":5}"#, "input", 22),
        (r#"{"model":5,"input":"x"}"#, "model", 10),
        (r#"{"input":"x"}"#, "model", 0),
        (
            r#"{"model":"m","input":"x","stream":"SECRET"}"#,
            "stream",
            35,
        ),
        (
            r#"{"model":"m","input":"x","temperature":"SECRET"}"#,
            "temperature",
            40,
        ),
        (r#"{"model":"m","input":"x","tools":{}}"#, "tools", 34),
        (
            r#"{"model":"m","input":"x","tools":[{"name":"SECRET"}]}"#,
            "tools[].type",
            35,
        ),
        (
            r#"{"model":"m","input":"x","tools":[{"type":"function"}]}"#,
            "tools[].name",
            35,
        ),
        (
            r#"{"model":"m","input":"x","tool_choice":"SECRET"}"#,
            "tool_choice",
            40,
        ),
        (
            r#"{"model":"m","input":"x","text":{"format":{"type":"SECRET"}}}"#,
            "text.format.type",
            43,
        ),
        (r#"{"model":"m","input":"x","metadata":[]}"#, "metadata", 37),
        (
            r#"{"model":"m","input":"x","include":["a",1]}"#,
            "include",
            41,
        ),
        (
            r#"{"model":"m","input":[{"x":"SECRET"}]}"#,
            "input[].type",
            23,
        ),
        (r#"{"model":"m","input":["SECRET"]}"#, "input[]", 23),
        (
            r#"{"model":"m","input":[{"role":"SECRET","content":""}]}"#,
            "input[].role",
            23,
        ),
        (
            r#"{"model":"m","input":[{"role":"user"}]}"#,
            "input[].content",
            23,
        ),
        (
            r#"{"model":"m","input":[{"role":"user","content":[{"type":"input_text"}]}]}"#,
            "input[].content[].text",
            49,
        ),
        (
            r#"{"model":"m","input":[{"role":"user","content":[{"type":"input_image"}]}]}"#,
            "input[].content[]",
            49,
        ),
        (
            r#"{"model":"m","input":[{"type":"function_call","name":"f","arguments":""}]}"#,
            "input[].call_id",
            23,
        ),
        (
            r#"{"model":"m","input":[{"type":"function_call_output","call_id":"c"}]}"#,
            "input[].output",
            23,
        ),
    ] {
        let fault = read(body).unwrap_err();
        assert_eq!(fault.param, Some(param), "{body}: {fault}");
        assert_eq!(fault.column, column, "{body}: {fault}");
        assert!(!fault.message.contains("SECRET"), "{fault}");
    }
}

#[test]
fn half_of_a_surrogate_pair_is_refused_in_so_many_words() {
    for body in [
        r#"{"model":"m","input":"SECRET \ud83d"}"#,
        r#"{"model":"m","input":[{"role":"user","content":"\ude00"}]}"#,
    ] {
        let fault = read(body).unwrap_err();
        assert!(fault.message.contains("surrogate"), "{fault}");
        assert!(!fault.message.contains("SECRET"), "{fault}");
    }
}

#[test]
fn what_is_no_object_is_refused() {
    for body in [
        "",
        "null",
        "[]",
        "{",
        r#"{"model":"m","input":"x""#,
        "\u{feff}{}",
    ] {
        assert!(read(body).is_err(), "{body}");
    }
}
