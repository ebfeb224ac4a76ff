//! The engine's way to the clients of one call.
//!
//! A plan's leaves are clients of providers, which ask over the network, and members of the program's own.
//! The engine sees neither: it sees pieces that are judged. What the answer says in words is kept beside
//! them, in [`Parcels`], and taken from there once the engine has let it through. So a failed attempt's words
//! never reach the program: each attempt starts with new parcels.

use crate::{
    answer::Answer, call::Call, delta::Delta, exchange::Exchange, leaf::Speaker, member::Turn,
    node::Compiled,
};
use punctual_core::{Attempt, Call as CoreCall, Code, Failure, Plan, TargetId, Upstream};
use std::{
    collections::VecDeque,
    future::poll_fn,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// What the running attempt has said.
#[derive(Default)]
pub(crate) struct Said {
    /// Whose attempt it is.
    pub(crate) by: Option<TargetId>,
    /// A whole answer.
    pub(crate) answer: Option<Answer>,
    /// The steps of a member's stream that were not taken yet, one for each byte of its pieces.
    pub(crate) deltas: VecDeque<Delta>,
}

/// [`Said`], shared between an exchange and who waits for it.
#[derive(Clone, Default)]
pub(crate) struct Parcels(Arc<Mutex<Said>>);

impl Parcels {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Said> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The clients of one call.
pub(crate) struct Dispatch {
    pub(crate) compiled: Arc<Compiled>,
    pub(crate) call: Call,
    pub(crate) parcels: Mutex<Parcels>,
}

impl Dispatch {
    /// The parcels of the last attempt, which is the one that answered if any did.
    pub(crate) fn parcels(&self) -> Parcels {
        let parcels = self.parcels.lock().unwrap_or_else(PoisonError::into_inner);
        parcels.clone()
    }

    fn begin(&self, by: TargetId) -> Parcels {
        let parcels = Parcels::default();
        parcels.lock().by = Some(by);
        let mut current = self.parcels.lock().unwrap_or_else(PoisonError::into_inner);
        *current = parcels.clone();
        parcels
    }

    async fn ask(
        &self,
        id: TargetId,
        call: &CoreCall,
        attempt: &Attempt<'_>,
    ) -> Result<Exchange, Box<Failure>> {
        let parcels = self.begin(id);
        let Some(leaf) = self.compiled.leaves.get(usize::from(id.0)) else {
            return Err(Failure::new(
                Code::Internal,
                "the plan names a client that is not there",
            ));
        };
        let own = match &leaf.speaker {
            Speaker::Wire(wire) => {
                let upstreams = wire.upstreams()?;
                let call = wire.call(&self.call, call)?;
                let answer = upstreams.send(TargetId(0), &call, attempt).await?;
                let check = (!call.stream).then(|| wire.speech().codec.answer);
                return Ok(Exchange::wire(answer, check, parcels));
            }
            Speaker::Own(own) => own,
        };
        // there is no connection to wait for, and what it has done nobody knows
        attempt.progress.connected(true);
        attempt.progress.writing();
        let turn = Turn {
            call: self.call.clone(),
            attempt: attempt.number,
            left: attempt.left,
        };
        let failed = |failed: crate::Failed| failed.into_failure();
        if call.stream {
            let mut deltas = own.invoke_stream(turn).await.map_err(failed)?;
            // a member has answered once it has said something
            let first = poll_fn(|cx| deltas.as_mut().poll_next(cx)).await;
            let first = first.transpose().map_err(failed)?;
            return Ok(Exchange::own_stream(first, deltas, parcels));
        }
        let answer = own.invoke(turn).await.map_err(failed)?;
        Ok(Exchange::own_whole(answer, &parcels))
    }
}

impl Upstream for Dispatch {
    type Pieces = Exchange;

    fn judge(&self, node: &Plan, failure: &Failure) -> Option<bool> {
        self.compiled.judge(node, failure)
    }

    fn send(
        &self,
        target: TargetId,
        call: &CoreCall,
        attempt: &Attempt<'_>,
    ) -> impl Future<Output = Result<Exchange, Box<Failure>>> + Send {
        self.ask(target, call, attempt)
    }
}
