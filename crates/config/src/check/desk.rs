//! Where problems are noted and files are opened.
//!
//! A check says what is wrong with a path; line and column are looked up here. What could not be read
//! at all was taken out of the tree before, and [`Desk::lost`] tells, so that nothing is called missing
//! only because it was misspelt.

use crate::{
    environment::Environment,
    path::Path,
    problem::{Problem, Severity},
    secret::{self, Filled},
    tree::{Node, Place},
    unit::Timeout,
};
use secrecy::SecretString;
use std::{path::PathBuf, time::Duration};

/// Filled-in values shorter than this are words, not secrets.
const SHORT: usize = 6;

/// Notes, and what is needed to make them.
#[derive(Debug)]
pub(crate) struct Desk<'a> {
    pub(crate) env: &'a Environment,
    tree: Node,
    file: Option<String>,
    folder: PathBuf,
    lost: Vec<Path>,
    filled: Vec<Filled>,
    problems: Vec<Problem>,
    files: Vec<PathBuf>,
}

/// A problem being noted; it is on the list when this is dropped.
pub(crate) struct Noted<'a> {
    list: &'a mut Vec<Problem>,
    problem: Option<Problem>,
}

impl Noted<'_> {
    /// What to do about it.
    pub(crate) fn hint(self, text: impl Into<String>) {
        self.maybe(Some(text.into()));
    }

    /// What to do about it, if it is known.
    pub(crate) fn maybe(mut self, text: Option<String>) {
        if let Some(p) = &mut self.problem {
            p.suggestion = text;
        }
    }
}

impl Drop for Noted<'_> {
    fn drop(&mut self) {
        self.list.extend(self.problem.take());
    }
}

impl<'a> Desk<'a> {
    /// A desk for the file `file`; paths in it are relative to `folder`.
    pub(crate) fn new(env: &'a Environment, file: Option<String>, folder: PathBuf) -> Self {
        Self {
            env,
            tree: Node::default(),
            file,
            folder,
            lost: Vec::new(),
            filled: Vec::new(),
            problems: Vec::new(),
            files: Vec::new(),
        }
    }

    /// From here on places are looked up in `tree`.
    pub(crate) fn lay_out(&mut self, tree: Node) {
        self.tree = tree;
    }

    /// Values that stand in the file as references; no problem shows them.
    pub(crate) fn hide(&mut self, filled: Vec<Filled>) {
        self.filled = filled;
    }

    /// Whether the file asks for this variable of the environment.
    pub(crate) fn asked_for(&self, name: &str) -> bool {
        let mut names = self.filled.iter().flat_map(|filled| &filled.names);
        names.any(|asked| asked == name)
    }

    /// Something at `path` was taken out.
    pub(crate) fn lose(&mut self, path: Path) {
        self.lost.push(path);
    }

    /// Whether something at, below or around `path` was taken out.
    pub(crate) fn lost(&self, path: &Path) -> bool {
        self.lost.iter().any(|l| path.holds(l) || l.holds(path))
    }

    /// Notes a mistake.
    pub(crate) fn error(&mut self, path: &Path, message: impl Into<String>) -> Noted<'_> {
        let place = self.tree.place(path);
        self.note(Severity::Error, path, place, message.into())
    }

    /// Notes something that is probably not meant so.
    pub(crate) fn warn(&mut self, path: &Path, message: impl Into<String>) -> Noted<'_> {
        let place = self.tree.place(path);
        self.note(Severity::Warning, path, place, message.into())
    }

    /// Notes a mistake in a key itself.
    pub(crate) fn error_at_key(&mut self, path: &Path, message: impl Into<String>) -> Noted<'_> {
        let place = self.tree.key_place(path).or_else(|| self.tree.place(path));
        self.note(Severity::Error, path, place, message.into())
    }

    /// Notes a mistake at a known place.
    pub(crate) fn error_at(
        &mut self,
        path: &Path,
        at: Option<Place>,
        message: impl Into<String>,
    ) -> Noted<'_> {
        self.note(Severity::Error, path, at, message.into())
    }

    /// Notes something about a variable of the environment.
    pub(crate) fn variable(
        &mut self,
        severity: Severity,
        name: &str,
        message: impl Into<String>,
    ) -> Noted<'_> {
        let mut noted = self.note(severity, &Path::root().key(name), None, message.into());
        if let Some(p) = &mut noted.problem {
            p.file = None;
        }
        noted
    }

    fn note(
        &mut self,
        severity: Severity,
        path: &Path,
        at: Option<Place>,
        message: String,
    ) -> Noted<'_> {
        let problem = Problem {
            severity,
            file: self.file.clone(),
            line: at.map(|p| p.line),
            column: at.map(|p| p.column),
            path: path.to_string(),
            message,
            suggestion: None,
        };
        Noted {
            list: &mut self.problems,
            problem: Some(problem),
        }
    }

    /// Whether `serve` must not start.
    pub(crate) fn has_errors(&self) -> bool {
        self.problems.iter().any(Problem::is_error)
    }

    /// All problems, in the order of the file.
    pub(crate) fn into_problems(mut self) -> Vec<Problem> {
        for p in &mut self.problems {
            for text in [Some(&mut p.message), p.suggestion.as_mut()]
                .into_iter()
                .flatten()
            {
                for filled in self.filled.iter().filter(|f| f.text.len() >= SHORT) {
                    *text = text.replace(&filled.text, &filled.written);
                }
            }
        }
        self.problems
            .sort_by_key(|p| (p.line.unwrap_or(0), p.column.unwrap_or(0)));
        self.problems.dedup();
        self.problems
    }

    /// Files that were named.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        self.files.clone()
    }

    /// A file named at `path`, if it can be read.
    pub(crate) fn file(&mut self, name: &str, path: &Path) -> Option<PathBuf> {
        let full = self.folder.join(name);
        self.files.push(full.clone());
        match std::fs::File::open(&full).and_then(|f| f.metadata()) {
            Ok(m) if m.is_file() => Some(full),
            Ok(_) => {
                self.error(path, format!("{} is not a file", full.display()));
                None
            }
            Err(e) => {
                self.error(path, format!("cannot read {}: {e}", full.display()));
                None
            }
        }
    }

    /// The secret in a file named at `path`.
    pub(crate) fn secret_file(&mut self, name: &str, path: &Path) -> Option<SecretString> {
        let full = self.file(name, path)?;
        match secret::from_file(&full) {
            Ok(s) => Some(s),
            Err(message) => {
                self.error(path, message);
                None
            }
        }
    }

    /// A count that must be at least one.
    pub(crate) fn count(&mut self, n: Option<u32>, default: u32, path: &Path) -> usize {
        if n == Some(0) {
            self.error(path, "0 would refuse everything")
                .hint("write 1 or more, or leave it out");
        }
        usize::try_from(n.unwrap_or(default)).unwrap_or(usize::MAX)
    }
}

/// What is written, or the default where nothing is.
pub(crate) fn limit(written: Option<Timeout>, default: Option<Duration>) -> Option<Duration> {
    written.map_or(default, |t| t.0)
}
