//! Events of a size that is not parsed.

use super::*;

#[test]
fn a_huge_event_is_content_unless_it_begins_as_an_error() {
    let big = "z".repeat(1_100_000);
    let data = choice(json!({ "delta": { "annotations": big } }));
    assert_eq!(kinds(1, &[&data]), [Kind::Content]);
    for (begins, is_error) in [
        ("{\"error\":", true),
        (" { \"error\" : ", true),
        ("{\"error\":null,\"x\":", false),
        ("{ \"error\": null, \"x\":", false),
        ("{\"error\":\"\",\"x\":", false),
        ("{\"errors\":", false),
    ] {
        let kind = kinds(1, &[&format!("data:{begins}\"{big}\"}}")]).remove(0);
        assert_eq!(matches!(kind, Kind::Error(_)), is_error, "{begins}");
    }
    assert!(matches!(
        kinds(1, &[&format!("event: error\ndata: {big}")])[0],
        Kind::Error(_)
    ));
    assert_eq!(kinds(1, &[&format!(": {big}")]), [Kind::Comment]);
    let last = format!(
        r#"data: {{"choices":[{{"index":0,"delta":{{"content":"{big} \"finish_reason\":\"stop\""}},"finish_reason": "length"}}]}}"#
    );
    let (judged, judge) = stream(1, &[&last]);
    assert_eq!(
        (judged[0].ends, judge.finish_reason()),
        (Some(End::Other), Some(&Finish::Length))
    );
    let quoted = format!(
        r#"data: {{"choices":[{{"index":0,"delta":{{"content":"{big} \"finish_reason\":\"stop\""}}}}]}}"#
    );
    assert_eq!(
        ends(1, &[&quoted]),
        [None],
        "what stands inside a string is text"
    );
}

#[test]
fn a_large_event_is_judged_by_what_it_holds_and_a_huge_ones_usage_is_not_lost() {
    let ids = "151644,".repeat(20_000);
    let role = format!(
        r#"data: {{"prompt_token_ids":[{ids}1],"choices":[{{"delta":{{"role":"assistant","content":""}}}}]}}"#
    );
    assert_eq!(kinds(1, &[&role]), [Kind::Preamble]);
    for size in [70_000, 1_100_000] {
        let picture = format!(
            r#"data: {{"choices":[{{"delta":{{"content":"{}"}}}}], "usage" : {{"prompt_tokens":7,"completion_tokens":9}}}}"#,
            "z".repeat(size)
        );
        let (judged, judge) = stream(1, &[&picture]);
        assert_eq!(judged[0].kind, Kind::Content);
        let usage = judge.usage();
        assert_eq!((usage.input, usage.output), (Some(7), Some(9)), "{size}");
    }
}

#[test]
fn a_huge_event_that_was_cut_is_never_taken_for_a_whole_one() {
    let big = "z".repeat(1_100_000);
    let whole = choice(json!({ "delta": { "content": big } }));
    for (text, kind) in [
        (whole.as_str(), Kind::Content),
        (&whole[..whole.len() - 1], Kind::Unparsed),
        (&whole[..whole.len() / 2], Kind::Unparsed),
    ] {
        let (mut splitter, mut judge) = (
            Splitter::new(Framing::Sse, 1 << 26),
            Judge::new(Surface::Chat, 1),
        );
        splitter.push(Bytes::from(text.to_owned()));
        assert!(splitter.next().is_none());
        let last = splitter.finish().unwrap();
        assert_eq!(judge.judge(&last).kind, kind);
    }
}

#[test]
fn nesting_is_no_way_to_exhaust_the_stack() {
    let deep =
        |open: &str, close: &str| format!("{}1{}", open.repeat(20_000), close.repeat(20_000));
    for deep in [
        deep("[", "]"),
        deep("{\"text\":", "}"),
        deep("[{\"thinking\":", "}]"),
    ] {
        let event = format!(r#"data: {{"choices":[{{"delta":{{"content":{deep}}}}}]}}"#);
        assert_eq!(kinds(1, &[&event]), [Kind::Preamble]);
        let body = event
            .trim_start_matches("data: ")
            .replace("delta", "message");
        assert!(!answer(Surface::Chat, &body).unwrap().has_content);
        to_stream(Surface::Chat, &Bytes::from(body)).unwrap();
    }
}
