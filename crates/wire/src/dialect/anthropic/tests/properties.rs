//! What holds for any bytes and any steps.

use bytes::Bytes;
use proptest::{collection::vec, prelude::*, sample::Index};

use super::{
    super::{SURFACE, UPSTREAM, is_envelope, judge, judge_answer, judge_count},
    frames,
    snapshot::snapshot,
    steps,
    streams::fixture,
    told,
};
use crate::middle::{Answer, Delta, Lost, Seen, unroll};

const FIXTURES: [&str; 9] = [
    "text.sse",
    "text-crlf.sse",
    "thinking.sse",
    "tools.sse",
    "search.sse",
    "compaction.sse",
    "refusal.sse",
    "overloaded.sse",
    "completion-crlf.sse",
];

/// Reads a body as everything that it may be.
fn read_all(body: &[u8]) {
    let _ = judge_answer(body);
    let _ = judge_count(body);
    is_envelope(body);
    if let Ok(request) = (SURFACE.request)(&Bytes::copy_from_slice(body)) {
        (UPSTREAM.request)(&request, &Default::default(), &mut Lost::default());
    }
    if let Ok(answer) = (UPSTREAM.answer)(body) {
        (SURFACE.answer)(&answer, &super::asked(), &mut Lost::default());
    }
    let frames = frames([body]);
    steps(&frames);
    let mut judge = judge(1);
    frames.iter().for_each(|frame| drop(judge.judge(frame)));
}

/// A fixture with some bytes changed.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let changes = vec((any::<Index>(), any::<u8>()), 0..6);
    (any::<Index>(), changes).prop_map(|(name, changes)| {
        let mut bytes = fixture(FIXTURES[name.index(FIXTURES.len())]);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes
    })
}

fn step() -> impl Strategy<Value = Delta<'static>> {
    let text = "[a-z\"{}\\\\ é]{1,4}";
    prop_oneof![
        text.prop_map(|text| Delta::Text {
            choice: 0,
            text: text.into(),
            logprobs: None,
        }),
        text.prop_map(|text| Delta::Reasoning {
            choice: 0,
            text: text.into(),
        }),
        text.prop_map(|value| Delta::Signature {
            choice: 0,
            value: value.into(),
        }),
        text.prop_map(|value| Delta::Opaque {
            choice: 0,
            value: value.into(),
        }),
        (0..4_u32, text).prop_map(|(index, json)| Delta::ToolInput {
            choice: 0,
            index,
            json: json.into(),
        }),
        (0..4_u32).prop_map(|index| Delta::ToolDone { choice: 0, index }),
        (0..4_u32).prop_map(|index| Delta::ToolCall {
            choice: 0,
            index,
            id: format!("c{index}").into(),
            name: "f".into(),
        }),
    ]
}

