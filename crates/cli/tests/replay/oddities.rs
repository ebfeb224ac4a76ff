//! The oddities of recorded answers, each by its name: a fixture of ours with the same shape, and what callers of
//! the other surfaces hear of it.

use super::{
    dialects,
    heard::{self, Said},
    inside::{self, Made},
    sse::blocks,
};
use punctual_wire::{Class, Surface, frame::Framing};

/// What becomes of a fixture on a surface.
fn made(fixture: &str, surface: Surface) -> Made {
    let mut all = dialects::fixtures().into_iter();
    let played = all.find(|p| p.name() == fixture).expect("a fixture");
    let body = played.case.plain();
    let framing = match body.starts_with(b"[") {
        true => Framing::Array,
        false => played.api().framing(),
    };
    let made = inside::stream(surface, played.api(), framing, [body.as_slice()]);
    made.expect("a translation")
}

fn hears(fixture: &str, surface: Surface) -> Said {
    heard::stream(surface.as_str(), &made(fixture, surface).bytes)
}

/// The text heard on both surfaces.
fn text(fixture: &str, surfaces: [Surface; 2]) -> String {
    let [one, other] = surfaces.map(|surface| hears(fixture, surface).text);
    assert_eq!(one, other, "{fixture}");
    one
}

use Surface::{Chat, Messages, Responses};

/// The surfaces that are not chat completions.
const OTHERS: [Surface; 2] = [Responses, Messages];

#[test]
fn a_role_alone_is_no_text() {
    assert_eq!(text("openai/openai-chat.sse", OTHERS), "The tide turns");
}

#[test]
fn an_answer_that_only_thought_ends_by_length() {
    for surface in OTHERS {
        let said = hears("openai/openai-chat-usage.sse", surface);
        assert_eq!(said.finish.as_deref(), Some("length"));
        assert_eq!((said.text.as_str(), said.usage[1]), ("", Some(40)));
    }
}

