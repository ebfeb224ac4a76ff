//! From what was written to a [`Config`], with everything that is wrong on the way.
//!
//! No check stops at its first mistake, and none trusts another to have run: each part takes what can be
//! used, notes the rest at the [`Desk`], and goes on. A configuration comes out only when no error was
//! noted; warnings never hold it back.

use crate::{config::Config, path::Path, raw};

mod clocks;
mod connection;
mod desk;
mod door;
mod headers;
mod keys;
mod layers;
mod plan;
mod reach;
mod routes;
mod site;
mod targets;
mod telemetry;
mod unused;

pub(crate) use desk::Desk;

/// Checks a whole file.
pub(crate) fn check(file: &raw::File, desk: &mut Desk<'_>) -> Option<Config> {
    if let Some(version) = file.schema_version.filter(|v| *v != 1) {
        desk.error(
            &Path::root().key("schema_version"),
            format!("version {version} is not known; this is version 1"),
        );
    }
    let server = door::check(file, desk);
    let telemetry = telemetry::check(file.telemetry.as_ref(), desk);
    let mut targets = targets::Book::open(file, desk);
    let (routes, plans) = routes::check(file, &server, &mut targets, desk);
    let keys = keys::check(file, &server, desk);
    clocks::check(&targets, &plans, &routes, &server, desk);
    unused::check(file, &targets, desk);
    let config = Config {
        server,
        keys,
        targets: targets.close(desk),
        routes,
        telemetry,
        files: desk.files(),
    };
    reach::check(&config, &plans, desk);
    (!desk.has_errors()).then_some(config)
}
