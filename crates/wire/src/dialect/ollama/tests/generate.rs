use bytes::BytesMut;

use super::{
    super::{completions_stream, generate_answer, generate_request, generate_stream},
    *,
};
use crate::{
    Class,
    dialect::Finish,
    middle::{Asked, Encode, Lost, Options},
};

fn asked(include_usage: bool) -> Asked {
    Asked {
        model: "route".into(),
        id: "abc".into(),
        now: 7,
        include_usage,
        ..Asked::default()
    }
}

fn write(body: &str) -> Result<(String, Vec<String>), crate::BadBody> {
    let options = Options {
        model: "tiny:1b",
        num_ctx: Some(8192),
        ..Options::default()
    };
    let mut lost = Lost::default();
    let bytes = generate_request(body.as_bytes(), &options, &mut lost)?;
    let names = lost.names().map(str::to_owned).collect();
    Ok((String::from_utf8(bytes.to_vec()).unwrap(), names))
}

#[test]
fn a_question_keeps_its_words_and_numbers() {
    let (text, lost) = write(
        r#"{"model":"r","prompt":["Once"],"suffix":"end","max_tokens":16,"temperature":0.70,"stop":["a","b"],"stream":true,
            "stream_options":{"include_usage":true},"n":1,"best_of":2,"echo":false,"logprobs":3,"user":"u"}"#,
    )
    .unwrap();
    let expected = concat!(
        r#"{"model":"tiny:1b","prompt":"Once","suffix":"end","#,
        r#""options":{"num_ctx":8192,"num_predict":16,"temperature":0.70,"stop":["a","b"]},"stream":true}"#
    );
    assert_eq!(text, expected);
    assert_eq!(lost, ["best_of", "logprobs", "user"]);
    let (text, lost) = write(r#"{"prompt":null,"stop":"x"}"#).unwrap();
    assert!(text.contains(r#""prompt":"","#) && text.ends_with(r#""stop":["x"]},"stream":false}"#));
    assert_eq!(lost, Vec::<String>::new());
}

#[test]
fn what_cannot_be_asked_is_refused_with_its_place() {
    for (body, param, column, what) in [
        (r#"{"prompt":["a","b"]}"#, "prompt", 11, "several"),
        (r#"{"prompt":[1,2]}"#, "prompt", 11, "tokens"),
        (r#"{"prompt":[]}"#, "prompt", 11, "empty"),
        (r#"{"prompt":{}}"#, "prompt", 11, "text"),
        (r#"{"prompt":"\udc00"}"#, "prompt", 11, "surrogate"),
        (r#"{"stop":[1]}"#, "stop", 10, "text"),
        (r#"{"suffix":1}"#, "suffix", 11, "text"),
    ] {
        let fault = write(body).unwrap_err();
        assert_eq!((fault.param, fault.column), (Some(param), column), "{body}");
        assert!(fault.message.contains(what), "{}", fault.message);
    }
    assert!(write("{").unwrap_err().message.contains("too early"));
}

#[test]
fn a_whole_answer_is_a_text_completion() {
    let body = br#"{"model":"tiny:1b","created_at":"2026-01-02T03:04:05Z","response":"One, two","done":true,"done_reason":"length","context":[1],"prompt_eval_count":2,"eval_count":3}"#;
    let (bytes, summary) = generate_answer(body, &asked(false)).unwrap();
    let expected = concat!(
        r#"{"id":"cmpl-abc","object":"text_completion","created":1767323045,"model":"tiny:1b","#,
        r#""choices":[{"text":"One, two","index":0,"logprobs":null,"finish_reason":"length"}],"#,
        r#""usage":{"prompt_tokens":2,"completion_tokens":3,"total_tokens":5}}"#
    );
    assert_eq!(bytes, expected);
    assert_eq!(
        (summary.finish, summary.has_content),
        (Some(Finish::Length), true)
    );
    let class = generate_answer(b"{}", &asked(false)).unwrap_err().class;
    assert_eq!(class, Class::Malformed);
}

fn streamed(name: &str, include_usage: bool) -> (String, Box<dyn Encode>) {
    let (mut decode, mut encode) = (
        generate_stream(1),
        completions_stream(&asked(include_usage)),
    );
    let mut out = BytesMut::new();
    for frame in frames(&[&fixture(name)]) {
        decode.decode(&frame, &mut |delta| encode.delta(&delta, &mut out));
    }
    encode.close(&mut out);
    (String::from_utf8(out.to_vec()).unwrap(), encode)
}

#[test]
fn a_stream_ends_with_its_reason_and_then_the_mark() {
    let (text, encode) = streamed("generate.ndjson", false);
    let head = r#"data: {"id":"cmpl-abc","object":"text_completion","created":1767323045,"model":"tiny:1b","choices":[{"text":"#;
    let expected = [
        head,
        "\"One\",\"index\":0,\"logprobs\":null,\"finish_reason\":null}]}\n\n",
        head,
        "\", two\",\"index\":0,\"logprobs\":null,\"finish_reason\":null}]}\n\n",
        head,
        "\"\",\"index\":0,\"logprobs\":null,\"finish_reason\":\"stop\"}]}\n\n",
        "data: [DONE]\n\n",
    ];
    assert_eq!(text, expected.concat());
    assert!(encode.lost().is_empty());
}

#[test]
fn counts_come_in_a_chunk_of_their_own_if_asked_for() {
    let (text, _) = streamed("generate.ndjson", true);
    let events: Vec<&str> = text.split_terminator("\n\n").collect();
    let [first, .., counts, done] = &events[..] else {
        panic!("{text}")
    };
    assert!(first.ends_with(r#""usage":null}"#));
    let expected =
        r#""choices":[],"usage":{"prompt_tokens":11,"completion_tokens":5,"total_tokens":16}}"#;
    assert!(counts.ends_with(expected), "{counts}");
    assert_eq!(*done, "data: [DONE]");
}

#[test]
fn what_a_completion_has_no_place_for_is_named() {
    let (text, encode) = streamed("tools.ndjson", false);
    assert!(text.contains(r#""finish_reason":"stop""#));
    assert_eq!(encode.lost().names().collect::<Vec<_>>(), ["tool_calls"]);
}
