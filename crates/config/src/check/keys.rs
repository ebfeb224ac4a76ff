//! The keys section.

use super::Desk;
use crate::{
    keys::{Key, Keys, Sum, parse_hash, sum},
    path::Path,
    problem::closest,
    raw,
    server::Server,
    unit::show,
};
use secrecy::ExposeSecret;
use std::collections::BTreeMap;

/// A key shorter than this can be guessed.
const SHORT: usize = 16;

/// The checked keys.
pub(super) fn check(file: &raw::File, server: &Server, desk: &mut Desk<'_>) -> Keys {
    let mut keys = Keys::default();
    let mut seen: BTreeMap<Sum, String> = BTreeMap::new();
    for (name, raw) in file.keys.iter().flatten() {
        let at = Path::root().key("keys").key(name);
        let sums = sums(raw, &at, desk);
        for sum in &sums {
            if let Some(other) = seen.insert(*sum, name.clone()) {
                desk.error(&at, format!("this is the same key as that of {other}"));
            }
        }
        if let (Some(key), Some(all)) = (raw.deadline.and_then(|t| t.0), server.request_deadline)
            && key > all
        {
            desk.warn(
                &at.key("deadline"),
                format!(
                    "{} is longer than server.request_deadline of {}, which ends it first",
                    show(key),
                    show(all)
                ),
            );
        }
        check_routes(raw, file, &at, desk);
        let key = Key {
            name: name.as_str().into(),
            deadline: raw.deadline.and_then(|t| t.0),
            routes: raw.routes.clone(),
            passthrough: raw.passthrough.unwrap_or(raw.routes.is_none()),
            heartbeat_interval: raw.heartbeat_interval.map(|t| t.0),
        };
        keys.add(key, &sums);
    }
    keys
}

fn sums(raw: &raw::Key, at: &Path, desk: &mut Desk<'_>) -> Vec<Sum> {
    let mut out = Vec::new();
    for text in raw.hash.iter().flat_map(|m| &m.0) {
        match parse_hash(text) {
            Ok(sum) => out.push(sum),
            Err(message) => desk.error(&at.key("hash"), message).maybe(None),
        }
    }
    let mut plain = |text: &str, path: &Path, desk: &mut Desk<'_>| {
        let text = text.trim();
        if text.is_empty() {
            desk.error(path, "the key is empty");
            return;
        }
        if text.chars().count() < SHORT {
            desk.warn(
                path,
                format!("a key of fewer than {SHORT} characters can be guessed"),
            )
            .hint("punctual keys new makes a long one");
        }
        out.push(sum(text));
    };
    for value in raw.value.iter().flat_map(|m| &m.0) {
        plain(value.expose(), &at.key("value"), desk);
    }
    for file in raw.value_file.iter().flat_map(|m| &m.0) {
        let path = at.key("value_file");
        if let Some(secret) = desk.secret_file(file, &path) {
            plain(secret.expose_secret(), &path, desk);
        }
    }
    let written = [
        raw.hash.as_ref().map(|m| m.0.len()),
        raw.value.as_ref().map(|m| m.0.len()),
        raw.value_file.as_ref().map(|m| m.0.len()),
    ];
    match written.into_iter().flatten().sum::<usize>() {
        0 if !desk.lost(at) => desk
            .error(at, "this key has no hash, value or value_file")
            .maybe(None),
        0..=2 => {}
        n => desk
            .error(
                at,
                format!("{n} values; two live ones are the most a key has, the old and the new"),
            )
            .maybe(None),
    }
    out
}

fn check_routes(raw: &raw::Key, file: &raw::File, at: &Path, desk: &mut Desk<'_>) {
    let known = |name: &str| file.routes.as_ref().is_some_and(|r| r.contains_key(name));
    for name in raw.routes.iter().flatten() {
        let lost = desk.lost(&Path::root().key("routes").key(name));
        if lost || known(name) {
            continue;
        }
        let hint = closest(name, file.routes.iter().flatten().map(|(n, _)| n.as_str()))
            .map(|n| format!("did you mean {n}?"));
        desk.error(&at.key("routes"), format!("there is no route {name:?}"))
            .maybe(hint);
    }
}
