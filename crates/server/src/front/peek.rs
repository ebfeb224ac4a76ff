//! Finding what a body asks for without holding up anybody else.
//!
//! The pass over a body takes time in proportion to its size, and a worker that makes it serves nobody
//! meanwhile: neither other callers nor clocks. So it is made in turns on a thread of its own when the body
//! is large. Dropping the future gives the result up; the pass ends by itself, and the body's memory counts
//! until then.

use super::{
    Visit,
    admit::{Stop, shutting_down},
};
use crate::answer::Refusal;
use bytes::Bytes;
use punctual_core::Upstream;
use punctual_wire::{
    BadBody, Peek, Surface,
    peek::{self, LARGE},
};
use std::panic::resume_unwind;

/// What `body` asks for on `surface`.
pub(super) async fn peek<U: Upstream>(
    visit: &Visit<U>,
    surface: Surface,
    body: &Bytes,
) -> Result<Peek, Stop> {
    let found = if body.len() > LARGE {
        aside(visit, surface, body.clone()).await?
    } else {
        peek::peek(surface, body)
    };
    Ok(found.map_err(Refusal::bad_body)?)
}

async fn aside<U: Upstream>(
    visit: &Visit<U>,
    surface: Surface,
    body: Bytes,
) -> Result<Result<Peek, BadBody>, Stop> {
    let gateway = &visit.link.gateway;
    let ended = || Stop::Failed(shutting_down());
    let turn = gateway.passes.clone().acquire_owned().await;
    let turn = turn.map_err(|_| ended())?;
    let pass = gateway.tasks.spawn_blocking(move || {
        let _turn = turn;
        peek::peek(surface, &body)
    });
    pass.await.map_err(|e| match e.try_into_panic() {
        Ok(panic) => resume_unwind(panic),
        Err(_) => ended(),
    })
}
