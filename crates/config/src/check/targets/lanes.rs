//! Lanes that several targets share must be one width.
//!
//! Whoever says a width says it for all that share the lane; two that say different ones contradict each
//! other, and the order of a file must not decide.

use crate::{
    check::{
        Desk,
        layers::{self, Layers},
    },
    raw::Settings,
    target::TargetConfig,
};
use std::collections::BTreeMap;

/// The targets, with one width per shared lane.
pub(super) fn unite(
    mut targets: Vec<TargetConfig>,
    layers: &[Layers],
    desk: &mut Desk<'_>,
) -> Vec<TargetConfig> {
    let mut lanes: BTreeMap<String, (Settings, Vec<usize>)> = BTreeMap::new();
    for (n, layer) in layers.iter().enumerate() {
        let s = layer.settings();
        let Some(lane) = s.lane.clone() else { continue };
        let (all, members) = lanes.entry(lane.clone()).or_default();
        members.push(n);
        let mut agree = |key: &str, same: bool| {
            if !same && let Some(at) = layer.origin(key) {
                desk.error(
                    &at,
                    format!("another target on lane {lane} says a different {key}"),
                )
                .hint(format!("say {key} once, or the same everywhere"));
            }
        };
        agree(
            "max_concurrency",
            agrees(all.max_concurrency, s.max_concurrency),
        );
        agree("max_queue", agrees(all.max_queue, s.max_queue));
        agree("shed", agrees(all.shed, s.shed));
        *all = std::mem::take(all).over(&s);
    }
    for (settings, members) in lanes.into_values() {
        for n in members {
            if let Some(t) = targets.get_mut(n) {
                t.lane = layers::lane(&settings);
            }
        }
    }
    targets
}

fn agrees<T: PartialEq>(a: Option<T>, b: Option<T>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a == b,
        _ => true,
    }
}
