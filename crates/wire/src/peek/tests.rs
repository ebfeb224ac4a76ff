use proptest::prelude::*;

use super::*;

fn chat(body: &str) -> Result<Peek, BadBody> {
    peek(Surface::Chat, &Bytes::copy_from_slice(body.as_bytes()))
}

fn bad(body: &str) -> BadBody {
    chat(body).expect_err(body)
}

#[test]
fn a_usual_request_is_read_with_its_positions() {
    let body = r#"{"messages":[{"role":"user","content":"model"}], "model" : "gpt \"x\"" ,"stream":true,"n":2,"prompt_cache_key":"k","stream_options":{"include_usage":true}}"#;
    let peek = chat(body).unwrap();
    assert_eq!(peek.model, "gpt \"x\"");
    assert_eq!(&body[peek.model_span.clone()], r#""gpt \"x\"""#);
    assert!(peek.stream && peek.include_usage && peek.usage_edit.is_none());
    assert_eq!((peek.n, peek.prompt_cache_key.as_deref()), (2, Some("k")));
}

#[test]
fn null_is_absent() {
    let peek = chat(r#"{"model":"m","messages":[],"stream":null,"n":null,"stream_options":null,"prompt_cache_key":null}"#).unwrap();
    assert!(!peek.stream && !peek.include_usage && peek.prompt_cache_key.is_none());
    assert_eq!(peek.n, 1);
}

#[test]
fn what_is_not_read_is_not_judged() {
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let objects = format!("{}1{}", "{\"a\":".repeat(200_000), "}".repeat(200_000));
    for value in [
        r#""a\ud83d b""#,
        r#""\udc00""#,
        "1e400",
        "-0",
        "10000000000000000000000000",
        "0.1234567890123456789",
        &deep,
        &objects,
    ] {
        chat(&format!(
            r#"{{"model":"m","messages":[{value}],"other":{value},"max_tokens":{value}}}"#
        ))
        .unwrap_or_else(|fault| panic!("{fault}: {value:.40}"));
    }
    chat(r#"{"model":"m","messages":[],"\ud83d":1}"#).unwrap();
    chat(r#"{"model":"m","messages":[],"user":1,"user":2}"#).unwrap();
}

#[test]
fn a_deciding_member_given_twice_is_refused_however_it_is_spelled() {
    for (name, twice) in [
        ("model", r#""model":"a","mod\u0065l":"b","messages":[]"#),
        ("model", r#""model":"a","Model":"b","messages":[]"#),
        (
            "stream",
            r#""model":"a","messages":[],"stream":true,"stream":false"#,
        ),
        ("messages", r#""messages":[],"model":"a","messages":[]"#),
        ("n", r#""model":"a","messages":[],"n":1,"n":2"#),
        (
            "max_tokens",
            r#""model":"a","messages":[],"max_tokens":1,"max_tokens":2"#,
        ),
        (
            "stream_options",
            r#""model":"a","messages":[],"stream_options":{},"stream_options":{}"#,
        ),
        (
            "stream_options",
            r#""model":"a","messages":[],"stream_options":{"include_usage":true,"include_usage":false}"#,
        ),
    ] {
        let fault = bad(&format!("{{{twice}}}"));
        assert_eq!(fault.param, Some(name), "{twice}");
    }
}

#[test]
fn missing_and_wrong_members_are_named() {
    for (param, body) in [
        ("model", r#"{"messages":[]}"#),
        ("model", r#"{"model":"","messages":[]}"#),
        ("model", r#"{"model":null,"messages":[]}"#),
        ("model", r#"{"model":["secret"],"messages":[]}"#),
        ("model", r#"{"model":"\ud83d","messages":[]}"#),
        ("messages", r#"{"model":"m"}"#),
        ("messages", r#"{"model":"m","messages":"secret"}"#),
        ("messages", r#"{"model":"m","messages":null}"#),
        ("stream", r#"{"model":"m","messages":[],"stream":"secret"}"#),
        ("stream", r#"{"model":"m","messages":[],"stream":1}"#),
    ] {
        let fault = bad(body);
        assert_eq!(fault.param, Some(param), "{body}");
        assert!(!fault.message.contains("secret"), "{}", fault.message);
    }
    let fault = bad("{\n \"model\": \"m\",\n \"messages\": 7}");
    assert_eq!((fault.line, fault.column), (3, 14));
}

#[test]
fn what_is_not_json_is_refused_with_its_place_and_without_its_words() {
    for body in [
        "",
        " ",
        "null",
        "[]",
        "{",
        "\u{feff}{}",
        "\"secret\"",
        "17",
        "<secret>",
        r#"{"model":"m","messages":[]} secret"#,
        r#"{"model":"m","messages":[]}{}"#,
        r#"{"model":"m", secret: []}"#,
        r#"{"model":"m","messages":[],"temperature":NaN}"#,
        r#"{"model":"m","messages":[],"temperature":Infinity}"#,
        r#"{"model":"m","messages":[],"temperature":-Infinity}"#,
        r#"{'model':'secret'}"#,
        r#"{"model":"m","messages":[],}"#,
        "{\"model\":\"secret\n\",\"messages\":[]}",
    ] {
        let fault = bad(body);
        assert_eq!(fault.param, None, "{body}");
        assert!(!fault.message.contains("secret"), "{}", fault.message);
    }
    let fault = bad("{\"model\":\"m\",\n \"temperature\": NaN}");
    assert_eq!((fault.line, fault.column), (2, 17));
    let fault = peek(Surface::Chat, &Bytes::from_static(b"{\n\"a\":\"\xff\"}")).unwrap_err();
    assert_eq!((fault.line, fault.column), (2, 6));
}

#[test]
fn completions_count_a_choice_for_each_prompt() {
    let n = |prompt: &str| {
        let body = format!(r#"{{"model":"m","n":2,"prompt":{prompt}}}"#);
        peek(Surface::Completions, &body.into()).unwrap().n
    };
    assert_eq!(n(r#""one""#), 2);
    assert_eq!(n(r#"["a","b","c"]"#), 6);
    assert_eq!(n("[1,2,3]"), 2);
    assert_eq!(n("[[1,2],[3]]"), 4);
    assert_eq!((n("[]"), n("null")), (2, 2));
    assert_eq!(
        peek(
            Surface::Completions,
            &Bytes::from_static(br#"{"model":"m"}"#)
        )
        .unwrap()
        .n,
        1
    );
    let fault = peek(
        Surface::Completions,
        &Bytes::from_static(br#"{"model":"m","prompt":7}"#),
    )
    .unwrap_err();
    assert_eq!(fault.param, Some("prompt"));
}

#[test]
fn where_an_api_has_no_choices_there_is_one() {
    let body = Bytes::from_static(br#"{"model":"m","messages":[],"prompt":"p","input":"i","n":3}"#);
    for surface in Surface::ALL {
        let expected = match surface {
            Surface::Chat | Surface::Completions => 3,
            _ => 1,
        };
        assert_eq!(peek(surface, &body).unwrap().n, expected, "{surface}");
    }
}

#[test]
fn embeddings_need_an_input() {
    let of = |body: &'static str| peek(Surface::Embeddings, &Bytes::from_static(body.as_bytes()));
    assert_eq!(of(r#"{"model":"m","input":["a","b"]}"#).unwrap().n, 1);
    assert_eq!(of(r#"{"model":"m"}"#).unwrap_err().param, Some("input"));
    assert_eq!(
        of(r#"{"model":"m","input":{}}"#).unwrap_err().param,
        Some("input")
    );
}

#[test]
fn an_unusable_n_is_left_to_the_upstream() {
    for (n, expected) in [
        ("0", 1),
        ("-1", 1),
        ("2.0", 2),
        ("1.5", 1),
        ("1e400", 1),
        ("\"3\"", 1),
        ("99999999999", u32::MAX),
    ] {
        let body = format!(r#"{{"model":"m","messages":[],"n":{n}}}"#);
        assert_eq!(chat(&body).unwrap().n, expected, "{n}");
    }
}

proptest! {
    #[test]
    fn no_bytes_panic(body in proptest::collection::vec(any::<u8>(), 0..400)) {
        let body = Bytes::from(body);
        for surface in Surface::ALL { let _ = peek(surface, &body); }
    }

    #[test]
    fn no_json_like_text_panics(parts in proptest::collection::vec(prop_oneof![
        Just("{"), Just("}"), Just("["), Just("]"), Just(","), Just(":"), Just("\"model\""), Just("\"stream_options\""),
        Just("\"messages\""), Just("\"include_usage\""), Just("null"), Just("true"), Just("\"\\ud83d\""), Just("1e400"), Just(" "), Just("\n"),
    ], 0..40)) {
        let body = Bytes::from(parts.concat());
        for surface in Surface::ALL { let _ = peek(surface, &body); }
    }
}
