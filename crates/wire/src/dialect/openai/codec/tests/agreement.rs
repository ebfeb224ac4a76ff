//! The decoder and the relay's judge see the same thing in the same bytes.

use std::{
    fs,
    io::Read as _,
    path::{Path, PathBuf},
};

use proptest::prelude::*;

use super::*;
use crate::{
    Surface,
    dialect::{AnswerSummary, Judged},
    middle::summary,
};

/// What both must say alike.
#[derive(Debug, PartialEq)]
struct Seen {
    content: bool,
    error: Option<crate::Verdict>,
    unparsed: bool,
    rest: Option<String>,
}

fn seen(judged: &Judged) -> Seen {
    let error = match &judged.kind {
        Kind::Error(verdict) => Some(verdict.clone()),
        _ => None,
    };
    let usage = judged.usage.map(|usage| crate::Usage {
        // only read where it is translated
        cache_write: None,
        ..usage
    });
    let rest = format!("{:?} {usage:?} {:?}", judged.ends, judged.finish);
    Seen {
        content: judged.kind == Kind::Content,
        unparsed: judged.kind == Kind::Unparsed,
        // a failed answer has no end
        rest: error.is_none().then_some(rest),
        error,
    }
}

/// `hidden`: also whether what is content is reasoning only, which the judge does not tell of made-up shapes.
fn agree(text: &str, n: u32, hidden: bool, what: &str) {
    let mut judge = openai::Judge::new(Surface::Chat, n);
    let mut derived = Derived::new((UPSTREAM.stream)(n));
    for (at, frame) in frames(text).iter().enumerate() {
        let (relay, middle) = (judge.judge(frame), derived.judge(frame));
        assert_eq!(seen(&relay), seen(&middle), "{what}, event {at}: {frame:?}");
        assert_eq!(
            hidden && relay.reasoning && relay.kind == Kind::Content,
            hidden && middle.reasoning && middle.kind == Kind::Content,
            "{what}, event {at}: {frame:?}"
        );
        if matches!(relay.kind, Kind::Error(_)) {
            return;
        }
    }
    let (relay, middle) = (judge.tally(), derived.tally());
    assert_eq!((relay.id, relay.model), (middle.id, middle.model), "{what}");
    assert_eq!(relay.finish, middle.finish, "{what}");
}

fn agree_on_answer(body: &[u8], what: &str) {
    let relay = openai::judge_answer(Surface::Chat, &Bytes::copy_from_slice(body));
    let middle = (UPSTREAM.answer)(body).map(|answer| summary(&answer));
    let plain = |summary: AnswerSummary| AnswerSummary {
        usage: summary.usage.map(|usage| crate::Usage {
            cache_write: None,
            ..usage
        }),
        // what is relayed in this dialect is bound to nobody
        state: Vec::new(),
        ..summary
    };
    assert_eq!(relay.map(plain), middle.map(plain), "{what}");
}

/// A body as an upstream sends it, and whether it is a stream.
fn body(file: &Path) -> Option<(Vec<u8>, bool)> {
    let bytes = fs::read(file).unwrap();
    Some(match file.extension()?.to_str()? {
        "sse" => (bytes, true),
        "jsonl" => {
            let lines = String::from_utf8(bytes).unwrap();
            let events = lines.lines().map(|line| format!("data: {line}\n\n"));
            (events.collect::<String>().into_bytes(), true)
        }
        "http" => {
            let head = bytes.windows(4).position(|w| w == b"\r\n\r\n")?;
            (bytes[head + 4..].to_vec(), true)
        }
        "gz" => {
            let mut plain = Vec::new();
            let mut source = flate2::read::GzDecoder::new(bytes.as_slice());
            source.read_to_end(&mut plain).unwrap();
            (plain, false)
        }
        _ => (bytes, false),
    })
}

fn play(files: impl Iterator<Item = PathBuf>) -> usize {
    let mut played = 0;
    for file in files {
        let Some((body, stream)) = body(&file) else {
            continue;
        };
        let what = file.display().to_string();
        match stream {
            true => {
                let text = String::from_utf8_lossy(&body);
                for n in [1, 2, 3] {
                    agree(&text, n, true, &what);
                }
            }
            false => agree_on_answer(&body, &what),
        }
        played += 1;
    }
    played
}

fn files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().path())
}

#[test]
fn every_fixture_is_seen_alike() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/openai");
    assert!(play(files(&folder)) > 60);
}

#[test]
fn every_recording_is_seen_alike() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/captures");
    if !folder.is_dir() {
        println!("no recordings in ../shared/captures: only the fixtures were played");
        return;
    }
    let ours = [
        "openai-chat",
        "azure",
        "openrouter-stream",
        "openrouter-web",
        "deepseek",
        "groq",
        "mistral",
        "xai-tool",
        "together",
        "vllm",
        "llamacpp",
        "hf-router",
        "snowflake",
        "perplexity",
        "openai-completions",
        "openai-error",
        "openrouter-429",
    ];
    let is_ours = |file: &PathBuf| {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        ours.iter().any(|part| name.contains(part))
    };
    assert!(play(files(&folder).filter(is_ours)) >= 31);
}

