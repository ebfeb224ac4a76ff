//! Text, thoughts and whole blocks.

use bytes::BytesMut;
use serde_json::value::RawValue;

use super::{
    super::{blocks::Block, words},
    Events, Open,
    event::Piece,
    queue::Content,
};

impl Events {
    /// Tells content, once the call before it is whole.
    pub(super) fn say(&mut self, content: Content<'_>, out: &mut BytesMut) {
        match self.is_busy() {
            true => self.queue.content(content),
            false => self.tell(&content, out),
        }
    }

    pub(super) fn tell(&mut self, content: &Content<'_>, out: &mut BytesMut) {
        match content {
            Content::Text(text) => self.text(text, out),
            Content::Thought(thinking) => {
                self.think(out);
                self.piece(Piece::Thought { thinking }, out);
            }
            Content::Signature(signature) => {
                self.think(out);
                self.piece(Piece::Signature { signature }, out);
                self.open = Some(Open::Thought { signed: true });
            }
            Content::Redacted(data) => {
                let data = data.as_ref().into();
                self.whole(&Block::RedactedThinking { data }, out);
            }
            Content::Citation(json) => self.citation(json, out),
            Content::Whole(value) => self.whole(&Block::Other(value), out),
        }
    }

    fn text(&mut self, text: &str, out: &mut BytesMut) {
        if !matches!(self.open, Some(Open::Text)) {
            self.stop(out);
            self.start(&Block::text(""), Open::Text, out);
        }
        self.piece(Piece::Text { text }, out);
    }

    /// Opens a thought, unless there is one that is not signed yet.
    fn think(&mut self, out: &mut BytesMut) {
        if matches!(self.open, Some(Open::Thought { signed: false })) {
            return;
        }
        self.stop(out);
        let block = Block::Thinking {
            thinking: "".into(),
            signature: "".into(),
        };
        self.start(&block, Open::Thought { signed: false }, out);
    }

    fn citation(&mut self, json: &str, out: &mut BytesMut) {
        let citation = serde_json::from_str::<&RawValue>(json).ok();
        match citation.filter(|_| words::is_citation(json)) {
            Some(citation) if matches!(self.open, Some(Open::Text)) => {
                self.piece(Piece::Citation { citation }, out);
            }
            _ => self.lost.content("citations"),
        }
    }

    fn whole(&mut self, block: &Block<'_>, out: &mut BytesMut) {
        self.stop(out);
        self.start(block, Open::Text, out);
        self.stop(out);
    }
}
