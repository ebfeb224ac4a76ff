//! What a word may take as its value, and how it is read.
//!
//! Every limit here exists because a line can come from any client: no value makes the simulator hold
//! more than [`MAX_SIZE`] for one answer or wait longer than a day.

use std::sync::Arc;
use std::time::Duration;

use http::{HeaderName, HeaderValue};

use super::{Cuts, Raw};

const MAX_COUNT: usize = 100_000;
const MAX_SIZE: usize = 128 << 20;
const MAX_TIME: Duration = Duration::from_secs(86_400);

/// The kind of value a word takes. The `Option` is what a bare word means.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    Flag,
    Count(Option<usize>),
    /// The bare word's meaning in ms.
    Time(Option<u64>),
    Size,
    Status,
    Text,
    /// One of these; the bare word means the first if the flag says so.
    Choice(&'static [&'static str], bool),
    Header,
    Value,
    File,
    Cuts,
}

/// A value, read.
#[derive(Clone)]
pub(crate) enum Arg {
    Nothing,
    Count(usize),
    Time(Duration),
    Text(String),
    Choice(&'static str),
    Header(HeaderName, HeaderValue),
    Value(HeaderValue),
    Raw(Arc<Raw>),
    Cuts(Cuts),
}

impl Arg {
    /// A count, size or status.
    pub(crate) fn count(&self) -> usize {
        if let Self::Count(n) = self { *n } else { 0 }
    }

    pub(crate) fn time(&self) -> Duration {
        if let Self::Time(time) = self {
            *time
        } else {
            Duration::ZERO
        }
    }

    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Choice(text) => text,
            _ => "",
        }
    }
}

impl Form {
    /// How the value is written in the list of words.
    pub(crate) fn placeholder(self) -> String {
        match self {
            Self::Flag => String::new(),
            Self::Count(None) => "=N".into(),
            Self::Count(Some(n)) => format!("[={n}]"),
            Self::Time(None) => "=50ms".into(),
            Self::Time(Some(ms)) => format!("[={ms}ms]"),
            Self::Size => "=16MiB".into(),
            Self::Status => "=503".into(),
            Self::Text | Self::Value => "=TEXT".into(),
            Self::Choice(of, false) => format!("={}", of.join("|")),
            Self::Choice(of, true) => format!("[={}]", of.join("|")),
            Self::Header => "=NAME:VALUE".into(),
            Self::File => "=FILE".into(),
            Self::Cuts => "=whole|bytes|lines|events|random:SEED|N:N:N".into(),
        }
    }

    /// Reads a value; the error is the fix.
    pub(crate) fn read(self, said: Option<&str>, files: bool) -> Result<Arg, String> {
        let Some(said) = said else { return self.bare() };
        match self {
            Self::Flag => Err("the word takes no value".into()),
            Self::Count(_) => whole(said, MAX_COUNT).map(Arg::Count),
            Self::Time(_) => time(said).map(Arg::Time),
            Self::Size => size(said).map(Arg::Count),
            Self::Status => match said.parse::<usize>() {
                Ok(n @ 200..=599) => Ok(Arg::Count(n)),
                _ => Err("write the status of a final answer, 200 to 599".into()),
            },
            Self::Text => Ok(Arg::Text(said.to_owned())),
            Self::Choice(of, _) => match of.iter().find(|c| **c == said) {
                Some(choice) => Ok(Arg::Choice(choice)),
                None => Err(format!("write one of: {}", of.join(", "))),
            },
            Self::Header => header(said).ok_or_else(|| "write name:value, in visible ASCII".into()),
            Self::Value => match HeaderValue::from_str(said) {
                Ok(value) => Ok(Arg::Value(value)),
                Err(_) => Err("a header value has no control characters".into()),
            },
            Self::File if !files => {
                Err("a file may not be read for a client: set it where the simulator runs".into())
            }
            Self::File => match std::fs::read(said) {
                Ok(body) => Ok(Arg::Raw(Arc::new(Raw::file(said, body)))),
                Err(error) => Err(format!("the file cannot be read ({error})")),
            },
            Self::Cuts => Cuts::read(said).map(Arg::Cuts),
        }
    }

    fn bare(self) -> Result<Arg, String> {
        match self {
            Self::Flag => Ok(Arg::Nothing),
            Self::Count(Some(n)) => Ok(Arg::Count(n)),
            Self::Time(Some(ms)) => Ok(Arg::Time(Duration::from_millis(ms))),
            Self::Choice([first, ..], true) => Ok(Arg::Choice(first)),
            other => Err(format!(
                "the word needs a value, as in `{}`",
                other.placeholder()
            )),
        }
    }
}

fn whole(said: &str, max: usize) -> Result<usize, String> {
    let fits = said.parse::<usize>().ok().filter(|n| *n <= max);
    fits.ok_or_else(|| format!("write a whole number up to {max}"))
}

/// A number and a unit: `us`, `ms`, `s`, `m`; fractions are taken.
fn time(said: &str) -> Result<Duration, String> {
    let fix = || "write a duration with its unit, up to a day: 500us, 50ms, 1.5s, 2m".to_owned();
    let (number, unit) = said.split_at(
        said.find(|c: char| c.is_ascii_alphabetic())
            .ok_or_else(fix)?,
    );
    let micros = match unit {
        "us" => 1.0,
        "ms" => 1e3,
        "s" => 1e6,
        "m" => 6e7,
        _ => return Err(fix()),
    };
    let number: f64 = number.trim().parse().map_err(|_| fix())?;
    let total = number * micros;
    if !(0.0..=MAX_TIME.as_micros() as f64).contains(&total) {
        return Err(fix());
    }
    Ok(Duration::from_micros(total as u64))
}

/// A whole number of bytes with a unit: `B`, `KiB`, `MiB`.
fn size(said: &str) -> Result<usize, String> {
    let fix = || "write a size with its unit, up to 128MiB: 900B, 64KiB, 16MiB".to_owned();
    let (number, unit) = said.split_at(
        said.find(|c: char| c.is_ascii_alphabetic())
            .ok_or_else(fix)?,
    );
    let unit = match unit {
        "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        _ => return Err(fix()),
    };
    let bytes = number
        .trim()
        .parse::<usize>()
        .ok()
        .and_then(|n| n.checked_mul(unit));
    bytes.filter(|n| *n <= MAX_SIZE).ok_or_else(fix)
}

fn header(said: &str) -> Option<Arg> {
    let (name, value) = said.split_once(':')?;
    let name = HeaderName::from_bytes(name.trim().as_bytes()).ok()?;
    Some(Arg::Header(name, HeaderValue::from_str(value.trim()).ok()?))
}
