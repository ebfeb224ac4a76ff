//! State that an answer makes binds later calls to its maker, up to the same bound however the answer came.

use crate::large::{Bench, call, provider, small};
use punctual_core::{Bond, State, Surface, Upstream};
use punctual_upstream::Dialect;
use punctual_wire::state::fingerprint;

const MADE: usize = 1000;
/// What is kept of one answer.
const KEPT: usize = 256;

/// A thousand thoughts, each signed, each told twice.
fn streamed() -> String {
    let mut out = String::from(
        "data: {\"type\":\"message_start\",\"message\":{\"id\":\"a\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[]}}\n\n",
    );
    for at in 0..MADE {
        out += &format!(
            r#"data: {{"type":"content_block_start","index":{at},"content_block":{{"type":"thinking","thinking":"","signature":""}}}}"#
        );
        for data in [
            r#"{"type":"thinking_delta","thinking":"hm"}"#.to_owned(),
            signature(at),
            signature(at),
        ] {
            out += &format!(
                "\n\ndata: {{\"type\":\"content_block_delta\",\"index\":{at},\"delta\":{data}}}"
            );
        }
        out += &format!("\n\ndata: {{\"type\":\"content_block_stop\",\"index\":{at}}}\n\n");
    }
    out + "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n"
}

fn signature(at: usize) -> String {
    format!(r#"{{"type":"signature_delta","signature":"sig {at}"}}"#)
}

fn whole() -> String {
    let thought = |at| format!(r#"{{"type":"thinking","thinking":"hm","signature":"sig {at}"}}"#);
    let thoughts: Vec<_> = (0..MADE).map(thought).collect();
    format!(
        r#"{{"id":"a","type":"message","role":"assistant","model":"m","content":[{}],"stop_reason":"end_turn"}}"#,
        thoughts.join(",")
    )
}

#[tokio::test]
async fn of_one_answer_no_more_is_remembered_when_it_is_streamed() {
    for (surface, stream, sent) in [
        (Surface::Messages, true, streamed()),
        (Surface::Chat, true, streamed()),
        (Surface::Messages, false, whole()),
        (Surface::Chat, false, whole()),
        // a stream is made of it
        (Surface::Responses, true, whole()),
    ] {
        let head = match sent.starts_with('{') {
            true => "content-type: application/json",
            false => "content-type: text/event-stream",
        };
        let bench = Bench::new(Dialect::Anthropic, provider(head, sent.into()));
        let mut asked = call(surface, stream, small(stream));
        if surface == Surface::Responses {
            asked.body = r#"{"model":"m","stream":true,"input":"x"}"#.into();
        }
        bench.hear(&asked).await.complete();
        let bound = |at: &usize| {
            let mut next = asked.clone();
            next.state = State {
                pieces: vec![fingerprint(&format!("sig {at}"))],
                ..State::default()
            };
            bench.upstreams.bond(&next) != Bond::Free
        };
        let bound: Vec<usize> = (0..MADE).filter(bound).collect();
        assert_eq!(bound, (0..KEPT).collect::<Vec<_>>(), "{surface:?} {stream}");
    }
}
