//! How a surface is served by an API: relayed as it is, or translated.
//!
//! Conversations go through the [`middle`](crate::middle) form. The few APIs that are one question and one
//! answer with nothing in between (embeddings, legacy completions, images) are each translated directly.

use bytes::{Bytes, BytesMut};

use crate::{
    Api, BadBody, Surface, Verdict,
    dialect::{AnswerSummary, anthropic, openai, responses},
    middle::{Asked, Decode, Encode, Lost, Options, SurfaceCodec, UpstreamCodec, summary, unroll},
};

mod converse;
mod flat;
mod own;
#[cfg(test)]
mod tests;

/// The way between a surface and an API.
#[derive(Clone, Copy, Debug)]
pub enum Via {
    /// Bytes through.
    Relay,
    /// Through the middle form.
    Middle(&'static SurfaceCodec, &'static UpstreamCodec),
    /// Directly.
    Flat(&'static Flat),
}

/// A translation without the middle form.
#[derive(Debug)]
pub struct Flat {
    /// Writes the question.
    ///
    /// # Errors
    /// What makes the caller's body unreadable.
    pub request: fn(&[u8], &Options<'_>, &mut Lost) -> Result<Bytes, BadBody>,
    /// Reads an answer and writes it.
    ///
    /// # Errors
    /// The in-band verdict, or [`Class::Malformed`](crate::Class).
    pub answer: fn(&[u8], &Asked) -> Result<Said, Verdict>,
    /// Reader and writer of its streams, where there are any.
    pub stream: Option<Streams>,
}

/// An answer in the caller's words, and what it says.
pub type Said = (Bytes, AnswerSummary);

/// Reader and writer of a stream.
#[derive(Debug)]
pub struct Streams {
    /// Reads the upstream's.
    pub read: fn(u32) -> Box<dyn Decode>,
    /// Writes the caller's.
    pub write: fn(&Asked) -> Box<dyn Encode>,
}

/// A whole answer in the caller's words.
pub struct Translated {
    /// For the caller.
    pub bytes: Bytes,
    /// What it says.
    pub summary: AnswerSummary,
    /// What had no place.
    pub lost: Lost,
}

impl Via {
    /// The way from `surface` to `api`; `None` if there is none.
    pub fn between(surface: Surface, api: Api) -> Option<Self> {
        let same = match api.host() {
            Some(_) => Api::Messages,
            None => api,
        };
        if Api::of(surface) == same {
            return Some(Self::Relay);
        }
        match (surface_codec(surface), api.codec()) {
            (Some(surface), Some(upstream)) => Some(Self::Middle(surface, upstream)),
            _ => flat::between(surface, api).map(Self::Flat),
        }
    }

    /// Whether bytes go through as they are.
    pub const fn is_relay(self) -> bool {
        matches!(self, Self::Relay)
    }

    /// The question for the target; `None` where the caller's own bytes are sent.
    ///
    /// # Errors
    /// What makes the caller's body unreadable.
    pub fn request(
        self,
        body: &Bytes,
        options: &Options<'_>,
        lost: &mut Lost,
    ) -> Result<Option<Bytes>, BadBody> {
        match self {
            Self::Relay => Ok(None),
            Self::Middle(surface, upstream) => {
                let asked = (surface.request)(body)?;
                Ok(Some((upstream.request)(&asked, options, lost)))
            }
            Self::Flat(flat) => (flat.request)(body, options, lost).map(Some),
        }
    }

    /// A whole answer; `None` where the upstream's own bytes are the answer.
    ///
    /// # Errors
    /// The in-band verdict, or [`Class::Malformed`](crate::Class).
    pub fn answer(self, body: &[u8], asked: &Asked) -> Result<Option<Translated>, Verdict> {
        match self {
            Self::Relay => Ok(None),
            Self::Middle(surface, upstream) => {
                let mut answer = (upstream.answer)(body)?;
                let mut lost = std::mem::take(&mut answer.lost);
                let bytes = (surface.answer)(&answer, asked, &mut lost);
                Ok(Some(Translated {
                    bytes,
                    summary: summary(&answer),
                    lost,
                }))
            }
            Self::Flat(flat) => {
                let (bytes, summary) = (flat.answer)(body, asked)?;
                Ok(Some(Translated {
                    bytes,
                    summary,
                    lost: Lost::default(),
                }))
            }
        }
    }

    /// Reader and writer of a stream; `None` where it is relayed.
    pub fn stream(self, choices: u32, asked: &Asked) -> Option<(Box<dyn Decode>, Box<dyn Encode>)> {
        match self {
            Self::Relay => None,
            Self::Middle(surface, upstream) => {
                Some(((upstream.stream)(choices), (surface.stream)(asked)))
            }
            Self::Flat(flat) => {
                let streams = flat.stream.as_ref()?;
                Some(((streams.read)(choices), (streams.write)(asked)))
            }
        }
    }

    /// A whole answer as a stream, for a caller that asked for one and an upstream that gave none: a stream of
    /// `surface`, or where bytes go through one of `api` itself, in its framing as it is
    /// [written](crate::frame::Framing::written).
    ///
    /// # Errors
    /// The in-band verdict, or [`Class::Malformed`](crate::Class).
    pub fn as_stream(
        self,
        surface: Surface,
        api: Api,
        body: &Bytes,
        asked: &Asked,
    ) -> Result<Translated, Verdict> {
        let (bytes, summary) = match self {
            Self::Middle(codec, upstream) => return unrolled(codec, upstream, body, asked),
            Self::Relay => match own::codecs(api) {
                Some((codec, upstream)) => return unrolled(codec, upstream, body, asked),
                None => own::stream(surface, api, body)?,
            },
            Self::Flat(flat) => {
                let (bytes, summary) = (flat.answer)(body, asked)?;
                (openai::to_stream(surface, &bytes)?, summary)
            }
        };
        Ok(Translated {
            bytes,
            summary,
            lost: Lost::default(),
        })
    }
}

/// A whole answer as the steps of a stream, written by `codec`.
fn unrolled(
    codec: &SurfaceCodec,
    upstream: &UpstreamCodec,
    body: &Bytes,
    asked: &Asked,
) -> Result<Translated, Verdict> {
    let mut answer = (upstream.answer)(body)?;
    let mut encode = (codec.stream)(asked);
    let mut out = BytesMut::new();
    unroll(&answer, &mut |delta| encode.delta(&delta, &mut out));
    if let Some(verdict) = encode.failure() {
        return Err(verdict);
    }
    encode.close(&mut out);
    let mut lost = std::mem::take(&mut answer.lost);
    lost.merge(encode.lost().clone());
    Ok(Translated {
        bytes: out.freeze(),
        summary: summary(&answer),
        lost,
    })
}

/// The codec of a surface that holds conversations.
pub const fn surface_codec(surface: Surface) -> Option<&'static SurfaceCodec> {
    match surface {
        Surface::Chat => Some(&openai::codec::SURFACE),
        Surface::Responses => Some(&responses::SURFACE),
        Surface::Messages => Some(&anthropic::SURFACE),
        _ => None,
    }
}
