//! What every client can do.

use crate::{
    answer::Answer, blocking::Blocking, call::Call, error::Error, invoke, node::Node,
    stream::AnswerStream,
};
use std::future::Future;

/// Something that answers calls: a client of a provider, a member of one's own, or several of them under
/// [`Retry`](crate::Retry), [`Fallback`](crate::Fallback) or [`RoundRobin`](crate::RoundRobin).
pub trait Client: Send + Sync {
    /// It as a part of a plan.
    fn node(&self) -> Node;

    /// Asks, and waits for the whole answer. Dropping the future ends everything about the call at once.
    ///
    /// # Errors
    /// The last client's failure with all attempts beside it, or that the call's time is up.
    fn invoke(&self, call: &Call) -> impl Future<Output = Result<Answer, Error>> + Send {
        invoke::whole(self.node(), call.clone())
    }

    /// Asks, and waits for the first content. Until then a failed attempt is replaced by another; after it,
    /// a failure ends the stream.
    ///
    /// # Errors
    /// As [`invoke`](Self::invoke).
    fn invoke_stream(
        &self,
        call: &Call,
    ) -> impl Future<Output = Result<AnswerStream, Error>> + Send {
        invoke::stream(self.node(), call.clone())
    }

    /// The same for code that is not async.
    fn blocking(&self) -> Blocking {
        Blocking::new(self.node())
    }
}

impl Client for Node {
    fn node(&self) -> Node {
        self.clone()
    }
}
