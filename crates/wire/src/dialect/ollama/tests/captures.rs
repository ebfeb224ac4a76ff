//! Real streams, read in place where they are.

use super::{
    super::{UPSTREAM, generate_stream},
    *,
};

/// The body of a recorded exchange in chunks of HTTP/1.1.
fn unchunked(exchange: &[u8]) -> Vec<u8> {
    let text = std::str::from_utf8(exchange).unwrap();
    let (_, mut rest) = text
        .split_once("\r\n\r\n")
        .or(text.split_once("\n\n"))
        .unwrap();
    let mut body = Vec::new();
    while let Some((size, after)) = rest.split_once('\n') {
        let size = usize::from_str_radix(size.trim(), 16).unwrap();
        body.extend_from_slice(&after.as_bytes()[..size]);
        rest = after[size..].trim_start_matches(['\r', '\n']);
        if size == 0 {
            break;
        }
    }
    body
}

fn check(lines: &[String], begins: &str, ends: &str, output: &str) {
    let text = joined(lines, "Text", "text");
    assert!(text.starts_with(begins) && text.ends_with(ends), "{text}");
    assert_eq!(
        only(lines, &["Ended", "Last", "Unparsed", "Error"]),
        ["Ended", "Last"]
    );
    assert!(only(lines, &["Usage"]).concat().contains(output));
    assert!(
        only(lines, &["Durations"])
            .concat()
            .contains("total: Some(")
    );
}

#[test]
fn real_streams_of_chat_are_read_to_their_end() {
    if let Some(body) = sample::recording("51-ollama-chat-ndjson.ndjson") {
        let lines = told((UPSTREAM.stream)(1), &[&body]);
        check(&lines, "Why did", "!)", "output: Some(50)");
        let bytes: Vec<&[u8]> = body.chunks(1).collect();
        assert_eq!(told((UPSTREAM.stream)(1), &bytes), lines);
    }
    if let Some(exchange) = sample::recording("54-ollama-think-httprr.http") {
        let body = unchunked(&exchange);
        let lines = told((UPSTREAM.stream)(1), &[&body]);
        check(&lines, "2 + 2 = 4", ".\n", "output: Some(55)");
    }
}

#[test]
fn a_real_stream_of_generate_is_read_to_its_end() {
    if let Some(body) = sample::recording("52-ollama-generate-ndjson.ndjson") {
        let lines = told(generate_stream(1), &[&body]);
        check(&lines, "A joke", "!)", "output: Some(");
    }
}
