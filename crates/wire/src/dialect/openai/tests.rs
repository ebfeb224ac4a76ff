use bytes::Bytes;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::{
    Class, Surface, Verdict,
    dialect::{End, Finish, Judge as _, Judged, Kind},
    frame::{Framing, Splitter},
};

mod answers;
mod content;
mod endings;
mod errors;
mod sizes;

fn stream(n: u32, events: &[&str]) -> (Vec<Judged>, Judge) {
    let (mut splitter, mut judge) = (
        Splitter::new(Framing::Sse, 1 << 26),
        Judge::new(Surface::Chat, n),
    );
    let mut judged = Vec::new();
    for event in events {
        splitter.push(Bytes::from(format!("{event}\n\n")));
        judged.push(judge.judge(&splitter.next().unwrap().unwrap()));
    }
    (judged, judge)
}

fn kinds(n: u32, events: &[&str]) -> Vec<Kind> {
    stream(n, events)
        .0
        .into_iter()
        .map(|judged| judged.kind)
        .collect()
}

fn ends(n: u32, events: &[&str]) -> Vec<Option<End>> {
    stream(n, events)
        .0
        .into_iter()
        .map(|judged| judged.ends)
        .collect()
}

fn choice(choice: Value) -> String {
    format!("data: {}", json!({ "id": "x", "choices": [choice] }))
}

fn delta(delta: Value) -> Kind {
    kinds(
        1,
        &[&choice(
            json!({ "index": 0, "delta": delta, "finish_reason": null }),
        )],
    )
    .remove(0)
}

#[test]
fn comments_pings_and_unreadable_data_are_told_apart() {
    let events = [
        ": OPENROUTER PROCESSING",
        "event: ping\ndata: {}",
        "id: 1",
        "data:",
        "data: {\"choices\":[{\"del",
        "data: 5",
        "data: [1]",
        "data: {\"id\":\"\",\"choices\":[],\"model\":\"\",\"prompt_filter_results\":[]}",
        "data: {\"choices\":null}",
        "data: {}",
    ];
    use Kind::{Comment, Preamble, Unparsed};
    let expected = [
        Comment, Comment, Preamble, Preamble, Unparsed, Unparsed, Unparsed, Preamble, Preamble,
        Preamble,
    ];
    assert_eq!(kinds(1, &events), expected);
}

#[test]
fn usage_is_taken_from_every_place_and_its_chunk_is_known() {
    let (judged, judge) = stream(
        1,
        &[
            &choice(json!({ "delta": { "content": "a" } })).replace(
                "\"choices\"",
                "\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":1},\"choices\"",
            ),
            r#"data: {"choices":[{"delta":{},"finish_reason":"stop"}],"x_groq":{"usage":{"prompt_tokens":9,"completion_tokens":2}}}"#,
            r#"data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}}"#,
            r#"data: {"id":"x","usage":{"completion_tokens":4}}"#,
            r#"data: {"choices":[],"usage":null}"#,
        ],
    );
    let only: Vec<bool> = judged.iter().map(Judged::usage_only).collect();
    assert_eq!(only, [false, false, true, true, false]);
    assert_eq!(
        (
            judge.usage().input,
            judge.usage().output,
            judge.usage().total
        ),
        (Some(9), Some(4), Some(12))
    );
    assert!(!judge.inputs_differ());
    let (_, judge) = stream(
        1,
        &[
            r#"data: {"usage":{"prompt_tokens":1}}"#,
            r#"data: {"usage":{"prompt_tokens":2}}"#,
        ],
    );
    assert!(judge.inputs_differ());
}

#[test]
fn id_and_model_are_the_first_that_are_not_empty() {
    let (_, judge) = stream(
        1,
        &[
            r#"data: {"id":"","model":""}"#,
            r#"data: {"id":"a","model":"m"}"#,
            r#"data: {"id":"b","model":"n"}"#,
        ],
    );
    assert_eq!((judge.id(), judge.model()), (Some("a"), Some("m")));
}

fn answer(surface: Surface, body: &str) -> Result<crate::dialect::AnswerSummary, Verdict> {
    judge_answer(surface, &Bytes::copy_from_slice(body.as_bytes()))
}

proptest! {
    #[test]
    fn no_bytes_panic(events in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..80), 0..8), n: u32) {
        let (mut splitter, mut judge) = (Splitter::new(Framing::Sse, 1 << 20), Judge::new(Surface::Chat, n));
        for event in events {
            let _ = judge_answer(Surface::Chat, &Bytes::from(event.clone()));
            splitter.push(Bytes::from([b"data: ", event.as_slice(), b"\n\n"].concat()));
            while let Some(Ok(event)) = splitter.next() { judge.judge(&event); }
        }
    }

    #[test]
    fn no_json_panics(word in "(choices|delta|message|content|tool_calls|function|error|usage|index|text|finish_reason)", value in "[\\[{}\\]\":,0-9a-z]{0,30}") {
        let text = format!(r#"{{"choices":[{{"{word}":{value}}}],"{word}":{value}}}"#);
        stream(1, &[&format!("data: {text}")]);
        for surface in Surface::ALL { let _ = answer(surface, &text); let _ = to_stream(surface, &Bytes::from(text.clone())); }
    }
}
