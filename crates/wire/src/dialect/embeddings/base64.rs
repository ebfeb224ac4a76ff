//! A vector as base64 of its numbers as little-endian 32-bit floats.

use crate::json;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Whether `vector` is an array of numbers.
pub(super) fn is_vector(vector: &str) -> bool {
    let mut numbers = true;
    let array = json::is_array(vector)
        && json::elements(vector, |number| numbers &= number.parse::<f32>().is_ok());
    array && numbers
}

/// Encodes; `None` if it is no array of numbers.
pub(super) fn of(vector: &str) -> Option<String> {
    if !is_vector(vector) {
        return None;
    }
    let mut bytes = Vec::new();
    json::elements(vector, |number| {
        let number = number.parse::<f32>().unwrap_or_default();
        bytes.extend_from_slice(&number.to_le_bytes());
    });
    Some(encode(&bytes))
}

fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |at: usize| three.get(at).copied().map_or(0, u32::from);
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for sextet in 0..4 {
            let value = usize::try_from(bits >> (18 - 6 * sextet) & 63).unwrap_or(0);
            let letter = ALPHABET.get(value).copied().unwrap_or(b'A');
            text.push(match sextet > three.len() {
                true => '=',
                false => char::from(letter),
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{encode, of};

    #[test]
    fn it_is_base64_of_rfc_4648() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(encode(bytes.as_bytes()), text);
        }
        assert_eq!(encode(&[0xfb, 0xff, 0xfe]), "+//+");
    }

    #[test]
    fn a_vector_is_little_endian_floats() {
        // python: base64.b64encode(struct.pack('<3f', 1.0, -0.5, 0.1))
        assert_eq!(of("[1, -5e-1, 0.1]").unwrap(), "AACAPwAAAL/NzMw9");
        assert_eq!(of("[1,\"a\"]"), None);
        assert_eq!(of("{}"), None);
    }
}
