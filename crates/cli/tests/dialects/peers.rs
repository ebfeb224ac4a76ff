//! The upstream side: each dialect with the words that put it into a configuration.

/// A dialect that holds conversations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    Openai,
    Generic,
    Responses,
    Azure,
    Openrouter,
    Ollama,
    Anthropic,
    Gemini,
    Vertex,
    /// Claude on Vertex AI.
    VertexClaude,
    Bedrock,
    /// Claude on Bedrock by InvokeModel.
    BedrockInvoke,
}

pub const PEERS: [Peer; 12] = [
    Peer::Openai,
    Peer::Generic,
    Peer::Responses,
    Peer::Azure,
    Peer::Openrouter,
    Peer::Ollama,
    Peer::Anthropic,
    Peer::Gemini,
    Peer::Vertex,
    Peer::VertexClaude,
    Peer::Bedrock,
    Peer::BedrockInvoke,
];

impl Peer {
    /// Dialect and site, and what stands between the simulator's origin and the dialect's paths.
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Openai => ("openai", "/v1"),
            Self::Generic => ("generic", "/v1"),
            Self::Responses => ("responses", "/v1"),
            Self::Azure => ("azure", ""),
            Self::Openrouter => ("openrouter", "/api/v1"),
            Self::Ollama => ("ollama", ""),
            Self::Anthropic => ("anthropic", "/v1"),
            Self::Gemini => ("gemini", "/v1beta"),
            Self::Vertex | Self::VertexClaude => ("vertex, project: p, location: l", "/v1"),
            Self::Bedrock => ("bedrock, region: us-east-1", ""),
            Self::BedrockInvoke => ("bedrock, region: us-east-1, api: invoke", ""),
        }
    }

    /// What documentation calls it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Openai => "`openai`",
            Self::Generic => "`generic`",
            Self::Responses => "`responses`",
            Self::Azure => "`azure`",
            Self::Openrouter => "`openrouter`",
            Self::Ollama => "`ollama`",
            Self::Anthropic => "`anthropic`",
            Self::Gemini => "`gemini`",
            Self::Vertex => "`vertex`",
            Self::VertexClaude => "Claude on `vertex`",
            Self::Bedrock => "`bedrock`",
            Self::BedrockInvoke => "`bedrock`, `api: invoke`",
        }
    }

    /// The model's name there; a publisher is told by it.
    pub fn model(self, name: &str) -> String {
        match self {
            Self::VertexClaude => format!("claude-sonnet-4-5-{name}"),
            Self::BedrockInvoke => format!("us.anthropic.claude-sonnet-4-5-{name}-v1:0"),
            _ => name.to_owned(),
        }
    }

    /// A target with a credential of its own, as what is said about a credential says it of all its targets.
    pub fn target(self, name: &str, origin: &str, more: &str) -> String {
        let (dialect, base) = self.words();
        let model = self.model(name);
        format!(
            "  {name}: {{ dialect: {dialect}, base_url: \"{origin}{base}\", api_key: key-of-{name}, model: \"{model}\"{more} }}\n"
        )
    }

    /// An error body with this message, which no code explains.
    pub fn error(self, status: u16, message: &str) -> String {
        match self {
            Self::Ollama => format!(r#"{{"error":"{message}"}}"#),
            Self::Anthropic | Self::VertexClaude => format!(
                r#"{{"type":"error","error":{{"type":"invalid_request_error","message":"{message}"}}}}"#
            ),
            Self::Gemini | Self::Vertex => format!(
                r#"{{"error":{{"code":{status},"message":"{message}","status":"INVALID_ARGUMENT"}}}}"#
            ),
            Self::Bedrock | Self::BedrockInvoke => format!(r#"{{"message":"{message}"}}"#),
            _ => format!(
                r#"{{"error":{{"message":"{message}","type":"invalid_request_error","param":null,"code":null}}}}"#
            ),
        }
    }
}
