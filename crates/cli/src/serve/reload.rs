//! Hot reload: a changed file becomes a whole new snapshot, or is refused and the last good one stays.

use crate::build::{self, Lasting};
use punctual_config::{Config, Environment, Telemetry, watch::Watch};
use punctual_server::Gateway;
use punctual_telemetry as telemetry;
use punctual_upstream::Upstreams;
use std::{path::PathBuf, sync::Arc};

/// Follows the file and every file it names, from now on.
pub(super) fn follow(file: PathBuf, config: &Config, environment: Environment) -> Option<Watch> {
    let watch = Watch::new(file, config.files.clone(), environment);
    watch
        .map_err(|e| tracing::warn!("the configuration is not watched: {e}"))
        .ok()
}

/// Takes over each change, until the process ends.
pub(super) async fn run(
    mut watch: Watch,
    started: Config,
    gateway: Arc<Gateway<Upstreams>>,
    lasting: Arc<Lasting>,
    telemetry: telemetry::Telemetry,
) {
    loop {
        let checked = watch.changed().await;
        let built = checked
            .into_result()
            .map_err(|p| punctual_config::render(&p))
            .and_then(|(config, problems)| {
                if let Some(exposed) = config.server.exposed_at(&started.server) {
                    return Err(exposed);
                }
                let snapshot = build::snapshot(&config, &lasting)?;
                telemetry.redact(build::redaction(&config));
                Ok((snapshot, config, problems))
            });
        telemetry.note_reload(built.is_ok());
        match built {
            Ok((snapshot, config, problems)) => {
                gateway.swap(snapshot);
                super::warn(&problems);
                tracing::info!("configuration reloaded");
                stays(&started, &config);
            }
            Err(why) => {
                tracing::error!(
                    "the new configuration is refused, the last good one stays:\n{}",
                    why.trim_end()
                )
            }
        }
    }
}

/// Names what was changed and is only read at the start.
fn stays(started: &Config, now: &Config) {
    let admin = |c: &Config| c.server.admin.as_ref().map(|a| a.listen);
    let (was, is) = (&started.telemetry, &now.telemetry);
    let fixed = [
        ("server.listen", started.server.listen != now.server.listen),
        ("server.admin.listen", admin(started) != admin(now)),
        (
            "server.workers",
            started.server.workers != now.server.workers,
        ),
        (
            "telemetry",
            (&was.prefix, was.log, was.metrics) != (&is.prefix, is.log, is.metrics)
                || exports(was) != exports(is),
        ),
    ];
    for (key, _) in fixed.iter().filter(|(_, changed)| *changed) {
        tracing::warn!("{key} has changed; that takes a restart");
    }
}

type Exports<'a> = Option<(
    &'a http::Uri,
    &'a [(http::HeaderName, http::HeaderValue)],
    f64,
)>;

fn exports(telemetry: &Telemetry) -> Exports<'_> {
    let otlp = telemetry.otlp.as_ref()?;
    Some((&otlp.endpoint, otlp.headers.as_slice(), otlp.sample))
}
