use super::*;
use std::{
    future::poll_fn,
    pin::pin,
    sync::atomic::{AtomicU32, Ordering::Relaxed},
};

mod nested;

/// A task that counts its wake-ups.
#[derive(Default)]
struct Task(AtomicU32);

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Relaxed);
    }
}

impl Task {
    fn woken(&self) -> u32 {
        self.0.load(Relaxed)
    }
}

#[test]
fn a_wake_up_from_within_is_one_more_round_of_the_same_turn() {
    let (turn, task) = (Turn::default(), Arc::<Task>::default());
    let waker = Waker::from(task.clone());
    let mut cx = Context::from_waker(&waker);
    let mut polls = 0;
    let mut of = pin!(poll_fn(|cx| {
        polls += 1;
        match polls {
            1 => cx.waker().wake_by_ref(),
            2 => {}
            _ => return Poll::Ready(()),
        }
        Poll::Pending
    }));
    assert!(turn.take(of.as_mut(), &mut cx).is_pending());
    assert_eq!(task.woken(), 0);
    assert!(turn.take(of.as_mut(), &mut cx).is_ready(), "the third poll");
}

#[test]
fn a_wake_up_from_outside_wakes_the_task() {
    let (turn, task) = (Turn::default(), Arc::<Task>::default());
    let waker = Waker::from(task.clone());
    let mut cx = Context::from_waker(&waker);
    let mut kept = None;
    let mut of = pin!(poll_fn(|cx| {
        kept = Some(cx.waker().clone());
        Poll::<()>::Pending
    }));
    assert!(turn.take(of.as_mut(), &mut cx).is_pending());
    kept.unwrap().wake();
    assert_eq!(task.woken(), 1);
}

#[test]
fn what_wakes_itself_for_ever_lets_others_run() {
    let (turn, task) = (Turn::default(), Arc::<Task>::default());
    let waker = Waker::from(task.clone());
    let mut polls = 0;
    let mut of = pin!(poll_fn(|cx| {
        polls += 1;
        cx.waker().wake_by_ref();
        Poll::<()>::Pending
    }));
    assert!(
        turn.take(of.as_mut(), &mut Context::from_waker(&waker))
            .is_pending()
    );
    assert_eq!((polls, task.woken()), (ROUNDS, 1));
}

#[test]
fn what_was_not_called_is_not_looked_at() {
    let (turn, task) = (Turn::default(), Arc::<Task>::default());
    let waker = Waker::from(task.clone());
    let mut cx = Context::from_waker(&waker);
    let kept = Mutex::new(None);
    let mut polls = 0;
    let mut of = pin!(poll_fn(|cx| {
        polls += 1;
        *kept.lock().unwrap() = Some(cx.waker().clone());
        if polls < 2 {
            Poll::Pending
        } else {
            Poll::Ready(())
        }
    }));
    for _ in 0..3 {
        assert!(turn.take_if_called(of.as_mut(), &mut cx).is_pending());
    }
    kept.lock().unwrap().take().unwrap().wake();
    assert_eq!(task.woken(), 1);
    assert!(turn.take_if_called(of.as_mut(), &mut cx).is_ready());
}
