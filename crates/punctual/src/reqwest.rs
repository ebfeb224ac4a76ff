//! The rules for those who have reqwest: a middleware for `reqwest-middleware`.
//!
//! It sends a request again after a failure that another attempt can mend, and bounds all of it, the body of
//! the answer included, by a limit and by the end of the run. What decides is the engine. The engine must own
//! what it works with and a chain of middlewares is only lent, so the two take turns in one future: the engine
//! asks for an attempt, the chain makes it, and an attempt that is given up is dropped at once.
//!
//! ```no_run
//! use punctual::reqwest::Punctual;
//! use reqwest_middleware::ClientBuilder;
//! use std::time::Duration;
//!
//! let client = ClientBuilder::new(reqwest::Client::new())
//!     .with(Punctual::new().limit(Duration::from_secs(20)).retry(3))
//!     .build();
//! # let _ = client;
//! ```

use crate::{
    ForwardDeadline,
    answered::{self, Answered},
    bounded::Bounded,
    invoke, runtime,
};
use http::Extensions;
use punctual_core::{
    Attempt, Backoff, Call, Code, CodeSet, Deadline, Engine, Failure, Open, Outcome, Plan, Policy,
    Retry as Rules, Sent, Surface, Target, TargetId, Upstream, open,
};
use reqwest::{Body, Request, Response};
use reqwest_middleware::{Error, Middleware, Next, Result};
use std::{
    future::{Future, poll_fn},
    num::NonZeroU32,
    pin::pin,
    sync::{Arc, Mutex, PoisonError},
    task::Poll,
    time::Duration,
};
use tokio::sync::{mpsc, oneshot};

/// The middleware.
#[derive(Clone, Debug)]
pub struct Punctual {
    limit: Option<Duration>,
    told: Vec<ForwardDeadline>,
    rules: Rules,
}

impl Default for Punctual {
    fn default() -> Self {
        Self::new()
    }
}

impl Punctual {
    /// One attempt, bounded by the end of the run alone.
    #[must_use]
    pub fn new() -> Self {
        Self {
            limit: None,
            told: Vec::new(),
            rules: Rules {
                max_attempts: NonZeroU32::MIN,
                backoff: Backoff::default(),
                on: CodeSet::ALL,
            },
        }
    }

    /// At most so long, all attempts and the body of the answer included. Zero is no limit.
    #[must_use]
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = (!limit.is_zero()).then_some(limit);
        self
    }

    /// At most `max_attempts` in all; 0 counts as 1. A request whose body cannot be sent twice is not.
    #[must_use]
    pub fn retry(mut self, max_attempts: u32) -> Self {
        self.rules.max_attempts = NonZeroU32::new(max_attempts).unwrap_or(NonZeroU32::MIN);
        self
    }

    /// Another pause between the attempts.
    #[must_use]
    pub fn backoff(mut self, backoff: Backoff) -> Self {
        self.rules.backoff = backoff;
        self
    }

    /// The time left is told in this header: lowered to it where it is there already, never raised.
    #[must_use]
    pub fn tell(mut self, header: ForwardDeadline) -> Self {
        self.told.push(header);
        self
    }
}

/// An attempt that the engine asks for: the time left, and where the answer goes.
struct Asked {
    left: Option<Duration>,
    reply: oneshot::Sender<Result<Response>>,
}

/// The chain as the engine's one target.
struct Chain {
    ask: mpsc::Sender<Asked>,
    last: Mutex<Option<Result<Response>>>,
}

impl Chain {
    fn last(&self) -> Option<Result<Response>> {
        self.last
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    async fn attempt(&self, attempt: &Attempt<'_>) -> std::result::Result<Answered, Box<Failure>> {
        drop(self.last());
        attempt.progress.connected(true);
        attempt.progress.writing();
        let (reply, answer) = oneshot::channel();
        let left = attempt.left;
        let gone = || Failure::new(Code::Internal, "the chain of middlewares is gone");
        self.ask
            .send(Asked { left, reply })
            .await
            .map_err(|_| gone())?;
        let answer = answer.await.map_err(|_| gone())?;
        let outcome = match &answer {
            Ok(answer) => answered::failure(answer.status(), answer.headers())
                .map_or(Ok(Answered::new(answer.status())), Err),
            Err(error) => {
                let mut failure = Failure::new(Code::ConnectFailed, error.to_string());
                failure.sent = if error.is_connect() {
                    Sent::No
                } else {
                    Sent::Maybe
                };
                Err(failure)
            }
        };
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
        outcome
    }
}

impl Upstream for Chain {
    type Pieces = Answered;

