//! The end of the process: what a signal orders, and what is still done behind the last request.
//!
//! Nothing here may wait for what might never come: a supervisor kills a process that does not end in time,
//! and with it the telemetry of the last requests. So that is delivered first, all else has a bound, and
//! a signal is heard to the end.

use crate::{build::Lasting, signals::Signals};
use punctual_server::Trigger;
use std::{sync::Arc, time::Duration};
use tokio::{runtime::Runtime, select, time::timeout};
use tokio_util::sync::CancellationToken;

/// How long telemetry may take to be delivered.
pub(super) const FLUSH: Duration = Duration::from_secs(5);
/// How long the connections to providers may take to be closed: a name that is being looked up, for one,
/// cannot be given up.
const CLOSE: Duration = Duration::from_secs(1);
/// What is waited for threads that the system holds, by a lookup or by reading a file.
const THREADS: Duration = Duration::from_millis(100);

/// The first signal drains, the second stops; never resolves, the gateway does.
pub(super) async fn obey(signals: &mut Signals, trigger: &Trigger) {
    signals.next().await;
    trigger.drain();
    tracing::info!("draining; once more ends at once");
    signals.next().await;
    trigger.stop();
    std::future::pending().await
}

/// For the moment at which nothing further may start: no configuration is taken over any more,
/// and no lane gives a permit.
pub(super) fn closing(
    loading: CancellationToken,
    lasting: Arc<Lasting>,
) -> Box<dyn Fn() + Send + Sync> {
    Box::new(move || {
        loading.cancel();
        lasting.registry.close();
    })
}

/// After the last request: delivers telemetry (`flush` says whether that was done), closes connections.
/// One more signal ends it at once.
pub(super) async fn settle(
    flush: impl Future<Output = bool>,
    close: impl Future<Output = ()>,
    signal: impl Future<Output = ()>,
) {
    let settled = async {
        if !flush.await {
            tracing::warn!("telemetry could not be delivered within {FLUSH:?}");
        }
        let _ = timeout(CLOSE, close).await;
    };
    select! { biased;
        () = settled => {}
        () = signal => tracing::warn!("told to end at once: telemetry may not have been delivered"),
    }
}

/// Drops the runtime, and does not wait for threads that hang in the system.
pub(super) fn release(runtime: Runtime) {
    runtime.shutdown_timeout(THREADS);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{cell::Cell, future::pending};
    use tokio::time::{Instant, sleep};

    #[tokio::test(start_paused = true)]
    async fn telemetry_is_delivered_first_and_what_hangs_is_left() {
        let delivered = Cell::new(false);
        let start = Instant::now();
        let flush = async {
            sleep(Duration::from_secs(2)).await;
            delivered.set(true);
            true
        };
        let close = async {
            assert!(delivered.get());
            pending().await
        };
        settle(flush, close, pending()).await;
        assert_eq!(start.elapsed(), Duration::from_secs(2) + CLOSE);
    }

    #[tokio::test(start_paused = true)]
    async fn one_more_signal_waits_for_nothing() {
        let start = Instant::now();
        let signal = sleep(Duration::from_secs(1));
        settle(pending(), pending(), signal).await;
        assert_eq!(start.elapsed(), Duration::from_secs(1));
    }
}
