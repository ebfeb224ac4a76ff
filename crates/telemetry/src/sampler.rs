//! Which requests have their spans exported.
//!
//! The names and the meaning of `OTEL_TRACES_SAMPLER` are OpenTelemetry's
//! (<https://opentelemetry.io/docs/specs/otel/trace/sdk/#sampling>). The answer depends on the trace alone,
//! so it can be asked again for every span of a request and is the same each time. Failures are kept
//! whatever it says; that is decided where spans are made, at the end of the request.

use punctual_core::Trace;

/// What decides for a trace that has no parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// Every trace.
    On,
    /// No trace.
    Off,
    /// Traces whose id, read as the specification says, is below this; see [`Root::ratio`].
    Below(u64),
}

impl Root {
    const ALL: u64 = 1 << 63;

    /// This share of traces, 0 to 1; values outside are taken as the nearer end.
    #[must_use]
    pub fn ratio(share: f64) -> Self {
        let share = if share.is_finite() {
            share.clamp(0.0, 1.0)
        } else {
            1.0
        };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "between 0 and 2^63"
        )]
        Self::Below((share * Self::ALL as f64) as u64)
    }

    fn keeps(self, trace: &Trace) -> bool {
        match self {
            Self::On => true,
            Self::Off => false,
            Self::Below(limit) => {
                let [.., a, b, c, d, e, f, g, h] = trace.id.0;
                u64::from_be_bytes([a, b, c, d, e, f, g, h]) >> 1 < limit
            }
        }
    }
}

/// A sampler as `OTEL_TRACES_SAMPLER` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampler {
    /// Whether a caller's sampled flag decides where there is one.
    pub parent_based: bool,
    /// What decides otherwise.
    pub root: Root,
}

impl Default for Sampler {
    /// `parentbased_always_on`.
    fn default() -> Self {
        Self {
            parent_based: true,
            root: Root::On,
        }
    }
}

impl Sampler {
    /// The sampler of this name with this argument (`OTEL_TRACES_SAMPLER_ARG`); `None` for an unknown name
    /// or an argument that is no number.
    #[must_use]
    pub fn from_name(name: &str, argument: Option<&str>) -> Option<Self> {
        let (parent_based, kind) = match name.strip_prefix("parentbased_") {
            Some(kind) => (true, kind),
            None => (false, name),
        };
        let root = match kind {
            "always_on" => Root::On,
            "always_off" => Root::Off,
            "traceidratio" => Root::ratio(argument.unwrap_or("1").trim().parse().ok()?),
            _ => return None,
        };
        Some(Self { parent_based, root })
    }

    /// Whether this trace is exported, and what the sampled flag towards the upstream should be.
    #[must_use]
    pub fn keeps(&self, trace: &Trace) -> bool {
        if self.parent_based && trace.parent.is_some() {
            return trace.sampled;
        }
        self.root.keeps(trace)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use punctual_core::SpanId;

    fn child(sampled: bool) -> Trace {
        let mut trace = Trace::root();
        trace.parent = Some(SpanId::mint());
        trace.sampled = sampled;
        trace
    }

    #[test]
    fn a_parents_flag_decides_only_for_a_parent_based_sampler() {
        let named = |n| Sampler::from_name(n, None).unwrap();
        assert!(!named("parentbased_always_on").keeps(&child(false)));
        assert!(named("parentbased_always_off").keeps(&child(true)));
        assert!(!named("parentbased_always_off").keeps(&Trace::root()));
        assert!(named("always_on").keeps(&child(false)));
        assert!(!named("always_off").keeps(&child(true)));
        assert_eq!(Sampler::from_name("sometimes", None), None);
        assert_eq!(Sampler::from_name("traceidratio", Some("half")), None);
    }

    #[test]
    fn a_ratio_keeps_its_share_and_the_ends_are_all_and_nothing() {
        let kept = |arg| {
            let s = Sampler::from_name("traceidratio", Some(arg)).unwrap();
            (0..4000).filter(|_| s.keeps(&Trace::root())).count()
        };
        assert_eq!((kept("0"), kept("1"), kept("7")), (0, 4000, 4000));
        assert!((700..1300).contains(&kept("0.25")));
    }
}
