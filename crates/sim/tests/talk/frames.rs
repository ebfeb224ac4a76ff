//! Reading an AWS event stream as a strict client does: every length and sum is checked.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) payload: String,
}

impl Frame {
    pub(crate) fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(n, _)| n == name);
        found.map_or("", |(_, value)| value)
    }

    /// What a `chunk` carries.
    pub(crate) fn carried(&self) -> String {
        let json: serde_json::Value = serde_json::from_str(&self.payload).unwrap();
        let bytes = BASE64_STANDARD
            .decode(json["bytes"].as_str().unwrap())
            .unwrap();
        String::from_utf8(bytes).unwrap()
    }
}

fn number(bytes: &[u8]) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(..4)?.try_into().ok()?))
}

/// All messages, or what is wrong with the first that is not whole and sound.
pub(crate) fn read(mut bytes: &[u8]) -> Result<Vec<Frame>, &'static str> {
    let mut frames = Vec::new();
    while !bytes.is_empty() {
        let total = number(bytes).ok_or("short")? as usize;
        let headers = number(&bytes[4..]).ok_or("short")? as usize;
        if number(&bytes[8..]) != Some(crc32fast::hash(&bytes[..8])) {
            return Err("prelude");
        }
        let message = bytes.get(..total).ok_or("short")?;
        let (body, sum) = message.split_at(total - 4);
        if number(sum) != Some(crc32fast::hash(body)) {
            return Err("message");
        }
        frames.push(Frame {
            headers: lines(&body[12..12 + headers]),
            payload: String::from_utf8(body[12 + headers..].to_vec()).unwrap(),
        });
        bytes = &bytes[total..];
    }
    Ok(frames)
}

fn lines(mut bytes: &[u8]) -> Vec<(String, String)> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let mut lines = Vec::new();
    while !bytes.is_empty() {
        let (name, rest) = bytes[1..].split_at(usize::from(bytes[0]));
        assert_eq!(rest[0], 7, "every header is a string");
        let length = usize::from(u16::from_be_bytes([rest[1], rest[2]]));
        lines.push((text(name), text(&rest[3..3 + length])));
        bytes = &rest[3 + length..];
    }
    lines
}
