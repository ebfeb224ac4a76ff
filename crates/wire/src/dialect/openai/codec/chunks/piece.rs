//! The `delta` of a chunk, and how far each choice is.
//!
//! A call that is whole and had no input is given an empty object: callers parse what they put together.
//! Elements of lists are numbered along the stream, because the Python SDK refuses to put together lists
//! whose elements have no `index`. A thought that is signed is repeated beside its signature, so that a caller
//! who keeps `reasoning_details` can send it back.

use std::borrow::Cow;

use serde::Serialize;

use super::super::{
    citation,
    form::{self, Audio, Call, Content, Detail, Extra, Function, Image},
    reply::kind,
};
use crate::{
    dialect::Finish,
    middle::{Delta, Json, Part},
};

/// A `delta`.
#[derive(Default, Serialize)]
pub(super) struct Piece<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) role: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) content: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refusal: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_details: Option<[Detail<'a>; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_calls: Option<[Call<'a>; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    annotations: Option<[Json; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    audio: Option<Audio<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    images: Option<[Content<'a>; 1]>,
}

/// A longer thought, in bytes, is told without its signature.
const THOUGHT: usize = 1 << 20;

/// How far one choice is.
#[derive(Default)]
pub(super) struct State {
    /// Its role was written.
    pub(super) begun: bool,
    pub(super) finish: Option<Finish>,
    pub(super) has_calls: bool,
    /// Calls without input so far.
    bare: Vec<u32>,
    /// The thought that is being told: its signature comes at its end.
    thought: String,
    details: usize,
    annotations: usize,
    /// Characters of its text so far.
    said: usize,
    images: usize,
}

/// What a step is for the caller: a piece, or the name of what there is no place for.
pub(super) type Said<'a> = Result<Piece<'a>, String>;

impl State {
    /// The piece that `delta` is; `None` for a step that says nothing.
    pub(super) fn piece<'d>(&mut self, delta: &'d Delta<'_>) -> Option<Said<'d>> {
        let mut piece = Piece::default();
        match delta {
            Delta::Text { text, .. } => {
                self.said = self.said.saturating_add(text.chars().count());
                piece.content = Some(text);
            }
            Delta::Refusal { text, .. } => piece.refusal = Some(text),
            Delta::Reasoning { text, .. } => {
                if self.thought.len() <= THOUGHT {
                    self.thought.push_str(text);
                }
                piece.reasoning_content = Some(text);
            }
            Delta::Signature { value, .. } => {
                let thought = std::mem::take(&mut self.thought);
                if thought.len() > THOUGHT {
                    return Some(Err("reasoning_details".to_owned()));
                }
                let index = next(&mut self.details);
                let detail = Detail::signed(Cow::Owned(thought), value, index);
                piece.reasoning_details = Some([detail]);
            }
            Delta::Opaque { value, .. } => {
                let detail = Detail::opaque(value, None, next(&mut self.details));
                piece.reasoning_details = Some([detail]);
            }
            Delta::ToolCall { .. } | Delta::ToolInput { .. } | Delta::CallSignature { .. } => {
                self.has_calls = true;
                match delta {
                    Delta::ToolCall { index, .. } => self.bare.push(*index),
                    Delta::ToolInput { index, .. } => self.bare.retain(|bare| bare != index),
                    _ => {}
                }
                piece.tool_calls = call(delta).map(|call| [call]);
            }
            Delta::ToolDone { index, .. } => {
                let bare = self.bare.iter().position(|bare| bare == index)?;
                self.bare.swap_remove(bare);
                piece.tool_calls = Some([input(*index, "{}")]);
            }
            Delta::Citation { json, reach, .. } => {
                let place = reach.map(|reach| self.said.saturating_sub(reach)..self.said);
                match citation::annotation(json, Some(self.annotations), place) {
                    Some(annotation) => piece.annotations = Some([annotation]),
                    None => return Some(Err("citations".to_owned())),
                }
                self.annotations += 1;
            }
            Delta::Whole { part, .. } => return Some(self.whole(part)),
            _ => return None,
        }
        Some(Ok(piece))
    }

    fn whole<'d>(&mut self, part: &'d Part) -> Said<'d> {
        let mut piece = Piece::default();
        match part {
            Part::Text { text, .. } => piece.content = Some(text),
            Part::Audio { data, format } => piece.audio = Some(Audio { data, format }),
            Part::Image { source, .. } => {
                let url = form::address(source).ok_or("image_url")?;
                piece.images = Some([Content::ImageUrl {
                    image_url: Image { url, detail: None },
                    index: Some(next(&mut self.images)),
                }]);
            }
            part => return Err(kind(part)),
        }
        Ok(piece)
    }
}

fn call<'d>(delta: &'d Delta<'_>) -> Option<Call<'d>> {
    Some(match delta {
        Delta::ToolCall {
            index, id, name, ..
        } => Call {
            id: Some(id),
            r#type: Some("function"),
            function: Some(Function {
                name: Some(name),
                arguments: "",
            }),
            index: Some(*index),
            ..Call::default()
        },
        Delta::ToolInput { index, json, .. } => input(*index, json),
        // the Python SDK wants a function in every element
        Delta::CallSignature { index, value, .. } => Call {
            extra_content: Some(Extra::signature(value)),
            ..input(*index, "")
        },
        _ => return None,
    })
}

/// A piece of a call's input.
fn input(index: u32, arguments: &str) -> Call<'_> {
    Call {
        index: Some(index),
        function: Some(Function {
            name: None,
            arguments,
        }),
        ..Call::default()
    }
}

/// A number, counted on.
fn next(counter: &mut usize) -> usize {
    let number = *counter;
    *counter += 1;
    number
}
