//! Parameters that Ollama has no place for.

use super::super::settings::OWN;
use crate::{
    dialect::lacking,
    middle::{Lost, Request},
};

/// Names those that are set.
pub(super) fn name(request: &Request, lost: &mut Lost) {
    let sampling = &request.sampling;
    let reasoning = request.reasoning.as_ref();
    let several = sampling.n.as_ref().is_some_and(|n| n.as_u64() != Some(1));
    let summary = reasoning.is_some_and(|asked| asked.summary.is_some());
    let excluded = reasoning.is_some_and(|asked| asked.include == Some(false));
    let more = [
        ("n", several),
        ("logit_bias", sampling.logit_bias.is_some()),
        ("reasoning.summary", summary),
        ("reasoning.exclude", excluded),
        ("include", reasoning.is_some_and(|asked| asked.encrypted)),
    ];
    let own = |name: &str| name == "keep_alive" || OWN.contains(&name);
    lacking::name(request, &more, own, lost);
}
