//! A caller that leaves, in each state, in each way: the exchange closes, and the record says so.

use crate::support::*;
use punctual_core::{LaneLimits, Outcome, Phase, Reason, Report};
use tokio::time::Instant;

/// Far under what a poll or a timer would need.
const AT_ONCE: std::time::Duration = SLACK;

#[derive(Clone, Copy, Debug)]
enum Way {
    Fin,
    Rst,
    /// The FIN stands behind bytes that nobody reads.
    Behind,
}

const WAYS: [Way; 3] = [Way::Fin, Way::Rst, Way::Behind];

async fn leave(mut caller: Caller, way: Way) -> Instant {
    if let Way::Behind = way {
        caller.send("\r\nGET /healthz HTTP/1.1\r\n").await;
    }
    let at = Instant::now();
    match way {
        Way::Rst => caller.rst(),
        Way::Fin | Way::Behind => caller.fin(),
    }
    at
}

fn cancelled(report: &Report, phase: Phase, status: u16) {
    assert_eq!(
        (report.outcome, report.reason),
        (Some(Outcome::Cancelled), Some(Reason::Gone))
    );
    assert_eq!((report.phase, report.status), (phase, Some(status)));
}

#[tokio::test]
async fn leaving_before_an_answer_closes_the_exchange_at_once() {
    for way in WAYS {
        for (script, stream, phase) in [
            (vec![Step::Hang], false, Phase::AwaitingHeaders),
            (vec![Step::Hang], true, Phase::AwaitingHeaders),
            (
                vec![Step::Head(vec![]), Step::Hang],
                false,
                Phase::AwaitingContent,
            ),
            (
                vec![Step::Head(vec![]), event("{}", None), Step::Hang],
                true,
                Phase::AwaitingContent,
            ),
        ] {
            let gate = Gate::open().await;
            gate.fake.script("s", script);
            let mut caller = gate.caller().await;
            caller.send(&chat("sim/s", stream, "")).await;
            until("it hangs", || gate.fake.hanging() == 1).await;
            let left = leave(caller, way).await;
            until("the exchange closes", || !gate.fake.closed().is_empty()).await;
            let late = gate.fake.closed()[0].saturating_duration_since(left);
            assert!(late < AT_ONCE, "{way:?} {phase:?}: {late:?}");
            cancelled(&gate.report().await, phase, 499);
            gate.idle().await;
        }
    }
}

#[tokio::test]
async fn leaving_a_stream_closes_the_exchange_and_keeps_the_status() {
    for way in WAYS {
        let gate = Gate::open().await;
        gate.fake
            .script("s", vec![Step::Head(vec![]), content("first"), Step::Hang]);
        let mut caller = gate.caller().await;
        caller.send(&chat("sim/s", true, "")).await;
        caller.see("first").await;
        let left = leave(caller, way).await;
        until("the exchange closes", || !gate.fake.closed().is_empty()).await;
        assert!(
            gate.fake.closed()[0].saturating_duration_since(left) < AT_ONCE,
            "{way:?}"
        );
        cancelled(&gate.report().await, Phase::Streaming, 200);
        gate.idle().await;
    }
}

#[tokio::test]
async fn leaving_an_upload_is_no_mistake_of_the_callers() {
    for way in WAYS {
        let gate = Gate::open().await;
        let mut caller = gate.caller().await;
        caller.send("POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n{").await;
        until("it is read", || gate.gateway.stats().memory_bytes > 0).await;
        leave(caller, way).await;
        cancelled(&gate.report().await, Phase::Receiving, 499);
        assert_eq!(gate.fake.sent(), 0);
        gate.idle().await;
    }
}

