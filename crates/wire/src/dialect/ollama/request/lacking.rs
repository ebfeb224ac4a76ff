//! Parameters that Ollama has no place for.

use super::super::settings::OWN;
use crate::middle::{Lost, Request};

/// Names those that are set.
pub(super) fn name(request: &Request, lost: &mut Lost) {
    let sampling = &request.sampling;
    let reasoning = request.reasoning.as_ref();
    let told = [
        ("parallel_tool_calls", request.parallel_tools == Some(false)),
        (
            "n",
            sampling.n.as_ref().is_some_and(|n| n.as_u64() != Some(1)),
        ),
        ("logit_bias", sampling.logit_bias.is_some()),
        (
            "reasoning.summary",
            reasoning.is_some_and(|r| r.summary.is_some()),
        ),
        ("include", reasoning.is_some_and(|r| r.encrypted)),
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
    let own = |name: &str| name == "keep_alive" || OWN.contains(&name);
    for (name, _) in request.extra.iter().filter(|(name, _)| !own(name)) {
        lost.parameter(name.clone());
    }
}

/// Whether a tier is asked for other than the one that everybody gets.
fn tier(request: &Request) -> bool {
    let tier = request.service_tier.as_deref();
    tier.is_some_and(|tier| !matches!(tier, "auto" | "default"))
}
