//! The book of targets: those of the file, and the ones that plans make of them.
//!
//! A plan asks the book for a target by name, for one with clocks of its own, or for a provider that
//! passes the caller's model through. Whatever it asks twice with the same answer is one entry. The book
//! remembers what was asked for; what never was is reported as unused.

use super::{
    Desk,
    connection::{self, Link},
    layers::{Layer, Layers, Whole},
    site,
};
use crate::{
    known,
    path::Path,
    problem::closest,
    raw::{self, Clocks, Settings},
    target::TargetConfig,
};
use punctual_core::TargetId;
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

mod defaults;
mod entry;
mod lanes;

use entry::At;

/// All targets, by name and by id.
#[derive(Debug)]
pub(super) struct Book {
    targets: Vec<TargetConfig>,
    layers: Vec<Layers>,
    /// `None` for one that cannot be used; the reason was noted.
    names: BTreeMap<String, Option<TargetId>>,
    providers: BTreeMap<String, Provider>,
    defaults: Vec<Layer>,
    whole: Whole,
    used: BTreeSet<String>,
}

#[derive(Debug)]
struct Provider {
    layer: Layer,
    link: Option<Link>,
    used: bool,
}

impl Book {
    /// Checks `defaults`, `providers` and `targets`.
    pub(super) fn open(file: &raw::File, desk: &mut Desk<'_>) -> Self {
        let agent_proxy = desk.env.is_agent_proxy();
        let mut book = Self {
            targets: Vec::new(),
            layers: Vec::new(),
            names: BTreeMap::new(),
            providers: BTreeMap::new(),
            defaults: defaults::layers(file, desk),
            whole: Whole {
                unary: Duration::from_secs(600),
                streamed: Duration::from_secs(if agent_proxy { 600 } else { 3600 }),
            },
            used: BTreeSet::new(),
        };
        for (name, p) in file.providers.iter().flatten() {
            let at = Path::root().key("providers").key(name);
            let layer = entry::layer(at.clone(), p.clocks(), p.settings(), desk);
            let link = connection::check(name, &p.connection(), &p.site(), &at, desk);
            book.providers.insert(
                name.clone(),
                Provider {
                    layer,
                    link,
                    used: false,
                },
            );
        }
        for (name, t) in file.targets.iter().flatten() {
            let id = book.add_named(name, t, desk);
            book.names.insert(name.clone(), id);
        }
        book
    }

    fn add_named(&mut self, name: &str, t: &raw::Target, desk: &mut Desk<'_>) -> Option<TargetId> {
        let at = Path::root().key("targets").key(name);
        let mine = entry::layer(at.clone(), t.clocks(), t.settings(), desk);
        let own = t.connection();
        if t.model.is_none() && !desk.lost(&at) {
            desk.error(&at, "no model is named").hint(
                "write model: NAME; for the caller's own model use a plan { pass: provider }",
            );
        }
        let (provider, link, from) = match &t.provider {
            Some(p) => {
                defaults::refuse_connection(&own, p, &at, desk);
                defaults::refuse_site(&t.site(), p, &at, desk);
                let (mut link, layer) = self.provider(p, &at.key("provider"), desk)?;
                let own = site::of_a_model(&t.site());
                site::check_own(&own, link.dialect, &at, desk);
                site::over(&own, &mut link.site);
                (p.clone(), link, Some(layer))
            }
            None if own.said().is_empty() && known::provider(name).is_none() => {
                if !desk.lost(&at) {
                    desk.error(
                        &at,
                        "neither a provider nor a dialect and base_url is named",
                    )
                    .hint("write provider: NAME, with NAME among providers");
                }
                return None;
            }
            None => (
                name.to_owned(),
                connection::check(name, &own, &t.site(), &at, desk)?,
                None,
            ),
        };
        let model = t.model.clone()?;
        if link.dialect == raw::Dialect::Bedrock {
            site::check_model(&t.site(), &model, &at, desk);
        }
        let layers = Layers(
            [mine]
                .into_iter()
                .chain(from)
                .chain(self.defaults.iter().cloned())
                .collect(),
        );
        self.add(
            name,
            At {
                provider: &provider,
                link: &link,
            },
            Some(model),
            layers,
            desk,
        )
    }

    fn provider(&mut self, name: &str, at: &Path, desk: &mut Desk<'_>) -> Option<(Link, Layer)> {
        let Some(p) = self.providers.get_mut(name) else {
            let lost = desk.lost(&Path::root().key("providers").key(name));
            if !lost {
                let near = closest(name, self.providers.keys().map(String::as_str));
                let hint = match (near, known::provider(name)) {
                    (Some(near), _) => format!("did you mean {near}?"),
                    (None, Some(k)) => format!(
                        "add providers: {{ {name}: {{{}}} }}",
                        k.key
                            .map_or(String::new(), |key| format!(" api_key: ${{{key}}} "))
                    ),
                    (None, None) => "add it to providers".to_owned(),
                };
                desk.error(at, format!("there is no provider {name:?}"))
                    .hint(hint);
            }
            return None;
        };
        p.used = true;
        Some((p.link.clone()?, p.layer.clone()))
    }

