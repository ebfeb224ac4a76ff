//! A service as one of the engine's targets: the answer of an attempt is its head; the body goes to the
//! caller as it is.

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use punctual_core::{
    Attempt, Call, Code, End, Failure, Head, Kind, Piece, Pieces, Sent, Summary, TargetId, Upstream,
};
use punctual_wire::Verdict;
use std::{
    fmt,
    future::poll_fn,
    marker::PhantomData,
    sync::{Mutex, PoisonError},
    task::{Context, Poll},
    time::SystemTime,
};
use tower_service::Service;

/// Any error.
pub(super) type BoxError = Box<dyn std::error::Error + Send + Sync>;

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
        let (status, failure) = (answer.status(), failure(&answer));
        self.keep(Came::Answer(answer));
        failure.map_or(Ok(Answered::new(status)), Err)
    }
}

/// What a head says by the table of failures.
fn failure<R>(answer: &Response<R>) -> Option<Box<Failure>> {
    let status = answer.status();
    if status.is_success() || status.is_informational() || status.is_redirection() {
        return None;
    }
    let verdict = Verdict::of_response(status.as_u16(), answer.headers(), b"", SystemTime::now());
    let mut failure = Failure::new(code(status), format!("the service answered {status}"));
    (failure.status, failure.sent) = (Some(status), Sent::Yes);
    (failure.retry_after, failure.should_retry) = (verdict.retry, verdict.should_retry);
    Some(failure)
}

fn code(status: StatusCode) -> Code {
    match status.as_u16() {
        429 => Code::RateLimited,
        402 => Code::QuotaExhausted,
        503 | 529 => Code::Overloaded,
        401 | 403 => Code::Unauthorized,
        404 => Code::NotFound,
        408 | 425 | 500..=599 => Code::ServerError,
        _ => Code::InvalidRequest,
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

/// An answer whose head has come: that is all the engine waits for.
pub(super) struct Answered {
    head: Head,
    piece: Option<Piece>,
}

impl Answered {
    fn new(status: StatusCode) -> Self {
        let piece = Piece {
            bytes: Bytes::new(),
            kind: Kind::Content { text: true },
            end: Some(End::Other),
        };
        let head = Head {
            status,
            ..Head::default()
        };
        Self {
            head,
            piece: Some(piece),
        }
    }
}

impl Pieces for Answered {
    fn head(&self) -> &Head {
        &self.head
    }

    fn poll_piece(&mut self, _: &mut Context<'_>) -> Poll<Option<Result<Piece, Box<Failure>>>> {
        Poll::Ready(self.piece.take().map(Ok))
    }

    fn summary(&self) -> Summary {
        Summary::default()
    }
}
