//! The upstream in memory: does with each request what its script says.

use bytes::Bytes;
use punctual_core::*;
use std::{
    collections::VecDeque,
    sync::Mutex,
    task::{Context, Poll},
    time::Duration,
};
use tokio::time::sleep;

/// What a target does with its next request.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// Answers an error after so many ms.
    Refuses(u64, Code, u16),
    /// Answers after so many ms.
    Answers(u64),
    /// Sends its head, then nothing.
    Hangs,
    /// Sends a first content, then nothing.
    Stalls,
}

pub(crate) struct Script(pub(super) Vec<Mutex<VecDeque<Act>>>);

impl Upstream for Script {
    type Pieces = Said;

    async fn send(
        &self,
        target: TargetId,
        call: &Call,
        attempt: &Attempt<'_>,
    ) -> Result<Said, Box<Failure>> {
        let act = self.0[usize::from(target.0)].lock().unwrap().pop_front();
        attempt.progress.connected(attempt.number > 1);
        attempt.progress.writing();
        let content = |end| {
            let kind = Kind::Content { text: true };
            let bytes = Bytes::from_static(b"data: hi\n\n");
            Piece { bytes, kind, end }
        };
        use Act::{Answers, Hangs, Refuses, Stalls};
        let (pieces, hangs) = match act.expect("a script for every attempt") {
            Refuses(after, code, status) => {
                sleep(Duration::from_millis(after)).await;
                attempt.progress.headers();
                let mut f = Failure::new(code, "the upstream's words");
                f.status = http::StatusCode::from_u16(status).ok();
                f.retry_after = (status == 429).then_some(Duration::from_secs(2));
                return Err(f);
            }
            Answers(after) => {
                sleep(Duration::from_millis(after)).await;
                let last = content(Some(End::Other));
                let all = if call.stream {
                    vec![content(None), last]
                } else {
                    vec![last]
                };
                (all, false)
            }
            Hangs => (Vec::new(), true),
            Stalls => (vec![content(None)], true),
        };
        attempt.progress.headers();
        let head = Head {
            request_id: Some("req_1".into()),
            ..Head::default()
        };
        Ok(Said {
            head,
            pieces: pieces.into(),
            hangs,
            seen: 0,
        })
    }
}

pub(crate) struct Said {
    head: Head,
    pieces: VecDeque<Piece>,
    hangs: bool,
    seen: u64,
}

impl Pieces for Said {
    fn head(&self) -> &Head {
        &self.head
    }
    fn poll_piece(&mut self, _: &mut Context<'_>) -> Poll<Option<Result<Piece, Box<Failure>>>> {
        match self.pieces.pop_front() {
            None if self.hangs => Poll::Pending,
            None => Poll::Ready(None),
            Some(piece) => {
                self.seen += 1;
                Poll::Ready(Some(Ok(piece)))
            }
        }
    }
    fn summary(&self) -> Summary {
        Summary {
            usage: Usage {
                input_tokens: Some(7),
                output_tokens: Some(12),
                cached_input_tokens: Some(4),
                reasoning_tokens: None,
            },
            finish: Some("length".into()),
            model: Some("model-2".into()),
            response_id: Some("answer-1".into()),
            content_events: self.seen,
            dropped_bytes: 0,
            dropped: vec!["seed".into()],
            ..Summary::default()
        }
    }
}
