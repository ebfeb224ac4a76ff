//! A value that lasts for a while and is fetched by whoever needs it first.
//!
//! Attempts that need it at the same time share one fetch, its failure included. The fetch belongs to one of
//! them and is done inside it: when that attempt is dropped the fetch ends with it, and the next in line does
//! it anew. So the turn is a `tokio` mutex that is held while fetching: dropping the future that holds it is
//! what wakes the next, and no task, channel or waker list of ours can lose one. The value itself is under a
//! `std` mutex that is never held across an await.
//!
//! A value is renewed a minute before its end by one attempt while the others go on with it; if it cannot be
//! renewed it is used to its end.

use super::refusal::Refusal;
use std::{
    sync::{Arc, Mutex as Cell, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{
    sync::{Mutex, MutexGuard as Turn},
    time::Instant,
};

/// How long before its end a value is renewed, but not before half of its time.
const MARGIN: Duration = Duration::from_secs(60);
/// After a failed renewal nobody tries again for so long while the old value is good.
const PAUSE: Duration = Duration::from_secs(5);
/// A value without an end is looked at again after this.
const UNKNOWN: Duration = Duration::from_secs(300);
/// A value is not doubted before it is so old.
const YOUNG: Duration = Duration::from_secs(30);
/// No credential is believed to last longer.
const LONGEST: Duration = Duration::from_secs(36 * 3600);

/// What was fetched.
pub(super) struct Lasting<T> {
    pub(super) value: T,
    /// How long it is good; `None` if it was not told.
    pub(super) lasts: Option<Duration>,
}

/// The cell.
pub(super) struct Cached<T> {
    known: Cell<Known<T>>,
    turn: Mutex<()>,
}

struct Known<T> {
    value: Option<Value<T>>,
    refused: Option<(Instant, Refusal)>,
}

struct Value<T> {
    value: Arc<T>,
    from: Instant,
    renew: Instant,
    end: Instant,
}

impl<T> Default for Cached<T> {
    fn default() -> Self {
        Self {
            known: Cell::new(Known {
                value: None,
                refused: None,
            }),
            turn: Mutex::new(()),
        }
    }
}

impl<T> Cached<T> {
    /// The value, from `fetch` if there is none that is good.
    pub(super) async fn get<F>(&self, fetch: impl FnOnce() -> F) -> Result<Arc<T>, Refusal>
    where
        F: Future<Output = Result<Lasting<T>, Refusal>>,
    {
        let asked = Instant::now();
        let turn = match self.good(asked) {
            Some((value, true)) => return Ok(value),
            Some((value, false)) => match self.turn.try_lock() {
                Ok(turn) => turn,
                Err(_) => return Ok(value),
            },
            None => self.turn.lock().await,
        };
        self.renew(turn, asked, fetch).await
    }

    /// The value was refused where it was used: unless it is quite new, it is let go of. A new one is not at
    /// fault, and an upstream that refuses everything must not make everyone fetch.
    pub(super) fn forget(&self) {
        let now = Instant::now();
        let mut known = self.known();
        known.value.take_if(|value| now >= value.from + YOUNG);
    }

    async fn renew<F>(
        &self,
        _turn: Turn<'_, ()>,
        asked: Instant,
        fetch: impl FnOnce() -> F,
    ) -> Result<Arc<T>, Refusal>
    where
        F: Future<Output = Result<Lasting<T>, Refusal>>,
    {
        // whoever had the turn before may have done what is needed, or failed for all who waited
        let now = Instant::now();
        if let Some((value, true)) = self.good(now) {
            return Ok(value);
        }
        if let Some(refusal) = self.refused_since(asked) {
            return self.good(now).map(|(value, _)| value).ok_or(refusal);
        }
        let fetched = fetch().await;
        let now = Instant::now();
        let mut known = self.known();
        match fetched {
            Ok(lasting) => {
                known.refused = None;
                Ok(known.value.insert(Value::new(lasting, now)).value.clone())
            }
            Err(refusal) => {
                known.refused = Some((now, refusal.clone()));
                drop(known);
                self.good(now).map(|(value, _)| value).ok_or(refusal)
            }
        }
    }

    /// A value that has not ended, and whether it need not be renewed yet.
    fn good(&self, now: Instant) -> Option<(Arc<T>, bool)> {
        let known = self.known();
        let value = known.value.as_ref().filter(|value| now < value.end)?;
        let paused = known
            .refused
            .as_ref()
            .is_some_and(|(at, _)| now - *at < PAUSE);
        Some((value.value.clone(), now < value.renew || paused))
    }

    fn refused_since(&self, asked: Instant) -> Option<Refusal> {
        let known = self.known();
        let refused = known.refused.as_ref().filter(|(at, _)| *at >= asked)?;
        Some(refused.1.clone())
    }

    fn known(&self) -> MutexGuard<'_, Known<T>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Value<T> {
    fn new(lasting: Lasting<T>, now: Instant) -> Self {
        let lasts = lasting.lasts.unwrap_or(UNKNOWN).min(LONGEST);
        let margin = MARGIN.min(lasts / 2);
        Self {
            value: Arc::new(lasting.value),
            from: now,
            renew: now + (lasts - margin),
            end: now + lasts,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use punctual_core::Code;
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
    use tokio::time::{advance, sleep, timeout};

    /// Hands out 1, 2, 3, …
    #[derive(Default)]
    struct Mint {
        cached: Cached<u32>,
        fetches: AtomicU32,
        done: AtomicU32,
    }

    fn refusal() -> Refusal {
        Refusal::unusable("the mint")
    }

    impl Mint {
        async fn get(&self, takes: u64, fails: bool) -> Result<u32, Refusal> {
            let fetch = async || {
                let number = self.fetches.fetch_add(1, Relaxed) + 1;
                sleep(Duration::from_millis(takes)).await;
                self.done.fetch_add(1, Relaxed);
                match fails {
                    true => Err(refusal()),
                    false => Ok(Lasting {
                        value: number,
                        lasts: Some(Duration::from_secs(600)),
                    }),
                }
            };
            self.cached.get(fetch).await.map(|value| *value)
        }

        fn counts(&self) -> (u32, u32) {
            (self.fetches.load(Relaxed), self.done.load(Relaxed))
        }
    }

    #[tokio::test(start_paused = true)]
    async fn those_who_need_it_at_once_share_one_fetch() {
        let mint = Mint::default();
        let got = tokio::join!(
            mint.get(100, false),
            mint.get(100, false),
            mint.get(100, false)
        );
        assert_eq!(got, (Ok(1), Ok(1), Ok(1)));
        assert_eq!(mint.get(100, false).await, Ok(1));
        assert_eq!(mint.counts(), (1, 1));
    }

    #[tokio::test(start_paused = true)]
    async fn a_failure_is_shared_by_those_who_waited_and_by_no_one_after_them() {
        let mint = Mint::default();
        let got = tokio::join!(
            mint.get(100, true),
            mint.get(100, true),
            mint.get(100, true)
        );
        assert_eq!(got, (Err(refusal()), Err(refusal()), Err(refusal())));
        assert_eq!(mint.counts(), (1, 1));
        advance(Duration::from_millis(1)).await;
        assert_eq!(mint.get(100, false).await, Ok(2));
    }

    #[tokio::test(start_paused = true)]
    async fn when_the_one_who_fetches_leaves_the_next_takes_over() {
        let mint = Mint::default();
        let started = Instant::now();
        let leaver = timeout(Duration::from_millis(50), mint.get(100, false));
        let (left, one, two) = tokio::join!(leaver, mint.get(100, false), mint.get(100, false));
        assert!(left.is_err());
        assert_eq!((one, two), (Ok(2), Ok(2)));
        assert_eq!(mint.counts(), (2, 1));
        assert_eq!(started.elapsed(), Duration::from_millis(150));
    }

    #[tokio::test(start_paused = true)]
    async fn it_is_renewed_a_minute_before_its_end_by_one_while_the_others_go_on() {
        let mint = Mint::default();
        assert_eq!(mint.get(0, false).await, Ok(1));
        advance(Duration::from_secs(539)).await;
        assert_eq!(mint.get(100, false).await, Ok(1));
        advance(Duration::from_secs(2)).await;
        let got = tokio::join!(
            mint.get(100, false),
            mint.get(100, false),
            mint.get(100, false)
        );
        assert_eq!(got, (Ok(2), Ok(1), Ok(1)));
        assert_eq!(mint.counts(), (2, 2));
    }

    #[tokio::test(start_paused = true)]
    async fn what_cannot_be_renewed_is_used_to_its_end() {
        let mint = Mint::default();
        assert_eq!(mint.get(0, false).await, Ok(1));
        advance(Duration::from_secs(550)).await;
        assert_eq!(mint.get(0, true).await, Ok(1));
        assert_eq!(mint.get(0, true).await, Ok(1));
        assert_eq!(mint.counts().0, 2, "no second try within the pause");
        advance(PAUSE).await;
        assert_eq!(mint.get(0, true).await, Ok(1));
        assert_eq!(mint.counts().0, 3);
        advance(Duration::from_secs(60)).await;
        let refused = mint.get(0, true).await.unwrap_err();
        assert_eq!(refused.code, Code::ServerError);
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_refused_elsewhere_is_not_used_again() {
        let mint = Mint::default();
        assert_eq!(mint.get(0, false).await, Ok(1));
        mint.cached.forget();
        assert_eq!(mint.get(0, false).await, Ok(1), "it is quite new");
        advance(YOUNG).await;
        mint.cached.forget();
        assert_eq!(mint.get(0, false).await, Ok(2));
    }
}
