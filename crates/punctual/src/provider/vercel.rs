//! Clients of Vercel.

use super::{Wire, client, speech};
use crate::leaf::{Key, Spec};
use punctual_upstream::Dialect;
use std::sync::Arc;

client! {
    /// Pictures by any model behind Vercel's AI Gateway: the last text of the call is the prompt, the answer's
    /// parts are the pictures. Does not stream. The key comes from `AI_GATEWAY_API_KEY` unless set.
    AiGatewayImage
}

impl AiGatewayImage {
    /// For this model, such as `google/imagen-4.0-generate-001`.
    pub fn new(model: impl Into<Arc<str>>) -> Self {
        let (base, key) = (
            "https://ai-gateway.vercel.sh/v3/ai",
            Key::Env("AI_GATEWAY_API_KEY".into()),
        );
        let dialect = Dialect::VercelImages;
        let spec = Spec::new(
            "vercel_image",
            dialect,
            speech::TRANSLATED_PICTURES,
            base,
            key,
            model,
        );
        Self(Wire::new(spec))
    }
}
