//! The label sets, and what a metric's name may look like.

use prometheus_client::encoding::EncodeLabelSet;
use std::sync::Arc;

/// The route of a request that has none.
pub(super) const NO_ROUTE: &str = "none";

macro_rules! labels {
    ($($(#[$doc:meta])* $name:ident { $($label:ident: $type:ty),* })*) => {
        $($(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
        pub(crate) struct $name { $(pub(crate) $label: $type),* })*
    };
}

labels! {
    Route { route: Arc<str> }
    RouteOutcome { route: Arc<str>, outcome: &'static str }
    RouteCode { route: Arc<str>, code: &'static str }
    Target { target: Arc<str> }
    TargetOutcome { target: Arc<str>, outcome: &'static str }
    TargetReason { target: Arc<str>, reason: &'static str }
    Admission { target: Arc<str>, admitted: bool }
    Connection { target: Arc<str>, reused: bool }
    Tokens { route: Arc<str>, target: Arc<str>, kind: &'static str }
    Class { class: &'static str }
    Result { result: &'static str }
    Header { header: &'static str }
    Signal { signal: &'static str }
}

/// `prefix` as the first part of a metric's name: letters, digits and underscores, no digit in front.
pub(super) fn name(prefix: &str) -> String {
    let fits = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = prefix.chars().map(fits).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        return format!("_{name}");
    }
    name
}
