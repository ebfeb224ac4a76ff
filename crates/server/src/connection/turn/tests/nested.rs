//! Turns within turns, as a request's lies within its connection's: each call reaches the one it is for, from
//! wherever it comes, and nobody is looked at for another's sake.

use super::*;
use punctual_core::{Expire, Standing, Vigil};
use std::{cell::Cell, sync::Weak, thread, time::Duration};
use tokio::time::{Instant, sleep, timeout};

/// Polls `within` as a request is polled by its connection.
fn held<F: Future>(turn: &Turn, mut within: Pin<&mut F>) -> impl Future<Output = F::Output> {
    poll_fn(move |cx| turn.take_if_called(within.as_mut(), cx))
}

/// A place where whoever waits leaves its waker.
type Door = Mutex<Option<Waker>>;

fn knock(door: &Door) {
    let waker = door.lock().unwrap().clone();
    waker.expect("somebody waits").wake();
}

#[test]
fn a_neighbours_call_is_heard_within_the_same_turn() {
    let (outer, inner, task) = (Turn::default(), Turn::default(), Arc::<Task>::default());
    let (door, mut polls) = (Door::default(), 0);
    let within = pin!(poll_fn(|cx| {
        *door.lock().unwrap() = Some(cx.waker().clone());
        polls += 1;
        if polls == 1 {
            return Poll::Pending;
        }
        Poll::Ready(())
    }));
    let mut request = pin!(held(&inner, within));
    let mut calls = 1;
    let mut connection = pin!(poll_fn(|cx| {
        let polled = request.as_mut().poll(cx);
        if calls > 0 && polled.is_pending() {
            calls -= 1;
            knock(&door);
        }
        polled
    }));
    let waker = Waker::from(task.clone());
    let mut cx = Context::from_waker(&waker);
    assert!(outer.take(connection.as_mut(), &mut cx).is_ready());
    assert_eq!(task.woken(), 0, "the turn was not over");
}

#[test]
fn what_lies_within_is_not_looked_at_for_a_neighbours_sake() {
    let (outer, inner, task) = (Turn::default(), Turn::default(), Arc::<Task>::default());
    let (rounds, polls) = (Cell::new(0), Cell::new(0));
    let within = pin!(poll_fn(|_| {
        polls.set(polls.get() + 1);
        Poll::<()>::Pending
    }));
    let mut request = pin!(held(&inner, within));
    let mut connection = pin!(poll_fn(|cx| {
        rounds.set(rounds.get() + 1);
        if rounds.get() < 4 {
            cx.waker().wake_by_ref();
        }
        request.as_mut().poll(cx)
    }));
    let waker = Waker::from(task.clone());
    let mut cx = Context::from_waker(&waker);
    for _ in 0..2 {
        assert!(outer.take(connection.as_mut(), &mut cx).is_pending());
    }
    assert_eq!((rounds.get(), polls.get(), task.woken()), (5, 1, 0));
}

#[test]
fn a_call_from_another_thread_wakes_the_task_between_turns_and_is_one_more_round_within_one() {
    let (outer, inner, task) = (Turn::default(), Turn::default(), Arc::<Task>::default());
    let (door, mut polls) = (Door::default(), 0);
    let from_elsewhere = || thread::scope(|s| s.spawn(|| knock(&door)).join().unwrap());
    let within = pin!(poll_fn(|cx| {
        *door.lock().unwrap() = Some(cx.waker().clone());
        polls += 1;
        match polls {
            1 => Poll::Pending,
            2 => {
                from_elsewhere();
                Poll::Pending
            }
            _ => Poll::Ready(()),
        }
    }));
    let mut connection = pin!(held(&inner, within));
    let waker = Waker::from(task.clone());
    let mut cx = Context::from_waker(&waker);
    assert!(outer.take(connection.as_mut(), &mut cx).is_pending());
    from_elsewhere();
    assert_eq!(task.woken(), 1);
    assert!(outer.take(connection.as_mut(), &mut cx).is_ready());
    assert_eq!(task.woken(), 1, "the turn was not over");
}

/// A response that ends at an instant, and calls whoever reads it.
struct Ends {
    at: Instant,
    over: AtomicBool,
    reader: Door,
}

impl Expire for Ends {
    fn due(&self, _: Option<Instant>) -> Option<Instant> {
        (!self.over.load(SeqCst)).then_some(self.at)
    }

    fn look(&self, _: Option<Instant>) -> bool {
        self.over.store(true, SeqCst);
        knock(&self.reader);
        false
    }

    fn drain(&self) {}
}

#[tokio::test(start_paused = true)]
async fn a_watch_in_turn_sees_what_a_turn_has_made_and_is_heard_by_it() {
    let vigil = Vigil::in_turn();
    let (outer, inner) = (Turn::default(), Turn::default());
    let started = Instant::now();
    let within = pin!(async {
        sleep(Duration::from_millis(20)).await;
        let response = Arc::new(Ends {
            at: Instant::now() + Duration::from_millis(50),
            over: AtomicBool::new(false),
            reader: Door::default(),
        });
        let watched: Weak<dyn Expire> = Arc::<Ends>::downgrade(&response);
        vigil.watch(watched);
        poll_fn(|cx| {
            *response.reader.lock().unwrap() = Some(cx.waker().clone());
            match response.over.load(SeqCst) {
                true => Poll::Ready(()),
                false => Poll::Pending,
            }
        })
        .await;
    });
    let mut connection = pin!(held(&inner, within));
    let mut watch = pin!(vigil.run(Standing::default));
    let task = poll_fn(|cx| {
        if outer.take(connection.as_mut(), cx).is_ready() {
            return Poll::Ready(());
        }
        assert!(watch.as_mut().poll(cx).is_pending(), "nothing is unread");
        Poll::Pending
    });
    let heard = timeout(Duration::from_secs(1), task).await;
    assert!(heard.is_ok(), "the response was not looked at");
    let took = started.elapsed().as_millis();
    assert!((69..=71).contains(&took), "{took} ms");
}
