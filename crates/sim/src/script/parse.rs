//! A line of text into steps.
//!
//! Only the line's own grammar is known here; what a word takes as value is said by its
//! [`Form`](super::Form). The length is bounded because a line may come from any client.

use super::{Script, ScriptError, Step};
use crate::words;

const MAX_LINE: usize = 8_192;

/// Whether words that name a file may read it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Files {
    Read,
    /// The line came over the network, whose clients shall not read this machine's files.
    Refused,
}

pub(super) fn line(line: &str, files: Files) -> Result<Script, ScriptError> {
    if line.len() > MAX_LINE {
        return Err(ScriptError::new(
            "script",
            &format!("{} bytes", line.len()),
            "at most 8192 bytes",
        ));
    }
    let mut script = Script::plain();
    for said in split(line)? {
        script.push(step(&said, files)?)?;
    }
    Ok(script)
}

fn step(said: &Said, files: Files) -> Result<Step, ScriptError> {
    let name = said.name.trim();
    let word = words::find(name).ok_or_else(|| ScriptError::unknown(name, &said.text))?;
    let arg = word
        .form
        .read(said.value.as_deref().map(str::trim), files == Files::Read);
    let arg =
        arg.map_err(|fix| ScriptError::new(name, said.value.as_deref().unwrap_or_default(), fix))?;
    Ok(Step {
        word,
        arg,
        said: said.text.trim().to_owned(),
    })
}

/// One step, quotes undone in `value`, kept in `text`.
#[derive(Default)]
struct Said {
    text: String,
    name: String,
    value: Option<String>,
}

impl Said {
    fn push(&mut self, c: char) {
        match &mut self.value {
            Some(value) => value.push(c),
            None => self.name.push(c),
        }
    }
}

fn split(line: &str) -> Result<Vec<Said>, ScriptError> {
    let mut steps = Vec::new();
    let mut step = Said::default();
    let mut quoted = false;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if !quoted && matches!(c, ',' | '+') {
            steps.push(std::mem::take(&mut step));
            continue;
        }
        step.text.push(c);
        match c {
            '"' if step.value.is_some() => quoted = !quoted,
            '\\' if quoted => {
                let escaped = chars.next();
                step.text.extend(escaped);
                if let Some(escaped) = escaped {
                    step.push(escaped);
                }
            }
            '=' if step.value.is_none() => step.value = Some(String::new()),
            other => step.push(other),
        }
    }
    if quoted {
        return Err(ScriptError::new(
            &step.name,
            &step.text,
            "close the double quote",
        ));
    }
    steps.push(step);
    steps.retain(|s| !s.text.trim().is_empty());
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fix(text: &str) -> String {
        line(text, Files::Refused).unwrap_err().to_string()
    }

    #[test]
    fn a_line_reads_back_as_it_was_written() {
        for text in [
            "",
            "tokens=3",
            "tokens=3,gap=50ms,stall-after=2",
            "retry-after=\"Wed, 21 Oct 2026 07:28:00 GMT\"",
        ] {
            assert_eq!(line(text, Files::Refused).unwrap().to_string(), text);
        }
        assert_eq!(
            line(" tokens=3 + gap=1s ,", Files::Refused)
                .unwrap()
                .to_string(),
            "tokens=3,gap=1s"
        );
    }

    #[test]
    fn an_error_names_the_word_the_value_and_the_fix() {
        assert_eq!(
            fix("stal-after=3"),
            "script word `stal-after`: \"stal-after=3\": no such word, did you mean `stall-after`?"
        );
        assert!(
            fix("gap=50").contains("write a duration with its unit"),
            "{}",
            fix("gap=50")
        );
        assert!(fix("tokens").contains("needs a value"), "{}", fix("tokens"));
        assert!(
            fix("tokens=-1").contains("write a whole number"),
            "{}",
            fix("tokens=-1")
        );
        assert!(
            fix("no-done=1").contains("takes no value"),
            "{}",
            fix("no-done=1")
        );
        assert!(
            fix("status=99").contains("200 to 599"),
            "{}",
            fix("status=99")
        );
        assert!(
            fix("rst=never").contains("request, accept, headers"),
            "{}",
            fix("rst=never")
        );
        assert!(fix("tokens=1,tokens=2").contains("say it once"));
        assert!(fix("body=\"open").contains("close the double quote"));
        assert!(fix("header=a b:c").contains("name:value"));
        assert!(fix(&"x".repeat(9_000)).contains("at most 8192 bytes"));
    }

    #[test]
    fn a_line_from_the_network_reads_no_files() {
        assert!(fix("raw=/etc/passwd").contains("may not be read for a client"));
        assert!(fix("raw=/no/such/file").contains("may not be read for a client"));
        assert!(
            line("raw=/no/such/file", Files::Read)
                .unwrap_err()
                .to_string()
                .contains("cannot be read")
        );
    }

    #[test]
    fn a_model_name_may_spell_a_script() {
        let spelt = |model: &str| Script::from_model(model).map(|s| s.map(|s| s.to_string()));
        assert_eq!(
            spelt("sim:silent-headers"),
            Ok(Some("silent-headers".into()))
        );
        assert_eq!(
            spelt("openai/sim:tokens=3+gap=5ms"),
            Ok(Some("tokens=3,gap=5ms".into()))
        );
        assert_eq!(
            spelt("sim:tokens:3/gap:5ms"),
            Ok(Some("tokens=3,gap=5ms".into()))
        );
        assert_eq!(spelt("tokens=3"), Ok(Some("tokens=3".into())));
        assert_eq!(spelt("gpt-4o-mini"), Ok(None));
        assert!(spelt("sim:gpt").is_err());
    }
}
