//! Telling the upstream how much time is left, in the header and unit it understands.
//!
//! The value is the smallest of what the caller said, what the target's own headers say, and the time
//! left less [`MARGIN`]: lowered, never raised, and never 0, which several servers read as "no limit". It
//! is a courtesy, so that work nobody waits for ends early; only our own clock is relied on.

use http::{HeaderMap, HeaderName, HeaderValue};
use std::time::Duration;

/// Kept back so that the upstream's own timeout answer arrives before our clock ends the attempt.
const MARGIN: Duration = Duration::from_millis(50);

/// Headers in which the time left can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ForwardDeadline {
    /// `X-Request-Deadline-Ms`, to another Punctual.
    Punctual,
    /// `x-litellm-timeout` in seconds with a fraction, and `x-litellm-num-retries: 0`.
    LiteLlm,
    /// `X-UiPath-LLMGateway-TimeoutSeconds`, whole seconds.
    UiPath,
    /// `x-portkey-request-timeout`, ms.
    Portkey,
    /// `cf-aig-request-timeout`, ms.
    CloudflareAiGateway,
    /// `x-envoy-upstream-rq-timeout-ms`.
    Envoy,
    /// `grpc-timeout`, at most 8 digits and a unit letter.
    Grpc,
    /// `X-Server-Timeout`, whole seconds; left out under 10 s, which Gemini rejects.
    Gemini,
}

