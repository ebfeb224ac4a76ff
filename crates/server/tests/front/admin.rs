//! The administrative listener.

use crate::support::*;
use punctual_server::{Key, Keys};
use std::sync::Arc;

#[tokio::test]
async fn operators_read_metrics_health_and_status() {
    let gate = Gate::open().await;
    gate.fake.script("hold", vec![Step::Hang]);
    let mut holder = gate.caller().await;
    holder.send(&chat("sim/hold", false, "")).await;
    until("it runs", || gate.fake.sent() == 1).await;
    let mut caller = Caller::connect(gate.admin).await;
    let metrics = caller.get("/metrics").await;
    assert_eq!(metrics.body, "in_flight 1\n# EOF\n");
    assert!(
        metrics
            .header("content-type")
            .unwrap()
            .starts_with("text/plain; version=0.0.4")
    );
    assert_eq!(caller.get("/healthz").await.status, 200);
    assert_eq!(caller.get("/readyz").await.status, 200);
    assert_eq!(caller.get("/readyz/nobody").await.status, 404);
    let status = caller.get("/status").await.json();
    assert_eq!(
        (&status["in_flight"], &status["connections"]),
        (&1.into(), &1.into())
    );
    let target = &status["targets"][0];
    assert_eq!(
        (&target["name"], &target["in_use"], &target["breaker"]),
        (&"primary".into(), &1.into(), &"closed".into())
    );
    assert_eq!(
        caller.get("/v1/models").await.status,
        404,
        "nothing of the public side"
    );
}

#[tokio::test]
async fn the_public_side_shows_nothing_of_it() {
    let gate = Gate::open().await;
    assert_eq!(gate.caller().await.get("/metrics").await.status, 404);
    assert_eq!(gate.caller().await.get("/status").await.status, 404);
}

#[tokio::test]
async fn its_door_has_a_lock_of_its_own() {
    let ring = |k: &str| (k == "op").then(|| Arc::new(Key::default()));
    let setup = Setup {
        admin_keys: Keys::Required(Arc::new(ring)),
        ..Setup::default()
    };
    let gate = Gate::with(setup).await;
    let ask = async |lines: &str| {
        let request = format!("GET /metrics HTTP/1.1\r\n{lines}\r\n");
        Caller::connect(gate.admin).await.ask(&request).await.status
    };
    assert_eq!(ask("host: localhost\r\n").await, 401);
    assert_eq!(
        ask("host: localhost\r\nauthorization: Bearer op\r\n").await,
        200
    );
    assert_eq!(
        ask("host: evil.example\r\nauthorization: Bearer op\r\n").await,
        421
    );
    assert_eq!(
        ask("host: localhost\r\norigin: https://evil.example\r\nauthorization: Bearer op\r\n")
            .await,
        421
    );
    assert_eq!(gate.caller().await.get("/healthz").await.status, 200);
}
