//! Tool calls, one after the other, and what waits behind them (see [`queue`](super::queue)).

use bytes::BytesMut;

use super::{
    super::blocks::Block,
    Events, Open,
    event::Piece,
    queue::{Held, Waiting},
    shape::Shape,
};
use crate::middle::Json;

impl Events {
    /// Whether a call is open that still gets input: then nothing else has its turn.
    pub(super) fn is_busy(&self) -> bool {
        matches!(&self.open, Some(Open::Call { shape, .. }) if !shape.is_whole())
    }

    pub(super) fn call(&mut self, call: Held, out: &mut BytesMut) {
        self.ending.calls = true;
        match self.is_busy() {
            true => self.queue.call(call),
            false => self.play(call, out),
        }
    }

    pub(super) fn input(&mut self, index: u32, json: &str, out: &mut BytesMut) {
        match &mut self.open {
            Some(Open::Call { index: open, shape }) if *open == index => {
                shape.read(json);
                self.piece(Piece::Input { partial_json: json }, out);
                self.advance(out);
            }
            _ if self.queue.input(index, json) || json.trim().is_empty() => {}
            _ => self.lost.content("tool_calls[].function.arguments"),
        }
    }

    pub(super) fn done(&mut self, index: u32, out: &mut BytesMut) {
        match self.open {
            Some(Open::Call { index: open, .. }) if open == index => {
                self.stop(out);
                self.advance(out);
            }
            _ => self.queue.done(index),
        }
    }

    /// Tells what waits, up to the next call that still gets input.
    fn advance(&mut self, out: &mut BytesMut) {
        while !self.is_busy()
            && let Some(next) = self.queue.next()
        {
            match next {
                Waiting::Content(content) => self.tell(&content, out),
                Waiting::Call(call) => {
                    let done = call.done;
                    self.play(call, out);
                    if done {
                        self.stop(out);
                    }
                }
            }
        }
    }

    fn play(&mut self, call: Held, out: &mut BytesMut) {
        self.stop(out);
        let mut shape = Shape::default();
        shape.read(&call.json);
        let block = Block::ToolUse {
            id: call.id.into(),
            name: call.name.into(),
            input: Json::of(&serde_json::Map::new()),
        };
        let index = call.index;
        self.start(&block, Open::Call { index, shape }, out);
        if !call.json.is_empty() {
            let partial_json = &call.json;
            self.piece(Piece::Input { partial_json }, out);
        }
    }

    /// Closes what is open and tells everything that waits.
    pub(super) fn settle(&mut self, out: &mut BytesMut) {
        self.stop(out);
        while !self.queue.is_empty() {
            self.advance(out);
            self.stop(out);
        }
    }
}
