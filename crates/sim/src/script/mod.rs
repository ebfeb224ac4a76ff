//! A script: the words that say how an answer misbehaves.
//!
//! Written as one line, `tokens=5,gap=50ms,stall-after=3`, so that a model name, a path segment, a
//! command line and a test say it alike. Steps are joined with `,` or `+`; a value that contains one
//! stands in double quotes, in which `\` escapes. Each word is one row of the table in `words/`, and words
//! take effect in the table's order, however they were written.
//!
//! A model name chooses a script as `sim:` and the line. Where a name may carry only `A–Z a–z 0–9 . _ - : / @`,
//! `:` stands for `=` and `/` for `,`: `sim:tokens:5/stall-after:3`.

mod error;
mod parse;
mod raw;
mod value;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use bytes::Bytes;

pub use error::ScriptError;
pub use raw::Cuts;
pub(crate) use raw::Raw;
pub(crate) use value::{Arg, Form};

use crate::answer::{Accept, Answer};
use crate::ask::Ask;
use crate::route::Surface;
use crate::words::{self, Stage, Word};

/// One word with its value.
#[derive(Clone)]
struct Step {
    word: &'static Word,
    arg: Arg,
    /// As it would be written.
    said: String,
}

/// How an answer misbehaves. The plain one does not.
#[derive(Clone, Default)]
pub struct Script {
    steps: Vec<Step>,
}

impl Script {
    /// The well-behaved answer: at once, a short text.
    pub fn plain() -> Self {
        Self::default()
    }

    /// Serves these bytes as they are: recorded streams, other dialects.
    ///
    /// `headers` are added as given, invalid ones left out; each piece of `cuts` is one flushed write and
    /// counts as one token for `gap`, `stall-after`, `rst-after` and their like.
    pub fn raw(
        status: u16,
        content_type: &str,
        headers: &[(&str, &str)],
        body: impl Into<Bytes>,
        cuts: Cuts,
    ) -> Self {
        let raw = Raw::new(status, content_type, headers, body.into(), cuts);
        let said = format!("raw={} bytes", raw.body.len());
        let step = words::find("raw").map(|word| Step {
            word,
            arg: Arg::Raw(Arc::new(raw)),
            said,
        });
        Self {
            steps: step.into_iter().collect(),
        }
    }

    /// Adds the words of a line.
    ///
    /// # Errors
    /// As [`FromStr`].
    pub fn with(mut self, line: &str) -> Result<Self, ScriptError> {
        let more = parse::line(line, parse::Files::Read)?;
        for step in more.steps {
            self.push(step)?;
        }
        Ok(self)
    }

    /// A script that came over the network: it may not name files.
    pub(crate) fn from_network(line: &str) -> Result<Self, ScriptError> {
        parse::line(line, parse::Files::Refused)
    }

    /// The script a model name spells, if it spells one.
    ///
    /// # Errors
    /// If the name says `sim:` and what follows is no script.
    pub(crate) fn from_model(model: &str) -> Result<Option<Self>, ScriptError> {
        let Some((_, line)) = model.split_once("sim:") else {
            return Ok(Self::from_network(model).ok());
        };
        if line.contains(['=', ',', '+']) {
            return Self::from_network(line).map(Some);
        }
        Self::from_network(&line.replace(':', "=").replace('/', ",")).map(Some)
    }

    fn push(&mut self, step: Step) -> Result<(), ScriptError> {
        if !step.word.repeats && self.has(step.word.name) {
            return Err(ScriptError::new(step.word.name, &step.said, "say it once"));
        }
        self.steps.push(step);
        Ok(())
    }

    pub(crate) fn is_plain(&self) -> bool {
        self.steps.is_empty()
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.steps.iter().any(|s| s.word.name == name)
    }

    /// How many requests get this script before the plain answer returns; unset is all of them.
    pub(crate) fn fails(&self) -> Option<usize> {
        let step = self.steps.iter().find(|s| s.word.name == "fail")?;
        Some(step.arg.count())
    }

    /// What accepted connections meet.
    pub(crate) fn accept(&self) -> Option<Accept> {
        let mut answer = Answer::new(Ask::none());
        // asked for at each request: the rest of the script may lay out megabytes
        self.play(words::about_connections(), &mut answer);
        answer.accept
    }

    /// Lays out the answer to a request.
    pub(crate) fn lay_out(&self, ask: Ask) -> Answer {
        let mut answer = Answer::new(ask);
        self.play(&words::STAGES, &mut answer);
        answer
    }

    fn play(&self, stages: &[Stage], answer: &mut Answer) {
        for stage in stages {
            for word in stage.words {
                for step in self.steps.iter().filter(|s| s.word.name == word.name) {
                    (word.effect)(answer, &step.arg);
                }
            }
            (stage.then)(answer);
        }
    }

    /// Whether a request to this surface is answered at all.
    pub(crate) fn knows(&self, surface: Surface) -> bool {
        surface != Surface::Other || !self.steps.is_empty()
    }
}

impl FromStr for Script {
    type Err = ScriptError;

    /// Reads a line of words. `raw=` reads its file now.
    fn from_str(line: &str) -> Result<Self, ScriptError> {
        parse::line(line, parse::Files::Read)
    }
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, step) in self.steps.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            write!(f, "{comma}{}", step.said)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Script({self})")
    }
}
