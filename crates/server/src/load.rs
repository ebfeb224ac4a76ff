//! How much is going on at once: requests in flight, connections.
//!
//! A place is an RAII guard. At the limit the answer is no, at once; nothing waits here (lanes do that).

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering::AcqRel, Ordering::Acquire},
};
use tokio::sync::Notify;

/// A counter with places.
#[derive(Debug, Default)]
pub(crate) struct Load {
    taken: AtomicUsize,
    emptied: Notify,
}

/// One of the places, given back on drop.
#[derive(Debug)]
pub(crate) struct Place(Arc<Load>);

impl Load {
    /// A place, unless `limit` are taken.
    pub(crate) fn take(self: &Arc<Self>, limit: usize) -> Option<Place> {
        let more = |taken: usize| (taken < limit).then_some(taken + 1);
        let taken = self.taken.fetch_update(AcqRel, Acquire, more);
        taken.is_ok().then(|| Place(self.clone()))
    }

    pub(crate) fn taken(&self) -> usize {
        self.taken.load(Acquire)
    }

    /// Resolves when no place is taken.
    pub(crate) async fn empty(&self) {
        loop {
            let emptied = self.emptied.notified();
            if self.taken() == 0 {
                return;
            }
            emptied.await;
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.0.taken.fetch_sub(1, AcqRel) == 1 {
            self.0.emptied.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn places_are_bounded_and_come_back() {
        let load = Arc::new(Load::default());
        let (a, b) = (load.take(2), load.take(2));
        assert!(a.is_some() && b.is_some() && load.take(2).is_none());
        drop(a);
        assert_eq!(load.taken(), 1);
        let waiting = load.empty();
        tokio::pin!(waiting);
        tokio::select! { biased; () = &mut waiting => panic!("not empty"), () = std::future::ready(()) => {} }
        drop(b);
        waiting.await;
    }
}
