use proptest::prelude::*;

use super::*;

const KEY: &str = "sk-live-0123456789";
const HOST: &str = "llm.internal.example:8443";

fn scrubbed(text: &str) -> String {
    String::from_utf8(body(&Bytes::copy_from_slice(text.as_bytes()), &[KEY, HOST, ""]).to_vec())
        .unwrap()
}

#[test]
fn keys_and_hosts_are_taken_out_of_json_whatever_their_spelling() {
    let out = scrubbed(
        r#"{"error":{"message":"key SK-LIVE-0123456789 at https:\/\/llm.internal.example:8443\/v1"},"n":1e400}"#,
    );
    assert_eq!(
        out,
        r#"{"error":{"message":"key [redacted] at https://[redacted]/v1"},"n":1e400}"#
    );
    let out = scrubbed(
        r#"{"sk-live-0123456789":"\u0073k-live-0123456789 \ud83d","b":"\u0073k-live-0123456789!"}"#,
    );
    assert_eq!(out, r#"{"[redacted]":"[redacted]","b":"[redacted]!"}"#);
}

#[test]
fn what_holds_no_secret_stays_as_it_is() {
    let untouched = "{ \"a\" : \"\\u0041\\/\" , \"b\":10000000000000000000000000 }";
    assert_eq!(scrubbed(untouched), untouched);
    assert_eq!(scrubbed("plain"), "plain");
}

#[test]
fn text_and_pages_are_scrubbed_too() {
    assert_eq!(scrubbed("<p>sk-live-0123456789</p>"), "<p>[redacted]</p>");
    assert_eq!(body(&Bytes::from_static(b"\xff sk"), &[KEY]), REDACTED);
}

#[test]
fn overlapping_secrets_leave_nothing_behind() {
    assert_eq!(text("abcdefgh", &["abcdef", "cdefgh"]), REDACTED);
    assert_eq!(text("abcdefgh", &["cdef", "abcdefgh"]), REDACTED);
    assert_eq!(text("a", &["a"]), "a", "too short to be a secret");
}

#[test]
fn a_secret_that_a_cut_left_the_beginning_of_is_taken_out_too() {
    assert_eq!(text("bad key sk-live-01234", &[KEY]), "bad key [redacted]");
    assert_eq!(
        text("bad key SK-LIVE-012345678", &[KEY]),
        "bad key [redacted]"
    );
    assert_eq!(
        text("a key begins with sk-live", &[KEY]),
        "a key begins with sk-live"
    );
    assert_eq!(
        text("sk-live-01234 is none", &[KEY]),
        "sk-live-01234 is none"
    );
}

proptest! {
    #[test]
    fn no_secret_survives_and_json_stays_json(before in ".{0,20}", after in ".{0,20}") {
        let value = serde_json::json!({ "m": format!("{before}{KEY}{after}"), "k": [before] }).to_string();
        let out = scrubbed(&value);
        prop_assert!(serde_json::from_str::<serde_json::Value>(&out).is_ok());
        prop_assert!(!out.to_lowercase().contains(KEY));
    }
}
