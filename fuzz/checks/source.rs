//! Who sent an input, and how readable text becomes the bytes of its framing.

use punctual_wire::{Api, frame::Framing, middle::Decode};

/// An API that conversations are translated from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    /// The API.
    pub(super) api: Api,
    /// How its stream is framed.
    pub(super) framing: Framing,
}

impl Source {
    /// `c`hat, `r`esponses, `m`essages, `g`emini and its `a`rray, `b`edrock and its `i`nvoke, `o`llama, its
    /// `l`egacy completions and its `e`mbeddings, those of `G`emini, `V`ertex, `t`itan and
    /// `C`ohere, `v`ercel's images: by the first byte, and the rest.
    pub(super) fn of(data: &[u8]) -> Option<(Self, &[u8])> {
        let (first, rest) = data.split_first()?;
        let (api, framing) = match first {
            b'c' => (Api::Chat, Framing::Sse),
            b'r' => (Api::Responses, Framing::Sse),
            b'm' => (Api::Messages, Framing::Sse),
            b'g' => (Api::Gemini, Framing::Sse),
            b'a' => (Api::Gemini, Framing::Array),
            b'b' => (Api::Converse, Framing::EventStream),
            b'i' => (Api::InvokeMessages, Framing::Chunks),
            b'o' => (Api::Ollama, Framing::Lines),
            b'l' => (Api::OllamaGenerate, Framing::Lines),
            b'e' => (Api::OllamaEmbed, Framing::Lines),
            b'G' => (Api::GeminiEmbeddings, Framing::Sse),
            b'V' => (Api::VertexEmbeddings, Framing::Sse),
            b't' => (Api::TitanEmbeddings, Framing::Sse),
            b'C' => (Api::CohereEmbeddings, Framing::Sse),
            b'v' => (Api::VercelImages, Framing::Sse),
            _ => return None,
        };
        Some((Self { api, framing }, rest))
    }

    /// A reader of its streams.
    pub(super) fn reader(self, choices: u32) -> Option<Box<dyn Decode>> {
        self.api.codec().map(|codec| (codec.stream)(choices))
    }

    /// The bytes of a stream: those of the input, apart from AWS's, which are framed first.
    pub(super) fn stream(self, text: &[u8]) -> Vec<u8> {
        match self.framing {
            Framing::EventStream | Framing::Chunks => messages(text),
            _ => text.to_vec(),
        }
    }
}

/// AWS messages, one a line: the name of an event, or of an exception after `!`, and its payload; a payload
/// alone is wrapped as Invoke does it.
pub(super) fn messages(text: &[u8]) -> Vec<u8> {
    let lines = text.split(|b| *b == b'\n').filter(|line| !line.is_empty());
    let one = |line: &[u8]| {
        if line.starts_with(b"{") {
            let bytes = base64(line);
            return message(
                "event",
                ":event-type",
                b"chunk",
                format!("{{\"bytes\":\"{bytes}\"}}").as_bytes(),
            );
        }
        let space = line.iter().position(|b| *b == b' ').unwrap_or(line.len());
        let (name, payload) = line.split_at(space);
        let payload = payload.trim_ascii_start();
        match name.strip_prefix(b"!") {
            Some(name) => message("exception", ":exception-type", name, payload),
            None => message("event", ":event-type", name, payload),
        }
    };
    lines.flat_map(one).collect()
}

fn message(kind: &str, which: &str, name: &[u8], payload: &[u8]) -> Vec<u8> {
    let mut headers = Vec::new();
    for (key, value) in [(":message-type", kind.as_bytes()), (which, name)] {
        headers.push(key.len() as u8);
        headers.extend(key.as_bytes());
        headers.push(7);
        headers.extend((value.len() as u16).to_be_bytes());
        headers.extend(&value[..usize::from(value.len() as u16)]);
    }
    let length = (16 + headers.len() + payload.len()) as u32;
    let mut out = length.to_be_bytes().to_vec();
    out.extend((headers.len() as u32).to_be_bytes());
    out.extend(crc32fast::hash(&out).to_be_bytes());
    out.extend(headers);
    out.extend(payload);
    out.extend(crc32fast::hash(&out).to_be_bytes());
    out
}

/// The bytes with the sums that their lengths call for.
pub(super) fn summed(data: &[u8]) -> Vec<u8> {
    let (mut out, mut at) = (data.to_vec(), 0);
    while let Some(prelude) = out.get(at..at + 8) {
        let length = u32::from_be_bytes([prelude[0], prelude[1], prelude[2], prelude[3]]) as usize;
        let sum = crc32fast::hash(prelude).to_be_bytes();
        let Some(behind) = out.get_mut(at + 8..at + 12) else {
            break;
        };
        behind.copy_from_slice(&sum);
        if length < 16 || at + length > out.len() {
            break;
        }
        let sum = crc32fast::hash(&out[at..at + length - 4]).to_be_bytes();
        out[at + length - 4..at + length].copy_from_slice(&sum);
        at += length;
    }
    out
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in bytes.chunks(3) {
        let at = |i: usize| u32::from(three.get(i).copied().unwrap_or_default());
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for i in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * i) & 63) as usize] as char;
            out.push(if i <= three.len() { digit } else { '=' });
        }
    }
    out
}
