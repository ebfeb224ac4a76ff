//! Anthropic's messages as others serve them: Vertex AI, and Bedrock's InvokeModel.
//!
//! The model stands in the path and must not stand in the body; the version of the API stands in the body
//! instead of a header. On Bedrock the path also says whether a stream is wanted, any member that is not
//! known is a 400, and betas stand in the body. Every other member keeps its place and its spelling.

use bytes::Bytes;

use crate::json;

/// Who serves Anthropic's messages in place of Anthropic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Host {
    /// Vertex AI (<https://docs.anthropic.com/en/api/claude-on-vertex-ai>).
    Vertex,
    /// Bedrock (<https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html>).
    Bedrock,
}

impl Host {
    /// The one version there is.
    const fn version(self) -> &'static str {
        match self {
            Self::Vertex => r#"{"anthropic_version":"vertex-2023-10-16""#,
            Self::Bedrock => r#"{"anthropic_version":"bedrock-2023-05-31""#,
        }
    }

    /// Members of a body that are said elsewhere, or anew.
    const fn left_out(self) -> &'static [&'static str] {
        match self {
            Self::Vertex => &["model", "anthropic_version"],
            Self::Bedrock => &["model", "anthropic_version", "stream", BETA],
        }
    }
}

const BETA: &str = "anthropic_beta";

/// `body`, a request of the Messages API, for its host. `betas` are values of the header `anthropic-beta`, for
/// the host that wants them in the body, behind those that are there. What is no object stays as it is.
pub fn request<'a>(host: Host, body: &Bytes, betas: impl Iterator<Item = &'a str>) -> Bytes {
    let text = std::str::from_utf8(body).unwrap_or_default();
    let Some(entries) = json::entries(text) else {
        return body.clone();
    };
    let mut out = String::with_capacity(text.len() + host.version().len());
    out.push_str(host.version());
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    if host == Host::Bedrock {
        let own = entries.iter().find(|(name, _)| name == BETA);
        let betas = self::betas(own.map(|(_, list)| *list), betas);
        if !betas.is_empty() {
            let betas: Vec<String> = betas.iter().map(|beta| quoted(beta)).collect();
            out.push_str(&format!(",{}:[{}]", quoted(BETA), betas.join(",")));
        }
    }
    let kept = |name: &String| !host.left_out().contains(&name.as_str());
    for (name, value) in entries.iter().filter(|(name, _)| kept(name)) {
        out.push(',');
        out.push_str(&quoted(name));
        out.push(':');
        out.push_str(value);
    }
    out.push('}');
    out.into()
}

/// Each beta once: those of the body, then those of the header's comma-separated values.
fn betas<'a>(own: Option<&str>, header: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut all = Vec::new();
    json::elements(own.unwrap_or("[]"), |beta| {
        all.extend(json::text(beta).map(String::from));
    });
    let values = header.flat_map(|value| value.split(','));
    all.extend(values.map(|beta| beta.trim().to_owned()));
    let mut each: Vec<String> = Vec::new();
    for beta in all {
        if !beta.is_empty() && !each.contains(&beta) {
            each.push(beta);
        }
    }
    each
}

#[cfg(test)]
mod tests {
    use super::{Host, request};
    use bytes::Bytes;

    fn sent(host: Host, body: &'static str, betas: &[&str]) -> Bytes {
        request(
            host,
            &Bytes::from_static(body.as_bytes()),
            betas.iter().copied(),
        )
    }

    #[test]
    fn the_model_goes_the_version_comes_and_the_rest_stays_as_spelled() {
        let body = r#"{"model":"claude","max_tokens":1e2, "temperature" : 0.10,"stream":true,"messages":[{"a": 1}]}"#;
        assert_eq!(
            sent(Host::Vertex, body, &["b"]),
            r#"{"anthropic_version":"vertex-2023-10-16","max_tokens":1e2,"temperature":0.10,"stream":true,"messages":[{"a": 1}]}"#
        );
        assert_eq!(
            sent(Host::Bedrock, body, &[]),
            r#"{"anthropic_version":"bedrock-2023-05-31","max_tokens":1e2,"temperature":0.10,"messages":[{"a": 1}]}"#
        );
        assert_eq!(sent(Host::Bedrock, "[1]", &["b"]), "[1]");
    }

    #[test]
    fn betas_of_body_and_header_are_one_list() {
        let body = r#"{"anthropic_version":"x","anthropic_beta":["a","b"],"messages":[]}"#;
        assert_eq!(
            sent(Host::Bedrock, body, &["b, c", "", "\"d"]),
            r#"{"anthropic_version":"bedrock-2023-05-31","anthropic_beta":["a","b","c","\"d"],"messages":[]}"#
        );
    }
}
