//! How late a bare timer of this process is while the tests run: bounds in milliseconds are the figure plus
//! the canary's 99th percentile, because a busy machine is not the gateway's fault.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::time::{Instant, sleep};

pub struct Canary {
    late: Arc<Mutex<Vec<Duration>>>,
    stop: Arc<AtomicBool>,
}

impl Canary {
    /// Starts measuring on the current runtime.
    pub fn start() -> Self {
        let canary = Self {
            late: Arc::default(),
            stop: Arc::default(),
        };
        let (late, stop) = (canary.late.clone(), canary.stop.clone());
        #[expect(clippy::disallowed_methods, reason = "a measuring task of the tests")]
        tokio::spawn(async move {
            while !stop.load(Relaxed) {
                let due = Instant::now() + Duration::from_millis(5);
                sleep(Duration::from_millis(5)).await;
                late.lock().unwrap().push(due.elapsed());
            }
        });
        canary
    }

    /// The worst so far.
    pub fn worst(&self) -> Duration {
        percentile(&mut self.late.lock().unwrap().clone(), 100)
    }

    /// The 99th percentile so far.
    pub fn p99(&self) -> Duration {
        percentile(&mut self.late.lock().unwrap().clone(), 99)
    }
}

impl Drop for Canary {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
    }
}

/// A percentile of some durations; zero of none.
pub fn percentile(values: &mut [Duration], p: usize) -> Duration {
    values.sort_unstable();
    let at = (values.len() * p).div_ceil(100).saturating_sub(1);
    values.get(at).copied().unwrap_or_default()
}
