//! Alive, and able to serve: two questions with two answers.
//!
//! Alive is the process. Ready is whether it makes sense to send requests here: not while it is ending, and
//! not for a route of which every target rests.

use crate::{
    gateway::{Gateway, Snapshot},
    routes::Route,
    shutdown::Stage,
};
use bytes::Bytes;
use http::StatusCode;
use punctual_core::{Engine, Target, TargetId, Upstream};
use serde_json::{Value, json};

/// `/healthz`.
pub(crate) fn live() -> Bytes {
    Bytes::from_static(b"{\"status\":\"ok\"}")
}

/// `/readyz`, or `/readyz/{route}`.
pub(crate) fn ready<U: Upstream>(
    gateway: &Gateway<U>,
    now: &Snapshot<U>,
    route: Option<&str>,
) -> (StatusCode, Bytes) {
    let named: Vec<_> = now
        .routes
        .all()
        .filter(|r| route.is_none_or(|name| *r.name == *name))
        .collect();
    let serves = named.iter().any(|r| can_serve(&now.engine, r));
    let (status, word) = if route.is_some() && named.is_empty() {
        (StatusCode::NOT_FOUND, "unknown route")
    } else if gateway.stage() != Stage::Serving {
        (StatusCode::SERVICE_UNAVAILABLE, "shutting down")
    } else if named.is_empty() || serves {
        (StatusCode::OK, "ok")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "every target rests")
    };
    (status, Bytes::from(json!({ "status": word }).to_string()))
}

fn can_serve<U>(engine: &Engine<U>, route: &Route) -> bool {
    let target = |id: &TargetId| engine.targets.get(usize::from(id.0));
    let awake = |t: &Target| t.health.resting().is_none() && t.credential.resting().is_none();
    route.plan.targets().iter().filter_map(target).any(awake)
}

/// `/status` on the administrative listener.
pub(crate) fn status<U: Upstream>(gateway: &Gateway<U>) -> Bytes {
    let now = gateway.current();
    let stats = gateway.stats();
    let targets: Vec<Value> = now.engine.targets.iter().map(target).collect();
    let routes: Vec<Value> = now.routes.all().map(|r| route(&now.engine, r)).collect();
    let all = json!({
        "stage": format!("{:?}", gateway.stage()).to_lowercase(),
        "in_flight": stats.in_flight,
        "connections": stats.connections,
        "memory_bytes": stats.memory_bytes,
        "unreadable_deadlines": stats.unreadable_deadlines,
        "targets": targets,
        "routes": routes,
    });
    Bytes::from(all.to_string())
}

fn target(t: &Target) -> Value {
    let rest = t.health.resting().or_else(|| t.credential.resting());
    json!({
        "name": &*t.name,
        "in_use": t.lane.in_use(),
        "queued": t.lane.depth(),
        "breaker": t.health.state(),
        "credential": t.credential.state(),
        "rests_ms": rest.map(|r| u64::try_from(r.left.as_millis()).unwrap_or(u64::MAX)),
    })
}

fn route<U>(engine: &Engine<U>, route: &Route) -> Value {
    json!({ "name": &*route.name, "ready": can_serve(engine, route) })
}
