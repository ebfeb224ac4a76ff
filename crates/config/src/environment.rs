//! The process's environment as a value, so that everything read from it can be tested and listed.
//!
//! Names in our two namespaces (`PUNCTUAL_*`, and `PROXY_*` of an agent-proxy deployment) are looked up in
//! a table; one that is not in it is probably a slip and becomes a warning, never silence.

use std::{collections::BTreeMap, time::Duration};

/// Variables by name.
#[derive(Clone, Default)]
pub struct Environment(BTreeMap<String, String>);

/// What a variable of ours sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// `server.request_deadline`, in decimal seconds; 0 is none.
    RequestDeadline,
    /// `defaults.timeout`, in decimal seconds; 0 is none.
    Timeout,
    /// `server.listen`.
    Listen,
    /// `server.admin.listen`.
    AdminListen,
    /// The path of the file; read by the command line.
    ConfigFile,
    /// Read elsewhere: the execution deadline of the library.
    Elsewhere,
}

/// Every variable of our namespaces that is read, with what it means. The `PROXY_*` names are those of
/// an agent-proxy deployment.
pub const VARIABLES: &[(&str, Meaning)] = &[
    ("PUNCTUAL_CONFIG", Meaning::ConfigFile),
    ("PUNCTUAL_LISTEN", Meaning::Listen),
    ("PUNCTUAL_ADMIN_LISTEN", Meaning::AdminListen),
    ("PUNCTUAL_REQUEST_DEADLINE", Meaning::RequestDeadline),
    ("PUNCTUAL_EXECUTION_DEADLINE_AT", Meaning::Elsewhere),
    ("PUNCTUAL_EXECUTION_LIMIT", Meaning::Elsewhere),
    ("PUNCTUAL_EXECUTION_RESERVE", Meaning::Elsewhere),
    ("PROXY_REQUEST_DEADLINE", Meaning::RequestDeadline),
    ("PROXY_REQUEST_TIMEOUT", Meaning::Timeout),
];

impl Environment {
    /// What the process was started with. Names and values that are not Unicode are left out.
    #[must_use]
    pub fn of_process() -> Self {
        let text = |(k, v): (std::ffi::OsString, std::ffi::OsString)| {
            Some((k.into_string().ok()?, v.into_string().ok()?))
        };
        Self(std::env::vars_os().filter_map(text).collect())
    }

    /// The value of `name`; an empty one counts as unset.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0
            .get(name)
            .map(String::as_str)
            .filter(|v| !v.is_empty())
    }

    /// Sets `name`, for a flag of the command line that goes over a variable.
    pub fn set(&mut self, name: &str, value: &str) {
        self.0.insert(name.to_owned(), value.to_owned());
    }

    /// All names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Whether an agent-proxy deployment is configured here: any `PROXY_*` name that is understood.
    #[must_use]
    pub fn is_agent_proxy(&self) -> bool {
        VARIABLES
            .iter()
            .any(|(name, _)| name.starts_with("PROXY_") && self.get(name).is_some())
    }

    /// Names in our namespaces that nothing reads.
    pub fn unknown(&self) -> impl Iterator<Item = &str> {
        let ours = |n: &&str| n.starts_with("PUNCTUAL_") || n.starts_with("PROXY_");
        self.names()
            .filter(ours)
            .filter(|n| VARIABLES.iter().all(|(known, _)| known != n))
    }
}

impl<K: Into<String>, V: Into<String>> FromIterator<(K, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        Self(
            pairs
                .into_iter()
                .map(|(k, v)| (k.into(), v.into()))
                .collect(),
        )
    }
}

impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// Decimal seconds as a limit; 0 is none.
///
/// # Errors
/// One sentence naming the value.
pub(crate) fn seconds(text: &str) -> Result<Option<Duration>, String> {
    let text = text.trim();
    let digits = text.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        && text.bytes().any(|b| b.is_ascii_digit());
    let value = digits
        .then(|| text.parse::<f64>().ok())
        .flatten()
        .and_then(|s| Duration::try_from_secs_f64(s).ok())
        .filter(|d| *d <= Duration::from_secs(366 * 86_400));
    match value {
        Some(d) => Ok((!d.is_zero()).then_some(d)),
        None => Err(format!(
            "{text:?} is not a number of seconds: write 90 or 2.5, 0 for none"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_decimal_and_zero_is_none() {
        assert_eq!(seconds("2.5"), Ok(Some(Duration::from_millis(2500))));
        assert_eq!(seconds("0"), Ok(None));
        for bad in ["", "5s", "-1", "1e3", "inf", ".", "99999999999999999999"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn values_are_never_printed() {
        let e: Environment = [("OPENAI_API_KEY", "hunter2")].into_iter().collect();
        assert_eq!(format!("{e:?}"), "{\"OPENAI_API_KEY\"}");
    }

    #[test]
    fn an_unknown_name_of_ours_is_found() {
        let e: Environment = [
            ("PUNCTUAL_LISTNE", "x"),
            ("PROXY_REQUEST_TIMEOUT", "1"),
            ("HOME", "/"),
        ]
        .into_iter()
        .collect();
        assert_eq!(e.unknown().collect::<Vec<_>>(), ["PUNCTUAL_LISTNE"]);
        assert!(e.is_agent_proxy());
    }
}
