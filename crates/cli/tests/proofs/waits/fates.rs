//! What can become of a request, and that span, record and socket agree on it.

use super::World;
use crate::{
    gates::{Mark, Records},
    guest::{Asks, Guest, Leaves, SURFACES, WAYS, Way},
    slots::{at_once, seen},
    spans::{of, trees},
    support::collector::attribute,
    tally::{Tally, cell},
};
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;
use std::sync::Arc;

/// What becomes of a request: the name of its route, what its upstream does, the status line its caller gets,
/// its outcome and its error.
pub type Fate = (
    &'static str,
    &'static str,
    u16,
    &'static str,
    Option<&'static str>,
);

pub const FATES: [Fate; 10] = [
    ("f200", "sim", 200, "ok", None),
    (
        "f400",
        "sim:status:400",
        400,
        "upstream_rejected",
        Some("invalid_request"),
    ),
    ("f404", "sim:status:404", 502, "failed", Some("not_found")),
    (
        "f429",
        "sim:status:429",
        429,
        "failed",
        Some("rate_limited"),
    ),
    (
        "f500",
        "sim:status:500",
        502,
        "failed",
        Some("server_error"),
    ),
    ("f503", "sim:status:503", 503, "failed", Some("overloaded")),
    ("f504", "sim:silent-headers", 504, "failed", Some("timeout")),
    (
        "inband",
        "sim:tokens:2/error:server/error-after:1",
        200,
        "truncated",
        Some("server_error"),
    ),
    (
        "f499",
        "sim:silent-headers",
        499,
        "cancelled",
        Some("client_disconnected"),
    ),
    (
        "late500",
        "sim:delay:200ms/status:500",
        499,
        "cancelled",
        Some("client_disconnected"),
    ),
];

/// Every fate on every surface from every caller; what the socket saw. An error within a stream needs a
/// stream.
pub async fn fates(world: &Arc<World>) -> Vec<Fated> {
    let mut all = Vec::new();
    for fate in FATES {
        for asks in SURFACES {
            all.extend(WAYS.map(|way| (fate, asks, way)));
        }
    }
    all.retain(|(fate, asks, _)| fate.0 != "inband" || asks.streams());
    let shared = world.clone();
    at_once(8, all, move |trial| {
        let world = shared.clone();
        async move {
            let ((name, _, status, ..), asks, way) = trial;
            let mark = Mark::new();
            let request = mark.on(asks.of(&format!("{name}-{asks:?}-{way:?}")));
            let guest = Guest::arrive(&world.gates, way).await;
            if status == 499 {
                let started = guest.start(&request).await;
                seen(&world.sim, &mark, |s| s.received.is_some()).await;
                let _stays = started
                    .leave(if way.is_http2() {
                        Leaves::StreamReset
                    } else {
                        Leaves::Fin
                    })
                    .await;
                seen(&world.sim, &mark, |s| s.closed.is_some()).await;
            } else {
                let answer = guest.start(&request).await.answer().await;
                assert_eq!(
                    answer.status,
                    status,
                    "{name} {asks:?} {way:?}: {}",
                    answer.text()
                );
            }
            (trial, mark)
        }
    })
    .await
}

/// Which fate, and what it is recognised by.
pub type Fated = ((Fate, Asks, Way), Mark);

/// Span and record say what the socket saw, and every failure is an error.
pub async fn assert_fates(world: &World, records: &Records, ran: &[Fated]) {
    let trees = trees(&world.collector, ran.iter().map(|r| &r.1)).await;
    let name = |((name, ..), asks, way): &(Fate, Asks, Way)| cell(&[name, asks, way]);
    let mut table = Tally::of("T9 fates", ran.iter().map(|r| name(&r.0)));
    for (trial, mark) in ran {
        let (_, _, status, outcome, error) = trial.0;
        let request = of(&trees[&mark.0], "request.");
        let said = |key: &str| attribute(&request.attributes, key);
        let what = name(trial);
        assert_eq!(
            said("http.response.status_code"),
            Some(status.to_string()),
            "{what}"
        );
        assert_eq!(said("punctual.outcome").as_deref(), Some(outcome), "{what}");
        assert_eq!(said("error.type").as_deref(), error, "{what}");
        let is_error = request
            .status
            .as_ref()
            .is_some_and(|s| s.code == StatusCode::Error as i32);
        assert_eq!(is_error, error.is_some(), "{what}");
        let line = records.of(mark);
        assert_eq!(
            (&line["status"], &line["outcome"]),
            (&status.into(), &outcome.into()),
            "{what}"
        );
        table.ran(&what, None);
    }
    table.close(1);
}