    fn add(
        &mut self,
        name: &str,
        at: At<'_>,
        model: Option<String>,
        layers: Layers,
        desk: &mut Desk<'_>,
    ) -> Option<TargetId> {
        let target = entry::build(name, at, model, &layers, self.whole, desk);
        self.push(target, layers, desk)
    }

    fn push(
        &mut self,
        target: TargetConfig,
        layers: Layers,
        desk: &mut Desk<'_>,
    ) -> Option<TargetId> {
        let Ok(n) = u16::try_from(self.targets.len()) else {
            desk.error(
                &Path::root().key("targets"),
                "there are more than 65,536 targets",
            );
            return None;
        };
        self.targets.push(target);
        self.layers.push(layers);
        Some(TargetId(n))
    }

    /// The target named at `at`; `None` when it cannot be used, which was noted.
    pub(super) fn named(&mut self, name: &str, at: &Path, desk: &mut Desk<'_>) -> Option<TargetId> {
        if let Some(id) = self.names.get(name) {
            self.used.insert(name.to_owned());
            return *id;
        }
        if desk.lost(&Path::root().key("targets").key(name)) {
            return None;
        }
        let near = closest(name, self.names.keys().map(String::as_str));
        let hint = if self.providers.contains_key(name) {
            Some(format!(
                "{name} is a provider: write {{ pass: {name} }} to send the caller's model there"
            ))
        } else {
            near.map(|near| format!("did you mean {near}?"))
        };
        desk.error(at, format!("there is no target {name:?}"))
            .maybe(hint);
        None
    }

    /// The target of a leaf that changes clocks.
    pub(super) fn variant(
        &mut self,
        name: &str,
        clocks: Clocks,
        at: &Path,
        desk: &mut Desk<'_>,
    ) -> Option<TargetId> {
        let id = self.named(name, &at.key("use"), desk)?;
        if clocks.said().is_empty() {
            return Some(id);
        }
        let leaf = entry::layer(at.clone(), clocks, Settings::default(), desk);
        let base = self.layers(id)?;
        let layers = Layers([leaf].into_iter().chain(base.0.iter().cloned()).collect());
        let target = entry::change(self.target(id)?, &layers, self.whole);
        let same = self.targets.iter().position(|t| entry::is_same(t, &target));
        match same.and_then(|n| u16::try_from(n).ok()) {
            Some(n) => Some(TargetId(n)),
            None => self.push(target, layers, desk),
        }
    }

    /// The entry of a provider that passes the caller's model through.
    pub(super) fn pass(
        &mut self,
        name: &str,
        clocks: Clocks,
        at: &Path,
        desk: &mut Desk<'_>,
    ) -> Option<TargetId> {
        let (link, from) = self.provider(name, &at.key("pass"), desk)?;
        let leaf = entry::layer(at.clone(), clocks, Settings::default(), desk);
        let layers = Layers(
            [leaf, from]
                .into_iter()
                .chain(self.defaults.iter().cloned())
                .collect(),
        );
        let label = format!("{name}/*");
        let before = self.targets.len();
        let id = self.add(
            &label,
            At {
                provider: name,
                link: &link,
            },
            None,
            layers,
            desk,
        )?;
        let (earlier, mine) = self.targets.split_at(before);
        let same = mine
            .first()
            .and_then(|t| earlier.iter().position(|e| entry::is_same(e, t)));
        let Some(n) = same.and_then(|n| u16::try_from(n).ok()) else {
            return Some(id);
        };
        self.targets.truncate(before);
        self.layers.truncate(before);
        Some(TargetId(n))
    }

    /// An entry.
    pub(super) fn target(&self, id: TargetId) -> Option<&TargetConfig> {
        self.targets.get(usize::from(id.0))
    }

    /// Where an entry's values come from.
    pub(super) fn layers(&self, id: TargetId) -> Option<&Layers> {
        self.layers.get(usize::from(id.0))
    }

    /// All ids.
    pub(super) fn ids(&self) -> impl Iterator<Item = TargetId> + use<> {
        (0..self.targets.len())
            .filter_map(|n| u16::try_from(n).ok())
            .map(TargetId)
    }

    /// Targets no plan asked for.
    pub(super) fn unused_targets(&self) -> impl Iterator<Item = &str> {
        self.names
            .keys()
            .filter(|n| !self.used.contains(*n))
            .map(String::as_str)
    }

    /// Providers nobody asked for.
    pub(super) fn unused_providers(&self) -> impl Iterator<Item = &str> {
        self.providers
            .iter()
            .filter(|(_, p)| !p.used)
            .map(|(n, _)| n.as_str())
    }

    /// The targets, when nothing more is asked.
    pub(super) fn close(self, desk: &mut Desk<'_>) -> Vec<TargetConfig> {
        lanes::unite(self.targets, &self.layers, desk)
    }
}
