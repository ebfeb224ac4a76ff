//! A caller in each way there is: HTTP/1.1 and HTTP/2, plain and TLS; every surface; every way to leave.

use crate::{
    gates::Gates,
    support::{Answer, Caller, Request, caller::H2, h2, ms},
};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// How a caller reaches the gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    H1,
    H1Tls,
    H2,
    H2Tls,
}

pub const WAYS: [Way; 4] = [Way::H1, Way::H1Tls, Way::H2, Way::H2Tls];

impl Way {
    pub fn is_tls(self) -> bool {
        matches!(self, Self::H1Tls | Self::H2Tls)
    }

    pub fn is_http2(self) -> bool {
        matches!(self, Self::H2 | Self::H2Tls)
    }
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    Chat,
    ChatStream,
    Completions,
    CompletionsStream,
    Embeddings,
}

pub const SURFACES: [Asks; 5] = [
    Asks::Chat,
    Asks::ChatStream,
    Asks::Completions,
    Asks::CompletionsStream,
    Asks::Embeddings,
];
pub const STREAMS: [Asks; 2] = [Asks::ChatStream, Asks::CompletionsStream];
pub const UNARY: [Asks; 3] = [Asks::Chat, Asks::Completions, Asks::Embeddings];

impl Asks {
    pub fn streams(self) -> bool {
        STREAMS.contains(&self)
    }

    pub fn of(self, model: &str) -> Request {
        match self {
            Self::Chat | Self::ChatStream => Request::chat(model, self.streams()),
            Self::Completions | Self::CompletionsStream => {
                Request::completion(model, self.streams())
            }
            Self::Embeddings => Request::embedding(model),
        }
    }
}

/// Every surface from every kind of caller.
pub fn everybody() -> Vec<(Asks, Way)> {
    let from = |asks| WAYS.map(|way| (asks, way));
    SURFACES.into_iter().flat_map(from).collect()
}

/// How a caller leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaves {
    Fin,
    Rst,
    /// HTTP/2: the stream alone.
    StreamReset,
    /// A FIN behind bytes that nobody reads.
    FinBehindStrayLine,
}

/// One connection to the gateway.
pub enum Guest {
    One(Caller),
    Two(H2),
}

impl Guest {
    pub async fn arrive(gates: &Gates, way: Way) -> Self {
        let addr = gates.at(way).addr;
        match way {
            Way::H1 => Self::One(Caller::connect(addr).await),
            Way::H1Tls => Self::One(Caller::connect_tls(addr, &gates.ca).await),
            Way::H2 => Self::Two(H2::connect(addr).await),
            Way::H2Tls => Self::Two(H2::connect_tls(addr, &gates.ca).await),
        }
    }

    /// With small receive buffers: what it does not read stays with the gateway.
    pub async fn arrive_narrow(gates: &Gates, way: Way) -> Self {
        const WINDOW: u32 = 16 << 10;
        let addr = gates.at(way).addr;
        let ca = way.is_tls().then_some(gates.ca.as_str());
        if way.is_http2() {
            return Self::Two(H2::connect_with(addr, ca, Some(WINDOW)).await);
        }
        let guest = Self::arrive(gates, way).await;
        if let Self::One(caller) = &guest {
            caller.receive_buffer(WINDOW as usize);
        }
        guest
    }

    pub async fn ask(&mut self, request: &Request) -> Answer {
        match self {
            Self::One(caller) => caller.ask(request).await,
            Self::Two(h2) => h2.ask(request).await,
        }
    }

    /// Sends a request and waits for nothing.
    pub async fn start(mut self, request: &Request) -> Started {
        let waiting = match &mut self {
            Self::One(caller) => {
                caller.send(request).await;
                Waits::Bytes
            }
            Self::Two(h2) => Waits::Head(h2.start(request)),
        };
        Started {
            guest: self,
            waiting,
        }
    }

