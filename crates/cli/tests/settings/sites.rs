//! What single dialects must know, as their providers see it.

use crate::{
    connection::{LINK, Link, links, sent},
    stage::Stage,
};

/// Keys that need a server of their own (a name in the DNS, a service that hands out credentials), with the test
/// that has one.
pub const ELSEWHERE: &[&str] = &[
    // crates/config: every_dialect_is_configured_in_a_line_and_knows_where_its_servers_are
    "providers.*.resource",
    "targets.*.resource",
    // crates/cli/tests/dialects/credentials.rs
    "providers.*.tenant_id",
    "targets.*.tenant_id",
    "providers.*.client_id",
    "targets.*.client_id",
    "providers.*.client_secret",
    "targets.*.client_secret",
    "providers.*.credentials_json",
    "targets.*.credentials_json",
    "providers.*.credentials_file",
    "targets.*.credentials_file",
    // crates/upstream: the profiles of the shared files
    "providers.*.profile",
    "targets.*.profile",
    // crates/cli/tests/dialects/bound.rs
    "server.affinity_header",
];

/// The line that asked for the only request.
fn path(s: &Stage) -> String {
    s.chat("r", false);
    s.sim.report()[0].path.clone()
}

/// A chat request for Bedrock, signed.
fn signature(s: &Stage) -> String {
    sent(s, "authorization").unwrap_or_default()
}

links! {
    azures_version_stands_in_the_query: ["api_version"] Link {
        link: "dialect: azure, base_url: \"{upstream}\", api_key: k, «api_version: 2025-01-01-preview»",
        look: |s| path(s).ends_with("api-version=2025-01-01-preview"),
        ..LINK
    };
    the_project_stands_in_the_path: ["project"] Link {
        link: "dialect: vertex, base_url: \"{upstream}/v1\", api_key: k, project: «p-1|p-2»",
        look: |s| path(s).contains("/projects/p-1/"),
        ..LINK
    };
    the_location_stands_in_the_path: ["location"] Link {
        link: "dialect: vertex, base_url: \"{upstream}/v1\", api_key: k, project: p, «location: us-east5»",
        look: |s| path(s).contains("/locations/us-east5/"),
        ..LINK
    };
    the_region_is_signed_for: ["region"] Link {
        link: "dialect: bedrock, base_url: \"{upstream}\", access_key_id: AKIA1, secret_access_key: s, region: «eu-west-1|eu-west-2»",
        look: |s| signature(s).contains("/eu-west-1/bedrock/"),
        ..LINK
    };
    the_access_key_signs: ["access_key_id", "secret_access_key"] Link {
        link: "dialect: bedrock, base_url: \"{upstream}\", region: r, «access_key_id: AKIA1, secret_access_key: s1|api_key: k»",
        look: |s| signature(s).contains("Credential=AKIA1/"),
        ..LINK
    };
    the_session_token_goes_along: ["session_token"] Link {
        link: "dialect: bedrock, base_url: \"{upstream}\", region: r, access_key_id: AKIA1, secret_access_key: s, «session_token: token-1»",
        look: |s| sent(s, "x-amz-security-token").as_deref() == Some("token-1"),
        ..LINK
    };
    claude_is_asked_by_the_api_that_is_said: ["api"] Link {
        link: "dialect: bedrock, base_url: \"{upstream}\", region: r, api_key: k, «api: invoke»",
        look: |s| path(s).ends_with("/model/t/invoke"),
        ..LINK
    };
    the_size_of_the_context_is_asked_for: ["num_ctx"] Link {
        link: "dialect: ollama, base_url: \"{upstream}\", «num_ctx: 4096»",
        look: |s| {
            s.chat("r", false);
            String::from_utf8_lossy(&s.sim.report()[0].body).contains("\"num_ctx\":4096")
        },
        ..LINK
    };
}
