//! Plays a kind against the gateway and keeps what the caller's socket saw.

use crate::{
    kinds::{Ask, Caller as Does, Kind, When},
    stage::{KEY, LONG, Stage},
    support::{Answer, Caller, Request, h2::H2},
    tree::hex,
};
use http_body_util::BodyExt;
use opentelemetry_proto::tonic::trace::v1::Span;
use serde_json::Value;

/// One request that was made, and what its caller saw.
pub struct Played {
    pub id: String,
    /// The row it is, unless it only helped another one.
    pub kind: Option<Kind>,
    /// The route it named.
    pub route: &'static str,
    pub trace: Option<(String, String)>,
    /// The status line, if one came before the caller left.
    pub status: Option<u16>,
    /// The answer, if it was read to its end.
    pub answer: Option<Answer>,
}

/// A request under way.
pub struct Under<'a> {
    stage: &'a Stage,
    pub kind: Kind,
    pub played: Played,
    caller: Caller,
}

impl Kind {
    fn request(&self) -> Request {
        let mut request = match self.ask {
            Ask::Unary => Request::chat(self.name, false),
            Ask::Stream => Request::chat(self.name, true),
            Ask::Completion => Request::completion(self.name, false),
            Ask::CompletionStream => Request::completion(self.name, true),
            Ask::Embedding => Request::embedding(self.name),
        };
        if let Some(body) = self.body {
            request.body = body.as_bytes().to_vec();
        }
        let given = |name: &str| self.headers.iter().any(|(n, _)| *n == name);
        request.headers.retain(|(name, _)| !given(name));
        if !given("authorization") {
            request = request.with("authorization", &format!("Bearer {KEY}"));
        }
        self.headers
            .iter()
            .fold(request, |r, (name, value)| r.with(name, value))
    }

    /// The same as part of a trace: its id and that of the caller's span.
    pub fn request_of(&self, id: &str, number: usize) -> (Request, Option<(String, String)>) {
        let request = self.request().with("x-request-id", id);
        if self.headers.iter().any(|(name, _)| *name == "traceparent") {
            return (request, None);
        }
        let trace = format!("{:032x}", (0xace << 32) + number);
        let span = format!("{number:016x}");
        let flag = u8::from(self.sampled);
        let parent = format!("00-{trace}-{span}-{flag:02x}");
        let request = request.with("traceparent", &parent);
        (request.with("tracestate", "vendor=1"), Some((trace, span)))
    }
}

impl Played {
    pub fn answered(kind: &Kind, trace: Option<(String, String)>, answer: Answer) -> Self {
        Self {
            id: kind.name.to_owned(),
            kind: Some(*kind),
            route: kind.name,
            trace,
            status: Some(answer.status),
            answer: Some(answer),
        }
    }
}

impl Stage {
    /// Makes one request of a kind and returns once it has come as far as the kind wants it.
    pub async fn open(&self, kind: &Kind, id: String, number: usize) -> Under<'_> {
        let (mut request, trace) = kind.request_of(&id, number);
        let played = Played {
            id,
            kind: Some(*kind),
            route: kind.name,
            trace,
            status: None,
            answer: None,
        };
        let mut caller = Caller::connect(self.gateway.addr).await;
        if kind.caller == Does::Stops {
            caller.receive_buffer(4096);
        }
        let dialled = self.silent.connections().len();
        if kind.half {
            request = request.with("expect", "100-continue");
            let half = request.body.len() / 2;
            let request = request.bytes(&self.gateway.addr.to_string());
            let (head, body) = request.split_at(request.len() - 2 * half);
            caller.write(head).await.unwrap();
            caller.hear(b"100 Continue", LONG).await;
            let _ = caller.write(&body[..half]).await;
        } else if !matches!(kind.caller, Does::ResetsStream) {
            caller.send(&request).await;
        }
        let mut under = Under {
            stage: self,
            kind: *kind,
            played,
            caller,
        };
        match kind.caller {
            Does::Leaves(when) | Does::Resets(when) | Does::Drained(when) => {
                under.reach(when, dialled).await;
            }
            Does::ResetsStream => under.reset_stream(&request).await,
            _ => {}
        }
        under
    }
}

