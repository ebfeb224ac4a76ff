//! What of this API there is with whoever serves it.
//!
//! A cloud that serves Claude in Anthropic's place takes the same questions, but for what Anthropic keeps beside
//! the models: uploaded files, fetching from addresses, tools that run on its side, tiers of service. What a cloud
//! has no place for it refuses, mostly as an extra input, so it is left out of a question that is translated, and
//! named. Sources: "Features not supported" of
//! <https://platform.claude.com/docs/en/build-with-claude/claude-on-amazon-bedrock-legacy> (InvokeModel) and
//! <https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai>.

use crate::{hosted::Host, middle::Source};

/// Who answers the question: Anthropic, or a host.
#[derive(Clone, Copy, Debug)]
pub(super) struct Served(pub(super) Option<Host>);

/// Members of a question of this API that the middle form does not know.
const MEMBERS: [&str; 8] = [
    "cache_control",
    "container",
    "context_management",
    "fallbacks",
    "inference_geo",
    "mcp_servers",
    "speed",
    "user_profile_id",
];

/// Beginnings of the types of tools that run with Anthropic only.
const TOOLS: [&str; 4] = ["advisor_", "code_execution_", "mcp_toolset", "web_fetch_"];

impl Served {
    /// Whether a member of the question that only this API has is known.
    pub(super) fn takes(self, member: &str) -> bool {
        let kept: &[&str] = match self.0 {
            None => &MEMBERS,
            Some(Host::Vertex) => &["cache_control", "context_management"],
            // breakpoints of the blocks are known, one of the whole question is not
            Some(Host::Bedrock) => &["context_management"],
        };
        kept.contains(&member)
    }

    /// Whether a picture or a document can be had from there.
    pub(super) fn reaches(self, source: &Source) -> bool {
        self.0.is_none() || matches!(source, Source::Inline { .. })
    }

    /// Whether a tool of this API can be used.
    pub(super) fn runs(self, tool: &str) -> bool {
        let begins = |kind: &&str| tool.starts_with(kind);
        match self.0 {
            None => true,
            Some(Host::Vertex) => !TOOLS.iter().any(begins),
            Some(Host::Bedrock) => !TOOLS.iter().chain([&"web_search_"]).any(begins),
        }
    }

    /// Whether a tier of service can be asked for. Bedrock's own are not those of this API, and stand in a header.
    pub(super) const fn has_tiers(self) -> bool {
        self.0.is_none()
    }
}
