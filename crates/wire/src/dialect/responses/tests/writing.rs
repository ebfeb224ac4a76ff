//! What callers of this API get as a stream.

use super::written;
use crate::{
    Usage,
    dialect::Finish,
    error_body::ErrorFields,
    json,
    middle::{Delta, Part, Source, Start},
};

mod endings;
mod thoughts;

fn text(text: &str) -> Delta<'_> {
    Delta::Text {
        choice: 0,
        text: text.into(),
        logprobs: None,
    }
}

fn reasoning(text: &str) -> Delta<'_> {
    Delta::Reasoning {
        choice: 0,
        text: text.into(),
    }
}

fn call<'a>(index: u32, id: &'a str, name: &'a str) -> Delta<'a> {
    Delta::ToolCall {
        choice: 0,
        index,
        id: id.into(),
        name: name.into(),
    }
}

fn input(index: u32, json: &str) -> Delta<'_> {
    Delta::ToolInput {
        choice: 0,
        index,
        json: json.into(),
    }
}

fn done(index: u32) -> Delta<'static> {
    Delta::ToolDone { choice: 0, index }
}

fn finish(finish: Finish) -> Delta<'static> {
    Delta::Finish {
        choice: 0,
        finish,
        stop_sequence: None,
    }
}

fn usage(input: u64, output: u64) -> Delta<'static> {
    Delta::Usage(Usage {
        input: Some(input),
        output: Some(output),
        ..Usage::default()
    })
}

/// The payloads of a stream.
fn payloads(stream: &str) -> Vec<&str> {
    stream
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .collect()
}

/// Each event in short: its type without `response.`, and the item it is about.
fn outline(stream: &str) -> Vec<String> {
    let short = |payload: &&str| {
        let [kind, item] = json::members(payload, &["type", "output_index"]).unwrap();
        let kind = json::text(kind.unwrap()).unwrap().into_owned();
        let kind = kind.strip_prefix("response.").unwrap_or(&kind);
        item.map_or(kind.to_owned(), |item| format!("{kind} {item}"))
    };
    payloads(stream).iter().map(short).collect()
}

/// The member of the last event's response.
fn last<'a>(stream: &'a str, member: &str) -> &'a str {
    let payloads = payloads(stream);
    let response = json::member(payloads.last().unwrap(), "response").unwrap();
    json::member(response, member).unwrap()
}

