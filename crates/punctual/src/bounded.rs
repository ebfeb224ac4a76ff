//! The body of an answer, until its time is up.

use crate::{answered::BoxError, invoke};
use http_body::{Body, Frame, SizeHint};
use punctual_core::{Deadline, arm, reached};
use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};
use tokio::time::Sleep;

/// A body that ends with an error when its time is up; what it wraps is then dropped. It is looked at when it
/// is polled.
pub struct Bounded<B> {
    /// Until it has ended.
    body: Option<Pin<Box<B>>>,
    deadline: Deadline,
    timer: Option<Pin<Box<Sleep>>>,
}

impl<B> std::fmt::Debug for Bounded<B> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bounded").finish_non_exhaustive()
    }
}

impl<B> Bounded<B> {
    pub(crate) fn new(body: B, deadline: Deadline) -> Self {
        Self {
            body: Some(Box::pin(body)),
            deadline,
            timer: deadline.at().map(|at| Box::pin(arm(at))),
        }
    }

    fn is_over(&mut self, cx: &mut Context<'_>) -> bool {
        let timer = self.timer.as_mut().map(|timer| timer.as_mut().poll(cx));
        timer.is_some_and(|timer| timer.is_ready()) || self.deadline.at().is_some_and(reached)
    }
}

impl<B: Body> Body for Bounded<B>
where
    B::Error: Into<BoxError>,
{
    type Data = B::Data;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, BoxError>>> {
        if self.body.is_some() && self.is_over(cx) {
            self.body = None;
            let over = invoke::over(&self.deadline);
            return Poll::Ready(Some(Err(over.into())));
        }
        match &mut self.body {
            None => Poll::Ready(None),
            Some(body) => body.as_mut().poll_frame(cx).map_err(Into::into),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(|body| body.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        self.body
            .as_ref()
            .map(|body| body.size_hint())
            .unwrap_or_default()
    }
}
