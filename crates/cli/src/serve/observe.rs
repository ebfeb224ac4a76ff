//! Telemetry as environment and configuration ask for it: what the file says goes over `OTEL_*`.

use crate::{Failure, build};
use punctual_config::{Config, Otlp};
use punctual_telemetry::{Endpoint, LogFormat, Root, Sampler, Settings, Telemetry};

/// Starts it inside the runtime.
pub(super) fn start(config: &Config) -> Result<Telemetry, Failure> {
    let wanted = &config.telemetry;
    let mut settings = Settings::from_env(|name| std::env::var(name).ok())
        .with_prefix(&wanted.prefix)
        .with_log(if wanted.log {
            LogFormat::for_stdout()
        } else {
            LogFormat::Off
        })
        .with_redaction(build::redaction(config));
    if let Some(otlp) = &wanted.otlp {
        export_to(&mut settings, otlp)?;
    }
    settings.warnings.iter().for_each(|w| tracing::warn!("{w}"));
    Telemetry::start(settings).map_err(|e| Failure::Start(e.to_string()))
}

fn export_to(settings: &mut Settings, otlp: &Otlp) -> Result<(), Failure> {
    let of = |signal: &str| -> Result<Endpoint, Failure> {
        let base = otlp.endpoint.to_string();
        let uri = format!("{}/v1/{signal}", base.trim_end_matches('/'));
        let uri = uri
            .parse()
            .map_err(|e| Failure::Start(format!("telemetry.otlp.endpoint: {e}")))?;
        Ok(Endpoint {
            uri,
            headers: otlp.headers.iter().cloned().collect(),
            timeout: std::time::Duration::from_secs(10),
        })
    };
    settings.traces = Some(of("traces")?);
    settings.metrics = Some(of("metrics")?);
    if otlp.sample < 1.0 {
        settings.sampler = Sampler {
            parent_based: true,
            root: Root::ratio(otlp.sample),
        };
    }
    Ok(())
}
