use proptest::prelude::*;

use super::*;

#[test]
fn roles_and_empty_pieces_say_nothing_and_text_is_told_once() {
    let together = events(&[
        json!({ "index": 0, "delta": { "role": "assistant", "content": "" } }),
        json!({ "index": 0, "text": "a", "delta": { "content": "a", "token_id": 7 } }),
        json!({ "index": 0, "delta": {} }),
        json!({ "index": 0, "delta": null, "finish_reason": null }),
        json!({ "delta": { "content": " b" }, "message": { "content": "a b" } }),
        json!({ "text": "c" }),
    ]);
    let (steps, seen) = steps(1, &together);
    assert_eq!(steps, [r#"text 0 "a""#, r#"text 0 " b""#, r#"text 0 "c""#]);
    assert!(seen.iter().all(|seen| *seen == Seen::Data));
}

#[test]
fn reasoning_is_told_once_wherever_it_stands() {
    for (delta, expected) in [
        (
            json!({ "reasoning_content": "hm", "content": null }),
            vec![r#"reasoning 0 "hm""#],
        ),
        (
            json!({ "reasoning": "hm", "channel": "analysis" }),
            vec![r#"reasoning 0 "hm""#],
        ),
        (
            json!({ "reasoning": "hm", "reasoning_content": "hm" }),
            vec![r#"reasoning 0 "hm""#],
        ),
        (
            json!({ "reasoning": "hm", "reasoning_details": [{ "type": "reasoning.text", "text": "hm", "signature": "s" }] }),
            vec![r#"reasoning 0 "hm""#, "signature 0 s"],
        ),
        (
            json!({ "reasoning": "sum", "reasoning_details": [{ "type": "reasoning.encrypted", "data": "xx" }] }),
            vec![r#"reasoning 0 "sum""#, "opaque 0 xx"],
        ),
        (
            json!({ "reasoning": "hm", "reasoning_content": [{ "type": "reasoning.encrypted", "data": "xx" }] }),
            vec!["opaque 0 xx", r#"reasoning 0 "hm""#],
        ),
        (
            json!({ "reasoning_details": [{ "type": "reasoning.summary", "summary": "sum" }] }),
            vec![r#"reasoning 0 "sum""#],
        ),
        (
            json!({ "content": [{ "type": "thinking", "thinking": [{ "type": "text", "text": "hm" }] }, { "type": "text", "text": "so" }] }),
            vec![r#"reasoning 0 "hm""#, r#"text 0 "so""#],
        ),
        (
            json!({ "reasoning": "hm", "content": "so" }),
            vec![r#"reasoning 0 "hm""#, r#"text 0 "so""#],
        ),
    ] {
        assert_eq!(deltas(std::slice::from_ref(&delta)), expected, "{delta}");
    }
}

#[test]
fn calls_are_numbered_as_they_begin_and_fragments_find_theirs() {
    let call = |call: Value| json!({ "tool_calls": [call] });
    let openai = [
        call(
            json!({ "index": 2, "id": "a", "type": "function", "function": { "name": "f", "arguments": "" } }),
        ),
        call(
            json!({ "index": 5, "id": "b", "type": "function", "function": { "name": "g", "arguments": "" } }),
        ),
        call(json!({ "index": 2, "function": { "arguments": "{\"x\"" } })),
        call(json!({ "index": 5, "function": { "arguments": "{" } })),
        call(json!({ "index": 2, "function": { "arguments": ":1}" } })),
    ];
    assert_eq!(
        deltas(&openai),
        [
            "call 0.0 a f",
            "call 0.1 b g",
            "input 0.0 {\"x\"",
            "input 0.1 {",
            "input 0.0 :1}"
        ]
    );
    let mistral = json!({ "tool_calls": [
        { "id": "a", "function": { "name": "f", "arguments": "{}" } },
        { "id": "b", "function": { "name": "f", "arguments": "{}" } },
    ] });
    assert_eq!(
        deltas(&[mistral]),
        [
            "call 0.0 a f",
            "input 0.0 {}",
            "call 0.1 b f",
            "input 0.1 {}"
        ]
    );
    // a new id on a number that is known is a new call
    let zeros = [
        call(
            json!({ "index": 0, "id": "a", "function": { "name": "f", "arguments": "{\"p\":1}" } }),
        ),
        call(
            json!({ "index": 0, "id": "b", "function": { "name": "f", "arguments": "{\"p\":2}" } }),
        ),
    ];
    assert_eq!(
        deltas(&zeros),
        [
            "call 0.0 a f",
            "input 0.0 {\"p\":1}",
            "call 0.1 b f",
            "input 0.1 {\"p\":2}"
        ]
    );
    // fragments with a number that nobody has belong to the last call
    let astray = [
        call(json!({ "index": 0, "id": "a", "function": { "name": "f", "arguments": "" } })),
        call(json!({ "index": 1, "function": { "arguments": "{" } })),
        call(json!({ "function": { "arguments": "}" } })),
    ];
    assert_eq!(
        deltas(&astray),
        ["call 0.0 a f", "input 0.0 {", "input 0.0 }"]
    );
    // heads that are repeated in each fragment are one call
    let repeated = [
        call(json!({ "index": 0, "id": "a", "function": { "name": "f", "arguments": "{" } })),
        call(json!({ "index": 0, "id": "a", "function": { "name": "f", "arguments": "}" } })),
    ];
    assert_eq!(
        deltas(&repeated),
        ["call 0.0 a f", "input 0.0 {", "input 0.0 }"]
    );
}

#[test]
fn ids_are_made_up_where_there_are_none_and_input_is_passed_on_as_it_is() {
    let calls = json!({ "tool_calls": [
        { "function": { "name": "f", "arguments": { "a": "HUGE" } } },
        { "id": "", "function": { "name": "f", "arguments": "{\"cut" }, "extra_content": { "google": { "thought_signature": "s" } } },
        { "id": "c", "type": "custom", "custom": { "name": "h", "input": "free text" } },
        null, 7, {},
    ] });
    // serde_json would spell the number anew
    let calls = calls.to_string().replace("\"HUGE\"", "1e400");
    let text = format!("data: {{\"choices\":[{{\"delta\":{calls}}}]}}\n\n");
    assert_eq!(
        steps(1, &text).0,
        [
            "call 0.0 call_0 f",
            "input 0.0 {\"a\":1e400}",
            "call 0.1 call_1 f",
            "call signature 0.1 s",
            "input 0.1 {\"cut",
            "call 0.2 c h",
            "input 0.2 free text"
        ]
    );
    let legacy = [
        json!({ "function_call": { "name": "f", "arguments": "" } }),
        json!({ "function_call": { "arguments": "{" } }),
        json!({ "function_call": { "arguments": "}" } }),
    ];
    assert_eq!(
        deltas(&legacy),
        ["call 0.0 call_0 f", "input 0.0 {", "input 0.0 }"]
    );
}

#[test]
fn the_end_is_told_once_when_every_choice_has_finished() {
    let choices = [
        json!({ "index": 1, "delta": { "content": "b" }, "finish_reason": "stop", "stop_reason": "END" }),
        json!({ "index": 0, "delta": { "tool_calls": [{ "index": 0, "id": "a", "function": {} }] }, "finish_reason": "" }),
        json!({ "index": 0, "finish_reason": "tool_calls", "stop_reason": 151_643 }),
        json!({ "index": 0, "finish_reason": "tool_calls" }),
    ];
    let text = events(&choices)
        + "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}}\n\ndata: [DONE]\n\ndata:[DONE]\n\n";
    let (steps, seen) = steps(2, &text);
    assert_eq!(
        steps,
        [
            "text 1 \"b\"",
            "finish 1 stop END",
            "call 0.0 a",
            "finish 0 tool_calls",
            "ended",
            "finish 0 tool_calls",
            "usage Some(3) Some(4)"
        ]
    );
    assert_eq!(seen[5..], [Seen::Last, Seen::Last]);
}

#[test]
fn a_mark_between_choices_is_not_the_last_frame() {
    let one =
        events(&[json!({ "index": 0, "delta": { "content": "a" }, "finish_reason": "stop" })]);
    let two =
        events(&[json!({ "index": 1, "delta": { "content": "b" }, "finish_reason": "stop" })]);
    let done = "data: [DONE]\n\n";
    let (steps, seen) = steps(2, &format!("{one}{done}{two}{done}"));
    assert_eq!(seen, [Seen::Data, Seen::Data, Seen::Data, Seen::Last]);
    assert_eq!(steps[2..], ["ended", "text 1 \"b\"", "finish 1 stop"]);
}

#[test]
fn done_alone_ends_a_stream_without_finish_reasons() {
    let text =
        events(&[json!({ "delta": { "content": "4", "tool_calls": null } })]) + "data: [DONE]\n\n";
    assert_eq!(steps(3, &text).0, ["text 0 \"4\"", "ended"]);
}

#[test]
fn what_an_answer_says_about_itself_is_told_as_soon_as_it_is_known() {
    let azure = "data: {\"id\":\"\",\"model\":\"\",\"created\":0,\"choices\":[],\"prompt_filter_results\":[]}\n\n\
        data: {\"id\":\"i\",\"model\":\"m\",\"created\":7,\"choices\":[{\"delta\":{\"content\":\"a\"},\"logprobs\":{\"content\":[1.50]}}]}\n\n\
        data: {\"id\":\"j\",\"model\":\"m\",\"choices\":[],\"x_groq\":{\"usage\":{\"prompt_tokens\":1}}}\n\n";
    assert_eq!(
        steps(1, azure).0,
        [
            "start \"i\" \"m\" 7",
            "text 0 \"a\" {\"content\":[1.50]}",
            "usage Some(1) None"
        ]
    );
}

#[test]
fn sources_and_pictures_are_told() {
    let perplexity =
        "data: {\"citations\":[\"https://a\",7],\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n"
            .repeat(2);
    assert_eq!(
        steps(1, &perplexity).0,
        [
            "text 0 \"x\"",
            "citation 0 {\"type\":\"url_citation\",\"url_citation\":{\"url\":\"https://a\",\"title\":\"\",\"start_index\":0,\"end_index\":0}}",
            "text 0 \"x\""
        ]
    );
    let media = json!({
        "content": "", "annotations": [{ "type": "url_citation" }, null],
        "images": [{ "type": "image_url", "image_url": { "url": "data:image/png;base64,AA==" } }],
        "audio": { "id": "i", "data": "UklG", "transcript": "hi" },
    });
    assert_eq!(
        deltas(&[media]),
        [
            "whole 0 Image { source: Inline { media_type: \"image/png\", data: \"AA==\" }, detail: None, cache: None }",
            "text 0 \"hi\"",
            "whole 0 Audio { data: \"UklG\", format: \"\" }",
            "lost audio.id",
            "citation 0 {\"type\":\"url_citation\"}"
        ]
    );
}

#[test]
fn log_probabilities_without_text_are_named() {
    let choice = json!({ "delta": { "reasoning_content": "hm" }, "logprobs": { "content": [{ "token": "hm" }] } });
    assert_eq!(
        steps(1, &events(&[choice])).0,
        ["reasoning 0 \"hm\"", "lost logprobs"]
    );
    let none =
        json!({ "delta": { "content": "4" }, "logprobs": { "content": null, "refusal": null } });
    assert_eq!(steps(1, &events(&[none])).0, ["text 0 \"4\""]);
}

#[test]
fn half_a_surrogate_pair_is_text_all_the_same() {
    let half = "data: {\"choices\":[{\"delta\":{\"content\":\"\\ud83d\"}}]}\n\n";
    let (steps, _) = steps(1, half);
    assert!(steps[0].starts_with("text 0 \"\u{fffd}"), "{steps:?}");
}

#[test]
fn an_error_is_one_however_it_comes_and_ends_nothing() {
    let first = events(&[json!({ "delta": { "content": "x" } })]);
    for event in [
        "data: {\"error\":{\"message\":\"m\",\"code\":504}}",
        "event: error\ndata: it broke",
        "error: {\"code\":400}",
        "data: {\"object\":\"error\",\"message\":\"x\"}",
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"error\"}]}",
    ] {
        let (steps, seen) = steps(1, &format!("{first}{event}\n\n"));
        assert_eq!(steps, ["text 0 \"x\""], "{event}");
        assert!(matches!(seen[1], Seen::Error(_)), "{event}");
    }
    let (steps, seen) = steps(
        1,
        ": hi\n\nevent: ping\ndata: {}\n\ndata: {\"cho\n\ndata:\n\ndata: {\"error\":null}\n\n",
    );
    assert!(steps.is_empty());
    assert_eq!(
        seen,
        [
            Seen::Comment,
            Seen::Comment,
            Seen::Unparsed,
            Seen::Data,
            Seen::Data
        ]
    );
}

fn cut(text: &[u8], cuts: &[usize]) -> Vec<String> {
    let (mut splitter, mut decode) = (Splitter::new(Framing::Sse, 1 << 20), (UPSTREAM.stream)(1));
    let (mut steps, mut from) = (Vec::new(), 0);
    let mut cuts: Vec<_> = cuts.iter().map(|cut| cut % (text.len() + 1)).collect();
    cuts.push(text.len());
    cuts.sort_unstable();
    for to in cuts {
        splitter.push(Bytes::copy_from_slice(&text[from..to]));
        from = to;
        while let Some(Ok(frame)) = splitter.next() {
            decode.decode(&frame, &mut |delta| steps.push(step(&delta)));
        }
    }
    while let Some(frame) = splitter.finish() {
        decode.decode(&frame, &mut |delta| steps.push(step(&delta)));
    }
    steps
}

#[test]
fn the_same_steps_come_however_the_bytes_are_cut() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/openai");
    let mut played = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let file = file.unwrap().path();
        if file.extension().is_some_and(|e| e == "sse") {
            let text = std::fs::read(&file).unwrap();
            let whole = cut(&text, &[]);
            for at in (0..text.len()).step_by(5) {
                assert_eq!(cut(&text, &[at]), whole, "{} at {at}", file.display());
            }
            assert_eq!(cut(&text, &(0..text.len()).collect::<Vec<_>>()), whole);
            played += 1;
        }
    }
    assert!(played > 40, "{played}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_panic(events in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..80), 0..8), n: u32) {
        let mut decode = (UPSTREAM.stream)(n);
        let mut splitter = Splitter::new(Framing::Sse, 1 << 20);
        for event in events {
            let _ = (UPSTREAM.answer)(&event);
            let _ = (SURFACE.request)(&Bytes::from(event.clone()));
            splitter.push(Bytes::from([b"data: ", event.as_slice(), b"\n\n"].concat()));
            while let Some(Ok(frame)) = splitter.next() { decode.decode(&frame, &mut |_| ()); }
        }
    }
}

#[test]
fn calls_are_numbered_as_they_are_told() {
    let call = |index: u32, id: &str, name: Value| json!({ "index": index, "id": id, "function": { "name": name } });
    let late =
        json!({ "tool_calls": [{ "index": 0, "function": { "name": "f", "arguments": "{}" } }] });
    let steps = deltas(&[
        json!({ "tool_calls": [call(0, "a", Value::Null), call(1, "b", "g".into())] }),
        late,
    ]);
    assert_eq!(steps, ["call 0.0 b g", "call 0.1 a f", "input 0.1 {}"]);
}
