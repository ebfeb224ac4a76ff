//! Where calls run: the runtime they are made on, or the library's own.
//!
//! Connections belong to the runtime that made them, so each runtime has its own [`Pools`]; they go when it
//! goes. Code that is on no tokio runtime (blocking code, another executor) is served by one that the library
//! starts when it is first needed: a thread that does nothing but I/O and timers.

use punctual_upstream::Pools;
use std::{
    future::{Future, poll_fn},
    pin::pin,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};
use tokio::runtime::{Builder, Handle, Id};

static POOLS: Mutex<Vec<(Id, Arc<Pools>)>> = Mutex::new(Vec::new());
static OWN: OnceLock<Option<Handle>> = OnceLock::new();

/// Takes a runtime's pools away when the runtime ends.
struct Ends(Id);

impl Drop for Ends {
    fn drop(&mut self) {
        let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
        let gone = pools.iter().position(|(id, _)| *id == self.0);
        let gone = gone.map(|at| pools.swap_remove(at));
        drop(pools);
        drop(gone);
    }
}

/// The pools of the present runtime; `None` outside of any.
pub(crate) fn pools() -> Option<Arc<Pools>> {
    let handle = Handle::try_current().ok()?;
    let id = handle.id();
    let mut known = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, pools)) = known.iter().find(|(known, _)| *known == id) {
        return Some(pools.clone());
    }
    let pools = Pools::new();
    known.push((id, pools.clone()));
    drop(known);
    let ends = Ends(id);
    handle.spawn(async move {
        std::future::pending::<()>().await;
        drop(ends);
    });
    Some(pools)
}

/// The library's own runtime; `None` if the system gives no thread for it.
pub(crate) fn own() -> Option<&'static Handle> {
    let start = || {
        let runtime = Builder::new_current_thread().enable_all().build().ok()?;
        let handle = runtime.handle().clone();
        let run = move || runtime.block_on(std::future::pending::<()>());
        let thread = std::thread::Builder::new().name("punctual".to_owned());
        thread.spawn(run).ok().map(|_| handle)
    };
    OWN.get_or_init(start).as_ref()
}

/// The runtime that something stands on although it is polled by another executor.
#[derive(Clone)]
pub(crate) struct Entered(Option<Handle>);

impl Entered {
    /// The present one, or else the library's own.
    pub(crate) fn here() -> Self {
        match Handle::try_current() {
            Ok(_) => Self(None),
            Err(_) => Self(own().cloned()),
        }
    }

    pub(crate) fn within<T>(&self, work: impl FnOnce() -> T) -> T {
        let guard = self.0.as_ref().map(Handle::enter);
        let done = work();
        drop(guard);
        done
    }
}

/// Runs `work` on the runtime it is polled on, or else on the library's own.
pub(crate) async fn enter<F: Future>(work: F) -> F::Output {
    let entered = Entered::here();
    let mut work = pin!(work);
    poll_fn(|cx| entered.within(|| work.as_mut().poll(cx))).await
}
