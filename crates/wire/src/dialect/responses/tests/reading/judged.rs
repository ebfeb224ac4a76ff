//! What the judge says.

use super::*;

#[test]
fn the_judge_commits_on_content_and_ends_with_the_response() {
    let thought = r#"{"type":"response.reasoning_text.delta","output_index":0,"delta":"hm"}"#;
    let delta = r#"{"type":"response.output_text.delta","output_index":1,"delta":"a"}"#;
    let stream = events(&[&created(), thought, delta, &completed("")]);
    let mut judge = super::super::super::judge(1);
    let judged: Vec<_> = frames(stream.as_bytes(), &[])
        .iter()
        .map(|frame| judge.judge(frame))
        .collect();
    let kinds: Vec<_> = judged.iter().map(|one| one.kind.clone()).collect();
    assert_eq!(
        kinds,
        [Kind::Preamble, Kind::Content, Kind::Content, Kind::Preamble]
    );
    let hidden: Vec<_> = judged.iter().map(|one| one.reasoning).collect();
    assert_eq!(hidden, [false, true, false, false]);
    let ends: Vec<_> = judged.iter().map(|one| one.ends).collect();
    assert_eq!(ends, [None, None, None, Some(End::Stop)]);
    assert_eq!(judge.tally().id.as_deref(), Some("resp_1"));
    assert_eq!(judge.tally().usage.output, Some(4));
}

#[test]
fn what_a_tool_of_the_provider_writes_is_content_to_the_judge() {
    let piece = |kind: &str, rest: &str| {
        format!(r#"{{"type":"response.{kind}","output_index":0,"item_id":"x",{rest}}}"#)
    };
    let kind = |stream: &str| {
        let mut judge = super::super::super::judge(1);
        let frames = frames(stream.as_bytes(), &[]);
        let kinds: Vec<_> = frames.iter().map(|frame| judge.judge(frame).kind).collect();
        kinds.last().cloned().unwrap()
    };
    for (event, expected) in [
        (
            piece("custom_tool_call_input.delta", r#""delta":"*** Begin""#),
            Kind::Content,
        ),
        (
            piece("code_interpreter_call_code.delta", r#""delta":"x""#),
            Kind::Content,
        ),
        (
            piece(
                "image_generation_call.partial_image",
                r#""partial_image_b64":"aGk=""#,
            ),
            Kind::Content,
        ),
        (
            piece("custom_tool_call_input.delta", r#""delta":"""#),
            Kind::Preamble,
        ),
        (
            piece("web_search_call.searching", r#""delta":"x""#),
            Kind::Preamble,
        ),
        (created(), Kind::Preamble),
    ] {
        assert_eq!(kind(&events(&[&event])), expected, "{event}");
        assert_eq!(kind(&format!("data: {event}\n\n")), expected, "{event}");
    }
}

#[test]
fn the_judge_hands_out_the_state_that_came() {
    let end = r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","summary":[],"encrypted_content":"e"}}"#;
    let mut judge = super::super::super::judge(1);
    for frame in frames(events(&[end]).as_bytes(), &[]) {
        judge.judge(&frame);
    }
    assert_eq!(judge.take_state(), [crate::state::fingerprint("e")]);
    assert!(judge.take_state().is_empty());
}
