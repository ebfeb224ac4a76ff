//! How the frames of a stream are read: judged and passed on as they came, or judged and written anew in the
//! caller's words.
//!
//! A writer that has kept much takes long for a step that has it written once more. Such a step, and what comes
//! behind it, is [owed](Reading::owes) until somebody has the time.

use bytes::{Bytes, BytesMut};
use punctual_core::Summary;
use punctual_wire::{
    dialect::{Judge, Judged, Kind},
    frame::Frame,
    middle::{Decode, Derived, Encode, Lost},
    state::Told,
};

use super::owed::Owed;
use crate::dialect;

/// A stream being read.
pub(super) enum Reading {
    /// Relayed byte for byte.
    Relayed {
        judge: Box<dyn Judge>,
        /// What stays with the provider.
        told: Option<Told>,
    },
    /// Translated step by step.
    Translated {
        judge: Box<Derived>,
        encode: Box<dyn Encode>,
        owed: Owed,
        closed: bool,
    },
}

impl Reading {
    pub(super) fn translated(decode: Box<dyn Decode>, encode: Box<dyn Encode>) -> Self {
        Self::Translated {
            judge: Box::new(Derived::new(decode)),
            encode,
            owed: Owed::default(),
            closed: false,
        }
    }

    /// Judges a frame. The bytes are those to send in place of its own; `None` where its own are sent.
    pub(super) fn read(&mut self, frame: &Frame) -> (Judged, Option<Bytes>) {
        match self {
            Self::Relayed { judge, told } => {
                if let Some(told) = told
                    && let Some(data) = frame.data()
                {
                    told.event(&data);
                }
                (judge.judge(frame), None)
            }
            Self::Translated {
                judge,
                encode,
                owed,
                closed,
            } => {
                let mut out = BytesMut::new();
                let judged = judge.read(frame, &mut |delta| {
                    if !*closed {
                        owed.step(delta, encode.as_mut(), &mut out);
                    }
                });
                if let Some(verdict) = encode.failure() {
                    *closed = true;
                    let failed = Judged::plain(Kind::Error(verdict));
                    return (failed, Some(Bytes::new()));
                }
                if judged.done && !*closed {
                    *closed = true;
                    owed.close(encode.as_mut(), &mut out);
                }
                (judged, Some(out.freeze()))
            }
        }
    }

    /// Whether something of what was read is still to be written, by [`pay`](Self::pay).
    pub(super) fn owes(&self) -> bool {
        matches!(self, Self::Translated { owed, .. } if !owed.is_none())
    }

    /// Writes what is owed of a frame behind what [`read`](Self::read) gave for it.
    pub(super) fn pay(&mut self, read: (Judged, Option<Bytes>)) -> (Judged, Option<Bytes>) {
        let Self::Translated {
            encode,
            owed,
            closed,
            ..
        } = self
        else {
            return read;
        };
        let (judged, written) = read;
        let mut out = BytesMut::from(written.unwrap_or_default());
        owed.pay(encode.as_mut(), &mut out);
        match encode.failure() {
            Some(verdict) => {
                *closed = true;
                let failed = Judged::plain(Kind::Error(verdict));
                (failed, Some(Bytes::new()))
            }
            None => (judged, Some(out.freeze())),
        }
    }

    /// Judges that the body has ended where it should; `None` if that tells nothing.
    pub(super) fn over(&mut self) -> Option<(Judged, Bytes)> {
        match self {
            Self::Relayed { .. } => None,
            Self::Translated { closed: true, .. } => None,
            Self::Translated { judge, encode, .. } => {
                let mut out = BytesMut::new();
                let judged = judge.over(&mut |delta| encode.delta(delta, &mut out));
                judged.ends.map(|_| (judged, out.freeze()))
            }
        }
    }

    /// What ends a complete stream, if it was not written yet; `None` where streams are relayed.
    pub(super) fn close(&mut self) -> Option<Bytes> {
        match self {
            Self::Relayed { .. } => None,
            Self::Translated { encode, closed, .. } => {
                let mut out = BytesMut::new();
                if !std::mem::replace(closed, true) {
                    encode.close(&mut out);
                }
                Some(out.freeze())
            }
        }
    }

    /// Pieces of state that the target has made since this was asked last.
    pub(super) fn take_state(&mut self) -> Vec<u64> {
        match self {
            Self::Relayed { judge, told } => {
                let mut state = judge.take_state();
                state.extend(told.iter_mut().flat_map(Told::take));
                state
            }
            Self::Translated { judge, .. } => judge.take_state(),
        }
    }

    pub(super) fn summary(&self) -> Summary {
        match self {
            Self::Relayed { judge, .. } => dialect::tally(&judge.tally()),
            Self::Translated { judge, .. } => dialect::tally(&judge.tally()),
        }
    }

    /// Bytes that are kept for what is written last.
    pub(super) fn kept(&self) -> usize {
        match self {
            Self::Relayed { .. } => 0,
            Self::Translated { encode, .. } => encode.kept(),
        }
    }

    /// Whether what comes is written anew.
    pub(super) fn translates(&self) -> bool {
        matches!(self, Self::Translated { .. })
    }

    /// What the caller's API had no place for.
    pub(super) fn lost(&self) -> Option<&Lost> {
        match self {
            Self::Relayed { .. } => None,
            Self::Translated { encode, .. } => Some(encode.lost()),
        }
    }
}
