//! Calls from code that is not async.
//!
//! The call runs on the library's own runtime and the calling thread waits for it, so this also works on a
//! thread of another runtime (which it blocks, as any blocking call would). Scope and deadline are those of
//! the calling thread.

use crate::{
    answer::Answer, call::Call, delta::Delta, error::Error, execution::Execution, invoke,
    node::Node, runtime, stream::AnswerStream,
};
use punctual_core::{Code, Failure};
use std::{future::Future, sync::mpsc::sync_channel};

/// A client for blocking code.
///
/// ```no_run
/// use punctual::{Call, Client, openai};
///
/// # fn main() -> Result<(), punctual::Error> {
/// let client = openai::Chat::new("gpt-4o-mini").blocking();
/// let answer = client.invoke(&Call::new().user("hi"))?;
/// for step in client.invoke_stream(&Call::new().user("hi"))? {
///     print!("{}", step?.as_text().unwrap_or_default());
/// }
/// # let _ = answer; Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Blocking {
    node: Node,
}

impl Blocking {
    pub(crate) fn new(node: Node) -> Self {
        Self { node }
    }

    /// Asks, and waits for the whole answer.
    ///
    /// # Errors
    /// As [`Client::invoke`](crate::Client::invoke).
    pub fn invoke(&self, call: &Call) -> Result<Answer, Error> {
        wait(invoke::whole(self.node.clone(), bound(call)))?
    }

    /// Asks, and waits for the first content.
    ///
    /// # Errors
    /// As [`Client::invoke_stream`](crate::Client::invoke_stream).
    pub fn invoke_stream(&self, call: &Call) -> Result<BlockingStream, Error> {
        let stream = wait(invoke::stream(self.node.clone(), bound(call)))??;
        Ok(BlockingStream(Some(stream)))
    }
}

/// The call with what binds this thread: the call itself runs on another.
fn bound(call: &Call) -> Call {
    match Execution::current() {
        Some(run) => call.clone().deadline(run),
        None => call.clone(),
    }
}

/// A streamed answer for blocking code.
#[derive(Debug)]
pub struct BlockingStream(Option<AnswerStream>);

impl Iterator for BlockingStream {
    type Item = Result<Delta, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut stream = self.0.take()?;
        let step = wait(async move {
            let step = stream.next().await;
            (step, stream)
        });
        match step {
            Ok((step, stream)) => {
                self.0 = step.is_some().then_some(stream);
                step
            }
            Err(error) => Some(Err(error)),
        }
    }
}

fn wait<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> Result<T, Error> {
    let internal = |text| Error::plain(*Failure::new(Code::Internal, text));
    let Some(runtime) = runtime::own() else {
        return Err(internal("the system gives no thread for blocking calls"));
    };
    let (done, waiting) = sync_channel(1);
    runtime.spawn(async move {
        let _ = done.send(work.await);
    });
    waiting.recv().map_err(|_| internal("the call panicked"))
}
