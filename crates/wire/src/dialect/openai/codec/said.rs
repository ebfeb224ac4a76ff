//! What a message or a delta says, piece by piece.
//!
//! Providers have many places for the same thing: reasoning stands in `reasoning_content`, `reasoning`,
//! `reasoning_details` or in parts of `content`, and some repeat it in two of them. Each thing is told once.
//! What is told here is content exactly where the relay's judge sees content.

use std::borrow::Cow;

use super::{calls::Fragment, loose};
use crate::{json, middle::Part};

mod part;

use part::{DEPTH, Under, parts};

/// The members of a message or a delta, as they are spelled.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Said<'a> {
    content: Option<&'a str>,
    refusal: Option<&'a str>,
    reasoning_content: Option<&'a str>,
    reasoning: Option<&'a str>,
    details: Option<&'a str>,
    calls: Option<&'a str>,
    call: Option<&'a str>,
    audio: Option<&'a str>,
    images: Option<&'a str>,
    annotations: Option<&'a str>,
}

/// One thing that is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    Text(Cow<'a, str>),
    Refusal(Cow<'a, str>),
    Reasoning(Cow<'a, str>),
    Signature(Cow<'a, str>),
    Opaque(Cow<'a, str>),
    Call(Fragment<'a>),
    Whole(Part),
    Citation(&'a str),
    Lost(&'static str),
}

type Each<'e, 'a> = &'e mut dyn FnMut(Piece<'a>);

impl<'a> json::Sink<'a> for Said<'a> {
    fn member(&mut self, key: &[u8], value: json::Value<'_, 'a>) -> Result<(), json::Fault> {
        let place = match key {
            b"content" => &mut self.content,
            b"refusal" => &mut self.refusal,
            b"reasoning_content" => &mut self.reasoning_content,
            b"reasoning" => &mut self.reasoning,
            b"reasoning_details" => &mut self.details,
            b"tool_calls" => &mut self.calls,
            b"function_call" => &mut self.call,
            b"audio" => &mut self.audio,
            b"images" => &mut self.images,
            b"annotations" => &mut self.annotations,
            _ => return value.skip(),
        };
        *place = value.given()?;
        Ok(())
    }
}

impl<'a> Said<'a> {
    /// Reads a message or a delta; `None` if it is not an object.
    pub(super) fn read(value: json::Value<'_, 'a>) -> Result<Option<Self>, json::Fault> {
        let mut said = Self::default();
        Ok(value.object(&mut said)?.then_some(said))
    }

    /// Tells all of it: thoughts first, then text, then what else there is.
    pub(super) fn pieces(&self, each: Each<'_, 'a>) {
        self.thoughts(each);
        let told = [
            (self.content, Under::Text),
            (self.refusal, Under::Refusal),
            (self.images, Under::Text),
        ];
        for (value, under) in told {
            parts(value.unwrap_or_default(), under, DEPTH, each);
        }
        self.sound(each);
        json::elements(self.calls.unwrap_or_default(), |call| {
            each(Piece::Call(Fragment::read(call)));
        });
        if let Some(call) = self.call.filter(|call| json::is_object(call)) {
            each(Piece::Call(Fragment::legacy(call)));
        }
        json::elements(self.annotations.unwrap_or_default(), |annotation| {
            if json::is_object(annotation) {
                each(Piece::Citation(annotation));
            }
        });
    }

    /// OpenRouter repeats in `reasoning` the words of `reasoning_details`, some vLLM servers
    /// `reasoning_content` in `reasoning`. Signatures come after the words that they sign.
    fn thoughts(&self, each: Each<'_, 'a>) {
        let mut details = Vec::new();
        let listed = self.details.unwrap_or_default();
        parts(listed, Under::Reasoning, DEPTH, &mut |p| details.push(p));
        let mut told = details.iter().any(|p| matches!(p, Piece::Reasoning(_)));
        for words in [self.reasoning_content, self.reasoning] {
            if told {
                break;
            }
            let mut tell = |piece: Piece<'a>| {
                told |= matches!(piece, Piece::Reasoning(_));
                each(piece);
            };
            let words = words.unwrap_or_default();
            parts(words, Under::Reasoning, DEPTH, &mut tell);
        }
        details.into_iter().for_each(each);
    }

    /// The words of a sound are text: a caller that cannot hear still reads them.
    fn sound(&self, each: Each<'_, 'a>) {
        let names = ["data", "transcript", "id"];
        let Some([data, transcript, id]) = self.audio.and_then(|a| json::members(a, &names)) else {
            return;
        };
        if let Some(text) = transcript.and_then(loose::text) {
            each(Piece::Text(text));
        }
        if let Some(data) = data.and_then(loose::text) {
            let (data, format) = (data.into_owned(), String::new());
            each(Piece::Whole(Part::Audio { data, format }));
        }
        if id.is_some_and(json::is_text) {
            each(Piece::Lost("audio.id"));
        }
    }
}
