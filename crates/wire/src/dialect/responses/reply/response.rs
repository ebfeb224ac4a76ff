//! The response object: what the official SDKs demand of it, and nothing that is not known.
//!
//! Its members repeat what the request asked for; a translation answers with the values that mean "not
//! said", and does not store anything.

use serde::Serialize;

use super::{super::usage::Counts, item::Item};
use crate::{dialect::Finish, middle::Asked};

/// A response, in the order of members of the API's reference.
#[derive(Debug, Serialize)]
pub(super) struct Response<'a> {
    pub(super) id: &'a str,
    pub(super) object: &'static str,
    pub(super) created_at: u64,
    pub(super) status: &'static str,
    pub(super) background: bool,
    pub(super) error: (),
    pub(super) incomplete_details: Option<Details>,
    pub(super) instructions: (),
    pub(super) max_output_tokens: (),
    pub(super) model: &'a str,
    pub(super) output: &'a [Item],
    pub(super) parallel_tool_calls: bool,
    pub(super) previous_response_id: (),
    pub(super) reasoning: (),
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) service_tier: Option<&'a str>,
    pub(super) store: bool,
    pub(super) temperature: (),
    pub(super) text: Text,
    pub(super) tool_choice: &'static str,
    pub(super) tools: [(); 0],
    pub(super) top_p: (),
    pub(super) truncation: &'static str,
    pub(super) usage: Option<Counts>,
    pub(super) user: (),
    pub(super) metadata: (),
}

impl Default for Response<'_> {
    fn default() -> Self {
        Self {
            id: "",
            object: "response",
            created_at: 0,
            status: "in_progress",
            background: false,
            error: (),
            incomplete_details: None,
            instructions: (),
            max_output_tokens: (),
            model: "",
            output: &[],
            parallel_tool_calls: true,
            previous_response_id: (),
            reasoning: (),
            service_tier: None,
            store: false,
            temperature: (),
            text: Text::default(),
            tool_choice: "auto",
            tools: [],
            top_p: (),
            truncation: "disabled",
            usage: None,
            user: (),
            metadata: (),
        }
    }
}

/// Why a response is incomplete.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Details {
    reason: &'static str,
}

/// The form of the answer's text.
#[derive(Debug, Default, Serialize)]
pub(super) struct Text {
    format: Format,
}

#[derive(Debug, Serialize)]
struct Format {
    pub(super) r#type: &'static str,
}

impl Default for Format {
    fn default() -> Self {
        Self { r#type: "text" }
    }
}

/// The upstream's id if it is one of this API, else one made of the gateway's.
pub(super) fn id(upstream: Option<&str>, asked: &Asked) -> String {
    let own = upstream.filter(|id| id.starts_with("resp_"));
    own.map_or_else(|| format!("resp_{}", asked.id), Into::into)
}

/// The status of an answer that ended so, and why it is not complete.
pub(super) fn ending(finish: Option<&Finish>) -> (&'static str, Option<Details>) {
    let reason = match finish {
        Some(Finish::Length) => "max_output_tokens",
        Some(Finish::ContentFilter) => "content_filter",
        _ => return ("completed", None),
    };
    ("incomplete", Some(Details { reason }))
}
