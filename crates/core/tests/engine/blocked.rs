//! A caller that takes nothing behind a heartbeat: a server does not ask its body for more then, and what the
//! provider would be waited for stands still.

use crate::support::*;
use http_body::Body;
use punctual_core::*;
use std::{future::poll_fn, pin::Pin, sync::Arc};
use tokio::time::{Instant, sleep};

const EVERY: u64 = 50;
/// How long the caller takes nothing.
const GAP: u64 = 1000;

fn pace() -> Pace {
    Pace {
        heartbeat: Some(ms(EVERY)),
        stall: None,
    }
}

fn behind_heartbeats(b: &Bench, plan: &Arc<Plan>) -> Relay<Exchange> {
    let (call, mut record) = b.call(plan);
    let (fate, ends_at) = (record.fate(), call.deadline.at());
    let opening = Box::pin(open(b.engine.clone(), call, record));
    Relay::opening(opening, fate, ends_at, Arc::new(Text_), pace())
}

/// Reads all of it, but takes nothing for a while behind the heartbeat that is the `n`th.
async fn read_with_a_gap(mut relay: Relay<Exchange>, n: usize) -> String {
    let (mut got, mut beats) = (String::new(), 0);
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut relay).poll_frame(cx)).await {
        let frame = frame.unwrap().into_data().unwrap();
        if &frame[..] == b"<beat>" {
            beats += 1;
            if beats == n {
                sleep(ms(GAP)).await;
            }
            continue;
        }
        got.push_str(std::str::from_utf8(&frame).unwrap());
    }
    got
}

fn connect(n: u64) -> Limits {
    Limits {
        connect: Some(ms(n)),
        ..none()
    }
}

#[tokio::test(start_paused = true)]
async fn a_member_that_is_waited_for_meanwhile_keeps_its_time() {
    // each goes on by one step whenever it is asked
    let by_first_token = vec![Wait(120), Head, Wait(60), Text("a;"), Stop];
    let by_connect = vec![
        Wait(120),
        StartsOver,
        Wait(180),
        Connected,
        Head,
        Text("a;"),
        Stop,
    ];
    for (limits, script) in [
        (first_token(200), by_first_token),
        (connect(200), by_connect),
    ] {
        let b = Bench::new(vec![(limits, vec![script]), (none(), good())]);
        let relay = behind_heartbeats(&b, &fallback([leaf(0), leaf(1)]));
        assert_eq!(read_with_a_gap(relay, 2).await, "a;stop;[DONE]");
        assert_eq!(b.order(), "a", "{limits:?}");
        assert!(b.idle());
    }
}

#[tokio::test(start_paused = true)]
async fn a_member_that_stays_silent_is_left_when_its_own_time_is_over() {
    let b = Bench::new(vec![(first_token(200), vec![vec![Hang]]), (none(), good())]);
    let start = Instant::now();
    let relay = behind_heartbeats(&b, &fallback([leaf(0), leaf(1)]));
    assert_eq!(read_with_a_gap(relay, 2).await, "role;hi;stop;[DONE]");
    let took = start.elapsed().as_millis() as u64;
    assert!((GAP + 195..=GAP + 205).contains(&took), "{took} ms");
}

#[tokio::test(start_paused = true)]
async fn the_requests_deadline_goes_on_meanwhile() {
    let b = Bench::new(vec![(none(), vec![vec![Hang]])]).within(300);
    let relay = behind_heartbeats(&b, &leaf(0));
    let told = read_with_a_gap(relay, 2).await;
    assert_eq!(told, "<error request_deadline_exceeded>");
    assert_eq!(b.lines.report().outcome, Some(Outcome::DeadlineExceeded));
}

#[tokio::test(start_paused = true)]
async fn the_clocks_of_a_stream_stand_still_meanwhile() {
    let limits = Limits {
        stream_token: Some(ms(200)),
        attempt_streamed: Some(ms(500)),
        ..none()
    };
    let script = vec![
        Head,
        Text("a;"),
        Wait(70),
        Role,
        Wait(80),
        Text("b;"),
        Stop,
        Eof,
    ];
    let b = Bench::new(vec![(limits, vec![script])]);
    let Ok(open) = b.open(&leaf(0)).await else {
        panic!("no answer")
    };
    let relay = Relay::answer(open, Arc::new(Text_), pace());
    assert_eq!(read_with_a_gap(relay, 1).await, "a;role;b;stop;[DONE]");
    assert_eq!(b.lines.report().outcome, Some(Outcome::Ok));
}
