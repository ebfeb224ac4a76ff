//! The dialects that no caller speaks, read the plain way: what an upstream said, in the terms in which callers
//! hear it.
//!
//! This is the other end of each translation and no part of the product: it knows the payloads and nothing of
//! the middle form.

use super::{
    dialects::Played,
    heard::Said,
    sse::{Block, blocks},
    table,
};
use base64::{Engine, prelude::BASE64_STANDARD};
use bytes::Bytes;
use punctual_wire::frame::{Framing, Splitter};
use serde_json::Value;
use std::path::Path;

/// A file as the body it is.
pub fn body(file: &Path, bytes: Vec<u8>) -> Vec<u8> {
    match file.extension().and_then(|e| e.to_str()) {
        Some("txt") => messages(&String::from_utf8(bytes).unwrap()),
        Some("http") if has(&bytes, b"Transfer-Encoding: chunked") => unchunked(&bytes),
        _ => table::unpacked(file, bytes),
    }
}

fn has(bytes: &[u8], what: &[u8]) -> bool {
    bytes.windows(what.len()).any(|w| w == what)
}

/// The body of an exchange in chunks of HTTP/1.1; some recorders wrote its line ends anew.
fn unchunked(exchange: &[u8]) -> Vec<u8> {
    let text = std::str::from_utf8(exchange).unwrap();
    let ends = ["\r\n\r\n", "\n\n"];
    let mut found = ends.iter().filter_map(|end| text.split_once(end));
    let (_, mut rest) = found.next().unwrap();
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

/// Event-stream messages: a line is the name of an event, a blank and its payload, or an event of another API
/// that comes in a chunk.
fn messages(text: &str) -> Vec<u8> {
    let one = |line: &str| match line.starts_with('{') {
        true => {
            let bytes = BASE64_STANDARD.encode(line);
            let padding = "abcdefghijklmnop".get(..line.len() % 16).unwrap();
            message(
                "chunk",
                &format!(r#"{{"bytes":"{bytes}","p":"{padding}"}}"#),
            )
        }
        false => {
            let (name, payload) = line.split_once(' ').unwrap();
            message(name, payload)
        }
    };
    text.lines().flat_map(one).collect()
}

fn message(name: &str, payload: &str) -> Vec<u8> {
    let mut headers = Vec::new();
    for (key, value) in [
        (":event-type", name),
        (":content-type", "application/json"),
        (":message-type", "event"),
    ] {
        headers.push(u8::try_from(key.len()).unwrap());
        headers.extend_from_slice(key.as_bytes());
        headers.push(7);
        headers.extend_from_slice(&u16::try_from(value.len()).unwrap().to_be_bytes());
        headers.extend_from_slice(value.as_bytes());
    }
    let length = 16 + headers.len() + payload.len();
    let number = |n: usize| u32::try_from(n).unwrap().to_be_bytes();
    let mut out = [number(length), number(headers.len())].concat();
    out.extend_from_slice(&crc32fast::hash(&out).to_be_bytes());
    out.extend_from_slice(&headers);
    out.extend_from_slice(payload.as_bytes());
    out.extend_from_slice(&crc32fast::hash(&out).to_be_bytes());
    out
}

/// What a stream says: its text, thoughts and calls.
pub fn said(played: &Played) -> Said {
    let body = played.case.plain();
    let mut said = Said::default();
    let add: fn(&mut Said, &Value) = match played.dialect.as_str() {
        "gemini" | "vertex" => gemini,
        "bedrock" => bedrock,
        "ollama" => ollama,
        "anthropic" | "invoke" => anthropic,
        "responses" => responses,
        _ => chat,
    };
    for value in payloads(&played.dialect, &body) {
        add(&mut said, &value);
    }
    said
}

fn payloads(dialect: &str, body: &[u8]) -> Vec<Value> {
    let parse = |bytes: &[u8]| serde_json::from_slice(bytes).ok();
    match dialect {
        "bedrock" => of_messages(body),
        "invoke" => of_messages(body).iter().map(unwrapped).collect(),
        "ollama" => body.split(|b| *b == b'\n').filter_map(parse).collect(),
        _ if body.starts_with(b"[") => parse(body).map_or_else(Vec::new, |v: Value| {
            v.as_array().cloned().unwrap_or_default()
        }),
        _ if body.starts_with(b"{") => parse(body).into_iter().collect(),
        _ => blocks(body).iter().map(Block::json).collect(),
    }
}

fn of_messages(body: &[u8]) -> Vec<Value> {
    let mut splitter = Splitter::new(Framing::EventStream, 1 << 20);
    splitter.push(Bytes::copy_from_slice(body));
    let frames = std::iter::from_fn(|| splitter.next().map(Result::unwrap));
    frames
        .filter_map(|f| serde_json::from_slice(&f.data()?).ok())
        .collect()
}

fn event_in(chunk: &Value) -> String {
    let bytes = BASE64_STANDARD.decode(at(chunk, "/bytes")).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn unwrapped(chunk: &Value) -> Value {
    serde_json::from_str(&event_in(chunk)).unwrap()
}

/// The events of a stream in chunks, as they would come over HTTP.
pub fn as_events(body: &[u8]) -> Vec<u8> {
    let one = |chunk: &Value| {
        let kind = at(&unwrapped(chunk), "/type").to_owned();
        format!("event: {kind}\ndata: {}\n\n", event_in(chunk)).into_bytes()
    };
    of_messages(body).iter().flat_map(one).collect()
}

fn at<'a>(value: &'a Value, path: &str) -> &'a str {
    value
        .pointer(path)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

fn each<'a>(value: &'a Value, path: &str) -> &'a [Value] {
    let list = value.pointer(path).and_then(Value::as_array);
    list.map_or(&[], Vec::as_slice)
}

