//! Streams of 100 tokens of four letters, as each provider words them.

use bytes::Bytes;
use punctual_wire::Api;

pub(crate) const APIS: [Api; 6] = [
    Api::Chat,
    Api::Responses,
    Api::Messages,
    Api::Gemini,
    Api::Converse,
    Api::Ollama,
];

const TOKENS: usize = 100;

/// One event a chunk.
pub(crate) fn stream(api: Api) -> Vec<Bytes> {
    let token = |i: usize| format!(" t{:02}", i % 100);
    let all = |one: &dyn Fn(usize, &str) -> String| -> Vec<String> {
        (0..TOKENS).map(|i| one(i, &token(i))).collect()
    };
    let (before, tokens, behind) = match api {
        Api::Chat => chat(&all),
        Api::Responses => responses(&all),
        Api::Messages => messages(&all),
        Api::Gemini => gemini(&all),
        Api::Converse => converse(&all),
        _ => ollama(&all),
    };
    let texts = before.into_iter().chain(tokens).chain(behind);
    match api {
        Api::Converse => texts.map(|text| message(&text)).collect(),
        _ => texts.map(Bytes::from).collect(),
    }
}

type All<'a> = &'a dyn Fn(&dyn Fn(usize, &str) -> String) -> Vec<String>;
type Parts = (Vec<String>, Vec<String>, Vec<String>);

fn chat(all: All<'_>) -> Parts {
    let chunk = |choice: &str| {
        format!(
            "data: {{\"id\":\"chatcmpl-9f0123456789abcdef0123456789\",\"object\":\"chat.completion.chunk\",\"created\":1800000000,\"model\":\"gpt-4o-mini-2024-07-18\",\"service_tier\":\"default\",\"system_fingerprint\":\"fp_0123456789\",\"choices\":[{choice}],\"usage\":null}}\n\n"
        )
    };
    let piece = |delta: &str, finish: &str| {
        chunk(&format!(
            "{{\"index\":0,\"delta\":{delta},\"logprobs\":null,\"finish_reason\":{finish}}}"
        ))
    };
    (
        vec![piece(
            "{\"role\":\"assistant\",\"content\":\"\",\"refusal\":null}",
            "null",
        )],
        all(&|_, token| piece(&format!("{{\"content\":\"{token}\"}}"), "null")),
        vec![
            piece("{}", "\"stop\""),
            chunk("").replace(
                "\"usage\":null",
                "\"usage\":{\"prompt_tokens\":12,\"completion_tokens\":100,\"total_tokens\":112,\"prompt_tokens_details\":{\"cached_tokens\":0},\"completion_tokens_details\":{\"reasoning_tokens\":0}}",
            ),
            "data: [DONE]\n\n".into(),
        ],
    )
}

fn named(name: &str, rest: &str) -> String {
    format!("event: {name}\ndata: {{\"type\":\"{name}\"{rest}}}\n\n")
}

fn responses(all: All<'_>) -> Parts {
    let response = |status: &str, output: &str, usage: &str| {
        format!(
            "\"response\":{{\"id\":\"resp_0123456789abcdef\",\"object\":\"response\",\"created_at\":1800000000,\"status\":\"{status}\",\"error\":null,\"incomplete_details\":null,\"model\":\"gpt-4o-mini\",\"output\":[{output}],\"usage\":{usage}}}"
        )
    };
    let text: String = all(&|_, token| token.to_owned()).concat();
    let part =
        |text: &str| format!("{{\"type\":\"output_text\",\"annotations\":[],\"text\":\"{text}\"}}");
    let item = |status: &str, content: &str| {
        format!(
            "{{\"id\":\"msg_0123456789abcdef\",\"type\":\"message\",\"status\":\"{status}\",\"content\":[{content}],\"role\":\"assistant\"}}"
        )
    };
    let place = "\"item_id\":\"msg_0123456789abcdef\",\"output_index\":0,\"content_index\":0";
    let done = item("completed", &part(&text));
    let usage = "{\"input_tokens\":12,\"input_tokens_details\":{\"cached_tokens\":0},\"output_tokens\":100,\"output_tokens_details\":{\"reasoning_tokens\":0},\"total_tokens\":112}";
    let event = |number: usize, name: &str, rest: &str| {
        named(
            &format!("response.{name}"),
            &format!(",\"sequence_number\":{number},{rest}"),
        )
    };
    (
        vec![
            event(0, "created", &response("in_progress", "", "null")),
            event(1, "in_progress", &response("in_progress", "", "null")),
            event(
                2,
                "output_item.added",
                &format!("\"output_index\":0,\"item\":{}", item("in_progress", "")),
            ),
            event(
                3,
                "content_part.added",
                &format!("{place},\"part\":{}", part("")),
            ),
        ],
        all(&|i, token| {
            let rest = format!(
                "{place},\"delta\":\"{token}\",\"logprobs\":[],\"obfuscation\":\"0123456789ab\""
            );
            event(4 + i, "output_text.delta", &rest)
        }),
        vec![
            event(
                104,
                "output_text.done",
                &format!("{place},\"text\":\"{text}\",\"logprobs\":[]"),
            ),
            event(
                105,
                "content_part.done",
                &format!("{place},\"part\":{}", part(&text)),
            ),
            event(
                106,
                "output_item.done",
                &format!("\"output_index\":0,\"item\":{done}"),
            ),
            event(107, "completed", &response("completed", &done, usage)),
        ],
    )
}

