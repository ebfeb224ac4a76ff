//! Under any interleaving of cancel, deadline, failure, completion and reload there is one outcome, permits
//! return to full, and nothing remains.

use crate::support::*;
use proptest::prelude::*;
use punctual_core::*;
use std::sync::Arc;
use tokio::time::timeout;

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        (0..400_u64).prop_map(Wait),
        (0..400_u64).prop_map(Busy),
        Just(Read),
        Just(Connected),
        Just(Head),
        Just(Role),
        Just(Comment),
        Just(Text("x")),
        Just(Reasoning("r")),
        Just(Stop),
        Just(Length),
        Just(Done),
        Just(Eof),
        Just(Hang),
        (0..Code::ALL.len(), proptest::option::of(0..2000_u64))
            .prop_map(|(c, hint)| Fail(Code::ALL[c], hint)),
        (0..Code::ALL.len()).prop_map(|c| Error(Code::ALL[c])),
    ]
}

fn script() -> impl Strategy<Value = Vec<Vec<Act>>> {
    proptest::collection::vec(proptest::collection::vec(act(), 0..6), 1..3)
}

fn plan() -> impl Strategy<Value = Arc<Plan>> {
    (0..3_u16).prop_map(leaf).prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            (inner.clone(), 1..4_u32, 0..300_u64).prop_map(|(p, n, d)| retry_after(p, n, d)),
            proptest::collection::vec(inner.clone(), 1..3).prop_map(fallback),
            proptest::collection::vec(inner, 1..3).prop_map(turns),
        ]
    })
}

#[derive(Clone, Debug)]
struct Case {
    scripts: Vec<Vec<Vec<Act>>>,
    plan: Arc<Plan>,
    calls: Vec<(bool, Option<u64>, u64, bool)>,
    width: usize,
    resize: (u64, usize),
}

fn case() -> impl Strategy<Value = Case> {
    (
        proptest::collection::vec(script(), 3),
        plan(),
        proptest::collection::vec(
            (
                any::<bool>(),
                proptest::option::of(1..1500_u64),
                0..3000_u64,
                any::<bool>(),
            ),
            1..6,
        ),
        1..3_usize,
        (0..1000_u64, 1..4_usize),
    )
        .prop_map(|(scripts, plan, calls, width, resize)| Case {
            scripts,
            plan,
            calls,
            width,
            resize,
        })
}

async fn one_call(
    b: &Bench,
    plan: &Arc<Plan>,
    (stream, budget, patience, behind_beat): (bool, Option<u64>, u64, bool),
) {
    let mut mine = Bench {
        engine: b.engine.clone(),
        lines: b.lines.clone(),
        policy: b.policy.clone(),
        stream,
        budget,
        room: None,
    };
    mine.policy.max_attempts_total = 8;
    let vigil = Vigil::default();
    let serve = async {
        if stream && behind_beat {
            let (call, mut record) = mine.call(plan);
            let (fate, ends_at) = (record.fate(), call.deadline.at());
            let opening = Box::pin(punctual_core::open(mine.engine.clone(), call, record));
            let relay = Relay::opening(
                opening,
                fate,
                ends_at,
                Arc::new(Text_),
                Pace {
                    heartbeat: Some(ms(50)),
                    stall: None,
                },
            );
            vigil.watch(relay.watched());
            return read(relay).await;
        }
        match mine.open(plan).await {
            Err(_) => String::new(),
            Ok(open) => {
                let relay = Relay::answer(open, Arc::new(Text_), Pace::default());
                vigil.watch(relay.watched());
                read(relay).await
            }
        }
    };
    let watched = async {
        tokio::select! {
            biased;
            out = serve => Some(out),
            () = vigil.run(|| among(0)) => None,
        }
    };
    if let Ok(Some(out)) = timeout(ms(patience), watched).await {
        let errors = out.matches("<error").count();
        assert!(errors <= 1, "{out}");
        assert!(
            errors == 0
                || (out.ends_with('>') && !out[out.find("<error").unwrap()..].contains("[DONE]")),
            "{out}"
        );
        assert!(out.matches("[DONE]").count() <= 1, "{out}");
    }
}

async fn run(case: Case) {
    let calls = case.calls.len();
    let lane = || {
        Lane::new(LaneLimits {
            max_concurrency: case.width,
            max_queue: 3,
            shed: Shed::Expired,
        })
    };
    let b = Bench::new(
        case.scripts
            .into_iter()
            .map(|s| {
                (
                    Limits {
                        first_token: Some(ms(300)),
                        stream_token: Some(ms(300)),
                        attempt: Some(ms(900)),
                        ..Limits::default()
                    },
                    s,
                )
            })
            .collect(),
    )
    .edit(|targets| targets.iter_mut().for_each(|t| t.lane = lane()));
    let lanes: Vec<_> = b.engine.targets.iter().map(|t| t.lane.clone()).collect();
    let reload = async {
        tokio::time::sleep(ms(case.resize.0)).await;
        let limits = LaneLimits {
            max_concurrency: case.resize.1,
            max_queue: 2,
            shed: Shed::Expired,
        };
        lanes.iter().for_each(|l| l.resize(limits));
    };
    let mut running: Vec<_> = case
        .calls
        .iter()
        .map(|c| Box::pin(one_call(&b, &case.plan, *c)))
        .collect();
    let all = std::future::poll_fn(|cx| {
        running.retain_mut(|f| f.as_mut().poll(cx).is_pending());
        if running.is_empty() {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    });
    tokio::join!(all, reload);
    drop(running);
    assert!(b.idle(), "a permit, an entry or an exchange remains");
    let reports = b.lines.1.lock().unwrap();
    assert_eq!(reports.len(), calls, "one outcome per request");
    for r in reports.iter() {
        assert!(
            r.outcome.is_some()
                && r.waiting.is_none()
                && r.attempting.is_none()
                && r.backing_off.is_none()
        );
        if let Some(budget) = r.deadline.budget() {
            assert!(
                r.elapsed <= budget + ms(2),
                "{:?} over {budget:?}",
                r.elapsed
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_shrink_iters: 400, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn one_outcome_and_nothing_remains_under_any_interleaving(case in case()) {
        let rt = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        rt.block_on(run(case));
    }
}
