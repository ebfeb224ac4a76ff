//! A service as one of the engine's targets: the answer of an attempt is its head; the body goes to the
//! caller as it is.

use crate::answered::{self, Answered, BoxError};
use http::{Request, Response};
use punctual_core::{Attempt, Call, Code, Failure, Sent, TargetId, Upstream};
use std::{
    fmt,
    future::poll_fn,
    marker::PhantomData,
    sync::{Mutex, PoisonError},
};
use tower_service::Service;

/// Why there is no answer.
#[non_exhaustive]
pub enum Error {
    /// A service's own error, the last one's.
    Service(BoxError),
    /// Time is up, or no service could be asked.
    Punctual(crate::Error),
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Service(error) => write!(f, "Service({error:?})"),
            Self::Punctual(error) => write!(f, "Punctual({error:?})"),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Service(error) => error.fmt(f),
            Self::Punctual(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

/// What the last attempt came to.
pub(super) enum Came<R> {
    Answer(Response<R>),
    Error(BoxError),
}

/// Services as targets of one request.
pub(super) struct Services<S, B, R> {
    services: Vec<Mutex<S>>,
    request: Mutex<Request<B>>,
    pub(super) last: Mutex<Option<Came<R>>>,
    answer: PhantomData<fn() -> R>,
}

impl<S, B, R> Services<S, B, R> {
    pub(super) fn new(services: Vec<S>, request: Request<B>) -> Self {
        Self {
            services: services.into_iter().map(Mutex::new).collect(),
            request: Mutex::new(request),
            last: Mutex::new(None),
            answer: PhantomData,
        }
    }

    pub(super) fn take(&self) -> Option<Came<R>> {
        self.last
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    fn keep(&self, came: Came<R>) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(came);
    }
}

impl<S, B, R> Services<S, B, R>
where
    S: Service<Request<B>, Response = Response<R>> + Clone,
    B: Clone,
    S::Error: Into<BoxError>,
{
    /// The service to use, and another in its place: one that was found ready is used up by a call.
    fn service(&self, id: TargetId) -> Option<S> {
        let service = self.services.get(usize::from(id.0))?;
        let mut service = service.lock().unwrap_or_else(PoisonError::into_inner);
        let next = service.clone();
        Some(std::mem::replace(&mut *service, next))
    }

    async fn ask(&self, id: TargetId, attempt: &Attempt<'_>) -> Result<Answered, Box<Failure>> {
        let Some(mut service) = self.service(id) else {
            return Err(Failure::new(
                Code::Internal,
                "the plan names a service that is not there",
            ));
        };
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let broken = |error: S::Error, sent| {
            let error: BoxError = error.into();
            let mut failure = Failure::new(Code::ConnectFailed, error.to_string());
            failure.sent = sent;
            self.keep(Came::Error(error));
            failure
        };
        let ready = poll_fn(|cx| service.poll_ready(cx)).await;
        ready.map_err(|error| broken(error, Sent::No))?;
        // how far a service is with its connections is its own affair
        attempt.progress.connected(true);
        attempt.progress.writing();
        let request = self
            .request
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let answer = service.call(request).await;
        let answer = answer.map_err(|error| broken(error, Sent::Maybe))?;
        attempt.progress.headers();
        let (status, failure) = (
            answer.status(),
            answered::failure(answer.status(), answer.headers()),
        );
        self.keep(Came::Answer(answer));
        failure.map_or(Ok(Answered::new(status)), Err)
    }
}

impl<S, B, R> Upstream for Services<S, B, R>
where
    S: Service<Request<B>, Response = Response<R>> + Clone + Send + 'static,
    S::Future: Send,
    S::Error: Into<BoxError>,
    B: Clone + Send + 'static,
    R: Send + 'static,
{
    type Pieces = Answered;

    fn send(
        &self,
        target: TargetId,
        _: &Call,
        attempt: &Attempt<'_>,
    ) -> impl Future<Output = Result<Answered, Box<Failure>>> + Send {
        self.ask(target, attempt)
    }
}
