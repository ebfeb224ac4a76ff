//! Ollama's own API.