#[test]
fn a_text_is_written_as_the_sdks_accumulate_it() {
    let start = Delta::Start(Start {
        id: Some("chatcmpl-1".into()),
        model: Some("gpt-x".into()),
        created: Some(7),
    });
    let (stream, writer) = written(&[
        start,
        text("Hel"),
        text("lo"),
        finish(Finish::Stop),
        usage(3, 4),
        Delta::Ended,
    ]);
    let response = |status: &str, output: &str, usage: &str| {
        format!(
            r#"{{"id":"resp_abc","object":"response","created_at":7,"status":"{status}","background":false,"error":null,"incomplete_details":null,"instructions":null,"max_output_tokens":null,"model":"gpt-x","output":[{output}],"parallel_tool_calls":true,"previous_response_id":null,"reasoning":null,"store":false,"temperature":null,"text":{{"format":{{"type":"text"}}}},"tool_choice":"auto","tools":[],"top_p":null,"truncation":"disabled","usage":{usage},"user":null,"metadata":null}}"#
        )
    };
    let message = r#"{"id":"msg_abc_0","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"Hello"}]}"#;
    let counts = r#"{"input_tokens":3,"input_tokens_details":{"cached_tokens":0,"cache_write_tokens":0},"output_tokens":4,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":7}"#;
    let place = r#""item_id":"msg_abc_0","output_index":0,"content_index":0"#;
    let expected = [
        ("created", format!(r#""response":{}"#, response("in_progress", "", "null"))),
        ("in_progress", format!(r#""response":{}"#, response("in_progress", "", "null"))),
        (
            "output_item.added",
            r#""output_index":0,"item":{"id":"msg_abc_0","type":"message","status":"in_progress","role":"assistant","content":[]}"#.to_owned(),
        ),
        (
            "content_part.added",
            format!(r#"{place},"part":{{"type":"output_text","annotations":[],"logprobs":[],"text":""}}"#),
        ),
        ("output_text.delta", format!(r#"{place},"delta":"Hel","logprobs":[]"#)),
        ("output_text.delta", format!(r#"{place},"delta":"lo","logprobs":[]"#)),
        ("output_text.done", format!(r#"{place},"text":"Hello","logprobs":[]"#)),
        (
            "content_part.done",
            format!(r#"{place},"part":{{"type":"output_text","annotations":[],"logprobs":[],"text":"Hello"}}"#),
        ),
        ("output_item.done", format!(r#""output_index":0,"item":{message}"#)),
        ("completed", format!(r#""response":{}"#, response("completed", message, counts))),
    ];
    let expected = expected.iter().enumerate().map(|(n, (kind, body))| {
        format!("event: response.{kind}\ndata: {{\"type\":\"response.{kind}\",\"sequence_number\":{n},{body}}}\n\n")
    });
    assert_eq!(stream, expected.collect::<String>());
    assert!(writer.lost().is_empty());
}

#[test]
fn calls_may_be_written_beside_one_another() {
    let (stream, _) = written(&[
        call(0, "call_1", "f"),
        call(1, "call_2", "g"),
        input(1, "{\"a\""),
        input(0, "{}"),
        input(1, ":1}"),
        done(0),
        finish(Finish::ToolCalls),
    ]);
    let expected = r#"[{"id":"fc_abc_0","type":"function_call","status":"completed","arguments":"{}","call_id":"call_1","name":"f"},{"id":"fc_abc_1","type":"function_call","status":"completed","arguments":"{\"a\":1}","call_id":"call_2","name":"g"}]"#;
    assert_eq!(last(&stream, "output"), expected);
    let ends: Vec<_> = outline(&stream)
        .into_iter()
        .filter(|event| event.starts_with("output_item"))
        .collect();
    let order = [
        "output_item.added 0",
        "output_item.added 1",
        "output_item.done 0",
        "output_item.done 1",
    ];
    assert_eq!(ends, order);
}

#[test]
fn events_are_numbered_without_a_gap() {
    let (stream, _) = written(&[reasoning("a"), text("b"), call(0, "c", "f"), input(0, "{")]);
    let numbers = payloads(&stream)
        .into_iter()
        .map(|payload| {
            json::member(payload, "sequence_number")
                .unwrap()
                .parse()
                .unwrap()
        })
        .collect::<Vec<usize>>();
    assert_eq!(numbers, (0..numbers.len()).collect::<Vec<_>>());
}

#[test]
fn an_id_of_this_api_is_kept() {
    let start = Delta::Start(Start {
        id: Some("resp_upstream".into()),
        ..Start::default()
    });
    let (stream, _) = written(&[start, text("a")]);
    assert_eq!(last(&stream, "id"), "\"resp_upstream\"");
}

#[test]
fn a_refusal_is_a_part_of_its_own() {
    let refusal = Delta::Refusal {
        choice: 0,
        text: "no".into(),
    };
    let (stream, _) = written(&[text("Sorry, "), refusal]);
    let content = r#""content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"Sorry, "},{"type":"refusal","refusal":"no"}]"#;
    assert!(last(&stream, "output").contains(content), "{stream}");
    assert!(
        stream.contains(r#""content_index":1,"refusal":"no"}"#),
        "{stream}"
    );
}

#[test]
fn citations_are_flat_here_and_foreign_ones_are_named() {
    let cite = |json| Delta::Citation {
        choice: 0,
        json,
        reach: None,
    };
    let (stream, writer) = written(&[
        text("a"),
        cite(
            r#"{"type":"url_citation","url_citation":{"url":"https://a.example","title":"A","start_index":0,"end_index":1}}"#,
        ),
        cite(r#"{"type":"page_location","cited_text":"x"}"#),
    ]);
    let flat = r#"{"type":"url_citation","url":"https://a.example","title":"A","start_index":0,"end_index":1}"#;
    assert!(stream.contains(&format!(r#""annotation_index":0,"annotation":{flat}"#)));
    assert!(last(&stream, "output").contains(&format!(r#""annotations":[{flat}]"#)));
    assert_eq!(writer.lost().content, ["citations"]);
}

#[test]
fn a_source_of_another_api_is_told_with_its_place_in_the_text() {
    let citation = r#"{"type":"web_search_result_location","url":"u","title":"t","encrypted_index":"x","cited_text":"c"}"#;
    let cited = Delta::Citation {
        choice: 0,
        json: citation,
        reach: Some(2),
    };
    let (stream, writer) = written(&[text("\u{e9}, "), text("so"), cited]);
    let flat = r#"{"type":"url_citation","start_index":3,"end_index":5,"url":"u","title":"t"}"#;
    assert!(last(&stream, "output").contains(flat), "{stream}");
    assert!(writer.lost().is_empty());
}

#[test]
fn log_probabilities_stand_beside_their_text() {
    let probable = Delta::Text {
        choice: 0,
        text: "a".into(),
        logprobs: Some(r#"{"content":[{"token":"a","logprob":-0.10}],"refusal":null}"#),
    };
    let (stream, _) = written(&[probable, text("b")]);
    let told = r#""delta":"a","logprobs":[{"token":"a","logprob":-0.10}]"#;
    assert!(stream.contains(told), "{stream}");
    assert!(stream.contains(r#""delta":"b","logprobs":[]"#), "{stream}");
    assert!(
        last(&stream, "output")
            .contains(r#""logprobs":[{"token":"a","logprob":-0.10}],"text":"ab""#)
    );
}

#[test]
fn a_picture_is_an_item_and_what_has_no_place_is_named() {
    let whole = |part| Delta::Whole { choice: 0, part };
    let picture = Part::Image {
        source: Source::Inline {
            media_type: "image/png".into(),
            data: "aGk=".into(),
        },
        detail: None,
        cache: None,
    };
    let sound = Part::Audio {
        data: "aGk=".into(),
        format: "wav".into(),
    };
    let second = Delta::Text {
        choice: 1,
        text: "b".into(),
        logprobs: None,
    };
    let (stream, writer) = written(&[whole(picture), whole(sound), second, Delta::Lost("video")]);
    let expected = r#"[{"id":"ig_abc_0","type":"image_generation_call","status":"completed","result":"aGk="}]"#;
    assert_eq!(last(&stream, "output"), expected);
    assert_eq!(writer.lost().content, ["audio", "choices", "video"]);
}

#[test]
fn the_first_choice_is_told_whatever_its_number() {
    let of = |choice, text: &'static str| Delta::Text {
        choice,
        text: text.into(),
        logprobs: None,
    };
    let (stream, writer) = written(&[of(1, "a"), of(0, "no"), of(1, "b")]);
    let output = last(&stream, "output");
    assert!(output.contains(r#""text":"ab""#), "{output}");
    assert_eq!(writer.lost().content, ["choices"]);
}