    /// Sends a request but for the last bytes of its body; with a pace, those come one by one for ever.
    /// Returns when the gateway has read the head.
    pub async fn start_upload(mut self, request: &Request, pace: Option<Duration>) -> Started {
        let waiting = match &mut self {
            Self::One(caller) => {
                let mut head = request.clone().with("expect", "100-continue");
                let body = std::mem::take(&mut head.body);
                caller.send(&head.with("content-length", "1000000")).await;
                let told = caller.read_some().await.unwrap();
                assert!(
                    told.starts_with(b"HTTP/1.1 100"),
                    "{}",
                    String::from_utf8_lossy(&told)
                );
                caller.write(&body).await.unwrap();
                Waits::Bytes
            }
            Self::Two(h2) => {
                let upload = h2.start_upload(request, request.body.len() / 2, pace);
                // frames are read in order: what is answered behind the head tells that it was read
                assert_eq!(h2.ask(&Request::get("/healthz")).await.status, 200);
                Waits::Head(upload)
            }
        };
        Started {
            guest: self,
            waiting,
        }
    }
}

enum Waits {
    Bytes,
    Head(h2::Waiting),
    Body(http::Response<Incoming>),
}

/// A request on its way.
pub struct Started {
    guest: Guest,
    waiting: Waits,
}

impl Started {
    /// Reads until `text` has come.
    pub async fn see(mut self, text: &str) -> Self {
        let seen = timeout(ms(10_000), async {
            match self.waiting {
                Waits::Head(head) => {
                    let mut response = head.await.unwrap();
                    read_until(response.body_mut(), text).await;
                    self.waiting = Waits::Body(response);
                }
                Waits::Body(ref mut response) => read_until(response.body_mut(), text).await,
                Waits::Bytes => {
                    let Guest::One(caller) = &mut self.guest else {
                        unreachable!()
                    };
                    let mut got = Vec::new();
                    while !String::from_utf8_lossy(&got).contains(text) {
                        let more = caller.read_some().await.unwrap();
                        assert!(!more.is_empty(), "ended: {}", String::from_utf8_lossy(&got));
                        got.extend(more);
                    }
                }
            }
            self
        });
        seen.await.expect("what was waited for")
    }

    /// Reads the answer to its end.
    pub async fn answer(self) -> Answer {
        let within = ms(30_000);
        match (self.guest, self.waiting) {
            (Guest::One(mut caller), _) => caller.answer(within).await,
            (_guest, Waits::Head(head)) => {
                h2::answer(
                    timeout(within, head)
                        .await
                        .expect("a head in time")
                        .unwrap(),
                )
                .await
            }
            (_guest, Waits::Body(response)) => h2::answer(response).await,
            (Guest::Two(_), Waits::Bytes) => unreachable!(),
        }
    }

    /// Reads the answer while one byte more of the request is sent at each `pace`.
    pub async fn trickle(self, pace: Duration) -> Answer {
        let caller = match (self.guest, self.waiting) {
            (Guest::One(caller), _) => caller,
            // the body of an HTTP/2 request goes on by itself
            (guest, waiting) => return Self { guest, waiting }.answer().await,
        };
        caller.answer_while_writing(b" ", pace).await
    }

    /// Leaves in one of the ways that there are on this connection.
    pub async fn leave(self, how: Leaves) -> Left {
        let mut stays = None;
        let at = match (self.guest, how) {
            (Guest::One(caller), Leaves::Rst) => caller.reset(),
            (Guest::One(caller), Leaves::FinBehindStrayLine) => {
                caller.leave_behind_a_stray_line().await
            }
            (Guest::One(caller), _) => caller.leave(),
            (Guest::Two(h2), Leaves::StreamReset) => {
                drop(self.waiting);
                stays = Some(h2);
                Instant::now()
            }
            (Guest::Two(h2), _) => h2.leave().await,
        };
        Left { at, _stays: stays }
    }
}

/// A caller that left.
pub struct Left {
    pub at: Instant,
    /// After a stream reset the connection goes on.
    _stays: Option<H2>,
}

async fn read_until(body: &mut Incoming, text: &str) {
    let mut got = Vec::new();
    while !String::from_utf8_lossy(&got).contains(text) {
        let Some(frame) = body.frame().await else {
            panic!("ended: {}", String::from_utf8_lossy(&got));
        };
        let frame = frame.unwrap();
        got.extend_from_slice(&frame.into_data().unwrap_or_default());
    }
}
