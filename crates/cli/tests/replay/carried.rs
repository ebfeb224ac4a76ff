//! What a caller of any surface must get of an answer of any dialect: what the upstream said, in the caller's words.
//!
//! Where surface and dialect are one API it is the upstream's bytes, less the comments and pings that the
//! contract takes out of a preamble. Where they are not, text, thoughts, refusals, calls, finish and usage are
//! compared one by one.

use super::{
    dialects::Played,
    expected::{is_callers, relayed},
    foreign,
    heard::Said,
    sse::blocks,
    table::{Case, Figure},
};
use punctual_wire::Surface;
use serde_json::Value;

/// What a caller of any surface hears is what the upstream said.
pub fn says(played: &Played, surface: Surface, name: &str, heard: &Said) {
    let (heard, mut said) = (heard.clone().plain(), foreign::said(played).plain());
    let case = &played.case;
    if surface == Surface::Messages {
        // a refusal is text of this API, and its end tells it
        said.text.push_str(&std::mem::take(&mut said.refusal));
    }
    assert_eq!(heard.text, said.text, "{name}: text");
    assert_eq!(heard.refusal, said.refusal, "{name}: refusal");
    assert_eq!(heard.reasoning, said.reasoning, "{name}: reasoning");
    let names = |said: &Said| -> Vec<String> { said.calls.iter().map(|c| c.0.clone()).collect() };
    assert_eq!(names(&heard), names(&said), "{name}: calls");
    // arguments that come by their places in the object are put together by nobody but the product
    let places = ["streamed-calls", "array-arguments", "missing-terminal-call"];
    if !places.iter().any(|word| case.name.contains(word)) {
        assert_eq!(heard.calls, said.calls, "{name}: inputs");
    }
    finishes(case, surface, name, &heard);
    for (figure, told) in case.usage.iter().zip(heard.usage) {
        // where counts have their place, what is not known is 0
        let unknown = *figure == Figure::None && told == Some(0);
        assert!(
            unknown || figure.holds(told),
            "{name}: {figure:?} is {told:?}"
        );
    }
}

fn finishes(case: &Case, surface: Surface, name: &str, heard: &Said) {
    let wanted = match case.finish.as_deref() {
        None => "stop",
        Some("function_call") => "tool_calls",
        // only its own API has a word for it
        Some("pause_turn") => "stop",
        Some(word) => word,
    };
    let told = heard.finish.as_deref();
    let calls = !heard.calls.is_empty() && wanted == "stop";
    let refused = !heard.refusal.is_empty() || wanted == "content_filter";
    let fits = told == Some(wanted)
        || calls && told == Some("tool_calls")
        || refused && surface != Surface::Chat && told == Some("content_filter");
    assert!(fits, "{name}: ends with {told:?}, not {wanted}");
}

/// Whether there is content in what is no stream of the OpenAI family.
pub fn has_begun(played: &Played) -> bool {
    let said = foreign::said(played);
    let silent = said.text.is_empty() && said.reasoning.is_empty() && said.calls.is_empty();
    // items that were never closed
    let pieces = blocks(&played.case.plain());
    !silent
        || pieces
            .iter()
            .any(|event| event.name().is_some_and(|n| n.ends_with(".delta")))
}

/// An error in a caller's words: the code, and the upstream's message where it was the caller's fault.
pub fn names(case: &Case, surface: Surface, name: &str, error: &Value) {
    if !is_callers(&case.class) {
        // Anthropic's API has no codes: its type follows the status
        let known = surface == Surface::Messages || error["code"] == case.class.as_str();
        return assert!(known, "{name}: {error}");
    }
    let theirs: Value = serde_json::from_slice(&case.plain()).unwrap_or_default();
    let said = theirs.pointer("/error/message").and_then(Value::as_str);
    if let Some(said) = said {
        assert_eq!(error["message"], said, "{name}: {error}");
    }
}

/// What a caller who speaks the upstream's own API gets of a stream that succeeds.
pub fn relayed_by(played: &Played, surface: Surface) -> Vec<u8> {
    if matches!(surface, Surface::Chat | Surface::Completions) {
        return relayed(&played.case).0;
    }
    let (mut out, mut begun) = (Vec::new(), false);
    let body = match played.dialect.as_str() {
        "invoke" => foreign::as_events(&played.case.plain()),
        _ => played.case.plain(),
    };
    for event in blocks(&body) {
        let json = event.json();
        let kind = json["type"].as_str().unwrap_or_default();
        let block = json.pointer("/content_block/type").and_then(Value::as_str);
        let told = json.pointer("/delta/type").and_then(Value::as_str);
        begun |=
            kind.ends_with("delta") && kind != "message_delta" && told != Some("signature_delta")
                || block == Some("redacted_thinking")
                || kind == "response.completed"
                || kind == "response.incomplete";
        if begun || !event.is_comment() && kind != "ping" {
            out.extend_from_slice(&event.bytes);
        }
    }
    out
}
