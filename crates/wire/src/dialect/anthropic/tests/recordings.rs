//! Recorded streams of this API, third-party data in a folder beside the repository.

use std::{fs, path::Path};

use bytes::BytesMut;

use super::{super::is_envelope, SURFACE, asked, frames, snapshot::snapshot, steps};
use crate::{
    dialect::{gemini, openai, responses},
    middle::{Seen, UpstreamCodec},
};

/// A recording; `None`, with one line that says so, when there are none.
fn recording(name: &str) -> Option<Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/captures");
    if !Path::new(folder).is_dir() {
        println!("no recordings in ../shared/captures: {name} was not played");
        return None;
    }
    Some(fs::read(Path::new(folder).join(name)).unwrap())
}

fn count(steps: &[String], name: &str) -> usize {
    steps.iter().filter(|step| step.starts_with(name)).count()
}

#[test]
fn every_recording_is_read_however_it_is_cut() {
    for (name, text, opaque, whole, input, output) in [
        ("23-anthropic-messages-stream.sse", true, 0, 0, 17, 108),
        (
            "24-anthropic-thinking-redacted-stream.sse",
            true,
            2,
            0,
            92,
            189,
        ),
        ("26-anthropic-compaction-stream.sse", true, 0, 1, 181, 8),
    ] {
        let Some(bytes) = recording(name) else { return };
        let (told, seen) = steps(&frames([bytes.as_slice()]));
        assert_eq!(count(&told, "Text") > 0, text, "{name}");
        assert_eq!(count(&told, "Opaque"), opaque, "{name}");
        assert_eq!(count(&told, "Whole"), whole, "{name}");
        assert_eq!(count(&told, "Lost"), 0, "{name}");
        assert_eq!(told.last().map(String::as_str), Some("Ended"), "{name}");
        assert_eq!(seen.last(), Some(&Seen::Last), "{name}");
        assert!(!seen.contains(&Seen::Unparsed), "{name}");
        let counts = told.iter().rfind(|step| step.starts_with("Usage")).unwrap();
        let expected = format!("input: Some({input}), output: Some({output})");
        assert!(counts.contains(&expected), "{name}: {counts}");
        for cut in (1..bytes.len()).step_by(97) {
            let (before, after) = bytes.split_at(cut);
            assert_eq!(
                steps(&frames([before, after])),
                (told.clone(), seen.clone()),
                "{name} at {cut}"
            );
        }
        let single = bytes.chunks(1);
        assert_eq!(steps(&frames(single)), (told, seen), "{name} byte by byte");
    }
}

#[test]
fn the_legacy_api_is_data_and_nothing_else() {
    let Some(bytes) = recording("27-anthropic-stream-crlf.sse") else {
        return;
    };
    let (told, seen) = steps(&frames([bytes.as_slice()]));
    assert_eq!(told, [""; 0]);
    assert!(
        seen.iter()
            .all(|seen| matches!(seen, Seen::Data | Seen::Comment))
    );
}

#[test]
fn a_recorded_error_is_an_envelope() {
    let Some(bytes) = recording("29-anthropic-error-404.json") else {
        return;
    };
    assert!(is_envelope(&bytes));
}

/// What a caller of this API is told of an answer that others gave.
fn translated(codec: &UpstreamCodec, bytes: &[u8]) -> serde_json::Value {
    let (mut decode, mut encode) = ((codec.stream)(1), (SURFACE.stream)(&asked()));
    let mut out = BytesMut::new();
    for frame in frames([bytes]) {
        decode.decode(&frame, &mut |delta| encode.delta(&delta, &mut out));
    }
    encode.close(&mut out);
    snapshot(&out)
}

#[test]
fn recordings_of_other_apis_make_messages() {
    let chat = &openai::codec::UPSTREAM;
    for (codec, name, blocks, stop) in [
        (chat, "01-openai-chat-stream.sse", "text", "end_turn"),
        (chat, "02-openai-chat-stream-usage.sse", "", "max_tokens"),
        (
            chat,
            "04-openai-chat-stream-parallel-tools.sse",
            "tool_use tool_use",
            "tool_use",
        ),
        (chat, "59-openrouter-web-search.sse", "text", "end_turn"),
        (
            chat,
            "64-deepseek-reasoning-stream.sse",
            "thinking text",
            "end_turn",
        ),
        (
            chat,
            "66-deepseek-tool-stream.sse",
            "tool_use tool_use",
            "tool_use",
        ),
        (chat, "71-mistral-stream-tool.sse", "tool_use", "tool_use"),
        (
            chat,
            "73-mistral-thinking-stream.sse",
            "thinking text",
            "end_turn",
        ),
        (chat, "77-together-stream.sse", "text", "end_turn"),
        (
            &responses::UPSTREAM,
            "16-openai-responses-incomplete.sse",
            "redacted_thinking",
            "max_tokens",
        ),
        (
            &responses::UPSTREAM,
            "74-xai-responses-stream.sse",
            "thinking text",
            "end_turn",
        ),
        (
            &gemini::UPSTREAM,
            "31-gemini-stream.sse",
            "text",
            "end_turn",
        ),
        (
            &gemini::UPSTREAM,
            "32-gemini-stream-thoughts.sse",
            "thinking text",
            "end_turn",
        ),
    ] {
        let Some(bytes) = recording(name) else { return };
        let message = translated(codec, &bytes);
        let content = message["content"].as_array().unwrap();
        let kinds: Vec<_> = content.iter().filter_map(|b| b["type"].as_str()).collect();
        assert_eq!(kinds.join(" "), blocks, "{name}");
        assert_eq!(message["stop_reason"], stop, "{name}");
        for block in content.iter().filter(|block| block["type"] == "tool_use") {
            assert!(block["input"].is_object(), "{name}: {block}");
        }
    }
}
