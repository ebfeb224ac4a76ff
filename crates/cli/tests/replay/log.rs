//! The log line of a request against what its case says and its caller saw.

use super::{
    expected::{self, commits, first_content},
    sse::blocks,
    table::Case,
};
use serde_json::Value;

/// What the caller remembers.
#[derive(Clone, Debug)]
pub struct Memory {
    pub name: String,
    pub request_id: String,
    pub status: u16,
    pub bytes: usize,
}

pub fn check(case: &Case, memory: &Memory, line: &Value) {
    let name = &memory.name;
    assert_eq!(line["outcome"], expected::outcome(case), "{name}: {line}");
    assert_eq!(line["status"], memory.status, "{name}: {line}");
    assert_eq!(line["surface"], case.surface.as_str(), "{name}: {line}");
    attempt(case, name, line);
    if case.succeeds() {
        assert_eq!(line["delivered_bytes"], memory.bytes, "{name}: {line}");
    }
    let content = if case.stream {
        commits(case)
            && (case.name.ends_with(".json")
                || first_content(case, &blocks(&case.plain())).is_some())
    } else {
        case.succeeds()
    };
    assert_eq!(
        line["first_content_ms"].is_number(),
        content,
        "{name}: {line}"
    );
}

/// What the line says of the one attempt and its answer.
pub fn attempt(case: &Case, name: &str, line: &Value) {
    assert_eq!(
        line["attempts"].as_array().map(Vec::len),
        Some(1),
        "{name}: {line}"
    );
    let attempt = &line["attempts"][0];
    assert_eq!(
        (&attempt["code"], &attempt["status"]),
        (&case.class.as_str().into(), &case.status.into()),
        "{name}: {line}"
    );
    let id = attempt["upstream_request_id"].as_str();
    assert!(
        id.is_some_and(|id| id.starts_with("sim-")),
        "{name}: {line}"
    );
    if !case.succeeds() {
        return assert_eq!(line["error"], case.class.as_str(), "{name}: {line}");
    }
    assert_eq!(line["error"], Value::Null, "{name}: {line}");
    assert_eq!(
        line["finish"].as_str(),
        case.finish.as_deref(),
        "{name}: {line}"
    );
    for (figure, told) in case.usage.iter().zip(["input", "output"]) {
        let told = line["usage"][told].as_u64();
        assert!(figure.holds(told), "{name}: {figure:?} tokens: {line}");
    }
}
