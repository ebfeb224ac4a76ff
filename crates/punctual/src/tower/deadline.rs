//! A limit over a service's answer, its body included.

use super::exchange::Error;
use crate::{ForwardDeadline, answered::BoxError, bounded::Bounded, invoke};
use http::{Request, Response};
use punctual_core::arm;
use std::{
    future::{Future, poll_fn},
    pin::{Pin, pin},
    task::{Context, Poll},
    time::Duration,
};
use tower_layer::Layer;
use tower_service::Service;

/// Bounds a service, as [`Deadline`].
#[derive(Clone, Debug, Default)]
pub struct DeadlineLayer {
    limit: Option<Duration>,
    told: Vec<ForwardDeadline>,
}

impl DeadlineLayer {
    /// At most so long, body included, and never beyond the end of the run. Zero means the end of the run
    /// alone.
    #[must_use]
    pub fn new(limit: Duration) -> Self {
        Self {
            limit: (!limit.is_zero()).then_some(limit),
            told: Vec::new(),
        }
    }

    /// The time left is told in this header: lowered to it where it is there already, never raised.
    #[must_use]
    pub fn tell(mut self, header: ForwardDeadline) -> Self {
        self.told.push(header);
        self
    }
}

impl<S> Layer<S> for DeadlineLayer {
    type Service = Deadline<S>;

    fn layer(&self, inner: S) -> Deadline<S> {
        Deadline {
            inner,
            layer: self.clone(),
        }
    }
}

/// Ends a request, and the body of its answer, when its time is up or the run's.
#[derive(Clone, Debug)]
pub struct Deadline<S> {
    inner: S,
    layer: DeadlineLayer,
}

type Answer<R> = Pin<Box<dyn Future<Output = Result<Response<Bounded<R>>, Error>> + Send>>;

impl<S, B, R> Service<Request<B>> for Deadline<S>
where
    S: Service<Request<B>, Response = Response<R>>,
    S::Future: Send + 'static,
    S::Error: Into<BoxError>,
    R: Send + 'static,
{
    type Response = Response<Bounded<R>>;
    type Error = Error;
    type Future = Answer<R>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        let ready = self.inner.poll_ready(cx);
        ready.map_err(|error| Error::Service(error.into()))
    }

    fn call(&mut self, mut request: Request<B>) -> Answer<R> {
        let call = crate::Call::new().limit(self.layer.limit.unwrap_or_default());
        let (deadline, least) = invoke::deadline(&call);
        for header in &self.layer.told {
            header.lower(request.headers_mut(), deadline.left());
        }
        let over = move || Error::Punctual(invoke::over(&deadline));
        if deadline
            .left()
            .is_some_and(|left| left.is_zero() || left < least)
        {
            return Box::pin(std::future::ready(Err(over())));
        }
        let work = self.inner.call(request);
        Box::pin(async move {
            let mut work = pin!(work);
            let mut timer = deadline.at().map(|at| Box::pin(arm(at)));
            let answer = poll_fn(|cx| {
                if let Poll::Ready(answer) = work.as_mut().poll(cx) {
                    return Poll::Ready(Some(answer));
                }
                let timer = timer.as_mut().map(|timer| timer.as_mut().poll(cx));
                if timer.is_some_and(|timer| timer.is_ready()) {
                    Poll::Ready(None)
                } else {
                    Poll::Pending
                }
            });
            let answer = answer.await.ok_or_else(over)?;
            let answer = answer.map_err(|error| Error::Service(error.into()))?;
            Ok(answer.map(|body| Bounded::new(body, deadline)))
        })
    }
}
