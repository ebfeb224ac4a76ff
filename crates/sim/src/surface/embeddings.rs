//! `/v1/embeddings` in OpenAI's form: always unary, one small vector per input.
//!
//! The values are exact binary fractions, so that a gateway which re-serialises numbers shows it by no
//! accident of rounding.

use super::PROMPT_TOKENS;
use crate::ask::Ask;

pub(super) fn whole(ask: &Ask) -> String {
    let data: Vec<String> = (0..ask.inputs)
        .map(|i| format!(r#"{{"object":"embedding","index":{i},"embedding":[0.25,-0.5,0.125]}}"#))
        .collect();
    let (data, model) = (data.join(","), ask.model_json());
    format!(
        r#"{{"object":"list","data":[{data}],"model":{model},"usage":{{"prompt_tokens":{PROMPT_TOKENS},"total_tokens":{PROMPT_TOKENS}}}}}"#
    )
}
