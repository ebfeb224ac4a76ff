//! Google's Gemini API, also on Vertex AI.
