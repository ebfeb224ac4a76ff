//! Parameters for which a dialect has no place, where it knows of nothing but a model and its sampling.

use crate::middle::{Lost, Request};

/// Names those that are set. `more` are other parameters and whether they are; `own` tells the members that
/// the dialect takes although the middle form has no place for them.
pub(super) fn name(
    request: &Request,
    more: &[(&'static str, bool)],
    own: impl Fn(&str) -> bool,
    lost: &mut Lost,
) {
    let told = [
        ("user", request.user.is_some()),
        ("service_tier", request.wants_tier()),
        ("prompt_cache_key", request.cache_key.is_some()),
        ("store", request.store == Some(true)),
        ("metadata", request.metadata.is_some()),
        ("verbosity", request.verbosity.is_some()),
    ];
    let calls = ("parallel_tool_calls", request.parallel_tools == Some(false));
    let all = [calls].into_iter().chain(more.iter().copied()).chain(told);
    for (name, _) in all.filter(|(_, set)| *set) {
        lost.parameter(name);
    }
    for (name, _) in request.extra.iter().filter(|(name, _)| !own(name)) {
        lost.parameter(name.clone());
    }
}
