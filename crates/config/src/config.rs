//! The checked configuration: immutable, complete, with no reference to how it was written.
//!
//! It exists only when no error was found. Whoever holds one can serve it without another question.

use crate::{
    keys::Keys,
    problem::Problem,
    route::RouteConfig,
    server::{Server, Telemetry},
    target::TargetConfig,
};
use std::path::PathBuf;

/// Everything `serve` needs.
#[derive(Clone, Debug)]
pub struct Config {
    /// The front door.
    pub server: Server,
    /// Keys of callers.
    pub keys: Keys,
    /// Targets by `TargetId`: those of the file, then leaves with clocks of their own, then `provider/*`.
    pub targets: Vec<TargetConfig>,
    /// Routes.
    pub routes: Vec<RouteConfig>,
    /// Traces, metrics, logs.
    pub telemetry: Telemetry,
    /// Every file that was read for it; a change of one of them is a change of the configuration.
    pub files: Vec<PathBuf>,
}

/// What a check came to.
#[derive(Debug)]
pub struct Checked {
    /// The configuration, when there is no error.
    pub config: Option<Config>,
    /// Everything found, in the order of the file.
    pub problems: Vec<Problem>,
    /// Every file that was named, also those that could not be read: when one changes, a second check may
    /// come to something else.
    pub files: Vec<PathBuf>,
}

impl Config {
    /// The route that answers to `model`, and the model as a target that passes it through sends it.
    #[must_use]
    pub fn route(&self, model: &str) -> Option<(usize, String)> {
        let fits = |(n, r): (usize, &RouteConfig)| r.fits(model).map(|closeness| (closeness, n));
        let (_, n) = self
            .routes
            .iter()
            .enumerate()
            .filter_map(fits)
            .max_by_key(|(closeness, _)| *closeness)?;
        Some((n, self.routes.get(n)?.model_for(model)))
    }

    /// The models to list: exact names and aliases. What a wildcard covers only its provider knows.
    #[must_use]
    pub fn models(&self) -> Vec<&str> {
        let mut out: Vec<&str> = self.routes.iter().flat_map(RouteConfig::names).collect();
        out.sort_unstable();
        out
    }
}

impl Checked {
    pub(crate) fn refused(problems: Vec<Problem>) -> Self {
        Self {
            config: None,
            problems,
            files: Vec::new(),
        }
    }

    /// The configuration with its warnings.
    ///
    /// # Errors
    /// All problems, when one of them is an error.
    pub fn into_result(self) -> Result<(Config, Vec<Problem>), Vec<Problem>> {
        match self.config {
            Some(config) => Ok((config, self.problems)),
            None => Err(self.problems),
        }
    }
}