impl Under<'_> {
    async fn reach(&mut self, when: When, dialled: usize) {
        let (stage, target) = (self.stage, self.kind.target(0));
        match when {
            When::Sent => {}
            When::Queued => {
                let mine = |t: &Value| t["name"] == target && t["queued"] == 1;
                let queued = |s: &Value| s["targets"].as_array().unwrap().iter().any(mine);
                stage.status(&target, queued).await;
            }
            When::Dialled => {
                let there = stage.silent.wait_connections(LONG, |all| {
                    all.len() > dialled && all.iter().all(|c| c.bytes_read > 0)
                });
                assert!(there.await.is_ok(), "{target}: never dialled");
            }
            When::Asked => self.upstream(|seen| seen.received.is_some()).await,
            When::Headed => self.upstream(|seen| seen.chunks > 4).await,
            When::Failed => {
                let (trace, _) = self.played.trace.as_ref().unwrap();
                let attempt =
                    |s: &Span| s.name == "resilience.attempt" && hex(&s.trace_id) == *trace;
                let told = stage.collector.wait(|spans| spans.iter().any(attempt));
                told.await;
            }
            When::Beaten => self.caller.hear(b"\n: ", LONG).await,
            When::Content => self.caller.hear(b"tok0", LONG).await,
            When::Ended => self.caller.hear(b"[DONE]", LONG).await,
        }
    }

    async fn upstream(&self, holds: impl Fn(&punctual_sim::Seen) -> bool) {
        let target = self.kind.target(0);
        let here = self.stage.sim.wait(LONG, |all| {
            all.iter().any(|seen| seen.model == target && holds(seen))
        });
        assert!(
            here.await.is_ok(),
            "{target}: the upstream never comes so far"
        );
    }

    async fn reset_stream(&mut self, request: &Request) {
        let mut caller = H2::connect(self.stage.gateway.addr).await;
        let mut response = caller.send(request).await.unwrap();
        self.played.status = Some(response.status().as_u16());
        let mut heard = Vec::new();
        while !heard.windows(4).any(|w| w == b"tok0") {
            let frame = response.frame().await.unwrap().unwrap();
            heard.extend(frame.into_data().unwrap_or_default());
        }
        drop(response);
        // the connection lives on until the request is over
        self.over().await;
    }

    /// Waits until the gateway says that the request is over.
    async fn over(&self) {
        let id = format!("\"request_id\":\"{}\"", self.played.id);
        let said = self.stage.gateway.requests();
        let said = said.find(LONG, |line| line.contains(&id).then_some(()));
        assert!(said.is_some(), "no line of {}", self.played.id);
    }

    /// Plays it to its end.
    pub async fn close(mut self) -> Played {
        match self.kind.caller {
            Does::Reads | Does::Drained(_) | Does::Late => {
                let answer = self.caller.answer(LONG).await;
                self.played.status = Some(answer.status);
                self.played.answer = Some(answer);
            }
            Does::Leaves(_) => {
                self.played.status = status(self.caller.heard());
                self.caller.leave();
            }
            Does::Resets(_) => {
                self.played.status = status(self.caller.heard());
                self.caller.reset();
            }
            Does::Stops => {
                self.over().await;
                let mut first = self.caller.read_some().await.unwrap();
                first.truncate(64);
                self.played.status = status(&first);
            }
            Does::ResetsStream => {}
        }
        self.played
    }
}

/// The last status line that is not `100 Continue`.
fn status(heard: &[u8]) -> Option<u16> {
    let text = String::from_utf8_lossy(heard);
    let heads = text.split("HTTP/1.1 ").skip(1);
    let statuses = heads.filter_map(|head| head.get(..3)?.parse().ok());
    statuses.filter(|s| *s != 100).last()
}
