//! Hot reload: a changed file becomes a whole new snapshot, or is refused and the last good one stays.

use crate::build::{self, Lasting};
use punctual_config::{Environment, watch::Watch};
use punctual_server::Gateway;
use punctual_telemetry::Telemetry;
use punctual_upstream::Upstreams;
use std::{path::PathBuf, sync::Arc};

/// Follows the file (and every file it names) until the process ends.
pub(super) async fn watch(
    file: PathBuf,
    environment: Environment,
    files: Vec<PathBuf>,
    gateway: Arc<Gateway<Upstreams>>,
    lasting: Arc<Lasting>,
    telemetry: Telemetry,
) {
    let mut watch = match Watch::new(file, files, environment) {
        Ok(watch) => watch,
        Err(e) => return tracing::warn!("the configuration is not watched: {e}"),
    };
    loop {
        let checked = watch.changed().await;
        let built = checked
            .into_result()
            .map_err(|p| punctual_config::render(&p))
            .and_then(|(config, problems)| {
                let snapshot = build::snapshot(&config, &lasting)?;
                telemetry.redact(build::redaction(&config));
                Ok((snapshot, problems.len()))
            });
        telemetry.note_reload(built.is_ok());
        match built {
            Ok((snapshot, warnings)) => {
                gateway.swap(snapshot);
                tracing::info!("configuration reloaded, {warnings} warnings");
            }
            Err(why) => {
                tracing::error!("the new configuration is refused, the last good one stays:\n{why}")
            }
        }
    }
}
