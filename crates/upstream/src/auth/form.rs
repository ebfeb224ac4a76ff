//! Percent-encoding as RFC 3986 has it, which forms and signatures share.

/// Everything but unreserved characters becomes `%XX`; `keep` is left as it is.
pub(super) fn encode(text: &str, keep: &[u8]) -> String {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let hex = |n: u8| HEX.get(usize::from(n)).copied().map_or('0', char::from);
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) || keep.contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.extend(['%', hex(byte >> 4), hex(byte & 15)]);
        }
    }
    out
}

/// `name=value&…`
pub(super) fn encode_fields(fields: &[(&str, &str)]) -> String {
    let field =
        |(name, value): &(&str, &str)| format!("{}={}", encode(name, b""), encode(value, b""));
    fields.iter().map(field).collect::<Vec<_>>().join("&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_unreserved_characters_stay() {
        assert_eq!(encode("aZ0-_.~ +/=:ä", b"/"), "aZ0-_.~%20%2B/%3D%3A%C3%A4");
        assert_eq!(
            encode_fields(&[("a", "x y"), ("b&", "=")]),
            "a=x%20y&b%26=%3D"
        );
    }
}
