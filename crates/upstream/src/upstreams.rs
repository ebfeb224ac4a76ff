//! The engine's way to its targets: one attempt, from request to judged answer.

use crate::{
    answer::{Answer, Reader},
    aside::LARGE,
    auth::{Signer, Unsigned},
    body::{Body, Cut, Rest},
    bonds::{self, Member},
    dialect, fault,
    pools::Pools,
    request::{self, Outgoing, Payload, Written},
    spec::{SpecError, TargetSpec},
    target::Target,
    way::Way,
};
use bytes::Bytes;
use http::{HeaderMap, header, response::Parts};
use punctual_core::{Attempt, Bond, Call, Code, Failure, Progress, TargetId, Upstream};
use std::{fmt, sync::Arc, time::Duration};

/// How much of an error answer is read; what matters stands at its beginning.
const ERROR_BODY: usize = 64 * 1024;
/// How long the words of an error answer are waited for once its status is known.
const ERROR_WAIT: Duration = Duration::from_secs(2);

/// The targets of one snapshot. A [`TargetId`] is the place of its [`TargetSpec`].
pub struct Upstreams {
    targets: Vec<Arc<Target>>,
}

impl fmt::Debug for Upstreams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.targets.iter().map(|target| &target.name);
        f.debug_list().entries(names).finish()
    }
}

impl Upstreams {
    /// Checks the targets and finds or makes the pools of their endpoints. Nothing is connected yet.
    ///
    /// # Errors
    /// The first mistake, by target and field.
    pub fn new(specs: Vec<TargetSpec>, pools: &Arc<Pools>) -> Result<Self, SpecError> {
        let target = |spec: &TargetSpec| {
            let target = Target::new(spec, pools);
            target.map(Arc::new).map_err(|fault| fault.of(&spec.name))
        };
        let targets: Result<_, _> = specs.iter().map(target).collect();
        Ok(Self { targets: targets? })
    }

    async fn attempt(
        &self,
        id: TargetId,
        call: &Call,
        attempt: &Attempt<'_>,
    ) -> Result<Box<Answer>, Box<Failure>> {
        let Some(target) = self.targets.get(usize::from(id.0)) else {
            let text = "the plan names a target that is not there";
            return Err(Failure::new(Code::Internal, text));
        };
        let way = way(target, call)?;
        let written = match request::takes_long(target, &way, call) {
            false => request::written(target, &way, call)?,
            true => {
                let written = request::written_aside(target, &way, call);
                let written = ours(attempt.progress, written).await??;
                attempt.progress.connecting();
                written
            }
        };
        let Written {
            parts: body,
            lost,
            base64,
        } = written;
        let unsigned = Outgoing {
            target,
            way: &way,
            call,
            attempt,
            body: &Payload::new(body.clone()),
            credential: None,
        };
        let credential = match &target.signer {
            // rare and large: the future of every attempt would carry it
            Some(signer) => {
                let credential = Box::pin(signed(signer, &unsigned, &body)).await?;
                attempt.progress.connecting();
                Some(credential)
            }
            None => None,
        };
        let outgoing = Outgoing {
            credential: credential.as_ref(),
            ..unsigned
        };
        let (parts, stream) = target.pool.exchange(outgoing, attempt.progress).await?;
        attempt.progress.headers();
        let reader = Reader::new(target, way, call, lost, base64).signed(credential.as_ref());
        let body = Body::new(stream, &parts.headers);
        if parts.status.is_success() {
            let body = body.map_err(Cut::into_failure)?;
            return Ok(Box::new(Answer::new(&parts, body, reader, call)));
        }
        // rare and large: the future of every attempt would carry it
        Box::pin(refused(target, reader, parts, body)).await
    }
}

