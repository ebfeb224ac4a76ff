//! Providers whose address need not be written, because their name says it.
//!
//! Data only: a name, the dialect its API speaks, where it is, and the environment variable in which its
//! users keep their key. `providers: { groq: { api_key: ${GROQ_API_KEY} } }` is then a whole provider,
//! and without a file the same table says what the environment offers.

use crate::raw::Dialect;

/// One well-known provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// Its name in `providers`.
    pub name: &'static str,
    /// What it speaks.
    pub dialect: Dialect,
    /// Where it is.
    pub base_url: &'static str,
    /// Where its users keep their key; `None` for servers that need none.
    pub key: Option<&'static str>,
}

const fn hosted(name: &'static str, base_url: &'static str, key: &'static str) -> Known {
    Known {
        name,
        dialect: Dialect::Openai,
        base_url,
        key: Some(key),
    }
}

const fn of(
    name: &'static str,
    dialect: Dialect,
    base_url: &'static str,
    key: Option<&'static str>,
) -> Known {
    Known {
        name,
        dialect,
        base_url,
        key,
    }
}

const fn local(name: &'static str, base_url: &'static str) -> Known {
    Known {
        name,
        dialect: Dialect::Generic,
        base_url,
        key: None,
    }
}

/// All of them. Addresses are those of each provider's own API reference; the local ones are the default
/// ports of the servers.
pub const PROVIDERS: &[Known] = &[
    hosted("openai", "https://api.openai.com/v1", "OPENAI_API_KEY"),
    of(
        "anthropic",
        Dialect::Anthropic,
        "https://api.anthropic.com/v1",
        Some("ANTHROPIC_API_KEY"),
    ),
    of(
        "gemini",
        Dialect::Gemini,
        "https://generativelanguage.googleapis.com/v1beta",
        Some("GEMINI_API_KEY"),
    ),
    of(
        "openrouter",
        Dialect::Openrouter,
        "https://openrouter.ai/api/v1",
        Some("OPENROUTER_API_KEY"),
    ),
    hosted("groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    hosted("mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    hosted(
        "deepseek",
        "https://api.deepseek.com/v1",
        "DEEPSEEK_API_KEY",
    ),
    hosted(
        "together",
        "https://api.together.xyz/v1",
        "TOGETHER_API_KEY",
    ),
    hosted("xai", "https://api.x.ai/v1", "XAI_API_KEY"),
    hosted(
        "fireworks",
        "https://api.fireworks.ai/inference/v1",
        "FIREWORKS_API_KEY",
    ),
    hosted("cerebras", "https://api.cerebras.ai/v1", "CEREBRAS_API_KEY"),
    of("ollama", Dialect::Ollama, "http://127.0.0.1:11434", None),
    local("llamacpp", "http://127.0.0.1:8080/v1"),
    local("lmstudio", "http://127.0.0.1:1234/v1"),
    local("vllm", "http://127.0.0.1:8000/v1"),
];

/// The provider of that name.
#[must_use]
pub fn provider(name: &str) -> Option<&'static Known> {
    PROVIDERS.iter().find(|p| p.name == name)
}