#[test]
fn parallel_calls_stay_apart() {
    for surface in OTHERS {
        let said = hears("openai/openai-chat-tools.sse", surface);
        let inputs: Vec<&str> = said.calls.iter().map(|c| c.1.as_str()).collect();
        assert_eq!(inputs, [r#"{"port":1}"#, "{}"]);
    }
}

#[test]
fn a_chunk_of_filter_results_begins_nothing() {
    assert_eq!(text("openai/azure-chat.sse", OTHERS), "Ebb");
    assert_eq!(text("openai/azure-router.jsonl", OTHERS), "Flood");
}

#[test]
fn a_second_finish_is_no_second_end() {
    for surface in OTHERS {
        let made = made("openai/openrouter-double-finish.sse", surface);
        let ends = ["response.completed", "message_stop"];
        let events = blocks(&made.bytes);
        let end = events
            .iter()
            .filter(|e| e.name().is_some_and(|n| ends.contains(&n)));
        assert_eq!(end.count(), 1, "{surface}");
    }
}

#[test]
fn comments_of_the_upstream_are_not_the_callers() {
    for surface in OTHERS {
        let made = made("openai/openrouter-comments.sse", surface);
        assert!(blocks(&made.bytes).iter().all(|event| !event.is_comment()));
    }
}

#[test]
fn thoughts_in_a_member_of_their_own_are_thoughts() {
    for surface in OTHERS {
        let said = hears("openai/deepseek-reasoning.sse", surface);
        assert_eq!(
            (said.reasoning.as_str(), said.text.as_str()),
            ("潮…", "Flut")
        );
    }
}

#[test]
fn thoughts_in_an_array_of_parts_are_thoughts() {
    for surface in OTHERS {
        let said = hears("openai/mistral-thinking.sse", surface);
        assert_eq!(
            (said.reasoning.as_str(), said.text.as_str()),
            ("Moon pulls", "Neap tide")
        );
    }
}

#[test]
fn an_error_in_the_middle_ends_with_its_own_class() {
    for surface in OTHERS {
        let made = made("openai/groq-midstream-error.sse", surface);
        assert_eq!(made.error.map(|e| e.class), Some(Class::InvalidRequest));
        assert!(!made.ended);
    }
}

#[test]
fn usage_is_found_where_a_provider_hides_it() {
    for surface in OTHERS {
        assert_eq!(hears("openai/groq.sse", surface).usage, [Some(18), Some(1)]);
    }
}

#[test]
fn a_call_without_an_index_is_a_call() {
    for fixture in ["openai/mistral-tool.sse", "openai/xai-tool.jsonl"] {
        for surface in OTHERS {
            let said = hears(fixture, surface);
            assert_eq!(said.calls.len(), 1, "{fixture}");
            assert_eq!(said.finish.as_deref(), Some("tool_calls"), "{fixture}");
        }
    }
}

#[test]
fn a_token_that_is_told_twice_is_one_token() {
    assert_eq!(text("openai/together.sse", OTHERS), "1 2");
    assert_eq!(text("openai/perplexity.jsonl", OTHERS), "The sea[1]");
}

#[test]
fn scripts_and_emoji_survive() {
    assert_eq!(text("openai/llamacpp-unicode.sse", OTHERS), "🌊満潮밀물é́");
}

#[test]
fn a_stream_without_a_finish_ends_at_its_mark() {
    for surface in OTHERS {
        assert_eq!(
            hears("openai/snowflake.sse", surface).finish.as_deref(),
            Some("stop")
        );
    }
}

#[test]
fn an_error_behind_the_first_events_of_a_response_is_a_failure_before_content() {
    for surface in [Chat, Messages] {
        let made = made("responses/quota-error.sse", surface);
        assert_eq!(made.error.map(|e| e.class), Some(Class::QuotaExhausted));
        assert_eq!(made.content, 0);
    }
}

#[test]
fn an_incomplete_response_ends_by_length() {
    for surface in [Chat, Messages] {
        let said = hears("responses/incomplete.sse", surface);
        assert_eq!(said.finish.as_deref(), Some("length"));
    }
}

#[test]
fn a_response_ends_once_with_an_end_mark_or_without() {
    assert_eq!(text("responses/openrouter.sse", [Chat, Messages]), "4");
    assert_eq!(
        text("responses/background.sse", [Chat, Messages]),
        "Four legs"
    );
}

#[test]
fn keepalives_in_front_of_a_response_are_not_the_callers() {
    for surface in [Chat, Messages] {
        let made = made("responses/xai.sse", surface);
        assert!(blocks(&made.bytes).iter().all(|event| !event.is_comment()));
    }
}

#[test]
fn usage_in_two_events_is_one_usage() {
    for surface in [Chat, Responses] {
        assert_eq!(
            hears("anthropic/text.sse", surface).usage,
            [Some(128), Some(15)]
        );
    }
}

#[test]
fn a_redacted_thought_is_kept_in_its_place() {
    let said = hears("anthropic/thinking.sse", Responses);
    assert_eq!(
        said.opaque.first().map(String::as_str),
        Some("hidden:EhIRedactedOne")
    );
    let said = hears("bedrock/redacted.txt", Messages);
    assert_eq!(said.opaque, ["b3BhcXVlIHRob3VnaHRz", "bW9yZSBvZiB0aGVt"]);
}

#[test]
fn a_compaction_is_named_where_it_has_no_place() {
    for surface in [Chat, Responses] {
        let made = made("anthropic/compaction.sse", surface);
        assert_eq!(made.lost, ["compaction"], "{surface}");
        assert_eq!(heard::stream(surface.as_str(), &made.bytes).text, "Hello!");
    }
}

#[test]
fn text_behind_a_first_stop_is_told() {
    assert_eq!(
        text("gemini/two-finishes.sse", [Chat, Messages]),
        "It is 1."
    );
    assert_eq!(
        hears("gemini/two-finishes.sse", Chat).usage,
        [Some(13), Some(4)]
    );
}

#[test]
fn cumulative_usage_is_not_added_up() {
    for surface in [Chat, Responses, Messages] {
        assert_eq!(hears("gemini/text.sse", surface).usage, [Some(6), Some(5)]);
    }
}

#[test]
fn arguments_that_come_by_their_places_are_an_object() {
    let wanted = r#"{"rows":[{"act":"add","what":"pear","price":0.75},{"act":"drop","what":"fig","price":1.20}]}"#;
    for surface in [Chat, Responses, Messages] {
        let said = hears("gemini/array-arguments.jsonl", surface);
        assert_eq!(said.calls, [("stock".to_owned(), wanted.to_owned())]);
        assert_eq!(said.finish.as_deref(), Some("tool_calls"));
    }
}

#[test]
fn tokens_of_thoughts_are_tokens_of_the_answer() {
    for surface in [Chat, Responses, Messages] {
        assert_eq!(
            hears("gemini/vertex.sse", surface).usage,
            [Some(8), Some(36)]
        );
    }
}

#[test]
fn input_in_pieces_of_binary_messages_is_not_touched() {
    for surface in [Chat, Responses, Messages] {
        let said = hears("bedrock/tool.txt", surface);
        assert_eq!(
            said.calls[0].1, r#"{"town": "Pau", "days": 3.0}"#,
            "{surface}"
        );
    }
}

#[test]
fn events_in_chunks_are_the_events_they_would_be_without() {
    for surface in [Chat, Responses] {
        let said = hears("bedrock/invoke-tool.txt", surface);
        assert_eq!(said.text, "Ich sehe nach: 潮", "{surface}");
        assert_eq!(said.calls[0].1, r#"{"port": "Brest", "days": 2.0}"#);
        assert_eq!(said.usage, [Some(34), Some(41)], "{surface}");
    }
}

#[test]
fn the_last_of_the_lines_counts() {
    for surface in [Chat, Responses, Messages] {
        assert_eq!(
            hears("ollama/chat.ndjson", surface).usage,
            [Some(11), Some(5)]
        );
    }
    let body = made("ollama/generate.ndjson", Surface::Completions).bytes;
    assert!(body.ends_with(b"data: [DONE]\n\n"));
}

#[test]
fn chunks_of_the_transfer_are_no_part_of_the_lines() {
    assert_eq!(text("ollama/chunked.http", OTHERS), "1 + 1 = 2\n");
}