fn messages(all: All<'_>) -> Parts {
    (
        vec![
            named(
                "message_start",
                ",\"message\":{\"id\":\"msg_0123456789abcdef\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"claude-x\",\"content\":[],\"stop_reason\":null,\"stop_sequence\":null,\"usage\":{\"input_tokens\":12,\"cache_creation_input_tokens\":0,\"cache_read_input_tokens\":0,\"output_tokens\":1,\"service_tier\":\"standard\"}}",
            ),
            named(
                "content_block_start",
                ",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}",
            ),
            named("ping", ""),
        ],
        all(&|_, token| {
            named(
                "content_block_delta",
                &format!(",\"index\":0,\"delta\":{{\"type\":\"text_delta\",\"text\":\"{token}\"}}"),
            )
        }),
        vec![
            named("content_block_stop", ",\"index\":0"),
            named(
                "message_delta",
                ",\"delta\":{\"stop_reason\":\"end_turn\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":100}",
            ),
            named("message_stop", ""),
        ],
    )
}

fn gemini(all: All<'_>) -> Parts {
    let event = |token: &str, i: usize, finish: &str| {
        format!(
            "data: {{\"candidates\": [{{\"content\": {{\"parts\": [{{\"text\": \"{token}\"}}],\"role\": \"model\"}}{finish},\"index\": 0}}],\"usageMetadata\": {{\"promptTokenCount\": 12,\"candidatesTokenCount\": {i},\"totalTokenCount\": {},\"promptTokensDetails\": [{{\"modality\": \"TEXT\",\"tokenCount\": 12}}]}},\"modelVersion\": \"gemini-x\",\"responseId\": \"0123456789abcdef\"}}\r\n\r\n",
            12 + i
        )
    };
    let last = |i| {
        if i + 1 == TOKENS {
            ",\"finishReason\": \"STOP\""
        } else {
            ""
        }
    };
    let tokens = all(&|i, token| event(token, i, last(i)));
    (Vec::new(), tokens, Vec::new())
}

fn converse(all: All<'_>) -> Parts {
    (
        vec!["messageStart {\"p\":\"abcdefgh\",\"role\":\"assistant\"}".into()],
        all(&|_, token| {
            format!("contentBlockDelta {{\"contentBlockIndex\":0,\"delta\":{{\"text\":\"{token}\"}},\"p\":\"abcdefghijkl\"}}")
        }),
        vec![
            "contentBlockStop {\"contentBlockIndex\":0,\"p\":\"abc\"}".into(),
            "messageStop {\"p\":\"abcdef\",\"stopReason\":\"end_turn\"}".into(),
            "metadata {\"metrics\":{\"latencyMs\":900},\"p\":\"ab\",\"usage\":{\"inputTokens\":12,\"outputTokens\":100,\"totalTokens\":112}}".into(),
        ],
    )
}

fn ollama(all: All<'_>) -> Parts {
    let line = |token: &str, rest: &str| {
        format!(
            "{{\"model\":\"llama3.2\",\"created_at\":\"2026-11-30T10:00:00.123456789Z\",\"message\":{{\"role\":\"assistant\",\"content\":\"{token}\"}},{rest}}}\n"
        )
    };
    (
        Vec::new(),
        all(&|_, token| line(token, "\"done\":false")),
        vec![line(
            "",
            "\"done_reason\":\"stop\",\"done\":true,\"total_duration\":900000000,\"load_duration\":1000000,\"prompt_eval_count\":12,\"prompt_eval_duration\":1000000,\"eval_count\":100,\"eval_duration\":890000000",
        )],
    )
}

/// An AWS message, from the name of its event and its payload.
fn message(text: &str) -> Bytes {
    let (name, payload) = text.split_once(' ').unwrap();
    let mut headers = Vec::new();
    for (key, value) in [
        (":event-type", name),
        (":content-type", "application/json"),
        (":message-type", "event"),
    ] {
        headers.push(u8::try_from(key.len()).unwrap());
        headers.extend(key.as_bytes());
        headers.push(7);
        headers.extend(u16::try_from(value.len()).unwrap().to_be_bytes());
        headers.extend(value.as_bytes());
    }
    let length = u32::try_from(16 + headers.len() + payload.len()).unwrap();
    let mut out = length.to_be_bytes().to_vec();
    out.extend(u32::try_from(headers.len()).unwrap().to_be_bytes());
    out.extend(crc32fast::hash(&out).to_be_bytes());
    out.extend(headers);
    out.extend(payload.as_bytes());
    out.extend(crc32fast::hash(&out).to_be_bytes());
    out.into()
}
