//! Members of a program's own: anything that can answer takes part in a plan.
//!
//! A cache, a model in the process, a provider with an SDK of its own: it is given the call and the time
//! left, and is cut by its clocks, retried and passed over as every other client.

use crate::{
    answer::Answer,
    call::Call,
    client::Client,
    delta::Delta,
    failed::Failed,
    leaf::Speaker,
    node::{Kind, Leaf, Node},
    timeouts::Timeouts,
};
use futures_core::Stream;
use punctual_core::Target;
use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

/// The steps of a member's answer. The last one must be [`Delta::Done`]: a stream that ends before is one
/// that was cut off.
pub type Deltas = Pin<Box<dyn Stream<Item = Result<Delta, Failed>> + Send>>;

/// What a member is asked.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Turn {
    /// The call.
    pub call: Call,
    /// 1 for the first attempt of the call, whoever made it.
    pub attempt: u32,
    /// Time left of the whole call, if it has a limit.
    pub left: Option<Duration>,
}

/// Something of the program's own that answers.
///
/// ```
/// use punctual::{Answer, Client, Code, Call, Failed, Fallback, Member, Turn};
///
/// #[derive(Clone)]
/// struct Cache;
///
/// impl Member for Cache {
///     fn name(&self) -> &str {
///         "cache"
///     }
///     async fn invoke(&self, turn: Turn) -> Result<Answer, Failed> {
///         match turn.call.request().messages.len() {
///             1 => Ok(Answer::of_text("from the cache")),
///             _ => Err(Failed::new(Code::NotFound, "not in the cache")),
///         }
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), punctual::Error> {
/// let client = Fallback::new((Cache, punctual::openai::Chat::new("gpt-4o-mini")));
/// let answer = client.invoke(&Call::new().user("hi")).await?;
/// assert_eq!(answer.text(), "from the cache");
/// # Ok(()) }
/// ```
pub trait Member: Clone + Send + Sync + 'static {
    /// Its name, in records and errors.
    fn name(&self) -> &str;

    /// Its clocks.
    fn timeouts(&self) -> Timeouts {
        Timeouts::new()
    }

    /// Whether it may be asked again after it may have begun to work and did not finish in time.
    fn replays(&self) -> bool {
        true
    }

    /// Answers. Dropped at a limit, and then nothing of it may go on.
    fn invoke(&self, turn: Turn) -> impl Future<Output = Result<Answer, Failed>> + Send;

    /// Answers step by step. A member that does not say how cannot.
    fn invoke_stream(&self, turn: Turn) -> impl Future<Output = Result<Deltas, Failed>> + Send {
        let _ = turn;
        async { Err(Failed::not_streaming(self.name())) }
    }
}

type Boxed<'a, T> = Pin<Box<dyn Future<Output = Result<T, Failed>> + Send + 'a>>;

/// A [`Member`] of whichever type.
pub(crate) trait Own: Send + Sync {
    fn invoke(&self, turn: Turn) -> Boxed<'_, Answer>;
    fn invoke_stream(&self, turn: Turn) -> Boxed<'_, Deltas>;
}

impl<M: Member> Own for M {
    fn invoke(&self, turn: Turn) -> Boxed<'_, Answer> {
        Box::pin(Member::invoke(self, turn))
    }

    fn invoke_stream(&self, turn: Turn) -> Boxed<'_, Deltas> {
        Box::pin(Member::invoke_stream(self, turn))
    }
}

impl<M: Member> Client for M {
    fn node(&self) -> Node {
        let mut target = target(self.name(), self.timeouts());
        target.replay_timeouts = self.replays();
        let speaker = Speaker::Own(Arc::new(self.clone()));
        Node::new(Kind::Leaf(Leaf { target, speaker }))
    }
}

/// What the engine knows of a client: no breaker and no budget, because a program's calls are judged each by
/// itself unless it asks for more.
pub(crate) fn target(name: &str, timeouts: Timeouts) -> Target {
    Target {
        limits: timeouts.limits(),
        ..Target::new(name)
    }
}
