//! Configurations that are right, and shapes that are wrong.

/// As users write it.
pub const GOOD: &str = r#"
schema_version: 1
server:
  listen: 127.0.0.1:8080
  request_deadline: 180s
  max_body_bytes: 32MiB
  heartbeat_interval: 0
  trusted_peers: [ 10.0.0.0/8 ]
  admin: { listen: 127.0.0.1:8081, token: "a-long-admin-token" }
keys:
  agent:
    hash: sha256:0000000000000000000000000000000000000000000000000000000000000000
    routes: [ chat ]
    deadline: 90s
defaults: { connect_timeout: 3s, stream_token_timeout: 45s }
providers:
  openai: { api_key: "${OPENAI_API_KEY}", forward_deadline: none }
  ollama: {}
targets:
  fast: { provider: openai, model: gpt-4o-mini, first_token_timeout: 5s, unary_timeout: 20s, max_concurrency: 32 }
  big: { provider: openai, model: gpt-4.1, reserve: 25%, usage: inject }
  local: { provider: ollama, model: "qwen3:8b", headers: { x-team: "agents" } }
routes:
  chat:
    aliases: [ gpt-4o ]
    deadline: 60s
    plan:
      fallback:
        - fast
        - retry: { of: { use: big, first_token_timeout: 10s, unary_timeout: 10s }, max_attempts: 2, initial: 100ms }
        - { use: local, first_token_timeout: 30s }
  turns: { plan: { round_robin: [ fast, big ] } }
  list: { plan: [ fast, local ], fallback_on: [ +invalid_request ] }
  "openai/*": { plan: { pass: openai } }
telemetry:
  log: on
  otlp: { endpoint: "http://127.0.0.1:4318", sample: 0.5 }
"#;

/// Each is wrong in one place.
pub const WRONG: &[&str] = &[
    "serve: { listen: 127.0.0.1:1 }",
    "server: { request_deadline: 5 }",
    "server: { max_body_bytes: 12 }",
    "targets: { a: { modl: x } }",
    "targets: { a: { max_concurrency: many } }",
    "providers: { a: { dialect: gemni } }",
    "routes: { r: { plan: { retries: { of: a } } } }",
    "routes: { r: { plan: [] } }",
    "routes: { r: { commit_on: tool } }",
    "telemetry: { log: perhaps }",
    "compat: litellm",
];