/// The steps without those that continue another, so that pieces do not matter.
fn joined(deltas: &[Delta<'static>]) -> Vec<Delta<'static>> {
    let mut all: Vec<Delta<'static>> = Vec::new();
    for delta in deltas {
        match (all.last_mut(), delta) {
            (Some(Delta::Text { text: before, .. }), Delta::Text { text, .. })
            | (Some(Delta::Reasoning { text: before, .. }), Delta::Reasoning { text, .. }) => {
                before.to_mut().push_str(text);
            }
            _ => all.push(delta.clone()),
        }
    }
    all
}

proptest! {
    #[test]
    fn no_bytes_panic(body in vec(any::<u8>(), 0..300), text in ".{0,200}") {
        read_all(&body);
        read_all(text.as_bytes());
        read_all(format!("data: {text}\n\n").as_bytes());
    }

    #[test]
    fn no_damage_panics(body in damaged()) {
        read_all(&body);
        for line in body.split(|byte| *byte == b'\n') {
            read_all(line.strip_prefix(b"data: ").unwrap_or(line));
        }
    }

    #[test]
    fn no_question_panics(content in "[\\[\\]{}\",:a-z0-9]{0,80}", name in "(thinking|tools|system|tool_choice|metadata|output_config|stop_sequences)") {
        read_all(format!(r#"{{"model":"m","messages":[{{"role":"user","content":{content}}}]}}"#).as_bytes());
        read_all(format!(r#"{{"model":"m","messages":[],"{name}":{content}}}"#).as_bytes());
    }

    #[test]
    fn the_steps_do_not_depend_on_the_cuts(name in any::<Index>(), cuts in vec(any::<Index>(), 0..12)) {
        let bytes = fixture(FIXTURES[name.index(FIXTURES.len())]);
        let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(bytes.len())).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let pieces = cuts.windows(2).map(|cut| &bytes[cut[0]..cut[1]]);
        // a line feed that is cut off the last CR LF is a frame without data
        let all = |frames: &[_]| {
            let (steps, mut seen) = steps(frames);
            seen.retain(|seen| *seen != Seen::Comment);
            (steps, seen)
        };
        prop_assert_eq!(all(&frames(pieces)), all(&frames([bytes.as_slice()])));
    }

    #[test]
    fn any_steps_make_a_message(deltas in vec(step(), 0..40)) {
        snapshot(&told(&deltas).0);
    }

    #[test]
    fn no_piece_of_a_call_is_lost_however_they_are_mixed(
        inputs in vec("(|\\{\"[a-z\\]}]{0,3}\":(1|\\[2\\]|\"\\{\")\\})", 1..5),
        order in vec((any::<Index>(), 1..4_usize), 0..60),
        done in any::<bool>(),
    ) {
        let mut left: Vec<&str> = inputs.iter().map(String::as_str).collect();
        let mut begun = 0;
        let mut deltas = Vec::new();
        // a new call may begin at any time, and a piece belongs to any that has begun; then the rest
        let rest = (0..inputs.len()).map(|_| None);
        for next in order.into_iter().map(Some).chain(rest) {
            let turn = next.as_ref().map_or(begun, |(at, _)| at.index(begun + 1));
            if turn == begun && begun < inputs.len() {
                let index = u32::try_from(begun).unwrap();
                deltas.push(Delta::ToolCall { choice: 0, index, id: format!("c{index}").into(), name: "f".into() });
                begun += 1;
            } else if let (Some(text), Some((_, most))) = (left.get_mut(turn), next) {
                let (piece, after) = text.split_at(most.min(text.len()));
                *text = after;
                let index = u32::try_from(turn).unwrap();
                deltas.push(Delta::ToolInput { choice: 0, index, json: piece.to_owned().into() });
            }
        }
        for (index, text) in (0..).zip(left) {
            deltas.push(Delta::ToolInput { choice: 0, index, json: text.to_owned().into() });
            deltas.extend(done.then_some(Delta::ToolDone { choice: 0, index }));
        }
        deltas.retain(|delta| !matches!(delta, Delta::ToolInput { json, .. } if json.is_empty()));
        let (out, lost) = told(&deltas);
        prop_assert!(lost.is_empty(), "{:?}", deltas);
        let message = snapshot(&out);
        for (index, input) in inputs.iter().enumerate() {
            let block = &message["content"][index];
            let expected = serde_json::from_str(input).unwrap_or_else(|_| serde_json::json!({}));
            prop_assert_eq!(&block["input"], &expected);
            prop_assert_eq!(block["id"].as_str(), Some(&*format!("c{index}")));
        }
    }

    #[test]
    fn what_is_told_is_read_again(deltas in vec(step(), 0..30)) {
        // one signature to a thought, and no calls: their order is tested by itself
        let mut thinks = false;
        let kept: Vec<_> = deltas
            .into_iter()
            .filter(|delta| match delta {
                Delta::Text { .. } | Delta::Opaque { .. } => {
                    thinks = false;
                    true
                }
                Delta::Reasoning { .. } => {
                    thinks = true;
                    true
                }
                Delta::Signature { .. } => std::mem::take(&mut thinks),
                _ => false,
            })
            .collect();
        let (out, lost) = told(&kept);
        prop_assert!(lost.is_empty());
        let mut decode = (UPSTREAM.stream)(1);
        let mut again: Vec<String> = Vec::new();
        for frame in frames([&*out]) {
            decode.decode(&frame, &mut |delta| again.push(format!("{delta:?}")));
        }
        let content = |step: &String| !["Start", "Usage", "Finish", "Ended"].iter().any(|name| step.starts_with(name));
        again.retain(content);
        let expected: Vec<_> = kept.iter().map(|delta| format!("{delta:?}")).collect();
        prop_assert_eq!(again, expected);
    }

    #[test]
    fn whole_and_streamed_answers_say_the_same(deltas in vec(step(), 0..20)) {
        let written = snapshot(&told(&joined(&deltas)).0);
        let body = serde_json::to_vec(&written).unwrap();
        let answer: Answer = (UPSTREAM.answer)(&body).unwrap();
        let mut encode = (SURFACE.stream)(&super::asked());
        let mut out = bytes::BytesMut::new();
        unroll(&answer, &mut |delta| encode.delta(&delta, &mut out));
        encode.close(&mut out);
        let streamed = snapshot(&out);
        let whole = (SURFACE.answer)(&answer, &super::asked(), &mut Lost::default());
        let whole: serde_json::Value = serde_json::from_slice(&whole).unwrap();
        prop_assert_eq!(&whole["content"], &streamed["content"]);
        prop_assert_eq!(whole["stop_reason"].clone(), streamed["stop_reason"].clone());
    }
}
