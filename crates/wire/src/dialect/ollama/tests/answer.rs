use super::{super::UPSTREAM, *};
use crate::{
    Class,
    dialect::Finish,
    middle::{Part, summary},
};

#[test]
fn a_whole_answer_is_put_together() {
    let answer = (UPSTREAM.answer)(
        br#"{"model":"m","created_at":"2026-01-02T03:04:05Z","message":{"role":"assistant","content":"It is.","thinking":"hm",
            "tool_calls":[{"function":{"name":"f","arguments":{"n":1.50}}}]},
            "done_reason":"stop","done":true,"total_duration":5000,"prompt_eval_count":3,"eval_count":4}"#,
    )
    .unwrap();
    assert_eq!(
        (answer.id.as_deref(), answer.model.as_deref()),
        (None, Some("m"))
    );
    let [choice] = &answer.choices[..] else {
        panic!("{:?}", answer.choices)
    };
    assert_eq!(choice.finish, Some(Finish::ToolCalls));
    let [
        Part::Reasoning { text: thought, .. },
        Part::Text { text, .. },
        Part::ToolCall(call),
    ] = &choice.parts[..]
    else {
        panic!("{choice:?}")
    };
    assert_eq!(
        (thought.as_str(), text.as_str(), call.input.as_str()),
        ("hm", "It is.", r#"{"n":1.50}"#)
    );
    assert_eq!(answer.usage.unwrap().output, Some(4));
    let total = summary(&answer).durations.total;
    assert_eq!(total, Some(std::time::Duration::from_micros(5)));
}

#[test]
fn lines_that_nobody_asked_for_are_an_answer_too() {
    let answer = (UPSTREAM.answer)(&fixture("chat.ndjson")).unwrap();
    assert_eq!(answer.choices[0].parts, [Part::text("Grüß dich 👋\n")]);
    assert_eq!(summary(&answer).finish, Some(Finish::Stop));
}

#[test]
fn what_is_no_answer_is_refused_with_its_class() {
    let class = |body: &str| (UPSTREAM.answer)(body.as_bytes()).unwrap_err().class;
    for body in ["", "<html>", "{}", "[]", "{\"models\":[]}", "{\"message\":"] {
        assert_eq!(class(body), Class::Malformed, "{body}");
    }
    assert_eq!(class(r#"{"error":"boom"}"#), Class::StreamError);
}
