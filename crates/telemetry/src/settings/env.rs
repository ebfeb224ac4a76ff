//! Reads the `OTEL_*` variables.
//!
//! A variable of one signal (`OTEL_EXPORTER_OTLP_TRACES_…`) goes before the general one. Values of headers
//! and addresses are never repeated in a warning, they may hold credentials.

use super::{Batch, Endpoint, Settings, text};
use crate::sampler::Sampler;
use std::time::Duration;

type Get<'a> = &'a dyn Fn(&str) -> Option<String>;

const TIMEOUT: Duration = Duration::from_secs(10);

pub(super) fn read(get: Get<'_>) -> Settings {
    let mut warnings = Vec::new();
    let w = &mut warnings;
    let disabled = get("OTEL_SDK_DISABLED").is_some_and(|v| v.eq_ignore_ascii_case("true"));
    let (mut traces, mut metrics) = (None, None);
    if !disabled {
        traces = endpoint("TRACES", "v1/traces", get, w);
        metrics = endpoint("METRICS", "v1/metrics", get, w);
    }
    let plain = Settings::default();
    Settings {
        resource: resource(get, w),
        traces,
        metrics,
        sampler: sampler(get, w),
        batch: batch(get, w),
        metric_interval: millis("OTEL_METRIC_EXPORT_INTERVAL", get, w)
            .unwrap_or(plain.metric_interval),
        warnings,
        ..plain
    }
}

/// The attributes of the resource: what the environment says over what is known.
pub(super) fn resource(get: Get<'_>, warnings: &mut Vec<String>) -> Vec<(String, String)> {
    let version = env!("CARGO_PKG_VERSION");
    let mut out: Vec<(String, String)> = [
        ("service.name", "punctual"),
        ("service.version", version),
        ("telemetry.sdk.name", "punctual"),
        ("telemetry.sdk.language", "rust"),
        ("telemetry.sdk.version", version),
    ]
    .map(|(k, v)| (k.to_owned(), v.to_owned()))
    .into();
    let (mut said, unreadable) = text::pairs(&get("OTEL_RESOURCE_ATTRIBUTES").unwrap_or_default());
    if unreadable > 0 {
        warnings.push(format!(
            "OTEL_RESOURCE_ATTRIBUTES: {unreadable} entries are not key=value and are ignored"
        ));
    }
    said.extend(get("OTEL_SERVICE_NAME").map(|name| ("service.name".to_owned(), name)));
    for (key, value) in said {
        match out.iter_mut().find(|(k, _)| *k == key) {
            Some(known) => known.1 = value,
            None => out.push((key, value)),
        }
    }
    out
}

fn endpoint(
    signal: &str,
    path: &str,
    get: Get<'_>,
    warnings: &mut Vec<String>,
) -> Option<Endpoint> {
    let own = |what: &str| format!("OTEL_EXPORTER_OTLP_{signal}_{what}");
    let general = |what: &str| format!("OTEL_EXPORTER_OTLP_{what}");
    let either = |what: &str| get(&own(what)).or_else(|| get(&general(what)));
    if !exported(&format!("OTEL_{signal}_EXPORTER"), get, warnings) {
        return None;
    }
    let (name, read) = match (get(&own("ENDPOINT")), get(&general("ENDPOINT"))) {
        (Some(url), _) => (own("ENDPOINT"), text::address(&url, "")),
        (None, Some(url)) => (general("ENDPOINT"), text::address(&url, path)),
        (None, None) => return None,
    };
    let uri = match read {
        Ok(uri) => uri,
        Err(why) => {
            warnings.push(format!("{name} {why}; nothing is exported there"));
            return None;
        }
    };
    if let Some(protocol) = either("PROTOCOL").filter(|p| p != "http/protobuf") {
        warnings.push(format!(
            "OTEL_EXPORTER_OTLP_PROTOCOL={protocol} is not supported: http/protobuf is used (port 4318 by custom, not 4317)"
        ));
    }
    if either("COMPRESSION").is_some_and(|c| c != "none") {
        warnings.push("OTEL_EXPORTER_OTLP_COMPRESSION is not supported: sent as it is".to_owned());
    }
    let (headers, unreadable) = text::headers(&either("HEADERS").unwrap_or_default());
    if unreadable > 0 {
        warnings.push(format!(
            "OTEL_EXPORTER_OTLP_HEADERS: {unreadable} entries are not name=value and are ignored"
        ));
    }
    let timeout = millis(&own("TIMEOUT"), get, warnings)
        .or_else(|| millis(&general("TIMEOUT"), get, warnings))
        .unwrap_or(TIMEOUT);
    Some(Endpoint {
        uri,
        headers,
        timeout,
    })
}

/// Whether `OTEL_…_EXPORTER` lets this signal go out by OTLP.
fn exported(name: &str, get: Get<'_>, warnings: &mut Vec<String>) -> bool {
    let Some(list) = get(name) else { return true };
    let mut otlp = false;
    for kind in list.split(',').map(str::trim) {
        match kind {
            "otlp" => otlp = true,
            // scraping is always there
            "none" | "prometheus" => {}
            other => warnings.push(format!("{name}={other} is not supported: otlp or none")),
        }
    }
    otlp
}

fn sampler(get: Get<'_>, warnings: &mut Vec<String>) -> Sampler {
    let Some(name) = get("OTEL_TRACES_SAMPLER") else {
        return Sampler::default();
    };
    let argument = get("OTEL_TRACES_SAMPLER_ARG");
    Sampler::from_name(name.trim(), argument.as_deref()).unwrap_or_else(|| {
        let argument = argument.unwrap_or_default();
        warnings.push(format!(
            "OTEL_TRACES_SAMPLER={name} (argument {argument:?}) is not supported: always_on, always_off or \
             traceidratio, each also with parentbased_ in front; every trace is exported"
        ));
        Sampler::default()
    })
}

fn batch(get: Get<'_>, warnings: &mut Vec<String>) -> Batch {
    let plain = Batch::default();
    let mut count = |name: &str| {
        let n = number(name, get, warnings)?;
        usize::try_from(n)
            .ok()
            .filter(|n| (1..=1 << 20).contains(n))
    };
    let queue = count("OTEL_BSP_MAX_QUEUE_SIZE").unwrap_or(plain.queue);
    let size = count("OTEL_BSP_MAX_EXPORT_BATCH_SIZE").unwrap_or(plain.size);
    Batch {
        delay: millis("OTEL_BSP_SCHEDULE_DELAY", get, warnings).unwrap_or(plain.delay),
        queue,
        size: size.min(queue),
    }
}

/// A time in milliseconds, at least one.
fn millis(name: &str, get: Get<'_>, warnings: &mut Vec<String>) -> Option<Duration> {
    let ms = number(name, get, warnings)?;
    Some(Duration::from_millis(ms.clamp(1, 86_400_000)))
}

fn number(name: &str, get: Get<'_>, warnings: &mut Vec<String>) -> Option<u64> {
    let text = get(name)?;
    let read = text.trim().parse().ok();
    if read.is_none() {
        warnings.push(format!(
            "{name}={text} is not a whole number; the default is used"
        ));
    }
    read
}
