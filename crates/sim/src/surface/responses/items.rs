//! The objects of which responses and their events are made.
//!
//! Each id names its kind and the number of the request, so that an event and the item it is about can be
//! matched by eye; a response's own id is unique among simulators, because it may be asked for again.

use super::super::{CREATED, PROMPT_TOKENS, TOOL, json};
use crate::ask::Ask;

pub(super) fn response(
    ask: &Ask,
    status: &str,
    incomplete: &str,
    output: &str,
    usage: &str,
) -> String {
    let (id, model) = (json(&ask.id), ask.model_json());
    let previous = ask.previous.as_deref().map_or("null".to_owned(), json);
    format!(
        r#"{{"id":{id},"object":"response","created_at":{CREATED},"status":"{status}","error":null,"incomplete_details":{incomplete},"model":{model},"output":[{output}],"parallel_tool_calls":true,"previous_response_id":{previous},"tool_choice":"auto","tools":[],"usage":{usage}}}"#
    )
}

pub(super) fn usage(tokens: usize) -> String {
    let total = PROMPT_TOKENS + tokens;
    format!(
        r#"{{"input_tokens":{PROMPT_TOKENS},"input_tokens_details":{{"cached_tokens":0}},"output_tokens":{tokens},"output_tokens_details":{{"reasoning_tokens":0}},"total_tokens":{total}}}"#
    )
}

pub(super) fn message(ask: &Ask, status: &str, content: &str) -> String {
    let seq = ask.seq;
    format!(
        r#"{{"id":"msg_sim_{seq}","type":"message","status":"{status}","role":"assistant","content":[{content}]}}"#
    )
}

pub(super) fn text_part(text: &str) -> String {
    format!(
        r#"{{"type":"output_text","text":{},"annotations":[]}}"#,
        json(text)
    )
}

pub(super) fn summary(text: &str) -> String {
    format!(r#"{{"type":"summary_text","text":{}}}"#, json(text))
}

pub(super) fn thinking(ask: &Ask, text: &str) -> String {
    let summary = if text.is_empty() {
        String::new()
    } else {
        summary(text)
    };
    format!(
        r#"{{"id":"rs_sim_{}","type":"reasoning","summary":[{summary}]}}"#,
        ask.seq
    )
}

pub(super) fn call(ask: &Ask, status: &str, input: &str) -> String {
    let (seq, input) = (ask.seq, json(input));
    format!(
        r#"{{"id":"fc_sim_{seq}","type":"function_call","status":"{status}","call_id":"call_sim_{seq}","name":"{TOOL}","arguments":{input}}}"#
    )
}
