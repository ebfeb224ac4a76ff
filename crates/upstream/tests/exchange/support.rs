//! An [`Upstreams`] in front of a simulator, and what its callers do with it.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use punctual_core::{
    Attempt, Call, Code, Deadline, End, Failure, Kind, Piece, Pieces, Plan, Progress, Summary,
    Surface, TargetId, Trace, Upstream,
};
use punctual_sim::{Listen, Seen, Sim};
use punctual_upstream::{Answer, PoolStats, Pools, TargetSpec, Upstreams};
use std::{future::poll_fn, sync::Arc, time::Duration};
use tokio::time::{Instant, timeout};

/// The four ways to an upstream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Way {
    pub(crate) tls: bool,
    pub(crate) http2: bool,
}

pub(crate) const HTTP1: Way = Way {
    tls: false,
    http2: false,
};
pub(crate) const HTTP2: Way = Way {
    tls: false,
    http2: true,
};
pub(crate) const WAYS: [Way; 4] = [
    HTTP1,
    Way {
        tls: true,
        http2: false,
    },
    HTTP2,
    Way {
        tls: true,
        http2: true,
    },
];

/// Longer than anything here takes on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

pub(crate) struct Bench {
    pub(crate) sim: Sim,
    pub(crate) pools: Arc<Pools>,
    pub(crate) upstreams: Arc<Upstreams>,
}

/// A request in the making.
#[derive(Clone)]
pub(crate) struct Ask {
    pub(crate) model: String,
    pub(crate) stream: bool,
    pub(crate) include_usage: bool,
    pub(crate) headers: HeaderMap,
    pub(crate) left: Option<Duration>,
    pub(crate) limit: Option<Duration>,
    pub(crate) padding: usize,
    pub(crate) surface: Surface,
    pub(crate) choices: u32,
    /// Method and path of what is asked for by its path; it has no body.
    pub(crate) place: Option<(Method, Arc<str>)>,
}

/// An answer, read to its end.
#[derive(Debug)]
pub(crate) struct Heard {
    pub(crate) text: String,
    pub(crate) pieces: Vec<(Duration, Piece)>,
    pub(crate) failure: Option<Box<Failure>>,
    pub(crate) summary: Summary,
    /// What ends it where that is not the caller's server's to say.
    pub(crate) closing: Option<Bytes>,
}

impl Bench {
    pub(crate) async fn new(way: Way) -> Self {
        Self::with(way, Listen::loopback(), |_| {}).await
    }

    pub(crate) async fn with(
        way: Way,
        listen: Listen,
        change: impl FnOnce(&mut TargetSpec),
    ) -> Self {
        let listen = if way.tls { listen.tls() } else { listen };
        let sim = Sim::start(listen).await.unwrap();
        let mut spec = TargetSpec::new("t", format!("{}/v1", sim.url()));
        spec.endpoint.http2 = way.http2;
        if way.tls {
            spec.endpoint.tls.ca_pem = Some(sim.ca_pem().into());
            spec.endpoint.tls.only_ca = true;
        }
        change(&mut spec);
        let pools = Pools::new();
        let upstreams = Arc::new(Upstreams::new(vec![spec], &pools).unwrap());
        Self {
            sim,
            pools,
            upstreams,
        }
    }

    pub(crate) async fn send(&self, ask: &Ask) -> Result<Box<Answer>, Box<Failure>> {
        let progress = Progress::new();
        self.send_noting(ask, &progress).await
    }

    pub(crate) async fn send_noting(
        &self,
        ask: &Ask,
        progress: &Arc<Progress>,
    ) -> Result<Box<Answer>, Box<Failure>> {
        attempt(&self.upstreams, ask, progress).await
    }

    /// Sends and reads all of it.
    pub(crate) async fn hear(&self, ask: &Ask) -> Heard {
        let work = async {
            match self.send(ask).await {
                Ok(answer) => read(answer).await,
                Err(failure) => Heard {
                    text: String::new(),
                    pieces: Vec::new(),
                    failure: Some(failure),
                    summary: Summary::default(),
                    closing: None,
                },
            }
        };
        timeout(PATIENCE, work).await.expect("an answer in time")
    }

    /// The counts of the one pool.
    pub(crate) fn stats(&self) -> PoolStats {
        self.pools.stats().into_iter().next().unwrap()
    }

    pub(crate) async fn fails(&self, ask: &Ask) -> Box<Failure> {
        self.hear(ask).await.failure.expect("a failure")
    }

    pub(crate) async fn seen(&self, holds: impl Fn(&Seen) -> bool) -> Seen {
        let seen = self
            .sim
            .wait(PATIENCE, |all| all.last().is_some_and(&holds))
            .await;
        seen.unwrap().pop().unwrap()
    }
}

/// One attempt at the first target of `upstreams`.
pub(crate) async fn attempt(
    upstreams: &Upstreams,
    ask: &Ask,
    progress: &Arc<Progress>,
) -> Result<Box<Answer>, Box<Failure>> {
    let trace = Trace::root();
    let attempt = Attempt {
        number: 1,
        left: ask.left,
        limit: ask.limit,
        trace: &trace,
        span: trace.span,
        progress,
    };
    upstreams.send(TargetId(0), &ask.call(), &attempt).await
}