/// What an answer with an error status is: a failure, or an error that is passed through.
async fn refused(
    target: &Target,
    reader: Reader,
    parts: Parts,
    body: Result<Body, Cut>,
) -> Result<Box<Answer>, Box<Failure>> {
    let (said, rest) = match body {
        Ok(body) => body.beginning(ERROR_BODY, ERROR_WAIT).await,
        Err(_) => (Bytes::new(), Rest::Lost),
    };
    let asked = reader.asked();
    let failure = reader.with_secrets(|secrets| {
        fault::of_response(asked, parts.status, &parts.headers, &said, secrets)
    });
    if let Some(signer) = &target.signer
        && failure.code == Code::Unauthorized
    {
        signer.refused();
    }
    let passes = asked.passes(parts.status, target.passes_credentials);
    let rest = match rest {
        Rest::None if passes => None,
        Rest::More(body) if passes => Some(*body),
        _ => return Err(failure),
    };
    let answer = Answer::passing(&parts, (said, rest), reader, failure);
    Ok(Box::new(answer))
}

/// The headers that prove who sends `body`.
async fn signed(
    signer: &Signer,
    outgoing: &Outgoing<'_>,
    body: &[Bytes],
) -> Result<HeaderMap, Box<Failure>> {
    let unsigned = Unsigned {
        method: &outgoing.call.method,
        uri: &outgoing.way.uri,
        host: outgoing.target.authority(),
        content_type: outgoing.headers().remove(header::CONTENT_TYPE),
        body,
    };
    if body.iter().map(Bytes::len).sum::<usize>() <= LARGE {
        return signer.sign(&unsigned).await;
    }
    // what has to be fetched for it is the provider's time, and to hash a large body is ours
    let fetched = Unsigned {
        body: &[],
        ..unsigned.clone()
    };
    signer.sign(&fetched).await?;
    ours(outgoing.attempt.progress, signer.sign(&unsigned)).await
}

/// Work of our own on what is to be sent: no clock of the member's goes on meanwhile.
async fn ours<T>(progress: &Progress, work: impl Future<Output = T>) -> T {
    progress.busy(true);
    let done = work.await;
    progress.busy(false);
    done
}

/// How `target` serves `call`.
fn way(target: &Target, call: &Call) -> Result<Way, Box<Failure>> {
    let surface = dialect::surface(call.surface);
    let way = surface.and_then(|surface| target.way(surface, call));
    way.ok_or_else(|| {
        let what = match call.path.is_some() {
            true => "responses by their id",
            false => call.surface.as_str(),
        };
        let text = format!(
            "target {} speaks {}, which does not serve {what}",
            target.name,
            target.dialect.as_str(),
        );
        Failure::new(Code::Unsupported, text)
    })
}

impl Upstream for Upstreams {
    type Pieces = Box<Answer>;

    fn suits(&self, target: TargetId, call: &Call) -> Result<(), Box<Failure>> {
        match self.targets.get(usize::from(target.0)) {
            Some(target) if !target.serves(call) => way(target, call).map(drop),
            _ => Ok(()),
        }
    }

    fn bond(&self, call: &Call) -> Bond {
        if call.state.is_empty() {
            return Bond::Free;
        }
        let member = |id: TargetId| {
            let target = self.targets.get(usize::from(id.0))?;
            let way = way(target, call).ok()?;
            Some(Member {
                id,
                target,
                native: way.via.is_relay(),
            })
        };
        let targets = call.plan.targets();
        let members: Vec<_> = targets.into_iter().filter_map(member).collect();
        let Some(first) = members.first() else {
            return Bond::Free;
        };
        let owner = bonds::owner(call.key.as_deref());
        let bonds = &first.target.bonds;
        bonds.bond(&call.state, owner, &members)
    }

    fn send(
        &self,
        target: TargetId,
        call: &Call,
        attempt: &Attempt<'_>,
    ) -> impl Future<Output = Result<Box<Answer>, Box<Failure>>> + Send {
        self.attempt(target, call, attempt)
    }
}

#[cfg(test)]
mod tests;
