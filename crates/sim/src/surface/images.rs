//! `/v1/images/generations` in OpenAI's form: always unary, one picture of one pixel.

use super::CREATED;

/// A transparent PNG of 1 × 1.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

pub(super) fn whole() -> String {
    format!(r#"{{"created":{CREATED},"data":[{{"b64_json":"{PIXEL}"}}]}}"#)
}
