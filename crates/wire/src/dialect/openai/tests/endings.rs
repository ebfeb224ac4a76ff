//! When a stream ends, and how.

use super::*;

#[test]
fn the_end_is_a_finish_on_every_choice_or_the_done_mark_and_is_told_once() {
    let finish = |index: u32, reason: Value| {
        choice(json!({ "index": index, "delta": {}, "finish_reason": reason }))
    };
    let (stop, length) = (finish(0, json!("stop")), finish(1, json!("length")));
    assert_eq!(
        ends(1, &[&stop, &stop, "data: [DONE]"]),
        [Some(End::Stop), None, None]
    );
    assert_eq!(
        ends(2, &[&stop, &stop, &length]),
        [None, None, Some(End::Other)]
    );
    assert_eq!(
        ends(3, &[&stop, &length, "data:[DONE]"]),
        [None, None, Some(End::Other)]
    );
    assert_eq!(ends(1, &["data: [DONE]"]), [Some(End::Stop)]);
    for open in [json!(null), json!(""), json!(7), json!([])] {
        assert_eq!(ends(1, &[&finish(0, open)]), [None]);
    }
    let both = r#"data: {"choices":[{"index":1,"finish_reason":"stop"},{"index":0,"finish_reason":"tool_calls"}]}"#;
    assert_eq!(ends(2, &[both]), [Some(End::Other)]);
    let far = finish(u32::MAX, json!("stop"));
    assert_eq!(
        ends(1, &[&far]),
        [None],
        "an index beyond reason is not counted"
    );
}

#[test]
fn only_a_plain_stop_is_a_stop() {
    for (word, stop) in [
        ("stop", true),
        ("STOP", true),
        ("eos", true),
        ("end_turn", true),
        ("length", false),
        ("content_filter", false),
        ("tool_calls", false),
        ("function_call", false),
        ("model_length", false),
        ("max_tokens", false),
    ] {
        assert_eq!(Finish::of(word).unwrap().is_stop(), stop, "{word}");
        assert_eq!(Finish::of(word).unwrap().as_str(), word);
    }
    assert_eq!(Finish::of(""), None);
    assert_eq!(Finish::of(&"x y\n".repeat(99)).unwrap().as_str().len(), 64);
}

#[test]
fn many_choices_end_with_the_last_of_them() {
    let finish = |index: u32| choice(json!({ "index": index, "finish_reason": "stop" }));
    let events: Vec<_> = [0, 0, 2, 1, 1].map(finish).into();
    let events: Vec<_> = events.iter().map(String::as_str).collect();
    let end = Some(End::Stop);
    assert_eq!(ends(3, &events), [None, None, None, end, None]);
}
