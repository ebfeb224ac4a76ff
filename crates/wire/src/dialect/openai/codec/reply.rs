//! Writing a whole answer.
//!
//! OpenAI's members in OpenAI's order, and beside them what its callers know from other servers:
//! `reasoning_content`, `reasoning_details` for what proves or hides a thought, `images`.

use std::{borrow::Cow, ops::Range};

use bytes::Bytes;
use serde::Serialize;

use super::{
    citation, finish,
    form::{self, Audio, Call, Content, Detail, Extra, Image, Usage},
};
use crate::middle::{self, Answer, Asked, Json, Lost, Part};

#[derive(Serialize)]
struct Completion<'a> {
    id: String,
    object: &'static str,
    created: u64,
    model: &'a str,
    choices: Vec<Choice<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Usage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    service_tier: Option<&'a str>,
}

#[derive(Serialize)]
struct Choice<'a> {
    index: u32,
    message: Message<'a>,
    logprobs: Option<&'a Json>,
    finish_reason: &'static str,
}

#[derive(Default, Serialize)]
struct Message<'a> {
    role: &'static str,
    content: Option<String>,
    refusal: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasoning_details: Vec<Detail<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Call<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    annotations: Vec<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    audio: Option<Audio<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    images: Vec<Content<'a>>,
    /// Characters of the content.
    #[serde(skip)]
    length: usize,
}

/// Writes `answer` as a chat completion.
pub(super) fn write(answer: &Answer, asked: &Asked, lost: &mut Lost) -> Bytes {
    let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    let completion = Completion {
        id: given(&answer.id).unwrap_or_else(|| format!("chatcmpl-{}", asked.id)),
        object: "chat.completion",
        created: answer.created.unwrap_or(asked.now),
        model: answer.model.as_deref().unwrap_or(&asked.model),
        choices: answer.choices.iter().map(|c| choice(c, lost)).collect(),
        usage: answer.usage.as_ref().map(Usage::of),
        service_tier: answer.service_tier.as_deref(),
    };
    lost.merge(answer.lost.clone());
    // strings, numbers and JSON values always serialise
    serde_json::to_vec(&completion).unwrap_or_default().into()
}

fn choice<'a>(choice: &'a middle::Choice, lost: &mut Lost) -> Choice<'a> {
    let mut message = Message {
        role: "assistant",
        ..Message::default()
    };
    for part in &choice.parts {
        message.part(part, lost);
    }
    let says_nothing = message.tool_calls.is_empty() && message.refusal.is_none();
    if message.content.is_none() && says_nothing {
        message.content = Some(String::new());
    }
    if choice.stop_sequence.is_some() {
        lost.parameter("stop_sequence");
    }
    Choice {
        index: choice.index,
        logprobs: choice.logprobs.as_ref(),
        finish_reason: finish::word(choice.finish.as_ref(), !message.tool_calls.is_empty()),
        message,
    }
}

impl<'a> Message<'a> {
    fn part(&mut self, part: &'a Part, lost: &mut Lost) {
        let add = |place: &mut Option<String>, text: &str| {
            place.get_or_insert_default().push_str(text);
        };
        match part {
            Part::Text {
                text, citations, ..
            } => {
                add(&mut self.content, text);
                let begin = self.length;
                self.length = begin.saturating_add(text.chars().count());
                if let Some(citations) = citations {
                    self.cite(citations, begin..self.length, lost);
                }
            }
            Part::Refusal { text } => add(&mut self.refusal, text),
            Part::Reasoning {
                text,
                signature,
                opaque,
                id,
            } => {
                if !text.is_empty() {
                    add(&mut self.reasoning_content, text);
                }
                let details = &mut self.reasoning_details;
                if let Some(signature) = signature {
                    let text = Cow::Borrowed(text.as_str());
                    details.push(Detail::signed(text, signature, details.len()));
                }
                if let Some(opaque) = opaque {
                    details.push(Detail::opaque(opaque, id.as_deref(), details.len()));
                }
            }
            Part::ToolCall(call) => self.tool_calls.push(Call {
                extra_content: call.signature.as_deref().map(Extra::signature),
                ..Call::whole(call)
            }),
            Part::Image { source, .. } => match form::address(source) {
                Some(url) => self.images.push(Content::ImageUrl {
                    image_url: Image { url, detail: None },
                    index: Some(self.images.len()),
                }),
                None => lost.content("image_url"),
            },
            Part::Audio { data, format } if self.audio.is_none() => {
                self.audio = Some(Audio { data, format });
            }
            Part::ToolResult(_) => lost.content("tool_result"),
            part => lost.content(kind(part)),
        }
    }

    fn cite(&mut self, citations: &Json, place: Range<usize>, lost: &mut Lost) {
        let mut all = Vec::new();
        if !crate::json::elements(citations.as_str(), |one| all.push(one)) {
            all.push(citations.as_str());
        }
        for one in all {
            match citation::annotation(one, None, Some(place.clone())) {
                Some(annotation) => self.annotations.push(annotation),
                None => lost.content("citations"),
            }
        }
    }
}

/// What a part of an answer is called when it is lost.
pub(super) fn kind(part: &Part) -> String {
    match part {
        Part::Other { kind, .. } => kind.clone(),
        Part::File { .. } => "file".to_owned(),
        Part::Audio { .. } => "audio".to_owned(),
        _ => "other".to_owned(),
    }
}
