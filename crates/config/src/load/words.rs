//! Words of other programs and of later versions, and what to write here instead.

use crate::tree::Place;

/// Keys that users of other libraries know, and what they are called here. The start of a clock is said,
/// because a number that is carried over means something else when the clock starts elsewhere.
const RENAMED: &[(&str, &str)] = &[
    (
        "request_timeout_ms",
        "did you mean timeout? It starts at dispatch, before connecting, and ends at the upstream's last byte; \
         write the unit: timeout: 60s",
    ),
    (
        "total_timeout_ms",
        "did you mean timeout of the target, or deadline of the route? deadline covers all attempts",
    ),
    (
        "time_to_first_token_timeout_ms",
        "did you mean first_token_timeout? It starts at dispatch, before connecting, and ends at the first \
         content, not at the first byte; write the unit: first_token_timeout: 10s",
    ),
    (
        "idle_timeout_ms",
        "did you mean stream_token_timeout? It starts at the first content and is reset by content only, not \
         by any byte; write the unit: stream_token_timeout: 120s",
    ),
    (
        "connect_timeout_ms",
        "did you mean connect_timeout? Write the unit: connect_timeout: 10s",
    ),
    (
        "max_retries",
        "did you mean retry: { of: …, max_attempts: … }? max_attempts is the total, the first included",
    ),
    ("fallbacks", "did you mean plan: { fallback: [ … ] }?"),
    ("api_base", "did you mean base_url?"),
    ("custom_llm_provider", "did you mean dialect?"),
    ("aws_region_name", "did you mean region?"),
    ("aws_access_key_id", "did you mean access_key_id?"),
    ("aws_secret_access_key", "did you mean secret_access_key?"),
    ("aws_profile_name", "did you mean profile?"),
    ("vertex_project", "did you mean project?"),
    ("vertex_location", "did you mean location?"),
    (
        "vertex_credentials",
        "did you mean credentials_file, or credentials_json for its contents?",
    ),
    (
        "azure_endpoint",
        "did you mean base_url? resource: NAME is short for https://NAME.openai.azure.com",
    ),
    (
        "azure_deployment",
        "did you mean model? On Azure a target's model is the name of the deployment",
    ),
    (
        "drop_params",
        "did you mean unsupported: drop_parameters, a key of routes?",
    ),
    (
        "capture",
        "bodies are never captured in this version; leave it out",
    ),
];

/// What a key is called here.
pub(super) fn renamed(key: &str) -> Option<&'static str> {
    RENAMED
        .iter()
        .find(|(name, _)| *name == key)
        .map(|(_, hint)| *hint)
}

/// The usual reason why a line is not YAML.
pub(super) fn yaml_hint(text: &str, at: Option<Place>) -> Option<String> {
    let line = at.and_then(|p| {
        text.lines()
            .nth(usize::try_from(p.line.saturating_sub(1)).ok()?)
    })?;
    if line.starts_with('\t') || line.trim_start_matches(' ').starts_with('\t') {
        return Some("indent with spaces; YAML allows no tabs".to_owned());
    }
    let value = line.split_once(": ").map(|(_, v)| v.trim())?;
    let quoted = value.starts_with(['"', '\'', '{', '[']);
    if !quoted && (value.contains(": ") || value.starts_with(['*', '&', '@', '%', '`', '!'])) {
        return Some(format!("put the value in quotes: {:?}", value));
    }
    None
}
