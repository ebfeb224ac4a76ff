//! The model in a path, and the fields of a query or a form.
//!
//! A model's name may spell a script, with colons and slashes of its own, and may come percent-encoded or
//! not. So where a dialect puts its name between two marks, all that lies between them is the name, and a
//! path segment of it is never taken for a script of the path.

use std::ops::Range;

/// What stands before a model in a path, and what may stand behind it.
const MARKS: [(&str, &[&str]); 3] = [
    (
        "/models/",
        &[
            ":generateContent",
            ":streamGenerateContent",
            ":countTokens",
            ":embedContent",
            ":batchEmbedContents",
            ":predict",
            ":rawPredict",
            ":streamRawPredict",
        ],
    ),
    (
        "/model/",
        &[
            "/converse",
            "/converse-stream",
            "/invoke",
            "/invoke-with-response-stream",
        ],
    ),
    (
        "/openai/deployments/",
        &[
            "/chat/completions",
            "/completions",
            "/embeddings",
            "/images/generations",
        ],
    ),
];

/// Where a route names a model between two marks.
pub(crate) fn named(route: &str) -> Option<Range<usize>> {
    MARKS.iter().find_map(|(before, behind)| {
        let start = route.find(before)? + before.len();
        let rest = route.get(start..)?;
        let name = behind.iter().find_map(|end| rest.strip_suffix(end))?;
        Some(start..start + name.len())
    })
}

/// The model that a path names.
pub(crate) fn model_in(path: &str) -> Option<String> {
    let route = path.split('?').next()?;
    let decoded = |raw: &str| {
        percent_encoding::percent_decode_str(raw)
            .decode_utf8_lossy()
            .into_owned()
    };
    if let Some(name) = named(route).and_then(|name| route.get(name)) {
        return Some(decoded(name));
    }
    let mut parts = route.split('/');
    parts.find(|p| matches!(*p, "models" | "model" | "deployments"))?;
    let name = decoded(parts.next()?);
    let verb = name.rfind(':').filter(|_| path.contains("/models/"));
    Some(
        verb.and_then(|at| name.get(..at))
            .unwrap_or(&name)
            .to_owned(),
    )
}

/// A value of a query or of a form, decoded.
pub(crate) fn field(form: &str, name: &str) -> Option<String> {
    let raw = form
        .split('&')
        .find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))?;
    let raw = raw.replace('+', " ");
    let text = percent_encoding::percent_decode_str(&raw).decode_utf8_lossy();
    Some(text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_in_a_path_keeps_its_colons_and_slashes() {
        for (path, model) in [
            (
                "/v1beta/models/gemini-2.5-flash:generateContent",
                Some("gemini-2.5-flash"),
            ),
            (
                "/v1beta/models/sim:tokens:3/gap:5ms:streamGenerateContent?alt=sse",
                Some("sim:tokens:3/gap:5ms"),
            ),
            (
                "/model/arn%3Aaws%3Abedrock%3A%3Ax%2Fy/converse",
                Some("arn:aws:bedrock::x/y"),
            ),
            (
                "/model/anthropic.claude-v1:0/invoke",
                Some("anthropic.claude-v1:0"),
            ),
            ("/openai/deployments/d/chat/completions", Some("d")),
            ("/v1/models/some", Some("some")),
            (
                "/v1/models/sim:tokens:3/a:b:predict",
                Some("sim:tokens:3/a:b"),
            ),
            ("/v1/chat/completions", None),
        ] {
            assert_eq!(model_in(path).as_deref(), model, "{path}");
        }
    }

    #[test]
    fn a_field_of_a_form_is_decoded() {
        let form = "grant_type=urn%3Aietf%3Ax&scope=a+b";
        assert_eq!(field(form, "grant_type").as_deref(), Some("urn:ietf:x"));
        assert_eq!(field(form, "scope").as_deref(), Some("a b"));
        assert_eq!(field(form, "grant"), None);
    }
}
