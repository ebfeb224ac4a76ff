//! What is cited, and where.

use serde_json::{Value, json};

use super::*;
use crate::middle::{Asked, Delta, Part, SurfaceCodec};

fn support(start: u64, end: u64, text: Option<&str>, chunks: &[u64]) -> Value {
    json!({ "segment": { "startIndex": start, "endIndex": end, "text": text },
        "groundingChunkIndices": chunks })
}

fn sources() -> Value {
    json!([{ "web": { "uri": "https://a.example/", "title": "a" } },
        { "maps": { "uri": "https://b.example/" } },
        { "retrievedContext": { "title": "no address" } }])
}

/// An event with these parts and this grounding.
fn said(parts: &Value, grounding: &Value) -> Value {
    json!({ "candidates": [{ "content": { "role": "model", "parts": parts }, "groundingMetadata": grounding,
        "finishReason": "STOP" }], "responseId": "r", "modelVersion": "m" })
}

/// The places and sources that are cited, and what is named as lost.
fn cited(events: &[Value]) -> (Vec<(u64, u64, String)>, Vec<String>) {
    let body: String = events
        .iter()
        .map(|event| format!("data: {event}\n\n"))
        .collect();
    let mut decode = (UPSTREAM.stream)(1);
    let (mut all, mut lost) = (Vec::new(), Vec::new());
    for frame in split(Framing::Sse, [body.as_bytes()]) {
        decode.decode(&frame, &mut |delta| match delta {
            Delta::Citation { json, .. } => {
                let it: Value = serde_json::from_str(json).unwrap();
                assert_eq!(it["type"], "url_citation");
                let place = |name: &str| it[name].as_u64().unwrap();
                let url = it["url"].as_str().unwrap().to_owned();
                all.push((place("start_index"), place("end_index"), url));
            }
            Delta::Lost(name) => lost.push(name.to_owned()),
            _ => {}
        });
    }
    (all, lost)
}

#[test]
fn bytes_become_characters_and_what_splits_one_is_named() {
    // é is two bytes, 🧀 four
    let text = json!([{ "text": "é🧀 ab" }]);
    let a = || "https://a.example/".to_owned();
    for (one, place) in [
        (support(0, 6, Some("é🧀"), &[0]), Some((0, 2))),
        (support(7, 9, Some("ab"), &[0]), Some((3, 5))),
        (support(7, 9, None, &[0]), Some((3, 5))),
        (support(1, 6, None, &[0]), None),
        (support(0, 3, None, &[0]), None),
        (support(7, 10, None, &[0]), None),
        (support(9, 7, None, &[0]), None),
        (support(7, 7, None, &[0]), None),
        (support(u64::MAX, u64::MAX, None, &[0]), None),
        (support(7, 9, Some("other"), &[0]), None),
        (support(7, 9, Some("ab"), &[9]), None),
        (support(7, 9, Some("ab"), &[2]), None),
        (json!({ "groundingChunkIndices": [0] }), None),
        (json!(7), None),
    ] {
        let only = json!([{ "web": { "uri": "https://a.example/" } }, {}, {}]);
        let grounding = json!({ "groundingChunks": only, "groundingSupports": [one] });
        let (all, lost) = cited(&[said(&text, &grounding)]);
        let expected: Vec<_> = place
            .map(|(start, end)| (start, end, a()))
            .into_iter()
            .collect();
        assert_eq!(all, expected, "{one}");
        let named = lost
            .iter()
            .any(|name| name == "groundingMetadata.groundingSupports");
        assert_eq!(named, place.is_none(), "{one}: {lost:?}");
    }
}

#[test]
fn long_texts_are_counted_right_at_every_place() {
    let text: String = "aé漢🧀".chars().cycle().take(3_000).collect();
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let supports: Vec<_> = places
        .iter()
        .map(|at| support(0, *at as u64, None, &[0]))
        .skip(1)
        .collect();
    let grounding = json!({ "groundingChunks": sources(), "groundingSupports": supports });
    let (all, _) = cited(&[said(&json!([{ "text": text }]), &grounding)]);
    let ends: Vec<u64> = all.iter().map(|(_, end, _)| *end).collect();
    assert_eq!(ends, (1..3_000).collect::<Vec<u64>>());
}

#[test]
fn an_answer_is_cited_4096_times_and_what_is_beyond_is_named() {
    let supports: Vec<_> = (1..=5_000).map(|end| support(0, end, None, &[0])).collect();
    let grounding = json!({ "groundingChunks": sources(), "groundingSupports": supports });
    let event = said(&json!([{ "text": "a".repeat(5_000) }]), &grounding);
    let (all, lost) = cited(&[event]);
    assert_eq!(all.len(), 4_096);
    assert!(
        format!("{lost:?}").contains("groundingSupports"),
        "{lost:?}"
    );
}

