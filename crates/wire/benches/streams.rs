//! Translated or relayed: what a stream of 100 tokens costs.
//!
//! `cargo bench -p punctual-wire`. For each API and each surface: µs to split and judge the stream of that
//! API, as when it is relayed; µs to split, read, judge and write it in the surface's words; and the latter
//! over what a chat stream costs relayed. The best of many rounds counts, so that other work on the machine
//! does not.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "it prints, may stop, and has no runtime whose clock could be paused"
)]

use std::{hint::black_box, sync::Arc, time::Instant};

use bytes::{Bytes, BytesMut};
use punctual_wire::{
    Api, Surface,
    dialect::Kind,
    frame::{Frame, Splitter},
    middle::{Asked, Derived},
    via::surface_codec,
};

mod upstream;

const ROUNDS: usize = 2_000;
const SURFACES: [Surface; 3] = [Surface::Chat, Surface::Messages, Surface::Responses];

/// The stream, one chunk an event, as it comes from a server that writes each token when it has it.
fn each(api: Api, chunks: &[Bytes], mut take: impl FnMut(Frame)) {
    let mut splitter = Splitter::new(api.framing(), 1 << 20);
    for chunk in chunks {
        splitter.push(chunk.clone());
        while let Some(frame) = splitter.next() {
            take(frame.unwrap());
        }
    }
}

fn relayed(api: Api, chunks: &[Bytes]) -> usize {
    let mut judge = api.judge(Surface::Chat, 1);
    let mut content = 0;
    each(api, chunks, |frame| {
        let judged = judge.judge(&frame);
        content += usize::from(judged.kind == Kind::Content);
        black_box(frame.into_raw());
    });
    content
}

fn translated(api: Api, surface: Surface, chunks: &[Bytes]) -> usize {
    let asked = Asked {
        model: Arc::from("chat"),
        id: Arc::from("0123456789abcdef0123"),
        now: 1_800_000_000,
        include_usage: true,
        base64: false,
        counted: None,
    };
    let decode = (api.codec().unwrap().stream)(1);
    let mut encode = (surface_codec(surface).unwrap().stream)(&asked);
    let mut judge = Derived::new(decode);
    let (mut content, mut closed) = (0, false);
    each(api, chunks, |frame| {
        let mut out = BytesMut::new();
        let judged = judge.read(&frame, &mut |delta| encode.delta(delta, &mut out));
        content += usize::from(judged.kind == Kind::Content);
        if judged.done && !closed {
            closed = true;
            encode.close(&mut out);
        }
        black_box(out.freeze());
    });
    content
}

/// µs of the best round.
fn best(mut round: impl FnMut() -> usize) -> f64 {
    assert_eq!(round(), 100, "not 100 tokens");
    let one = |()| {
        let began = Instant::now();
        black_box(round());
        began.elapsed().as_secs_f64() * 1e6
    };
    std::iter::repeat_n((), ROUNDS)
        .map(one)
        .fold(f64::INFINITY, f64::min)
}

fn main() {
    let chunks = upstream::stream(Api::Chat);
    let chat = best(|| relayed(Api::Chat, &chunks));
    println!("a relayed chat stream: {chat:.1} µs\n");
    println!("API         relayed  surface     translated  × relayed  × relayed chat");
    for api in upstream::APIS {
        let chunks = upstream::stream(api);
        let own = best(|| relayed(api, &chunks));
        for surface in SURFACES {
            let both = best(|| translated(api, surface, &chunks));
            println!(
                "{:10} {own:8.1}  {:10} {both:11.1} {:10.2} {:15.2}",
                format!("{api:?}"),
                surface.as_str(),
                both / own,
                both / chat,
            );
        }
    }
}
