//! Parameters that Google has no place for.

use crate::middle::{Lost, Request};

/// Members of Google's own that are passed on, by both spellings.
pub(super) const OWN: [[&str; 2]; 2] = [
    ["safetySettings", "safety_settings"],
    ["cachedContent", "cached_content"],
];

/// Names those that are set.
pub(super) fn name(request: &Request, lost: &mut Lost) {
    let told = [
        ("parallel_tool_calls", request.parallel_tools == Some(false)),
        ("logit_bias", request.sampling.logit_bias.is_some()),
        ("user", request.user.is_some()),
        ("service_tier", tier(request)),
        ("prompt_cache_key", request.cache_key.is_some()),
        ("store", request.store == Some(true)),
        ("metadata", request.metadata.is_some()),
        ("verbosity", request.verbosity.is_some()),
    ];
    for (name, _) in told.into_iter().filter(|(_, set)| *set) {
        lost.parameter(name);
    }
    let own = |name: &str| OWN.iter().flatten().any(|own| *own == name);
    for (name, _) in request.extra.iter().filter(|(name, _)| !own(name)) {
        lost.parameter(name.clone());
    }
}

/// Whether a tier is asked for other than the one that everybody gets.
fn tier(request: &Request) -> bool {
    let tier = request.service_tier.as_deref();
    tier.is_some_and(|tier| !matches!(tier, "auto" | "default"))
}