#[test]
fn places_are_those_of_the_part_in_a_whole_answer_and_of_the_text_in_a_stream() {
    let mut second = support(0, 2, Some("cd"), &[0]);
    second["segment"]["partIndex"] = json!(2);
    let parts = json!([{ "text": "hm", "thought": true }, { "text": "ab" }, { "text": "cd" }]);
    let grounding = json!({ "groundingChunks": [sources()[0]], "groundingSupports": [second] });
    let a = "https://a.example/".to_owned();
    assert_eq!(cited(&[said(&parts, &grounding)]).0, [(2, 4, a.clone())]);

    let none = json!({});
    let whole = support(1, 4, Some("bcd"), &[0, 1]);
    let last = json!({ "groundingChunks": sources(), "groundingSupports": [whole] });
    let events = [
        said(&json!([{ "text": "hm", "thought": true }]), &none),
        said(&json!([{ "text": "ab" }]), &none),
        said(&json!([{ "text": "cd" }]), &last),
        // Google repeats itself
        said(&json!([]), &last),
    ];
    let (all, lost) = cited(&events);
    assert_eq!(all, [(1, 4, a), (1, 4, "https://b.example/".to_owned())]);
    // the third source has no address
    assert!(
        lost.iter()
            .all(|name| name == "groundingMetadata.groundingChunks"),
        "{lost:?}"
    );
}

#[test]
fn behind_anything_else_no_place_is_told() {
    let grounding = json!({ "groundingChunks": [sources()[0]],
        "groundingSupports": [support(0, 2, Some("ab"), &[0])] });
    let call = json!([{ "text": "ab" }, { "functionCall": { "name": "f", "args": {} } }]);
    let (all, lost) = cited(&[said(&call, &grounding)]);
    assert!(all.is_empty());
    assert_eq!(
        lost,
        [
            "groundingMetadata.groundingSupports",
            "groundingMetadata.groundingChunks"
        ]
    );
}

#[test]
fn what_else_is_said_of_a_search_is_named() {
    let grounding = json!({ "webSearchQueries": ["q"], "searchEntryPoint": { "renderedContent": "<p>" },
        "retrievalMetadata": {}, "groundingChunks": [sources()[0]] });
    let (all, lost) = cited(&[said(&json!([{ "text": "ab" }]), &grounding)]);
    assert!(all.is_empty());
    let names = ["groundingChunks", "searchEntryPoint", "webSearchQueries"];
    let mut lost: Vec<_> = lost
        .iter()
        .filter_map(|name| name.split_once('.'))
        .map(|(_, n)| n)
        .collect();
    lost.sort_unstable();
    assert_eq!(lost, names);
}

fn asked() -> Asked {
    Asked {
        model: "m".into(),
        id: "req".into(),
        now: 7,
        include_usage: false,
        base64: false,
        counted: None,
    }
}

#[test]
fn every_surface_with_a_place_has_the_citation_whole_and_streamed() {
    let grounding = json!({ "groundingChunks": [sources()[0]],
        "groundingSupports": [support(3, 5, Some("ab"), &[0])] });
    let answer = said(&json!([{ "text": "é ab" }]), &grounding);
    let read = (UPSTREAM.answer)(answer.to_string().as_bytes()).unwrap();
    let [
        Part::Text {
            citations: Some(_), ..
        },
    ] = &read.choices[0].parts[..]
    else {
        panic!("{read:?}");
    };
    let flat = r#"{"type":"url_citation","start_index":2,"end_index":4,"url":"https://a.example/","title":"a"}"#;
    let nested = r#"{"type":"url_citation","url_citation":{"url":"https://a.example/","title":"a","start_index":2,"end_index":4}}"#;
    let numbered = nested.replacen('{', r#"{"index":0,"#, 1);
    let surfaces: [(&SurfaceCodec, &str, &str); 2] = [
        (&crate::dialect::openai::codec::SURFACE, nested, &numbered),
        (&crate::dialect::responses::SURFACE, flat, flat),
    ];
    for (surface, whole, streamed) in surfaces {
        let mut lost = crate::middle::Lost::default();
        let bytes = (surface.answer)(&read, &asked(), &mut lost);
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.contains(whole) && lost.is_empty(), "{text}");
        let mut encode = (surface.stream)(&asked());
        let mut out = bytes::BytesMut::new();
        let body = format!("data: {answer}\n\n");
        let mut decode = (UPSTREAM.stream)(1);
        for frame in split(Framing::Sse, [body.as_bytes()]) {
            decode.decode(&frame, &mut |delta| encode.delta(&delta, &mut out));
        }
        encode.close(&mut out);
        let text = String::from_utf8_lossy(&out);
        assert!(
            text.contains(streamed) && encode.lost().is_empty(),
            "{text}"
        );
    }
    // its own have a proof that only Anthropic can make
    let mut lost = crate::middle::Lost::default();
    (crate::dialect::anthropic::SURFACE.answer)(&read, &asked(), &mut lost);
    assert_eq!(lost.names().collect::<Vec<_>>(), ["citations"]);
}
