//! One entry of the book: what its layers come to, and what a leaf of a plan may change about it.

use crate::{
    check::{
        Desk,
        connection::Link,
        headers,
        layers::{self, Layer, Layers, Whole},
    },
    path::Path,
    problem::closest,
    raw::{Clocks, Settings, UsageText},
    target::{Auth, DEADLINE_HEADERS, TargetConfig},
};
use http::HeaderName;

/// Where an entry is.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    pub(super) provider: &'a str,
    pub(super) link: &'a Link,
}

/// The entry that the layers describe.
pub(super) fn build(
    name: &str,
    at: At<'_>,
    model: Option<String>,
    layers: &Layers,
    whole: Whole,
    desk: &mut Desk<'_>,
) -> TargetConfig {
    let (c, s, link) = (layers.clocks(), layers.settings(), at.link.clone());
    let from = |key: &str| layers.origin(key).unwrap_or_default();
    let identity = format!(
        "{name}|{}|{}",
        link.identity,
        model.as_deref().unwrap_or("*")
    );
    let headers = headers::added(layers.headers(), desk);
    // a header may be the credential: a new one of it has not failed yet, and others' have nothing to do
    // with it. The lane and the budget stay, or whoever holds a permit would make room for one more
    let credential_id = format!("{}{}", link.identity, headers::print(&headers));
    let health_id = format!("{identity}{}", headers::print(&headers));
    let forward_headers = s.forward_headers.unwrap_or_default().0;
    let forward_deadline = s.forward_deadline.unwrap_or_default().0;
    TargetConfig {
        name: name.to_owned(),
        provider: at.provider.to_owned(),
        headers,
        forward_headers: headers::forwarded(&forward_headers, &from("forward_headers"), desk),
        forward_deadline: deadline_headers(&forward_deadline, &from("forward_deadline"), desk),
        http2: s.http2.unwrap_or(false),
        passthrough: s.passthrough.unwrap_or(false),
        limits: layers::limits(&c, whole),
        reserve: layers::reserve(&c),
        max_queue_wait: layers::queue_wait(&c),
        replay_timeouts: c.replay_timeouts.unwrap_or(true),
        allow_empty: c.allow_empty.unwrap_or(false),
        inject_usage: s.usage == Some(UsageText::Inject),
        max_event_bytes: bytes(s.max_event_bytes),
        max_response_bytes: bytes(s.max_response_bytes),
        benchable: model.is_some() && !matches!(link.auth, Auth::Passthrough),
        lane_id: s
            .lane
            .as_ref()
            .map_or_else(|| format!("target/{identity}"), |l| format!("lane/{l}")),
        lane: layers::lane(&layers.settings()),
        dialect: link.dialect,
        base_url: link.base_url,
        site: link.site,
        auth: link.auth,
        ca_file: link.ca_file,
        client_cert: link.client_cert,
        proxy: link.proxy,
        no_proxy: link.no_proxy,
        credential_id,
        budget_id: identity,
        health_id,
        model,
    }
}

/// The entry with what a leaf may change.
pub(super) fn change(base: &TargetConfig, layers: &Layers, whole: Whole) -> TargetConfig {
    let c = layers.clocks();
    TargetConfig {
        limits: layers::limits(&c, whole),
        reserve: layers::reserve(&c),
        max_queue_wait: layers::queue_wait(&c),
        replay_timeouts: c.replay_timeouts.unwrap_or(true),
        allow_empty: c.allow_empty.unwrap_or(false),
        ..base.clone()
    }
}

/// Whether two entries differ in nothing that a leaf may change.
pub(super) fn is_same(a: &TargetConfig, b: &TargetConfig) -> bool {
    a.health_id == b.health_id
        && a.name == b.name
        && a.limits == b.limits
        && a.reserve == b.reserve
        && a.max_queue_wait == b.max_queue_wait
        && a.replay_timeouts == b.replay_timeouts
        && a.allow_empty == b.allow_empty
}

fn bytes(size: Option<crate::unit::Size>) -> usize {
    usize::try_from(size.map_or(64 << 20, |s| s.0)).unwrap_or(usize::MAX)
}

/// A layer, checked for what contradicts itself.
pub(super) fn layer(at: Path, clocks: Clocks, settings: Settings, desk: &mut Desk<'_>) -> Layer {
    if clocks.timeout.is_some() && clocks.timeouts.is_some() {
        desk.error(
            &at.key("timeouts"),
            "timeout and timeouts are the same limit",
        )
        .hint("keep timeout");
    }
    for (key, n) in [("max_concurrency", settings.max_concurrency)] {
        if n == Some(0) {
            desk.error(&at.key(key), "0 would refuse everything")
                .hint("leave it out for no limit");
        }
    }
    Layer {
        at,
        clocks,
        settings,
    }
}

fn deadline_headers(names: &[String], at: &Path, desk: &mut Desk<'_>) -> Vec<HeaderName> {
    let mut out = Vec::new();
    for name in names.iter().filter(|n| *n != "none") {
        let lower = name.to_ascii_lowercase();
        match DEADLINE_HEADERS.iter().find(|h| **h == lower) {
            Some(known) => out.push(HeaderName::from_static(known)),
            None => {
                let near = closest(&lower, DEADLINE_HEADERS.iter().copied());
                let hint = near.map_or_else(
                    || format!("known: {}", DEADLINE_HEADERS.join(", ")),
                    |n| format!("did you mean {n}?"),
                );
                desk.error(
                    at,
                    format!("{name:?} is not a header that carries a deadline"),
                )
                .hint(hint);
            }
        }
    }
    out
}
