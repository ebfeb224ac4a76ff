//! The layers under every target, and what a target may not say beside its provider.

use super::entry::layer;
use crate::{
    check::{Desk, door, layers::Layer, site},
    environment::Meaning,
    path::Path,
    raw::{self, Clocks, Connection, Settings},
    unit::Timeout,
};

/// The environment's timeout over the `defaults` of the file.
pub(super) fn layers(file: &raw::File, desk: &mut Desk<'_>) -> Vec<Layer> {
    let mut out = Vec::new();
    if let Some(timeout) = door::variable(Meaning::Timeout, desk) {
        let clocks = Clocks {
            timeout: Some(Timeout(timeout)),
            ..Clocks::default()
        };
        out.push(Layer {
            at: Path::root(),
            clocks,
            settings: Settings::default(),
        });
    }
    if let Some(d) = &file.defaults {
        out.push(layer(
            Path::root().key("defaults"),
            d.clocks(),
            d.settings(),
            desk,
        ));
    }
    out
}

/// What a provider's dialect must know is said there too, but for what is a model's.
pub(super) fn refuse_site(own: &raw::Site, provider: &str, at: &Path, desk: &mut Desk<'_>) {
    let of_a_model = site::of_a_model(own).said();
    let said = own.said().into_iter();
    for key in said.filter(|key| !of_a_model.contains(key)) {
        desk.error(
            &at.key(key),
            format!("{key} belongs to the provider {provider}"),
        )
        .hint(format!("move it to providers.{provider}"));
    }
}

/// A provider's address and credential are said once, there.
pub(super) fn refuse_connection(own: &Connection, provider: &str, at: &Path, desk: &mut Desk<'_>) {
    for key in own.said() {
        desk.error(
            &at.key(key),
            format!("{key} belongs to the provider {provider}"),
        )
        .hint(format!(
            "move it to providers.{provider}, or leave provider out and say all of it here"
        ));
    }
}