impl ForwardDeadline {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Punctual,
        Self::LiteLlm,
        Self::UiPath,
        Self::Portkey,
        Self::CloudflareAiGateway,
        Self::Envoy,
        Self::Grpc,
        Self::Gemini,
    ];

    /// The header's name in lower case, which is also its name in configuration.
    #[must_use]
    pub const fn header(self) -> &'static str {
        match self {
            Self::Punctual => "x-request-deadline-ms",
            Self::LiteLlm => "x-litellm-timeout",
            Self::UiPath => "x-uipath-llmgateway-timeoutseconds",
            Self::Portkey => "x-portkey-request-timeout",
            Self::CloudflareAiGateway => "cf-aig-request-timeout",
            Self::Envoy => "x-envoy-upstream-rq-timeout-ms",
            Self::Grpc => "grpc-timeout",
            Self::Gemini => "x-server-timeout",
        }
    }

    /// By the header's name, without regard to case.
    #[must_use]
    pub fn from_header(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|f| f.header().eq_ignore_ascii_case(name))
    }

    /// Writes the header into `out`, which may hold the target's own value of it. Nothing is written when
    /// the request has no deadline and nobody sent the header; the attempt's own `limit` only lowers it.
    pub(crate) fn write(
        self,
        out: &mut HeaderMap,
        caller: &HeaderMap,
        left: Option<Duration>,
        limit: Option<Duration>,
    ) {
        let name = HeaderName::from_static(self.header());
        let told = |headers: &HeaderMap| {
            let values = headers.get_all(&name);
            values
                .iter()
                .filter_map(|v| self.read(v.to_str().ok()?))
                .min()
        };
        let own = left.map(|left| left.saturating_sub(MARGIN));
        let smallest = [told(caller), told(out), own].into_iter().flatten().min();
        let smallest = smallest.map(|time| limit.map_or(time, |limit| time.min(limit)));
        out.remove(&name);
        let Some(value) = smallest.and_then(|time| self.text(time)) else {
            return;
        };
        if let Ok(value) = HeaderValue::try_from(value) {
            out.insert(name, value);
        }
        if self == Self::LiteLlm {
            // its retries would each get the whole time again
            out.insert("x-litellm-num-retries", HeaderValue::from_static("0"));
        }
    }

    /// Lowers the header to the time left, or writes it there; for requests that are not made here.
    pub fn lower(self, headers: &mut HeaderMap, left: Option<Duration>) {
        self.write(headers, &HeaderMap::new(), left, None);
    }

    /// A value as somebody wrote it; text, zero and nonsense are as if it was not there.
    fn read(self, value: &str) -> Option<Duration> {
        let value = value.trim();
        let (digits, seconds) = match self {
            Self::Grpc => {
                let unit = value.chars().next_back()?;
                let seconds = match unit {
                    'H' => 3600.0,
                    'M' => 60.0,
                    'S' => 1.0,
                    'm' => 1e-3,
                    'u' => 1e-6,
                    'n' => 1e-9,
                    _ => return None,
                };
                (value.strip_suffix(unit)?, seconds)
            }
            Self::LiteLlm | Self::UiPath | Self::Gemini => (value, 1.0),
            Self::Punctual | Self::Portkey | Self::CloudflareAiGateway | Self::Envoy => {
                (value, 1e-3)
            }
        };
        let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        let number: f64 = digits.parse().ok().filter(|_| plain)?;
        Duration::try_from_secs_f64(number * seconds)
            .ok()
            .filter(|time| !time.is_zero())
    }

    /// `time` in the header's unit, rounded down but never to 0.
    fn text(self, time: Duration) -> Option<String> {
        let ms = time.as_millis().max(1);
        Some(match self {
            Self::Punctual | Self::Portkey | Self::CloudflareAiGateway | Self::Envoy => {
                ms.to_string()
            }
            Self::LiteLlm => format!("{}.{:03}", ms / 1000, ms % 1000),
            Self::UiPath => time.as_secs().max(1).to_string(),
            Self::Grpc if ms < 100_000_000 => format!("{ms}m"),
            Self::Grpc => format!("{}S", time.as_secs().min(99_999_999)),
            Self::Gemini if time < Duration::from_secs(10) => return None,
            Self::Gemini => time.as_secs().to_string(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(
        f: ForwardDeadline,
        caller: Option<&str>,
        own: Option<&str>,
        left_ms: Option<u64>,
    ) -> Option<String> {
        limited(f, caller, own, left_ms, None)
    }

    fn limited(
        f: ForwardDeadline,
        caller: Option<&str>,
        own: Option<&str>,
        left_ms: Option<u64>,
        limit_ms: Option<u64>,
    ) -> Option<String> {
        let of = |value: Option<&str>| {
            let pair = value.map(|v| (f.header().parse().unwrap(), v.parse().unwrap()));
            pair.into_iter().collect::<HeaderMap>()
        };
        let mut out = of(own);
        let (left, limit) = (
            left_ms.map(Duration::from_millis),
            limit_ms.map(Duration::from_millis),
        );
        f.write(&mut out, &of(caller), left, limit);
        out.get(f.header()).map(|v| v.to_str().unwrap().to_owned())
    }

    #[test]
    fn each_header_has_its_unit() {
        use ForwardDeadline::*;
        for (f, text) in [
            (Punctual, "29950"),
            (LiteLlm, "29.950"),
            (UiPath, "29"),
            (Portkey, "29950"),
            (CloudflareAiGateway, "29950"),
            (Envoy, "29950"),
            (Grpc, "29950m"),
            (Gemini, "29"),
        ] {
            assert_eq!(written(f, None, None, Some(30_000)).as_deref(), Some(text));
            assert_eq!(ForwardDeadline::from_header(f.header()), Some(f));
        }
    }

    #[test]
    fn a_value_is_lowered_and_never_raised() {
        use ForwardDeadline::*;
        for (f, caller, own, left, text) in [
            (UiPath, Some("895"), None, Some(30_000), "29"),
            (UiPath, Some("895.0"), None, None, "895"),
            (UiPath, Some("5"), None, Some(30_000), "5"),
            (UiPath, Some("never"), None, Some(30_000), "29"),
            (UiPath, None, Some("20"), Some(30_000), "20"),
            (Portkey, Some("1500"), Some("900"), Some(30_000), "900"),
            (Grpc, Some("2S"), None, Some(30_000), "2000m"),
            (LiteLlm, Some("1.5"), None, None, "1.500"),
        ] {
            assert_eq!(
                written(f, caller, own, left).as_deref(),
                Some(text),
                "{f:?}"
            );
        }
    }

    #[test]
    fn it_is_never_zero_and_absent_without_a_limit() {
        use ForwardDeadline::*;
        for left in [0, 1, 49, 50, 51] {
            assert_eq!(
                written(Punctual, None, None, Some(left)).as_deref(),
                Some("1")
            );
            assert_eq!(
                written(LiteLlm, None, None, Some(left)).as_deref(),
                Some("0.001")
            );
            assert_eq!(
                written(UiPath, None, None, Some(left)).as_deref(),
                Some("1")
            );
            assert_eq!(written(Grpc, None, None, Some(left)).as_deref(), Some("1m"));
        }
        assert_eq!(written(Gemini, None, None, Some(9_000)), None);
        assert_eq!(written(Gemini, Some("30"), None, Some(9_000)), None);
        assert_eq!(written(Punctual, None, None, None), None);
        assert_eq!(written(Punctual, Some("0"), Some("abc"), None), None);
    }

    #[test]
    fn the_attempts_own_limit_lowers_what_is_sent_and_makes_nothing_be_sent() {
        use ForwardDeadline::*;
        for (caller, own, left, limit, text) in [
            (None, None, None, Some(600_000), None),
            (None, None, Some(30_000), Some(10_000), Some("10000")),
            (None, None, Some(10_000), Some(10_000), Some("9950")),
            (Some("7000"), None, None, Some(5_000), Some("5000")),
            (Some("7000"), None, None, Some(600_000), Some("7000")),
            (None, Some("7000"), None, Some(5_000), Some("5000")),
        ] {
            let sent = limited(Punctual, caller, own, left, limit);
            assert_eq!(
                sent.as_deref(),
                text,
                "{caller:?} {own:?} {left:?} {limit:?}"
            );
        }
    }

    #[test]
    fn no_value_can_panic_and_a_long_one_fits_its_header() {
        for text in [
            "1e400",
            "99999999999999999999999",
            "inf",
            "NaN",
            "-1",
            ".",
            "",
            "S",
            "é",
        ] {
            for f in ForwardDeadline::ALL {
                let _ = f.read(text);
            }
        }
        let day = u64::from(u32::MAX) * 1000;
        assert_eq!(
            written(ForwardDeadline::Grpc, None, None, Some(day)).as_deref(),
            Some("99999999S")
        );
    }

    #[test]
    fn litellm_is_told_not_to_retry() {
        let mut out = HeaderMap::new();
        let left = Some(Duration::from_secs(1));
        ForwardDeadline::LiteLlm.write(&mut out, &HeaderMap::new(), left, None);
        assert_eq!(out["x-litellm-num-retries"], "0");
    }
}
