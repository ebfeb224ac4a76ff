//! What is in the output: texts, calls, tools of the provider.

use super::*;

#[test]
fn a_call_is_told_once_however_its_input_comes() {
    let begin = r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"fc_1","call_id":"c","name":"f","arguments":""}}"#;
    let delta = |text: &str| {
        format!(
            r#"{{"type":"response.function_call_arguments.delta","output_index":0,"item_id":"fc_1","delta":"{text}"}}"#
        )
    };
    let (first, second) = (delta("{\\\"a\\\""), delta(":1}"));
    let done = r#"{"type":"response.function_call_arguments.done","output_index":0,"item_id":"fc_1","arguments":"{\"a\":1}"}"#;
    let end = r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","id":"fc_1","call_id":"c","name":"f","arguments":"{\"a\":1}"}}"#;
    let in_pieces = [
        "call 0 c f",
        "input 0 {\"a\"",
        "input 0 :1}",
        "done 0",
        "finish tool_calls",
    ];
    assert_eq!(between(&[begin, &first, &second, done, end]), in_pieces);
    let whole = [
        "call 0 c f",
        "input 0 {\"a\":1}",
        "done 0",
        "finish tool_calls",
    ];
    assert_eq!(between(&[begin, done, end]), whole);
    assert_eq!(between(&[begin, end]), whole);
    assert_eq!(between(&[end]), whole);
}

#[test]
fn calls_are_numbered_from_0_wherever_they_stand() {
    let begin = |at: u32, id: &str| {
        format!(
            r#"{{"type":"response.output_item.added","output_index":{at},"item":{{"type":"function_call","call_id":"{id}","name":"f","arguments":""}}}}"#
        )
    };
    let delta = |at: u32| {
        format!(
            r#"{{"type":"response.function_call_arguments.delta","output_index":{at},"delta":"{{}}"}}"#
        )
    };
    let steps = between(&[&begin(3, "a"), &begin(1, "b"), &delta(1), &delta(3)]);
    assert_eq!(
        steps,
        [
            "call 0 a f",
            "call 1 b f",
            "input 1 {}",
            "input 0 {}",
            "finish tool_calls"
        ]
    );
}

#[test]
fn a_text_is_told_once_from_deltas_or_whole() {
    let delta = r#"{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"Hi","logprobs":[]}"#;
    let done =
        r#"{"type":"response.output_text.done","output_index":0,"content_index":0,"text":"Hi"}"#;
    let item = r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi","annotations":[{"type":"url_citation","url":"u"}]},{"type":"refusal","refusal":"no"}]}"#;
    let end = format!(r#"{{"type":"response.output_item.done","output_index":0,"item":{item}}}"#);
    let cited = r#"citation {"type":"url_citation","url":"u"}"#;
    for way in [
        vec![delta, done, &end],
        vec![done, &end],
        vec![end.as_str()],
    ] {
        assert_eq!(
            between(&way),
            ["text Hi", cited, "refusal no", "finish stop"]
        );
    }
    // nothing but the end
    let (steps, _) = told(events(&[&created(), &completed(item)]).as_bytes(), &[]);
    let expected = [
        "start resp_1 m",
        "text Hi",
        cited,
        "refusal no",
        "finish stop",
    ];
    assert_eq!(steps.get(..5).unwrap(), expected);
}

#[test]
fn an_output_that_leaves_items_out_repeats_nothing() {
    let delta =
        r#"{"type":"response.output_text.delta","output_index":1,"content_index":0,"delta":"Hi"}"#;
    let message = r#"{"type":"message","content":[{"type":"output_text","text":"Hi"}]}"#;
    let stream = events(&[&created(), delta, &completed(message)]);
    let (steps, _) = told(stream.as_bytes(), &[]);
    let expected = [
        "start resp_1 m",
        "text Hi",
        "finish stop",
        "usage 3 4",
        "ended",
    ];
    assert_eq!(steps, expected);
}

#[test]
fn a_citation_that_was_told_is_not_told_again() {
    let cite = r#"{"type":"response.output_text.annotation.added","output_index":0,"content_index":0,"annotation_index":0,"annotation":{"type":"file_path","file_id":"f"}}"#;
    let end = r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":"","annotations":[{"type":"file_path","file_id":"f"}]}]}}"#;
    let cited = r#"citation {"type":"file_path","file_id":"f"}"#;
    assert_eq!(between(&[cite, end]), [cited, "finish stop"]);
}

#[test]
fn log_probabilities_are_in_the_form_of_chat() {
    let delta = r#"{"type":"response.output_text.delta","delta":"a","logprobs":[{"token":"a","logprob":-0.10}]}"#;
    let text = r#"text a {"content":[{"token":"a","logprob":-0.10}]}"#;
    assert_eq!(between(&[delta]), [text, "finish stop"]);
}

#[test]
fn what_a_hosted_tool_did_is_told_whole_when_it_is_done() {
    let item = r#"{"type":"web_search_call","id":"ws_1","status":"completed"}"#;
    let event = |kind: &str| {
        format!(r#"{{"type":"response.output_item.{kind}","output_index":0,"item":{item}}}"#)
    };
    let progress =
        r#"{"type":"response.web_search_call.searching","output_index":0,"item_id":"ws_1"}"#;
    let steps = between(&[&event("added"), progress, &event("done")]);
    let whole = format!(
        "Whole {{ choice: 0, part: Other {{ kind: \"web_search_call\", value: {item} }} }}"
    );
    assert_eq!(steps, [whole.as_str(), "finish stop"]);
}
