//! A translation without sockets: what the exchange does with the frames of a stream, for the runs that are too
//! many for the whole binary.

use bytes::{Bytes, BytesMut};
use punctual_wire::{
    Api, Surface, Verdict, Via,
    dialect::{Finish, Kind},
    frame::{Frame, Framing, Splitter},
    middle::{Asked, Derived},
};

/// What became of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Made {
    /// In the caller's words, without the error.
    pub bytes: Vec<u8>,
    pub error: Option<Verdict>,
    pub finish: Option<Finish>,
    pub usage: [Option<u64>; 2],
    pub ended: bool,
    /// Events with content.
    pub content: usize,
    /// Bytes written before the event with the first content.
    pub held: Option<usize>,
    pub lost: Vec<String>,
}

pub fn asked() -> Asked {
    Asked {
        model: "asked-model".into(),
        id: "madeup".into(),
        now: 1_700_000_000,
        include_usage: true,
        base64: false,
        counted: None,
    }
}

/// A stream in these pieces; `None` where it is relayed.
pub fn stream<'a>(
    surface: Surface,
    api: Api,
    framing: Framing,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Option<Made> {
    let (decode, mut encode) = Via::between(surface, api)?.stream(1, &asked())?;
    let (mut judge, mut splitter) = (Derived::new(decode), Splitter::new(framing, 1 << 26));
    let (mut made, mut closed) = (Made::default(), false);
    let mut read = |frame: &_, made: &mut Made| {
        let mut out = BytesMut::new();
        let judged = judge.read(frame, &mut |delta| {
            if !closed {
                encode.delta(delta, &mut out);
            }
        });
        if let Kind::Error(verdict) = &judged.kind {
            made.error.get_or_insert(verdict.clone());
        }
        if made.error.is_some() {
            return;
        }
        if judged.done && !closed {
            closed = true;
            encode.close(&mut out);
        }
        made.ended |= judged.ends.is_some();
        if judged.kind == Kind::Content {
            made.content += 1;
            made.held.get_or_insert(made.bytes.len());
        }
        made.bytes.extend_from_slice(&out);
    };
    for piece in pieces {
        splitter.push(Bytes::copy_from_slice(piece));
        while let Some(frame) = splitter.next() {
            if let Some(frame) = frame.expect("no event is too large").opened() {
                read(&frame, &mut made);
            }
        }
    }
    if let Some(frame) = splitter
        .finish()
        .and_then(Frame::opened)
        .filter(|f| f.is_complete() || f.data().is_some())
    {
        read(&frame, &mut made);
    }
    if made.error.is_none() && made.ended && !closed {
        let mut out = BytesMut::new();
        encode.close(&mut out);
        made.bytes.extend_from_slice(&out);
    }
    let tally = punctual_wire::dialect::Judge::tally(&judge);
    made.finish = tally.finish;
    made.usage = [tally.usage.input, tally.usage.output];
    made.lost = encode.lost().names().map(str::to_owned).collect();
    Some(made)
}

/// A whole answer, unary or as the stream that was asked for; `None` where it is relayed.
pub fn whole(
    surface: Surface,
    api: Api,
    body: &Bytes,
    streamed: bool,
) -> Option<Result<Made, Verdict>> {
    let via = Via::between(surface, api)?;
    if via.is_relay() {
        return None;
    }
    let made = match streamed {
        true => via.as_stream(surface, api, body, &asked()),
        false => via.answer(body, &asked()).map(Option::unwrap),
    };
    Some(made.map(|said| {
        Made {
            bytes: said.bytes.to_vec(),
            error: None,
            finish: said.summary.finish,
            usage: said
                .summary
                .usage
                .map_or([None; 2], |u| [u.input, u.output]),
            ended: true,
            content: usize::from(said.summary.has_content),
            held: None,
            lost: said.lost.names().map(str::to_owned).collect(),
        }
    }))
}
