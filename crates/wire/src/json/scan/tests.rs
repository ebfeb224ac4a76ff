use super::*;
use proptest::prelude::*;
use serde::de::IgnoredAny;

/// Whether the whole of `text` is one JSON value.
fn is_json(text: &str) -> bool {
    let mut scan = Scan::new(text);
    scan.pass().is_ok() && scan.end().is_ok()
}

fn agrees(text: &str) {
    let theirs = serde_json::from_str::<IgnoredAny>(text).is_ok();
    assert_eq!(is_json(text), theirs, "{text:?}");
}

#[test]
fn what_a_parser_takes_passes_and_nothing_else() {
    for text in [
        "",
        " ",
        "1",
        "-",
        "-1",
        "01",
        "-0",
        "0.",
        "0.5",
        "1e",
        "1e5",
        "1E+5",
        "1e-",
        "1.5e3x",
        "true",
        "tru",
        "trueish",
        "null",
        "false",
        "\"",
        "\"a\"",
        "\"\\\"",
        "\"\\\\\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\\ud800\"",
        "\"\u{1}\"",
        "\"\u{7f}\u{e9}\"",
        "[",
        "]",
        "[]",
        "[1,]",
        "[,1]",
        "[1 2]",
        "[[]]",
        "[}",
        "{",
        "{}",
        "{]",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{\"a\":1 \"b\":2}",
        "{a:1}",
        "{\"a\":[1,{\"b\":null}],\"c\":\"\\n\"}",
        " { } x",
        "[1]]",
        "1e999",
        "\"12345678",
        "\"1234567\\\"89\"",
        "\"12345678901234\u{1f}\"",
        "\u{feff}1",
    ] {
        agrees(text);
    }
}

#[test]
fn no_depth_is_too_deep() {
    for depth in [63, 64, 65, 128, 129, 200_000] {
        let text = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(is_json(&text));
        assert!(!is_json(&text[1..]) && !is_json(&text[..text.len() - 1]));
        let mixed = format!("{}1{}", "[{\"a\":".repeat(depth), "}]".repeat(depth));
        assert!(is_json(&mixed));
        assert!(!is_json(&mixed.replacen("}]", "]}", 1)));
    }
}

#[test]
fn a_name_is_decoded_and_may_hold_a_lone_surrogate() {
    let key = |text| Scan::new(text).key().map(Cow::into_owned);
    assert_eq!(key("\"a b\" : 1"), Ok(b"a b".to_vec()));
    assert_eq!(key("\"\\u0061\":1"), Ok(b"a".to_vec()));
    assert_eq!(key("\"\\ud800\":1"), Ok(vec![0xed, 0xa0, 0x80]));
    assert_eq!(key("\"a\" 1"), Err(Fault));
    assert_eq!(key("a:1"), Err(Fault));
}

#[test]
fn the_plain_part_of_a_long_string_ends_where_it_should() {
    for odd in [b'"', b'\\', 0, 0x1f] {
        for at in 0..100 {
            let mut text = vec![b'a'; 100];
            assert_eq!(plain(&text[at..]), 100 - at);
            assert_eq!(quote(&text[at..]), None);
            text[at] = odd;
            assert_eq!(quote(&text), (odd == b'"').then_some(at));
            assert_eq!(plain(&text), at);
            text[99] = odd;
            assert_eq!(plain(&text), at);
        }
    }
}

proptest! {
    #[test]
    fn it_agrees_with_a_parser_on_anything(text in "[\\[\\]{}:,\"\\\\ \n0-9eE.+truefalsn\u{1}é-]{0,24}") {
        agrees(&text);
    }

    #[test]
    fn it_agrees_with_a_parser_where_nothing_is_escaped(text in "[\\[\\]{}:,\"  0-9a-zé-]{0,40}|[{\\[]\"[a-z]{0,40}\"[:,][0-9]{1,3}[}\\]]") {
        agrees(&text);
    }

    #[test]
    fn the_plain_part_of_a_string_ends_where_it_should(text in "[a-zé \u{0}-\u{1f}\"\\\\\u{7f}-\u{ff}]{0,90}") {
        let odd = |b: &u8| *b < 0x20 || *b == b'"' || *b == b'\\';
        let bytes = text.as_bytes();
        assert_eq!(plain(bytes), bytes.iter().position(odd).unwrap_or(bytes.len()));
    }
}
