//! Text, thoughts and whole blocks.

use bytes::BytesMut;
use serde_json::value::RawValue;

use super::{
    super::{blocks::Block, words},
    Events, Open,
    event::Piece,
};

impl Events {
    pub(super) fn text(&mut self, text: &str, out: &mut BytesMut) {
        if !matches!(self.open, Some(Open::Text)) {
            self.settle(out);
            self.start(&Block::text(""), Open::Text, out);
        }
        self.piece(Piece::Text { text }, out);
    }

    pub(super) fn thought(&mut self, thinking: &str, out: &mut BytesMut) {
        self.think(out);
        self.piece(Piece::Thought { thinking }, out);
    }

    pub(super) fn signature(&mut self, signature: &str, out: &mut BytesMut) {
        self.think(out);
        self.piece(Piece::Signature { signature }, out);
        self.open = Some(Open::Thought { signed: true });
    }

    /// Opens a thought, unless there is one that is not signed yet.
    fn think(&mut self, out: &mut BytesMut) {
        if matches!(self.open, Some(Open::Thought { signed: false })) {
            return;
        }
        self.settle(out);
        let block = Block::Thinking {
            thinking: "".into(),
            signature: "".into(),
        };
        self.start(&block, Open::Thought { signed: false }, out);
    }

    pub(super) fn citation(&mut self, json: &str, out: &mut BytesMut) {
        let citation = serde_json::from_str::<&RawValue>(json).ok();
        match citation.filter(|_| words::is_citation(json)) {
            Some(citation) if matches!(self.open, Some(Open::Text)) => {
                self.piece(Piece::Citation { citation }, out);
            }
            _ => self.lost.content("citations"),
        }
    }

    pub(super) fn whole(&mut self, block: &Block<'_>, out: &mut BytesMut) {
        self.settle(out);
        self.start(block, Open::Text, out);
        self.stop(out);
    }
}
