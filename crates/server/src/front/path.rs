//! Names and paths of a caller's choice that go upstream: which of them may.
//!
//! A target's base URL is the operator's; no path may lead out of what is below it, in whatever spelling a
//! server on the way might read it.

use percent_encoding::percent_decode_str;

/// Spellings that are looked through: encoded, and encoded again.
const DEPTH: usize = 4;

/// The id of a response: it stands in a path as it is.
pub(super) fn is_id(id: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
    (1..=256).contains(&id.len()) && id.bytes().all(plain) && id.bytes().any(|b| b != b'.')
}

/// Whether a path stays below where it begins: no `.` and `..`, no empty segment but the last, nothing that
/// is not printed and nothing but UTF-8, also when it is decoded.
pub(super) fn is_straight(path: &str) -> bool {
    let mut text = path.to_owned();
    for _ in 0..DEPTH {
        if !text.starts_with('/') || !are_plain(&text) {
            return false;
        }
        // what is not UTF-8 is read in as many ways as there are servers
        let Ok(decoded) = percent_decode_str(&text).decode_utf8() else {
            return false;
        };
        if decoded == text {
            return true;
        }
        text = decoded.into_owned();
    }
    false
}

fn are_plain(path: &str) -> bool {
    let is_slash = |c: char| matches!(c, '/' | '\\');
    let mut segments = path.split(is_slash).skip(1).peekable();
    while let Some(segment) = segments.next() {
        // what follows a semicolon is a parameter of the segment to some servers
        let name = segment.split(';').next().unwrap_or_default();
        let empty = name.is_empty() && segments.peek().is_some();
        if empty || matches!(name, "." | "..") || segment.chars().any(char::is_control) {
            return false;
        }
    }
    true
}

/// A query without the parameters that hold a key of ours, by whatever name and in whatever spelling; what is
/// left stays as it came.
pub(super) fn without(query: &str, is_ours: impl Fn(&str) -> bool) -> String {
    let holds = |parameter: &&str| {
        // some servers divide parameters at semicolons too
        let each = parameter.split(';');
        let parts = each.map(|p| p.split_once('=').unwrap_or((p, "")));
        let mut sides = parts.flat_map(|(name, value)| [name, value]);
        sides.any(|side| means(side, &is_ours))
    };
    let kept: Vec<&str> = query.split('&').filter(|p| !holds(p)).collect();
    kept.join("&")
}

/// Whether one of the spellings of `text` is ours.
fn means(text: &str, is_ours: &impl Fn(&str) -> bool) -> bool {
    let mut text = text.to_owned();
    for _ in 0..DEPTH {
        if is_ours(&text) || (text.contains('+') && is_ours(&text.replace('+', " "))) {
            return true;
        }
        let decoded = percent_decode_str(&text).decode_utf8_lossy().into_owned();
        if decoded == text {
            return false;
        }
        text = decoded;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_plain_and_no_way_up() {
        for good in ["resp_0a-b.c", "x", &"x".repeat(256), "a..b"] {
            assert!(is_id(good), "{good}");
        }
        for bad in ["", ".", "..", "a/b", "a%2Fb", "a?b", "ä", &"x".repeat(257)] {
            assert!(!is_id(bad), "{bad}");
        }
    }

    #[test]
    fn a_path_leads_down_only() {
        for good in [
            "/",
            "/files",
            "/files/",
            "/files/a.b..c",
            "/files/a%20b",
            "/models/m:generate",
            "/a%2520b",
            "/caf%C3%A9",
        ] {
            assert!(is_straight(good), "{good}");
        }
        for bad in [
            "",
            "files",
            "/..",
            "/a/../b",
            "/a/./b",
            "//a",
            "/a//b",
            "/%2e%2e/a",
            "/%2E./a",
            "/a%2f..%2fb",
            "/a%5c..%5cb",
            "/a\\..\\b",
            "/..;x/a",
            "/%252e%252e/a",
            "/a%2f%2fb",
            "/a%00",
            "/a%0d%0ab",
            "/%25252525252e",
            "/a%ff",
            "/%e9t%e9",
            "/a%25ff",
            "/%c0%ae%c0%ae/a",
        ] {
            assert!(!is_straight(bad), "{bad}");
        }
    }

    #[test]
    fn a_key_of_ours_is_in_no_parameter_that_goes_on() {
        let ours = |text: &str| matches!(text, "k 1" | "k/1");
        for (query, left) in [
            ("", ""),
            ("a=b&c", "a=b&c"),
            ("key=k/1", ""),
            ("a=1&key=k%2F1&b=2", "a=1&b=2"),
            ("api_key=k%2f1&a=1", "a=1"),
            ("access_token=k%252F1&a=1", "a=1"),
            ("%6Bey=k/1&a=%31", "a=%31"),
            ("whatever=k+1&other=k%201", ""),
            ("a=1;key=k/1&b=2", "b=2"),
            ("k/1", ""),
            ("k/1=", ""),
            ("key=theirs&key=k/1", "key=theirs"),
            ("a=k/1x", "a=k/1x"),
        ] {
            assert_eq!(without(query, ours), left, "{query}");
        }
    }
}
