//! Names to addresses: cached, asked once for all who wait, never more than a few at a time.
//!
//! The system's resolver blocks a thread and cannot be dropped. So a look-up belongs to nobody who waits
//! for it: it runs in a tracked task, its waiters come and go, and at most [`AT_ONCE`] are begun at the same
//! time. One that hangs gives its turn to the next name, until there are so many that a hung name server
//! could use up the threads that everything else needs. An address that was good a moment ago is better
//! than an error.

use super::DialError;
use std::{
    collections::HashMap,
    io,
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::{
    sync::{Semaphore, watch},
    time::{Instant, timeout},
};
use tokio_util::task::TaskTracker;

/// How long an answer is used without asking again; connections live longer than that anyway.
const FRESH: Duration = Duration::from_secs(30);
/// Look-ups that are expected to answer at the same time.
const AT_ONCE: usize = 8;
/// How long a look-up keeps its turn.
const TURN: Duration = Duration::from_secs(1);
/// Look-ups that run at the same time, hung ones included; the runtime has 512 threads for them.
const AT_MOST: usize = 64;
/// How long a look-up is waited for when an older answer is at hand.
const PATIENCE: Duration = Duration::from_secs(1);

type Addresses = Arc<[IpAddr]>;
type Answer = Option<Result<Addresses, ()>>;

#[derive(Default)]
struct Entry {
    known: Option<(Instant, Addresses)>,
    asking: Option<watch::Receiver<Answer>>,
}

/// Resolves names.
pub(super) struct Resolver {
    names: Arc<Mutex<HashMap<Arc<str>, Entry>>>,
    turns: Arc<Semaphore>,
    threads: Arc<Semaphore>,
    tasks: TaskTracker,
    look_up: fn(Arc<str>) -> LookUp,
}

type LookUp = std::pin::Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

fn system(host: Arc<str>) -> LookUp {
    Box::pin(async move {
        let found = tokio::net::lookup_host((&*host, 0)).await?;
        Ok(found.map(|address| address.ip()).collect())
    })
}

impl Resolver {
    pub(super) fn new(tasks: TaskTracker) -> Self {
        Self::with(tasks, system)
    }

    fn with(tasks: TaskTracker, look_up: fn(Arc<str>) -> LookUp) -> Self {
        Self {
            names: Arc::default(),
            turns: Arc::new(Semaphore::new(AT_ONCE)),
            threads: Arc::new(Semaphore::new(AT_MOST)),
            tasks,
            look_up,
        }
    }

    /// The addresses of `host`, at least one. Dropping this stops nobody else.
    pub(super) async fn resolve(
        &self,
        host: &Arc<str>,
        port: u16,
    ) -> Result<Vec<SocketAddr>, DialError> {
        if let Ok(ip) = host.parse::<IpAddr>() {
            return Ok(vec![SocketAddr::new(ip, port)]);
        }
        let addresses = self.addresses(host).await.ok_or(DialError::Resolve)?;
        Ok(addresses
            .iter()
            .map(|ip| SocketAddr::new(*ip, port))
            .collect())
    }

    async fn addresses(&self, host: &Arc<str>) -> Option<Addresses> {
        let (mut answer, stale) = {
            let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
            let entry = names.entry(host.clone()).or_default();
            match &entry.known {
                Some((at, known)) if at.elapsed() < FRESH => return Some(known.clone()),
                _ => {}
            }
            let asking = match &entry.asking {
                // a sender that is gone without a word leaves a closed channel behind
                Some(asking) if asking.has_changed().is_ok() => asking.clone(),
                _ => entry.asking.insert(self.ask(host.clone())).clone(),
            };
            (asking, entry.known.as_ref().map(|(_, known)| known.clone()))
        };
        let wait = async {
            let answer = answer.wait_for(Option::is_some).await.ok()?;
            answer.clone()?.ok()
        };
        match stale {
            None => wait.await,
            Some(stale) => timeout(PATIENCE, wait).await.ok().flatten().or(Some(stale)),
        }
    }

    fn ask(&self, host: Arc<str>) -> watch::Receiver<Answer> {
        let (say, asking) = watch::channel(None);
        let (names, look_up) = (self.names.clone(), self.look_up);
        let (turns, threads) = (self.turns.clone(), self.threads.clone());
        self.tasks.spawn(async move {
            let turn = turns.acquire().await;
            let thread = threads.acquire().await;
            let mut finding = look_up(host.clone());
            let in_time = timeout(TURN, &mut finding).await;
            drop(turn);
            let found = match in_time {
                Ok(found) => found,
                Err(_) => finding.await,
            };
            drop(thread);
            let found = found.ok().filter(|found| !found.is_empty());
            let found = found.map(Addresses::from);
            {
                let mut names = names.lock().unwrap_or_else(PoisonError::into_inner);
                let entry = names.entry(host).or_default();
                entry.asking = None;
                if let Some(found) = &found {
                    entry.known = Some((Instant::now(), found.clone()));
                }
            }
            // nobody may be waiting any more
            let _ = say.send(Some(found.ok_or(())));
        });
        asking
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    fn host(name: &str) -> Arc<str> {
        name.into()
    }

    #[tokio::test]
    async fn an_address_needs_no_look_up() {
        let resolver = Resolver::with(TaskTracker::new(), |_| panic!("asked"));
        let found = resolver.resolve(&host("::1"), 7).await.unwrap();
        assert_eq!(found, ["[::1]:7".parse().unwrap()]);
    }

    #[tokio::test(start_paused = true)]
    async fn many_waiters_ask_once_and_one_who_leaves_harms_nobody() {
        static ASKED: AtomicUsize = AtomicUsize::new(0);
        let slow: fn(Arc<str>) -> LookUp = |_| {
            ASKED.fetch_add(1, SeqCst);
            Box::pin(async {
                tokio::time::sleep(Duration::from_secs(3)).await;
                Ok(vec![IpAddr::from([127, 0, 0, 1])])
            })
        };
        let resolver = Arc::new(Resolver::with(TaskTracker::new(), slow));
        let name = host("a");
        let leaves = timeout(Duration::from_secs(1), resolver.resolve(&name, 1));
        let (left, stayed) = tokio::join!(leaves, resolver.resolve(&name, 1));
        assert!(left.is_err());
        assert!(stayed.is_ok());
        assert!(resolver.resolve(&name, 2).await.is_ok());
        assert_eq!(ASKED.load(SeqCst), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn an_old_answer_is_better_than_an_error_or_a_long_wait() {
        static ASKED: AtomicUsize = AtomicUsize::new(0);
        let look_up: fn(Arc<str>) -> LookUp = |_| {
            let nth = ASKED.fetch_add(1, SeqCst);
            Box::pin(async move {
                match nth {
                    0 => Ok(vec![IpAddr::from([127, 0, 0, 1])]),
                    1 => Err(io::ErrorKind::TimedOut.into()),
                    _ => std::future::pending().await,
                }
            })
        };
        let resolver = Resolver::with(TaskTracker::new(), look_up);
        let name = host("a");
        for asked in 1..=3 {
            let started = Instant::now();
            assert!(resolver.resolve(&name, 1).await.is_ok());
            assert!(started.elapsed() <= PATIENCE + Duration::from_millis(10));
            assert_eq!(ASKED.load(SeqCst), asked);
            tokio::time::advance(FRESH).await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn hung_look_ups_are_bounded_and_a_failed_one_is_asked_again() {
        static ASKED: AtomicUsize = AtomicUsize::new(0);
        let look_up: fn(Arc<str>) -> LookUp = |host| {
            Box::pin(async move {
                if &*host == "bad" {
                    return Err(io::ErrorKind::NotFound.into());
                }
                ASKED.fetch_add(1, SeqCst);
                std::future::pending().await
            })
        };
        let resolver = Resolver::with(TaskTracker::new(), look_up);
        for _ in 0..2 {
            let failed = resolver.resolve(&host("bad"), 1).await;
            assert_eq!(failed.unwrap_err(), DialError::Resolve);
        }
        for n in 0..200 {
            let name = host(&format!("host{n}"));
            let waited = timeout(Duration::from_millis(1), resolver.resolve(&name, 1)).await;
            assert!(waited.is_err());
        }
        assert_eq!(ASKED.load(SeqCst), AT_ONCE);
        tokio::time::sleep(TURN * 20).await;
        assert_eq!(ASKED.load(SeqCst), AT_MOST);
    }

    #[tokio::test(start_paused = true)]
    async fn names_that_hang_hold_up_a_healthy_one_for_one_turn_only() {
        let look_up: fn(Arc<str>) -> LookUp = |host| {
            Box::pin(async move {
                match &*host {
                    "healthy" => Ok(vec![IpAddr::from([127, 0, 0, 1])]),
                    _ => std::future::pending().await,
                }
            })
        };
        let resolver = Resolver::with(TaskTracker::new(), look_up);
        for n in 0..AT_ONCE {
            let name = host(&format!("hangs{n}"));
            let waited = timeout(Duration::from_millis(1), resolver.resolve(&name, 1)).await;
            assert!(waited.is_err());
        }
        let started = Instant::now();
        assert!(resolver.resolve(&host("healthy"), 1).await.is_ok());
        assert!(started.elapsed() <= TURN + Duration::from_millis(10));
    }
}
