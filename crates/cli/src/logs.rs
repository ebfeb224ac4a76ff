//! The program's own log, on standard error: start, reload, what could not be done. Requests have a log of
//! their own.

use tracing_subscriber::{EnvFilter, fmt};

/// Starts logging at `info`, or as `RUST_LOG` says. Libraries that would print headers or bodies stay off
/// whatever it says.
pub(crate) fn start() {
    let wanted = std::env::var("RUST_LOG").unwrap_or_else(|_| "info".to_owned());
    let quiet = "h2=off,hyper=off,hyper_util=off,rustls=off,tokio_rustls=off";
    let filter = EnvFilter::try_new(format!("{wanted},{quiet}"))
        .unwrap_or_else(|_| EnvFilter::new(format!("info,{quiet}")));
    let _ = fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_target(false)
        .try_init();
}
