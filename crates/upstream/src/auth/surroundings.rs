//! The environment and the files of this machine, as far as credentials are looked for in them.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

/// Where a target is set up. Read once; what may change later is read by whoever uses it.
pub(super) struct Surroundings<'a> {
    variable: &'a dyn Fn(&str) -> Option<String>,
    read: &'a dyn Fn(&Path) -> io::Result<String>,
}

impl Surroundings<'static> {
    /// Of this process.
    pub(super) fn process() -> Self {
        Self {
            variable: &|name| env::var(name).ok(),
            read: &|path| fs::read_to_string(path),
        }
    }
}

impl<'a> Surroundings<'a> {
    #[cfg(test)]
    pub(super) fn of(
        variable: &'a dyn Fn(&str) -> Option<String>,
        read: &'a dyn Fn(&Path) -> io::Result<String>,
    ) -> Self {
        Self { variable, read }
    }

    /// A variable that is set to something.
    pub(super) fn variable(&self, name: &str) -> Option<String> {
        (self.variable)(name).filter(|value| !value.trim().is_empty())
    }

    /// The first of `names` that is set to something.
    pub(super) fn first(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| self.variable(name))
    }

    pub(super) fn read(&self, path: &Path) -> io::Result<String> {
        (self.read)(path)
    }

    /// Below the home directory.
    pub(super) fn home(&self, below: &str) -> Option<PathBuf> {
        let home = self.first(&["HOME", "USERPROFILE"])?;
        Some(Path::new(&home).join(below))
    }
}
