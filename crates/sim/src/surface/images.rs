//! Pictures: `/v1/images/generations` in OpenAI's form, `/image-model` in the Vercel AI Gateway's.
//!
//! Both are always unary and give as many pictures of one pixel as were asked for. The gateway's form has
//! its model in the header `ai-model-id` and answers with bare base64 texts.

use super::CREATED;
use crate::ask::Ask;

/// A transparent PNG of 1 × 1.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

pub(super) fn whole(ask: &Ask) -> String {
    let data = vec![format!(r#"{{"b64_json":"{PIXEL}"}}"#); ask.inputs].join(",");
    format!(r#"{{"created":{CREATED},"data":[{data}]}}"#)
}

pub(super) fn gateway(ask: &Ask) -> String {
    let images = vec![format!(r#""{PIXEL}""#); ask.inputs].join(",");
    format!(r#"{{"images":[{images}],"warnings":[],"providerMetadata":{{}}}}"#)
}
