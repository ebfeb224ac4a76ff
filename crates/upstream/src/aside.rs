//! Work whose time grows with the size of what it is done on, off the workers.
//!
//! Reading or writing a mebibyte of JSON takes about a millisecond, and a worker that does it serves nobody
//! meanwhile: neither other requests nor their clocks. What is [`LARGE`] is therefore worked on by a thread
//! that may block, in turns: more of them than cores would only take time from the workers. What is smaller,
//! nearly all, is worked on where it is and pays nothing for this.
//!
//! Dropping the future is giving the work up. Before its turn nothing of it remains; after that it ends by
//! itself, and until then keeps its turn and what it works on, so that a caller who leaves and comes again
//! cannot have more done at once than one who stays.

use punctual_core::{Code, Failure};
use std::{num::NonZero, pin::Pin, sync::Arc, thread::available_parallelism};
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

pub(crate) use punctual_wire::peek::LARGE;

/// Where large work is done; one for all targets of a process.
#[derive(Clone)]
pub(crate) struct Aside {
    tasks: TaskTracker,
    turns: Arc<Semaphore>,
}

/// Work being done. The failure says that it panicked or that the runtime is ending.
pub(crate) type Doing<T> = Pin<Box<dyn Future<Output = Result<T, Box<Failure>>> + Send>>;

impl Aside {
    /// Work is counted among `tasks`.
    pub(crate) fn new(tasks: TaskTracker) -> Self {
        let turns = available_parallelism().map_or(1, NonZero::get);
        Self {
            tasks,
            turns: Arc::new(Semaphore::new(turns)),
        }
    }

    /// Does `work` when it is its turn.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Doing<T> {
        let Self { tasks, turns } = self.clone();
        Box::pin(async move {
            let turn = turns.acquire_owned().await.map_err(|_| undone())?;
            let work = tasks.spawn_blocking(move || {
                let _turn = turn;
                work()
            });
            work.await.map_err(|_| undone())
        })
    }
}

fn undone() -> Box<Failure> {
    Failure::new(Code::Internal, "working on a large body failed")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        sync::mpsc::{self, Receiver, SyncSender},
        task::{Context, Waker},
    };

    /// Work that begins, waits to be let go, and drops what it worked on.
    fn held(kept: Arc<()>) -> (impl FnOnce() + Send, Receiver<()>, SyncSender<()>) {
        let (begin, begun) = mpsc::sync_channel(1);
        let (go, let_go) = mpsc::sync_channel::<()>(1);
        let work = move || {
            let _ = begin.send(());
            let _ = let_go.recv();
            drop(kept);
        };
        (work, begun, go)
    }

    fn poll(doing: &mut Doing<()>) -> bool {
        let mut cx = Context::from_waker(Waker::noop());
        doing.as_mut().poll(&mut cx).is_ready()
    }

    #[tokio::test]
    async fn work_that_nobody_waits_for_ends_by_itself_and_keeps_its_turn_until_then() {
        let aside = Aside::new(TaskTracker::new());
        let turns = aside.turns.available_permits();
        let kept = Arc::new(());
        let (work, begun, go) = held(kept.clone());
        let mut doing = aside.run(work);
        assert!(!poll(&mut doing));
        begun.recv().unwrap();
        drop(doing);
        assert_eq!(aside.turns.available_permits(), turns - 1);
        assert_eq!((aside.tasks.len(), Arc::strong_count(&kept)), (1, 2));
        go.send(()).unwrap();
        aside.tasks.close();
        aside.tasks.wait().await;
        assert_eq!(aside.turns.available_permits(), turns);
        assert_eq!(Arc::strong_count(&kept), 1);
    }

    #[tokio::test]
    async fn nothing_remains_of_work_whose_turn_has_not_come() {
        let aside = Aside::new(TaskTracker::new());
        let all = u32::try_from(aside.turns.available_permits()).unwrap();
        let others = aside.turns.clone().acquire_many_owned(all).await.unwrap();
        let kept = Arc::new(());
        let (work, ..) = held(kept.clone());
        let mut doing = aside.run(work);
        assert!(!poll(&mut doing));
        drop(doing);
        assert_eq!((aside.tasks.len(), Arc::strong_count(&kept)), (0, 1));
        drop(others);
        assert_eq!(aside.turns.available_permits(), all as usize);
    }

    #[tokio::test]
    async fn work_that_panics_is_a_failure_and_costs_no_turn() {
        let aside = Aside::new(TaskTracker::new());
        let turns = aside.turns.available_permits();
        let failed: Result<(), _> = aside.run(|| panic!("as ordered")).await;
        assert_eq!(failed.unwrap_err().code, Code::Internal);
        assert_eq!(aside.turns.available_permits(), turns);
    }
}
