//! What is left and what is on record when callers have left.

use super::{Phase, Ran};
use crate::{
    gates::{Gates, Records, status, until},
    ground::Ground,
    guest::{Asks, Guest, Way},
    slots::Slot,
    spans::hex,
    support::{Collector, collector::attribute, ms},
};
use opentelemetry_proto::tonic::trace::v1::Span;
use std::sync::Arc;
use tokio::time::Instant;

/// Permits, queues, breakers and the backup are as they were, and the next request is served at once.
pub async fn assert_nothing_left(gates: &Gates, slots: &[Arc<Slot>], ground: &Ground) {
    for slot in slots {
        assert_eq!(slot.backup.report().len(), 0, "somebody was passed on");
    }
    for (gateway, way) in [(&gates.plain, Way::H1), (&gates.tls, Way::H1Tls)] {
        until(gateway, "all is over", |s| s["in_flight"] == 0).await;
        let now = status(gateway).await;
        for t in now["targets"].as_array().unwrap() {
            assert_eq!((&t["in_use"], &t["queued"]), (&0.into(), &0.into()), "{t}");
            assert_eq!(t["breaker"], "closed", "{t}");
        }
        for slot in slots {
            let mut guest = Guest::arrive(gates, way).await;
            let asked = Instant::now();
            let answer = guest.ask(&Asks::Chat.of(&format!("good-{}", slot.n))).await;
            assert_eq!(answer.status, 200);
            ground.within("the next request", asked.elapsed(), ms(50));
        }
    }
}

/// One record each: cancelled, in its phase, with the status that was sent; and spans that say the same.
pub async fn assert_recorded(gates: &Gates, collector: &Collector, ran: &[Ran]) -> Records {
    let count = |tls: bool| {
        let of = ran.iter().filter(|r| r.trial.way.is_tls() == tls);
        of.map(|r| 1 + usize::from(r.trial.phase == Phase::Queued))
            .sum::<usize>()
    };
    let records = gates.records(count(false), count(true));
    ran.iter().for_each(|r| assert_record(&records, r));
    let all = count(false) + count(true);
    let is_request = |s: &&Span| s.name.starts_with("request.");
    let spans = collector
        .wait(|spans| spans.iter().filter(is_request).count() >= all)
        .await;
    for r in ran {
        let mine: Vec<_> = spans
            .iter()
            .filter(|s| hex(&s.trace_id) == r.mark.0)
            .collect();
        let kinds = |name: &str| mine.iter().filter(|s| s.name.starts_with(name)).count();
        let attempts = usize::from(!matches!(r.trial.phase, Phase::Receiving | Phase::Queued));
        let names = (
            kinds("request."),
            kinds("resilience.attempt"),
            kinds("upstream."),
            kinds("queue.wait"),
        );
        let queues = usize::from(r.trial.phase != Phase::Receiving);
        assert_eq!(names, (1, attempts, attempts, queues), "{:?}", r.trial);
        for span in mine {
            let was_open = match r.trial.phase {
                Phase::Backoff => {
                    span.name.starts_with("request.") || span.name == "resilience.backoff"
                }
                Phase::Queued | Phase::Receiving => true,
                _ => span.name != "queue.wait",
            };
            let said = attribute(&span.attributes, "error.type");
            let expected = was_open.then(|| "client_disconnected".to_owned());
            let closed_before = !was_open && span.name != "queue.wait";
            assert!(
                said == expected || closed_before,
                "{:?}: {}: {said:?}",
                r.trial,
                span.name
            );
        }
    }
    records
}

fn assert_record(records: &Records, r: &Ran) {
    let line = records.of(&r.mark);
    let status = if r.trial.phase == Phase::Streaming {
        200
    } else {
        499
    };
    let said = (&line["outcome"], &line["reason"], &line["status"]);
    let expected = (&"cancelled".into(), &"gone".into(), &status.into());
    assert_eq!(said, expected, "{:?}: {line:#}", r.trial);
    let phase = r.recorded(records);
    let just_before = (phase, r.trial.phase) == (Phase::Headers, Phase::Content);
    assert!(
        phase == r.trial.phase || just_before,
        "{:?}: {line:#}",
        r.trial
    );
}
