//! The OpenAI-compatible dialect: chat completions, completions, embeddings.
//!
//! Spoken by OpenAI, Azure, OpenRouter, DeepSeek, Groq, Mistral, xAI, Together, vLLM, llama.cpp,
//! Perplexity and many more, each with its own oddities; all of them are read here, leniently:
//! a member that is absent, `null`, empty or of a surprising type is no reason to fail. What
//! counts as content is written once, in `content`, for streams and for whole answers.

mod answer;
mod choice;
mod chunk;
pub mod codec;
mod content;
mod convert;
mod failure;
mod glance;
mod stream;
#[cfg(test)]
mod tests;

pub use answer::judge_answer;
pub use convert::to_stream;
pub use stream::Judge;