    fn send(
        &self,
        _: TargetId,
        _: &Call,
        attempt: &Attempt<'_>,
    ) -> impl Future<Output = std::result::Result<Answered, Box<Failure>>> + Send {
        self.attempt(attempt)
    }
}

/// Makes the attempts that are asked for, one after another, each dropped when nobody waits for it any more.
async fn drive(
    mut asked: mpsc::Receiver<Asked>,
    request: Request,
    told: &[ForwardDeadline],
    extensions: &mut Extensions,
    next: Next<'_>,
) {
    let mut request = Some(request);
    while let Some(Asked { left, mut reply }) = asked.recv().await {
        let again = request.as_ref().and_then(Request::try_clone);
        // one that cannot be sent twice is sent once
        let Some(mut this) = again.or_else(|| request.take()) else {
            return;
        };
        for header in told {
            header.lower(this.headers_mut(), left);
        }
        let mut work = pin!(next.clone().run(this, extensions));
        let answer = poll_fn(|cx| match work.as_mut().poll(cx) {
            Poll::Ready(answer) => Poll::Ready(Some(answer)),
            Poll::Pending => reply.poll_closed(cx).map(|()| None),
        });
        if let Some(answer) = answer.await {
            // nobody waits for it any more: it is dropped
            let _ = reply.send(answer);
        }
    }
}

fn over(deadline: &Deadline) -> Error {
    Error::middleware(invoke::over(deadline))
}

/// The answer, with its body bounded.
fn bounded(answer: Response, deadline: Deadline) -> Response {
    let answer = http::Response::<Body>::from(answer);
    Response::from(answer.map(|body| Body::wrap(Bounded::new(body, deadline))))
}

#[async_trait::async_trait]
impl Middleware for Punctual {
    async fn handle(
        &self,
        request: Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> Result<Response> {
        let limit = crate::Call::new().limit(self.limit.unwrap_or_default());
        let (deadline, min_attempt) = invoke::deadline(&limit);
        let (ask, asked) = mpsc::channel(1);
        let once = request.try_clone().is_none();
        let mut rules = self.rules;
        if once {
            rules.max_attempts = NonZeroU32::MIN;
        }
        let of = Arc::new(Plan::Target(TargetId(0)));
        let policy = Policy {
            max_attempts_total: rules.max_attempts.get(),
            min_attempt,
            ..Policy::default()
        };
        let (_, record) = invoke::record(Surface::Passthrough, deadline);
        let plan = Arc::new(Plan::Retry { of, rules });
        let call = Call {
            policy: Arc::new(policy),
            ..Call::new(Surface::Passthrough, plan, deadline)
        };
        let last = Mutex::new(None);
        let engine = Arc::new(Engine {
            targets: vec![Target::new("reqwest")],
            upstream: Chain { ask, last },
        });
        let mut opening = Box::pin(runtime::enter(open(engine.clone(), call, record)));
        let mut chain = Box::pin(drive(asked, request, &self.told, extensions, next));
        let mut driven = false;
        let opened = poll_fn(|cx| {
            let opened = opening.as_mut().poll(cx);
            if opened.is_ready() {
                return opened;
            }
            driven = driven || chain.as_mut().poll(cx).is_ready();
            // what the chain has just answered wakes the engine by itself
            Poll::Pending
        })
        .await;
        let failed = match opened {
            Ok(Open { mut record, .. }) => {
                record.settle(Outcome::Ok, None);
                None
            }
            Err(refused) => Some(refused.failure.code),
        };
        match engine.upstream.last() {
            Some(answer) if failed != Some(Code::DeadlineExceeded) => {
                answer.map(|answer| bounded(answer, deadline))
            }
            _ => Err(over(&deadline)),
        }
    }
}