/// JSON of the shapes that matter, right and wrong.
fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        Just(Value::from("")),
        Just(Value::from(" a")),
        Just(Value::from("b")),
        Just(Value::from(7)),
        Just(Value::from(true)),
        Just(serde_json::json!({})),
        Just(serde_json::json!([])),
        Just(serde_json::json!(["x", ""])),
        Just(serde_json::json!({ "text": "t" })),
        part().prop_map(|part| Value::from(vec![part])),
        (part(), part()).prop_map(|(a, b)| Value::from(vec![a, b])),
    ]
}

fn word(words: &'static [&'static str]) -> impl Strategy<Value = Value> {
    proptest::sample::select(words).prop_map(|word| match word {
        "-" => Value::Null,
        word => Value::from(word),
    })
}

fn part() -> impl Strategy<Value = Value> {
    let kinds = word(&[
        "-",
        "text",
        "thinking",
        "reasoning.text",
        "reasoning.encrypted",
        "reasoning.summary",
        "image_url",
        "input_audio",
        "refusal",
        "reference",
        "output_text",
        "novel",
        "",
    ]);
    let texts = || word(&["-", "", "x"]);
    (kinds, texts(), texts(), texts(), texts(), texts()).prop_map(
        |(kind, text, thinking, data, summary, signature)| {
            serde_json::json!({
                "type": kind, "text": text, "thinking": [{ "type": "text", "text": thinking }],
                "data": data, "summary": summary, "signature": signature,
                "image_url": { "url": "data:image/png;base64,AA==" },
            })
        },
    )
}

fn call() -> impl Strategy<Value = Value> {
    let index = prop_oneof![Just(Value::Null), (0..3).prop_map(Value::from)];
    let input = prop_oneof![
        word(&["-", "", "{", "{}"]),
        Just(serde_json::json!({})),
        Just(serde_json::json!({ "a": 1 })),
        Just(serde_json::json!([1])),
    ];
    (
        index,
        word(&["-", "", "a", "b"]),
        word(&["-", "", "f", "g"]),
        input,
    )
        .prop_map(|(index, id, name, input)| {
            serde_json::json!({
                "index": index, "id": id, "function": { "name": name, "arguments": input },
            })
        })
}

fn said() -> impl Strategy<Value = Value> {
    let member =
        prop_oneof![
        (
            proptest::sample::select(&[
                "content", "refusal", "reasoning", "reasoning_content", "reasoning_details",
                "images", "audio", "function_call", "tool_calls", "annotations",
            ][..]),
            leaf(),
        ),
        (Just("tool_calls"), proptest::collection::vec(call(), 0..3).prop_map(Value::from)),
        (Just("function_call"), call().prop_map(|call| call["function"].clone())),
        (Just("audio"), part().prop_map(|part| {
            serde_json::json!({ "data": part["data"], "transcript": part["text"], "id": "x" })
        })),
    ];
    proptest::collection::vec(member, 0..3).prop_map(|members| {
        let named = members
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value));
        Value::Object(named.collect())
    })
}

fn choice() -> impl Strategy<Value = Value> {
    let finish = word(&[
        "-",
        "-",
        "-",
        "-",
        "",
        "stop",
        "length",
        "tool_calls",
        "error",
        "eos",
    ]);
    let held = prop_oneof![Just("delta"), Just("delta"), Just("message")];
    (0..2_u32, held, said(), word(&["-", "-", "-", "", "t"]), finish).prop_map(
        |(index, held, said, text, finish)| {
            serde_json::json!({ "index": index, held: said, "text": text, "finish_reason": finish })
        },
    )
}

fn event() -> impl Strategy<Value = Value> {
    let usage = prop_oneof![
        4 => Just(Value::Null),
        1 => Just(serde_json::json!({ "prompt_tokens": 3, "completion_tokens": 4 })),
        1 => Just(serde_json::json!({})),
    ];
    let words = || word(&["-", "", "x"]);
    (proptest::collection::vec(choice(), 0..3), usage, words(), words()).prop_map(
        |(choices, usage, id, model)| {
            serde_json::json!({ "id": id, "model": model, "choices": choices, "usage": usage })
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_stream_is_seen_alike(events in proptest::collection::vec(event(), 1..5), n in 1..3_u32) {
        let mut text = String::new();
        let mut open: Vec<u64> = (0..n.into()).collect();
        for mut event in events {
            // a late call without input, after the end, differs: nobody waits for it
            let mut seen = Vec::new();
            event["choices"].as_array_mut().unwrap().retain(|choice| {
                let index = choice["index"].as_u64().unwrap();
                let finished = choice["finish_reason"].as_str().is_some_and(|word| !word.is_empty());
                let keep = open.contains(&index) && !seen.contains(&index);
                seen.push(index);
                if keep && finished { open.retain(|open| *open != index); }
                keep
            });
            text.push_str(&format!("data: {event}\n\n"));
        }
        if !open.is_empty() { text.push_str("data: [DONE]\n\n"); }
        agree(&text, n, false, &text);
    }

    #[test]
    fn any_answer_is_seen_alike(event in event()) {
        let text = event.to_string();
        agree_on_answer(text.as_bytes(), &text);
    }
}