fn chat(said: &mut Said, chunk: &Value) {
    for choice in each(chunk, "/choices") {
        let delta = choice.get("delta").or(choice.get("message"));
        let delta = delta.unwrap_or(&Value::Null);
        said.text += at(delta, "/content");
        said.refusal += at(delta, "/refusal");
        for part in each(delta, "/content") {
            said.text += at(part, "/text");
            for thought in each(part, "/thinking") {
                said.reasoning += at(thought, "/text");
            }
        }
        let thoughts = [at(delta, "/reasoning_content"), at(delta, "/reasoning")];
        said.reasoning += thoughts
            .into_iter()
            .find(|t| !t.is_empty())
            .unwrap_or_default();
        for call in each(delta, "/tool_calls") {
            let arguments = at(call, "/function/arguments");
            if at(call, "/function/name").is_empty() {
                let index = call["index"].as_u64().unwrap_or(0);
                let place = usize::try_from(index).unwrap();
                said.calls[place].1 += arguments;
            } else {
                let name = at(call, "/function/name").to_owned();
                said.calls.push((name, arguments.to_owned()));
            }
        }
        if let Some(call) = delta.get("function_call").filter(|c| c.is_object()) {
            if !at(call, "/name").is_empty() {
                said.calls
                    .push((at(call, "/name").to_owned(), String::new()));
            }
            said.calls.last_mut().unwrap().1 += at(call, "/arguments");
        }
    }
}

fn anthropic(said: &mut Said, event: &Value) {
    let block = &event["content_block"];
    match at(block, "/type") {
        "text" => said.text += at(block, "/text"),
        "tool_use" => {
            let input = block["input"].as_object().filter(|input| !input.is_empty());
            let input = input
                .map(|_| block["input"].to_string())
                .unwrap_or_default();
            said.calls.push((at(block, "/name").to_owned(), input));
        }
        "redacted_thinking" => said.opaque.push(at(block, "/data").to_owned()),
        _ => {}
    }
    let delta = &event["delta"];
    match at(delta, "/type") {
        "text_delta" => said.text += at(delta, "/text"),
        "thinking_delta" => said.reasoning += at(delta, "/thinking"),
        "input_json_delta" => {
            if let Some(call) = said.calls.last_mut() {
                call.1 += at(delta, "/partial_json");
            }
        }
        _ => {}
    }
}

/// Items as they were closed, or as the end repeats them where nothing was told before; of an item that the
/// end cut, its pieces.
fn responses(said: &mut Said, event: &Value) {
    match at(event, "/type") {
        "response.output_item.done" => item(said, &event["item"]),
        "response.refusal.done" => at(event, "/refusal").clone_into(&mut said.refusal),
        "response.completed" if *said == Said::default() => {
            for one in each(event, "/response/output") {
                item(said, one);
            }
        }
        _ => {}
    }
}

fn item(said: &mut Said, item: &Value) {
    for part in each(item, "/content") {
        match at(part, "/type") {
            "reasoning_text" => said.reasoning += at(part, "/text"),
            "refusal" => at(part, "/refusal").clone_into(&mut said.refusal),
            _ => said.text += at(part, "/text"),
        }
    }
    let parts = each(item, "/summary").iter().map(|part| at(part, "/text"));
    said.reasoning += &parts.collect::<Vec<_>>().join("\n\n");
    if at(item, "/type") == "function_call" {
        let call = [at(item, "/name"), at(item, "/arguments")].map(str::to_owned);
        said.calls.push(call.into());
    }
}

fn gemini(said: &mut Said, event: &Value) {
    for part in each(event, "/candidates/0/content/parts") {
        let text = at(part, "/text");
        match part["thought"] == true {
            true => said.reasoning += text,
            false => said.text += text,
        }
        let name = at(part, "/functionCall/name");
        if !name.is_empty() {
            let input = part.pointer("/functionCall/args");
            let input = input.map(Value::to_string).unwrap_or_default();
            said.calls.push((name.to_owned(), input));
        }
    }
}

fn bedrock(said: &mut Said, event: &Value) {
    said.text += at(event, "/delta/text");
    said.reasoning += at(event, "/delta/reasoningContent/text");
    let sealed = at(event, "/delta/reasoningContent/redactedContent");
    said.opaque
        .extend((!sealed.is_empty()).then(|| sealed.to_owned()));
    let name = at(event, "/start/toolUse/name");
    if !name.is_empty() {
        said.calls.push((name.to_owned(), String::new()));
    }
    if let Some(call) = said.calls.last_mut() {
        call.1 += at(event, "/delta/toolUse/input");
    }
}

fn ollama(said: &mut Said, line: &Value) {
    said.text += at(line, "/message/content");
    said.text += at(line, "/response");
    said.reasoning += at(line, "/message/thinking");
    for call in each(line, "/message/tool_calls") {
        let input = call.pointer("/function/arguments");
        let input = input.map(Value::to_string).unwrap_or_default();
        said.calls
            .push((at(call, "/function/name").to_owned(), input));
    }
}
