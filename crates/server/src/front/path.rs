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
/// is not printed, also when it is decoded.
pub(super) fn is_straight(path: &str) -> bool {
    let mut text = path.to_owned();
    for _ in 0..DEPTH {
        if !text.starts_with('/') || !are_plain(&text) {
            return false;
        }
        let decoded = percent_decode_str(&text).decode_utf8_lossy().into_owned();
        if decoded == text {
            return true;
        }
        text = decoded;
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
        ] {
            assert!(!is_straight(bad), "{bad}");
        }
    }
}
