//! The way in: a file, a text, or the environment alone.

use crate::{
    check::{self, Desk},
    config::Checked,
    environment::Environment,
    path::Path,
    problem::closest,
    raw, secret,
    tree::{
        Node,
        read::{self, Mistake, Wrong},
    },
};
use std::path::PathBuf;

mod words;

/// Reads and checks a file.
#[must_use]
pub fn load(path: &std::path::Path, env: &Environment) -> Checked {
    match std::fs::read_to_string(path) {
        Ok(text) => {
            let mut checked = read(&text, path, env);
            checked.files.insert(0, path.to_owned());
            if let Some(config) = &mut checked.config {
                config.files.clone_from(&checked.files);
            }
            checked
        }
        Err(e) => {
            let mut desk = Desk::new(env, Some(path.display().to_string()), PathBuf::new());
            desk.error(&Path::root(), format!("cannot read it: {e}"))
                .maybe((e.kind() == std::io::ErrorKind::NotFound).then(|| {
                    "name the file that is meant; punctual schema describes what stands in it"
                        .to_owned()
                }));
            Checked::refused(desk.into_problems())
        }
    }
}

/// Checks a text as if it stood in the file `name`; files it names are looked up beside that.
#[must_use]
pub fn check_text(name: &str, text: &str, env: &Environment) -> Checked {
    read(text, std::path::Path::new(name), env)
}

fn read(text: &str, path: &std::path::Path, env: &Environment) -> Checked {
    let folder = path.parent().map(PathBuf::from).unwrap_or_default();
    let mut desk = Desk::new(env, Some(path.display().to_string()), folder);
    let mut tree = match Node::parse(text) {
        Ok(tree) => tree,
        Err(e) => {
            desk.error_at(&Path::root(), e.at, e.message)
                .maybe(words::yaml_hint(text, e.at));
            return Checked::refused(desk.into_problems());
        }
    };
    let mut twice = Vec::new();
    tree.dedupe(&Path::root(), &mut twice);
    desk.lay_out(tree.clone());
    for (path, at) in twice {
        desk.error_at(&path, Some(at), "this key stands here twice")
            .hint("keep one of them");
    }
    let (filled, missing) = secret::fill(&mut tree, env);
    desk.hide(filled);
    for missing in missing {
        desk.error(
            &missing.path,
            format!("the environment variable {} is not set", missing.name),
        )
        .hint(format!("set it, or write ${{{}:-DEFAULT}}", missing.name));
        tree.prune(&missing.path);
        desk.lose(missing.path);
    }
    let mut empty = Vec::new();
    tree.empty(&Path::root(), &mut empty);
    let (file, mistakes) = read::read::<raw::File>(&mut tree);
    for mistake in mistakes {
        note(&mistake, &mut desk);
        empty.retain(|path| *path != mistake.path);
        desk.lose(mistake.path);
    }
    for path in empty {
        desk.warn(&path, "nothing stands here, so it counts as left out")
            .hint("write a value, or take the key out; no limit is none");
    }
    finish(&file, desk)
}

/// Checks what was read, and what was noted while reading counts.
pub(crate) fn finish(file: &raw::File, mut desk: Desk<'_>) -> Checked {
    let config = check::check(file, &mut desk);
    Checked {
        config,
        files: desk.files(),
        problems: desk.into_problems(),
    }
}

fn note(mistake: &Mistake, desk: &mut Desk<'_>) {
    let path = &mistake.path;
    match &mistake.wrong {
        Wrong::Unknown { key, known } => {
            let hint = words::renamed(key)
                .map(str::to_owned)
                .or_else(|| {
                    closest(key, known.iter().copied()).map(|k| format!("did you mean {k}?"))
                })
                .or_else(|| {
                    Some(format!("known here: {}", known.join(", "))).filter(|_| !known.is_empty())
                });
            desk.error_at_key(path, "there is no such key").maybe(hint);
        }
        Wrong::Word { word, known } => {
            let near = closest(word, known.iter().copied()).map(|k| format!("did you mean {k}?"));
            desk.error(path, format!("{word:?} is not known here"))
                .maybe(near.or_else(|| Some(format!("write one of {}", known.join(", ")))));
        }
        Wrong::Other(message) => desk.error(path, message.clone()).maybe(None),
    }
}

#[cfg(test)]
mod tests;
