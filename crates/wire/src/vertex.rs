//! Anthropic's messages as Vertex AI takes them.
//!
//! The model stands in the path and must not stand in the body; the version of the API stands in the body
//! instead of a header. Every other member keeps its place and its spelling.

use bytes::Bytes;

use crate::json;

/// The one version there is
/// (<https://docs.anthropic.com/en/api/claude-on-vertex-ai>).
const VERSION: &str = r#"{"anthropic_version":"vertex-2023-10-16""#;

/// `body`, a request of the Messages API, for Vertex AI. What is no object stays as it is.
pub fn anthropic_request(body: &Bytes) -> Bytes {
    let text = std::str::from_utf8(body).unwrap_or_default();
    let Some(entries) = json::entries(text) else {
        return body.clone();
    };
    let mut out = String::with_capacity(text.len() + VERSION.len());
    out.push_str(VERSION);
    let left_out = ["model", "anthropic_version"];
    for (name, value) in entries
        .iter()
        .filter(|(name, _)| !left_out.contains(&name.as_str()))
    {
        out.push(',');
        out.push_str(&serde_json::Value::from(name.as_str()).to_string());
        out.push(':');
        out.push_str(value);
    }
    out.push('}');
    out.into()
}

#[cfg(test)]
mod tests {
    use super::anthropic_request;
    use bytes::Bytes;

    #[test]
    fn the_model_goes_the_version_comes_and_the_rest_stays_as_spelled() {
        let body =
            r#"{"model":"claude","max_tokens":1e2, "temperature" : 0.10,"messages":[{"a": 1}]}"#;
        let sent = anthropic_request(&Bytes::from_static(body.as_bytes()));
        assert_eq!(
            sent,
            r#"{"anthropic_version":"vertex-2023-10-16","max_tokens":1e2,"temperature":0.10,"messages":[{"a": 1}]}"#
        );
    }
}
