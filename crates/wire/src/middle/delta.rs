//! A step of a streamed answer.

use std::borrow::Cow;

use super::Part;
use crate::{
    Usage,
    dialect::{Durations, Finish},
};

/// One step. Texts are borrowed from the event they stand in.
///
/// `choice` is 0 unless several were asked for; `index` numbers the tool calls of one choice from 0 in
/// the order in which they begin, whatever their numbers are upstream.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Delta<'a> {
    /// What the answer says about itself, at its beginning or as soon as it is known.
    Start(Start<'a>),
    /// Text.
    Text {
        /// Of which choice.
        choice: u32,
        /// Not empty.
        text: Cow<'a, str>,
        /// Log probabilities of chat completions, as they were spelled.
        logprobs: Option<&'a str>,
    },
    /// The words of a refusal.
    Refusal {
        /// Of which choice.
        choice: u32,
        /// Not empty.
        text: Cow<'a, str>,
    },
    /// A thought.
    Reasoning {
        /// Of which choice.
        choice: u32,
        /// Not empty.
        text: Cow<'a, str>,
    },
    /// The signature of the thought that has just been told.
    Signature {
        /// Of which choice.
        choice: u32,
        /// Opaque.
        value: Cow<'a, str>,
    },
    /// A whole thought that is encrypted or redacted.
    Opaque {
        /// Of which choice.
        choice: u32,
        /// Opaque.
        value: Cow<'a, str>,
    },
    /// A tool call begins.
    ToolCall {
        /// Of which choice.
        choice: u32,
        /// Which call.
        index: u32,
        /// Its id; made up by the codec where the dialect has none.
        id: Cow<'a, str>,
        /// The tool.
        name: Cow<'a, str>,
    },
    /// The signature of a call that has begun: what [`ToolCall::signature`](super::ToolCall) is in a
    /// whole answer.
    CallSignature {
        /// Of which choice.
        choice: u32,
        /// Which call.
        index: u32,
        /// Opaque.
        value: Cow<'a, str>,
    },
    /// A piece of a call's input.
    ToolInput {
        /// Of which choice.
        choice: u32,
        /// Which call.
        index: u32,
        /// A fragment of JSON text, not empty.
        json: Cow<'a, str>,
    },
    /// A call is whole. Not every dialect says so; the end says it for all.
    ToolDone {
        /// Of which choice.
        choice: u32,
        /// Which call.
        index: u32,
    },
    /// A whole picture, sound or file.
    Whole {
        /// Of which choice.
        choice: u32,
        /// What it is.
        part: Part,
    },
    /// A citation or annotation of the text, as it was spelled.
    Citation {
        /// Of which choice.
        choice: u32,
        /// A JSON object.
        json: &'a str,
        /// How many characters of the text that was told last it is of, where that is known and not said in
        /// the object.
        reach: Option<usize>,
    },
    /// A choice has its reason to end. Said once a choice unless the upstream says it more often; the
    /// last one counts.
    Finish {
        /// Which choice.
        choice: u32,
        /// Why.
        finish: Finish,
        /// The stop sequence that ended it.
        stop_sequence: Option<Cow<'a, str>>,
    },
    /// Token counts; the last value of each field counts.
    Usage(Usage),
    /// How long the upstream says it took.
    Durations(Durations),
    /// The end condition of the upstream's dialect is met (contract §5.6). Said once; more may follow.
    Ended,
    /// Something that the middle form has no place for, by the name of its kind.
    Lost(&'static str),
}

impl Delta<'_> {
    /// Of which choice it is; `None` for what is said of the whole answer.
    pub fn choice(&self) -> Option<u32> {
        match self {
            Self::Text { choice, .. }
            | Self::Refusal { choice, .. }
            | Self::Reasoning { choice, .. }
            | Self::Signature { choice, .. }
            | Self::Opaque { choice, .. }
            | Self::ToolCall { choice, .. }
            | Self::CallSignature { choice, .. }
            | Self::ToolInput { choice, .. }
            | Self::ToolDone { choice, .. }
            | Self::Whole { choice, .. }
            | Self::Citation { choice, .. }
            | Self::Finish { choice, .. } => Some(*choice),
            Self::Start(_) | Self::Usage(_) | Self::Durations(_) | Self::Ended | Self::Lost(_) => {
                None
            }
        }
    }
}

/// What an answer says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Start<'a> {
    /// The answer's id.
    pub id: Option<Cow<'a, str>>,
    /// The model that answers.
    pub model: Option<Cow<'a, str>>,
    /// Unix seconds.
    pub created: Option<u64>,
}

/// Bytes. Ids and names are far shorter.
const REPEATED: usize = 1024;

impl Start<'_> {
    /// Id and model for a writer that repeats them in every chunk: none that is empty, and none so long that an
    /// upstream could have its answer multiplied by it.
    pub(crate) fn repeated(&self) -> [Option<&str>; 2] {
        let fits = |value: &&str| (1..=REPEATED).contains(&value.len());
        [&self.id, &self.model].map(|value| value.as_deref().filter(fits))
    }
}