impl Ask {
    pub(crate) fn unary(model: &str) -> Self {
        Self {
            model: model.to_owned(),
            stream: false,
            include_usage: false,
            headers: HeaderMap::new(),
            left: None,
            limit: None,
            padding: 0,
            surface: Surface::Chat,
            choices: 1,
            place: None,
        }
    }

    /// A response made before, by its id.
    pub(crate) fn stored(method: Method, path: String) -> Self {
        Self {
            surface: Surface::Responses,
            place: Some((method, path.into())),
            ..Self::unary("")
        }
    }

    pub(crate) fn stream(model: &str) -> Self {
        Self {
            stream: true,
            ..Self::unary(model)
        }
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        let name: HeaderName = name.parse().unwrap();
        self.headers
            .append(name, HeaderValue::from_str(value).unwrap());
        self
    }

    fn call(&self) -> Call {
        let model = format!("{:?}", self.model);
        let head = "{\"model\":";
        let rest = format!(
            ",\"stream\":{},\"max_tokens\":64,\"messages\":[{{\"role\":\"user\",\"content\":\"{}\"}}],\"input\":\"x\",\"prompt\":\"x\"}}",
            self.stream,
            "x".repeat(self.padding)
        );
        let plan = Arc::new(Plan::Target(TargetId(0)));
        let deadline = Deadline::starting(Instant::now());
        if let Some((method, path)) = &self.place {
            return Call {
                method: method.clone(),
                path: Some(path.clone()),
                stream: self.stream,
                headers: Arc::new(self.headers.clone()),
                ..Call::new(self.surface, plan, deadline)
            };
        }
        Call {
            stream: self.stream,
            include_usage: self.include_usage,
            model: self.model.as_str().into(),
            model_span: head.len()..head.len() + model.len(),
            body: Bytes::from(format!("{head}{model}{rest}")),
            headers: Arc::new(self.headers.clone()),
            choices: self.choices,
            ..Call::new(self.surface, plan, deadline)
        }
    }
}

pub(crate) async fn next(answer: &mut Answer) -> Option<Result<Piece, Box<Failure>>> {
    next_within(answer, PATIENCE).await
}

async fn next_within(answer: &mut Answer, wait: Duration) -> Option<Result<Piece, Box<Failure>>> {
    let next = timeout(wait, poll_fn(|cx| answer.poll_piece(cx)));
    next.await.expect("a piece in time")
}

pub(crate) async fn read(answer: Box<Answer>) -> Heard {
    read_as(answer, PATIENCE, false).await
}

/// The same where a single piece may take longer; as a server does, others are let on between two.
pub(crate) async fn read_within(answer: Box<Answer>, wait: Duration) -> Heard {
    read_as(answer, wait, true).await
}

async fn read_as(mut answer: Box<Answer>, wait: Duration, in_turns: bool) -> Heard {
    let started = Instant::now();
    let mut heard = Heard {
        text: String::new(),
        pieces: Vec::new(),
        failure: None,
        summary: Summary::default(),
        closing: None,
    };
    loop {
        if in_turns {
            tokio::task::yield_now().await;
        }
        match next_within(&mut answer, wait).await {
            None => break,
            Some(Err(failure)) => {
                heard.failure = Some(failure);
                break;
            }
            Some(Ok(Piece {
                kind: Kind::Error(failure),
                ..
            })) => {
                heard.failure = Some(failure);
                break;
            }
            Some(Ok(piece)) => {
                heard.text += std::str::from_utf8(&piece.bytes).unwrap();
                heard.pieces.push((started.elapsed(), piece));
            }
        }
    }
    heard.summary = answer.summary();
    heard.closing = answer.closing();
    heard
}

impl Heard {
    /// All that a caller reads.
    pub(crate) fn everything(&self) -> String {
        let closing = self.closing.as_deref().unwrap_or_default();
        format!("{}{}", self.text, std::str::from_utf8(closing).unwrap())
    }

    #[track_caller]
    pub(crate) fn complete(self) -> Self {
        assert!(self.failure.is_none(), "{:?}", self.failure);
        let ends = self.pieces.iter().filter(|(_, piece)| piece.end.is_some());
        assert_eq!(ends.count(), 1, "{}", self.text);
        self
    }

    pub(crate) fn contents(&self) -> usize {
        let content = |piece: &&(Duration, Piece)| matches!(piece.1.kind, Kind::Content { .. });
        self.pieces.iter().filter(content).count()
    }

    pub(crate) fn end(&self) -> Option<End> {
        self.pieces.iter().find_map(|(_, piece)| piece.end)
    }

    pub(crate) fn code(&self) -> Option<Code> {
        self.failure.as_ref().map(|failure| failure.code)
    }
}

/// A script that answers with `text` as the body, and `more` words.
pub(crate) fn body(text: &str, more: &str) -> punctual_sim::Script {
    let quoted = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("body=\"{quoted}\"{more}").parse().unwrap()
}