#[tokio::test]
async fn leaving_a_queue_frees_the_place_and_nothing_is_sent() {
    for way in WAYS {
        let lane = LaneLimits {
            max_concurrency: 1,
            ..LaneLimits::default()
        };
        let gate = Gate::with(Setup {
            lane,
            ..Setup::default()
        })
        .await;
        gate.fake.script("hold", vec![Step::Hang]);
        let mut holder = gate.caller().await;
        holder.send(&chat("sim/hold", false, "")).await;
        until("the lane is taken", || gate.fake.sent() == 1).await;
        let mut waiter = gate.caller().await;
        waiter.send(&chat("sim/hold", false, "")).await;
        let now = gate.gateway.current();
        until("it waits", || now.engine.targets[0].lane.depth() == 1).await;
        leave(waiter, way).await;
        cancelled(&gate.report().await, Phase::Queued, 499);
        assert_eq!(
            (now.engine.targets[0].lane.depth(), gate.fake.sent()),
            (0, 1)
        );
        drop(now);
        holder.fin();
        gate.idle().await;
    }
}

#[tokio::test]
async fn leaving_behind_a_heartbeat_ends_the_plan() {
    for way in WAYS {
        let policy = punctual_core::Policy {
            heartbeat: Some(ms(50)),
            ..Default::default()
        };
        let gate = Gate::with(Setup {
            policy,
            ..Setup::default()
        })
        .await;
        gate.fake.script("s", vec![Step::Hang]);
        let mut caller = gate.caller().await;
        caller.send(&chat("sim/s", true, "")).await;
        caller.see(": waiting").await;
        let left = leave(caller, way).await;
        until("the exchange closes", || !gate.fake.closed().is_empty()).await;
        assert!(
            gate.fake.closed()[0].saturating_duration_since(left) < AT_ONCE,
            "{way:?}"
        );
        cancelled(&gate.report().await, Phase::AwaitingHeaders, 200);
        gate.idle().await;
    }
}

#[tokio::test]
async fn urgent_data_is_not_leaving() {
    let gate = Gate::open().await;
    gate.fake.script(
        "slow",
        vec![Step::Wait(ms(150)), Step::Head(vec![]), content("x")],
    );
    let mut caller = gate.caller().await;
    caller.send(&chat("sim/slow", false, "")).await;
    until("it is sent", || gate.fake.sent() == 1).await;
    socket2::SockRef::from(&caller.socket)
        .send_out_of_band(b"!")
        .unwrap();
    assert_eq!(caller.answer().await.status, 200);
}

/// Callers leave at any moment on several workers; whatever was taken comes back.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn any_number_of_leavings_leaves_nothing_behind() {
    let policy = punctual_core::Policy {
        heartbeat: Some(ms(2)),
        ..Default::default()
    };
    let lane = LaneLimits {
        max_concurrency: 4,
        ..LaneLimits::default()
    };
    let gate = Gate::with(Setup {
        policy,
        lane,
        ..Setup::default()
    })
    .await;
    let mut script = vec![Step::Wait(ms(2)), Step::Head(vec![])];
    script.extend((0..50).flat_map(|_| [content("x"), Step::Wait(ms(1))]));
    gate.fake.script("s", script);
    for round in 0..40_u64 {
        let mut callers = Vec::new();
        for n in 0..8 {
            let mut caller = gate.caller().await;
            let request = chat("sim/s", n % 2 == 0, "");
            let cut = match n {
                7 => request.len() / 2,
                _ => request.len(),
            };
            caller.send(&request[..cut]).await;
            callers.push(caller);
        }
        tokio::time::sleep(std::time::Duration::from_micros(round * 250)).await;
        for (n, caller) in callers.into_iter().enumerate() {
            leave(caller, WAYS[n % 3]).await;
        }
    }
    gate.idle().await;
    until("every exchange is closed", || {
        gate.fake.closed().len() == gate.fake.sent()
    })
    .await;
    until("every connection is closed", || {
        gate.gateway.stats().connections == 0
    })
    .await;
    let start = Instant::now();
    assert_eq!(
        gate.caller()
            .await
            .ask(&chat("chat", false, ""))
            .await
            .status,
        200
    );
    assert!(start.elapsed() < SLACK);
    assert_eq!(
        gate.gateway.current().engine.targets[0].health.state(),
        "closed"
    );
}
