//! Retry and fallback over services.

use super::exchange::{Came, Error, Services};
use crate::{answered::BoxError, invoke, runtime};
use http::{Request, Response};
use punctual_core::{
    Backoff, Call, CodeSet, Engine, Open, Outcome, Plan, Policy, Refused, Retry as Rules, Surface,
    Target, TargetId, open,
};
use std::{
    future::Future,
    num::NonZeroU32,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};
use tower_layer::Layer;
use tower_service::Service;

/// Retries a service, as [`Retry`].
#[derive(Clone, Copy, Debug)]
pub struct RetryLayer(Rules);

impl RetryLayer {
    /// At most `max_attempts` in all; 0 counts as 1. Pauses are those of [`crate::Retry`].
    #[must_use]
    pub fn new(max_attempts: u32) -> Self {
        Self(Rules {
            max_attempts: NonZeroU32::new(max_attempts).unwrap_or(NonZeroU32::MIN),
            backoff: Backoff::default(),
            on: CodeSet::ALL,
        })
    }

    /// Another pause between the attempts.
    #[must_use]
    pub fn backoff(mut self, backoff: Backoff) -> Self {
        self.0.backoff = backoff;
        self
    }
}

impl<S> Layer<S> for RetryLayer {
    type Service = Retry<S>;

    fn layer(&self, inner: S) -> Retry<S> {
        Retry {
            inner,
            rules: self.0,
        }
    }
}

/// Sends a request again after a failure that another attempt can mend: the service's own error, 408, 425,
/// 429, 5xx. Hints of the answer (`Retry-After` and its like) are obeyed where they fit. The last answer is
/// given as it is, also when it is an error's.
#[derive(Clone, Copy, Debug)]
pub struct Retry<S> {
    inner: S,
    rules: Rules,
}

type Answer<R> = Pin<Box<dyn Future<Output = Result<Response<R>, Error>> + Send>>;

impl<S, B, R> Service<Request<B>> for Retry<S>
where
    S: Service<Request<B>, Response = Response<R>> + Clone + Send + 'static,
    S::Future: Send,
    S::Error: Into<BoxError>,
    B: Clone + Send + 'static,
    R: Send + 'static,
{
    type Response = Response<R>;
    type Error = Error;
    type Future = Answer<R>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        let ready = self.inner.poll_ready(cx);
        ready.map_err(|error| Error::Service(error.into()))
    }

    fn call(&mut self, request: Request<B>) -> Answer<R> {
        // the service that was found ready is the one to use
        let next = self.inner.clone();
        let ready = std::mem::replace(&mut self.inner, next);
        let of = Arc::new(Plan::Target(TargetId(0)));
        let rules = self.rules;
        let plan = Plan::Retry { of, rules };
        let most = rules.max_attempts.get();
        Box::pin(run(Services::new(vec![ready], request), 1, plan, most))
    }
}

/// Sends a request to services in order until one answers well.
#[derive(Clone, Debug)]
pub struct Fallback<S> {
    services: Vec<S>,
}

impl<S> Fallback<S> {
    /// These services, in this order.
    pub fn new(services: impl IntoIterator<Item = S>) -> Self {
        let services = services.into_iter().take(usize::from(u16::MAX)).collect();
        Self { services }
    }
}

/// As a fallback of clients does: what one service refuses, another may take.
const REFUSALS: CodeSet = CodeSet::NONE.with(punctual_core::Code::InvalidRequest);

impl<S, B, R> Service<Request<B>> for Fallback<S>
where
    S: Service<Request<B>, Response = Response<R>> + Clone + Send + 'static,
    S::Future: Send,
    S::Error: Into<BoxError>,
    B: Clone + Send + 'static,
    R: Send + 'static,
{
    type Response = Response<R>;
    type Error = Error;
    type Future = Answer<R>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Answer<R> {
        let count = self.services.len();
        if count == 0 {
            let empty =
                crate::Error::misuse("empty_list", "a fallback has no service; give it one");
            return Box::pin(std::future::ready(Err(Error::Punctual(empty))));
        }
        let ids = (0..=u16::MAX).take(count).map(TargetId);
        let plan = Plan::Fallback {
            of: ids.map(|id| Arc::new(Plan::Target(id))).collect(),
            also_on: REFUSALS,
        };
        let most = u32::try_from(count).unwrap_or(u32::MAX);
        let services = Services::new(self.services.clone(), request);
        Box::pin(run(services, count, plan, most))
    }
}

/// The request's way through the engine.
async fn run<S, B, R>(
    services: Services<S, B, R>,
    count: usize,
    plan: Plan,
    max_attempts_total: u32,
) -> Result<Response<R>, Error>
where
    S: Service<Request<B>, Response = Response<R>> + Clone + Send + 'static,
    S::Future: Send,
    S::Error: Into<BoxError>,
    B: Clone + Send + 'static,
    R: Send + 'static,
{
    let (deadline, min_attempt) = invoke::deadline(&crate::Call::new());
    let (tee, record) = invoke::record(Surface::Passthrough, deadline);
    let policy = Policy {
        max_attempts_total,
        min_attempt,
        ..Policy::default()
    };
    let call = Call {
        policy: Arc::new(policy),
        ..Call::new(Surface::Passthrough, Arc::new(plan), deadline)
    };
    let named = |at: usize| Target::new(format!("service {at}"));
    let engine = Arc::new(Engine {
        targets: (0..count).map(named).collect(),
        upstream: services,
    });
    let opening = Box::pin(open(engine.clone(), call, record));
    let failure = match runtime::enter(opening).await {
        Ok(Open { mut record, .. }) => {
            record.settle(Outcome::Ok, None);
            None
        }
        Err(Refused { failure, .. }) => Some(failure),
    };
    let in_time = failure
        .as_ref()
        .is_none_or(|f| f.code != punctual_core::Code::DeadlineExceeded);
    match (engine.upstream.take(), failure) {
        (Some(Came::Answer(answer)), _) if in_time => Ok(answer),
        (Some(Came::Error(error)), _) if in_time => Err(Error::Service(error)),
        (_, failure) => {
            let none = || punctual_core::Failure::new(punctual_core::Code::Internal, "no answer");
            Err(Error::Punctual(tee.error(*failure.unwrap_or_else(none))))
        }
    }
}
