//! Tool calls, one after the other (see [`calls`](super::calls)).

use bytes::BytesMut;

use super::{
    super::blocks::Block,
    Events, Open,
    calls::{Held, Shape},
    event::Piece,
};
use crate::middle::Json;

impl Events {
    /// A call begins: now, if none is open that still gets input; later otherwise.
    pub(super) fn call(&mut self, call: Held, out: &mut BytesMut) {
        self.ending.calls = true;
        match &self.open {
            Some(Open::Call { index, shape }) if *index == call.index || !shape.is_whole() => {
                self.calls.hold(call);
                let over = self.calls.is_full();
                self.advance(over, out);
            }
            _ => self.play(call, out),
        }
    }

    pub(super) fn input(&mut self, index: u32, json: &str, out: &mut BytesMut) {
        match &mut self.open {
            Some(Open::Call { index: open, shape }) if *open == index => {
                shape.read(json);
                self.piece(Piece::Input { partial_json: json }, out);
                self.advance(false, out);
            }
            _ if self.calls.add(index, json) => {
                let over = self.calls.is_full();
                self.advance(over, out);
            }
            _ if json.trim().is_empty() => {}
            _ => self.lost.content("tool_calls[].function.arguments"),
        }
    }

    pub(super) fn done(&mut self, index: u32, out: &mut BytesMut) {
        match self.open {
            Some(Open::Call { index: open, .. }) if open == index => self.advance(true, out),
            _ => self.calls.done(index),
        }
    }

    /// Closes the open call if it is whole and another waits, or if it must; then the next has its turn.
    fn advance(&mut self, mut must: bool, out: &mut BytesMut) {
        while let Some(Open::Call { shape, .. }) = &self.open {
            let may = shape.is_whole() && self.calls.wait();
            if !must && !may {
                return;
            }
            self.stop(out);
            let Some(next) = self.calls.next() else {
                return;
            };
            must = next.done;
            self.play(next, out);
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

    /// Closes what is open and tells every call that waits.
    pub(super) fn settle(&mut self, out: &mut BytesMut) {
        self.stop(out);
        while let Some(call) = self.calls.next() {
            self.play(call, out);
            self.stop(out);
        }
    }
}
