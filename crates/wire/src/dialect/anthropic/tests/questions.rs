//! Questions of callers, read and written again.

use bytes::Bytes;

use super::super::{SURFACE, UPSTREAM};
use crate::middle::{Lost, Options};

/// A question of this API, read and written again, and what was lost on the way.
fn again(body: &str, model: &str) -> (String, Vec<String>) {
    let request = (SURFACE.request)(&Bytes::copy_from_slice(body.as_bytes())).unwrap();
    let mut lost = Lost::default();
    let options = Options {
        model,
        ..Options::default()
    };
    let written = (UPSTREAM.request)(&request, &options, &mut lost);
    let names = lost.names().map(Into::into).collect();
    (String::from_utf8(written.to_vec()).unwrap(), names)
}

#[test]
fn a_question_comes_back_as_it_was() {
    let body = r#"{"model":"claude-sonnet-4-5","max_tokens":1024,"system":"Be brief.","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"sig"},{"type":"tool_use","id":"toolu_1","name":"f","input":{"b":1.50,"a":[]}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"42","is_error":true},{"type":"text","text":"go on","cache_control":{"type":"ephemeral"}}]}],"tools":[{"name":"f","description":"d","input_schema":{"type":"object","properties":{}}},{"type":"web_search_20250305","name":"web_search"}],"tool_choice":{"type":"any","disable_parallel_tool_use":true},"thinking":{"type":"enabled","budget_tokens":1023},"output_config":{"format":{"type":"json_schema","schema":{"type":"object"}}},"metadata":{"user_id":"u"},"stop_sequences":["END"],"temperature":1.0,"service_tier":"standard_only","container":"c1","stream":true}"#;
    let (written, lost) = again(body, "");
    assert_eq!(written, body.replace(r#""thinking":{"type":"enabled","budget_tokens":1023},"#, ""));
    assert_eq!(lost, ["reasoning_effort"]);
    let body = body.replace(r#""budget_tokens":1023"#, r#""budget_tokens":1024"#).replace("\"max_tokens\":1024","\"max_tokens\":1025");
    let (written, lost) = again(&body, "");
    assert_eq!(written, body);
    assert_eq!(lost, [""; 0]);
}
