use super::*;
use std::{
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
};
use tokio::time::{advance, timeout};

fn lane(max_concurrency: usize, max_queue: usize) -> Lane {
    Lane::new(LaneLimits {
        max_concurrency,
        max_queue,
        shed: Shed::Expired,
    })
}

fn by(key: &str) -> Admission {
    Admission {
        arrived: Instant::now(),
        rank_by: None,
        patience: Duration::from_secs(30),
        expires: None,
        key: Some(key.into()),
    }
}

fn poll<F: Future>(f: std::pin::Pin<&mut F>) -> Poll<F::Output> {
    f.poll(&mut Context::from_waker(Waker::noop()))
}

#[tokio::test(start_paused = true)]
async fn a_permit_is_handed_to_the_first_and_a_dropped_waiter_leaves() {
    let lane = lane(1, 10);
    let first = lane.admit(&by("a")).await.unwrap();
    let ask = by("a");
    let mut second = Box::pin(lane.admit(&ask));
    let mut third = pin!(lane.admit(&ask));
    assert!(poll(second.as_mut()).is_pending() && poll(third.as_mut()).is_pending());
    assert_eq!(lane.depth(), 2);
    drop(second);
    assert_eq!(lane.depth(), 1);
    drop(first);
    assert!(poll(third.as_mut()).is_ready());
}

#[tokio::test(start_paused = true)]
async fn a_permit_sent_to_a_waiter_that_is_then_dropped_comes_back() {
    let lane = lane(1, 10);
    let first = lane.admit(&by("a")).await.unwrap();
    let ask = by("a");
    let mut second = Box::pin(lane.admit(&ask));
    assert!(poll(second.as_mut()).is_pending());
    drop(first);
    assert_eq!(lane.in_use(), 1);
    drop(second);
    assert_eq!(lane.in_use(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_operators_deadline_goes_first_and_patience_prevents_starvation() {
    let lane = lane(1, 10);
    let first = lane.admit(&by("a")).await.unwrap();
    let patient = by("old");
    let mut old = pin!(lane.admit(&patient));
    assert!(poll(old.as_mut()).is_pending());
    let urgent = Admission {
        rank_by: Some(Instant::now() + Duration::from_secs(5)),
        ..by("urgent")
    };
    let mut ahead = pin!(lane.admit(&urgent));
    assert!(poll(ahead.as_mut()).is_pending());
    advance(Duration::from_secs(28)).await;
    let late = Admission {
        rank_by: Some(Instant::now() + Duration::from_secs(5)),
        ..by("late")
    };
    let mut behind = pin!(lane.admit(&late));
    assert!(poll(behind.as_mut()).is_pending());
    drop(first);
    let Poll::Ready(Ok(permit)) = poll(ahead.as_mut()) else {
        panic!("the operator's deadline ranks first")
    };
    drop(permit);
    let Poll::Ready(Ok(permit)) = poll(old.as_mut()) else {
        panic!("patience ran out before the late one's deadline")
    };
    drop(permit);
    assert!(poll(behind.as_mut()).is_ready());
}

#[tokio::test(start_paused = true)]
async fn a_key_that_fills_the_queue_gives_way_to_another() {
    let lane = lane(1, 2);
    let _running = lane.admit(&by("hog")).await.unwrap();
    let (hog, other) = (by("hog"), by("other"));
    let mut older = pin!(lane.admit(&hog));
    let mut newer = pin!(lane.admit(&hog));
    assert!(poll(older.as_mut()).is_pending() && poll(newer.as_mut()).is_pending());
    assert_eq!(lane.admit(&hog).await.unwrap_err(), QueueRefusal::Full);
    let mut fair = pin!(lane.admit(&other));
    assert!(poll(fair.as_mut()).is_pending());
    assert!(matches!(
        poll(newer.as_mut()),
        Poll::Ready(Err(QueueRefusal::Full))
    ));
    assert!(poll(older.as_mut()).is_pending());
    assert_eq!(lane.depth(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_resize_admits_at_once_and_never_doubles() {
    let lane = lane(1, 10);
    let a = lane.admit(&by("a")).await.unwrap();
    let ask = by("a");
    let mut waiting = pin!(lane.admit(&ask));
    assert!(poll(waiting.as_mut()).is_pending());
    lane.resize(LaneLimits {
        max_concurrency: 2,
        max_queue: 10,
        shed: Shed::Expired,
    });
    let Poll::Ready(Ok(b)) = poll(waiting.as_mut()) else {
        panic!("not admitted")
    };
    lane.resize(LaneLimits {
        max_concurrency: 1,
        max_queue: 10,
        shed: Shed::Expired,
    });
    drop(a);
    assert!(lane.try_admit().is_none());
    drop(b);
    assert!(lane.try_admit().is_some());
}

#[tokio::test(start_paused = true)]
async fn a_prediction_refuses_only_what_would_surely_expire() {
    let lane = Lane::new(LaneLimits {
        max_concurrency: 1,
        max_queue: 10,
        shed: Shed::Predicted,
    });
    for _ in 0..20 {
        let p = lane.admit(&by("a")).await.unwrap();
        advance(Duration::from_secs(3)).await;
        drop(p);
    }
    let _running = lane.admit(&by("a")).await.unwrap();
    let within = |secs| Admission {
        expires: Some(Instant::now() + Duration::from_secs(secs)),
        ..by("a")
    };
    assert_eq!(
        lane.admit(&within(1)).await.unwrap_err(),
        QueueRefusal::WouldExpire
    );
    assert_eq!(
        lane.predicted_wait(&within(9)),
        Some(Duration::from_secs(3))
    );
    assert!(
        timeout(Duration::from_secs(1), lane.admit(&within(2)))
            .await
            .is_err(),
        "queued, not refused"
    );
}

#[tokio::test(start_paused = true)]
async fn permits_return_to_full_after_any_interleaving() {
    let lane = lane(3, 50);
    for round in 0..200_u64 {
        let mut held = Vec::new();
        let ask = by(["a", "b"][(round % 2) as usize]);
        let mut waiters: Vec<_> = (0..20).map(|_| Box::pin(lane.admit(&ask))).collect();
        while !waiters.is_empty() {
            let i = fastrand::usize(..waiters.len());
            match (fastrand::u8(..3), poll(waiters[i].as_mut())) {
                (_, Poll::Ready(p)) => {
                    drop(waiters.swap_remove(i));
                    held.extend(p);
                }
                (0, Poll::Pending) => drop(waiters.swap_remove(i)),
                _ if !held.is_empty() => drop(held.swap_remove(0)),
                _ => {}
            }
            assert!(lane.in_use() <= 3);
        }
        drop(held);
        assert_eq!((lane.in_use(), lane.depth()), (0, 0));
    }
}
