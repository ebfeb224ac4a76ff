//! Keys at the top of the file.

use crate::{
    row::{ROW, Row, rows},
    support::{Gateway, Request, gateway::write_config},
};

/// What is proved by a test that is no row.
pub const COVERS: &[&str] = &["schema_version"];

rows! {
    an_agent_proxy_ignores_what_it_cannot_read: Row {
        covers: &["compat"],
        config: concat!(
            "«compat: agent-proxy»\n",
            "providers: { sim: { dialect: openai, base_url: \"{upstream}/v1\", api_key: sk-test } }\n",
            "routes: { \"*\": { plan: { pass: sim } } }\n",
        ),
        look: |s| s.ask(&Request::chat("m", false).with("x-request-deadline-ms", "abc")).status == 200,
        ..ROW
    };
}

#[test]
fn a_file_of_another_version_is_not_served() {
    let text = |version: u32| {
        format!(
            "schema_version: {version}\nproviders: {{ ollama: {{}} }}\nroutes: {{ m: {{ plan: {{ pass: ollama }} }} }}\n"
        )
    };
    drop(Gateway::start(&text(1)));
    let path = write_config(&text(2));
    let out = Gateway::command()
        .args(["serve", "--config"])
        .arg(&path)
        .output()
        .unwrap();
    std::fs::remove_file(&path).unwrap();
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(1), "{said}");
    assert!(said.contains("schema_version"), "{said}");
}
