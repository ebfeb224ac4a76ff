//! One observer that tells several.
//!
//! The engine calls one observer inline. Each of those behind it is told in order, and a bug in one is
//! neither the request's nor the next one's: a panic is caught and the event counts as told.

use punctual_core::{Event, Observer, Report};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

/// Tells every event to all of its observers, in order.
#[derive(Clone, Default)]
pub struct Fan(Vec<Arc<dyn Observer>>);

impl Fan {
    /// Tells these, in this order.
    #[must_use]
    pub fn new(observers: Vec<Arc<dyn Observer>>) -> Self {
        Self(observers)
    }
}

impl std::fmt::Debug for Fan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Fan").field(&self.0.len()).finish()
    }
}

impl Observer for Fan {
    fn on(&self, report: &Report, event: &Event<'_>) {
        for observer in &self.0 {
            let _ = catch_unwind(AssertUnwindSafe(|| observer.on(report, event)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use punctual_core::{Deadline, Record, Surface, Trace};
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    struct Counts(AtomicU32);
    impl Observer for Counts {
        fn on(&self, _: &Report, _: &Event<'_>) {
            self.0.fetch_add(1, Relaxed);
        }
    }
    struct Panics;
    impl Observer for Panics {
        fn on(&self, _: &Report, _: &Event<'_>) {
            panic!("a bug");
        }
    }

    #[tokio::test]
    async fn a_bug_in_one_observer_does_not_reach_the_next() {
        let counts = Arc::new(Counts(AtomicU32::new(0)));
        let fan = Fan::new(vec![Arc::new(Panics), counts.clone()]);
        let deadline = Deadline::starting(tokio::time::Instant::now());
        let id = Arc::from("1");
        drop(Record::open(
            id,
            Surface::Chat,
            Trace::root(),
            deadline,
            Arc::new(fan),
        ));
        assert_eq!(counts.0.load(Relaxed), 2);
    }
}
