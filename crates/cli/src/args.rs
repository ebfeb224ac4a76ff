//! The command line: every command, flag and default, and what help says about them.
//!
//! What is wrong with an argument is told here, with exit code 2; what is wrong with a configuration is told
//! by the check. A flag never sets what a file cannot, so that a deployment needs no command line.

use clap::{Args as Group, Parser, Subcommand};
use punctual_sim::Script;
use std::{net::SocketAddr, path::PathBuf};

/// LLM calls that end on time, and tell the truth about it.
#[derive(Parser)]
#[command(name = "punctual", version, arg_required_else_help = true, after_help = EXIT_CODES)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "\
Exit codes: 0 done; 1 the configuration has errors or cannot be read; 2 the command line could not be read; \
3 something could not be started.

Start with `punctual demo`, which needs nothing, or with `punctual serve`, which needs a key in the environment.";

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run the gateway. Without a file it serves what the environment has keys for, and local model servers.
    Serve(Serve),
    /// Find every mistake of a configuration, and each plan's worst-case time against its deadline.
    Check(Check),
    /// Run the misbehaving upstream, and report what its sockets saw.
    Sim(Sim),
    /// A short tour of failures on this machine: simulator and gateway in one process.
    Demo(Demo),
    /// Print the JSON schema of the configuration file.
    Schema,
    /// Make keys for callers.
    #[command(subcommand)]
    Keys(Keys),
}

/// Which configuration file.
#[derive(Group)]
pub(crate) struct File {
    /// The configuration file; `punctual.yaml` in this folder when none is named.
    #[arg(value_name = "FILE")]
    named: Option<PathBuf>,
    /// The same as an option; FILE goes before it.
    #[arg(long, short, env = "PUNCTUAL_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
}

impl File {
    /// The file that was named, the argument before the option before the environment.
    pub(crate) fn path(&self) -> Option<PathBuf> {
        self.named.clone().or_else(|| self.config.clone())
    }
}

/// The name of the file that is taken when none is named.
pub(crate) const DEFAULT_FILE: &str = "punctual.yaml";

#[derive(Group)]
pub(crate) struct Serve {
    #[command(flatten)]
    pub(crate) file: File,
    /// Listen here instead of where the configuration (or PUNCTUAL_LISTEN) says.
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = address)]
    pub(crate) listen: Option<SocketAddr>,
}

#[derive(Group)]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) file: File,
    /// Print JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Subcommand)]
pub(crate) enum Keys {
    /// Print a new key (this once), its hash, and the lines that go into the configuration file.
    New(NewKey),
}

#[derive(Group)]
pub(crate) struct NewKey {
    /// What the key is called in the configuration, logs and metrics; never the key itself.
    #[arg(long, value_name = "NAME", default_value = "caller", value_parser = key_name)]
    pub(crate) name: String,
}

/// A name that stands in YAML without quotes.
fn key_name(text: &str) -> Result<String, String> {
    let mut letters = text.chars();
    let plain = letters.next().is_some_and(|c| c.is_ascii_alphabetic())
        && letters.all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
        && !text.eq_ignore_ascii_case("null");
    plain
        .then(|| text.to_owned())
        .ok_or_else(|| "begin with a letter, then letters, digits, -, _ and .".to_owned())
}

#[derive(Group)]
#[command(after_long_help = punctual_sim::routes_help())]
pub(crate) struct Sim {
    /// Where to listen.
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = address, default_value = "127.0.0.1:9000")]
    pub(crate) listen: SocketAddr,
    /// Speak TLS with a certificate made for this run; it is printed at the start.
    #[arg(long)]
    pub(crate) tls: bool,
    /// What a model does, as NAME=SCRIPT; may be repeated. Any model can also be named `sim:SCRIPT`.
    #[arg(long = "model", value_name = "NAME=SCRIPT", value_parser = model)]
    pub(crate) models: Vec<(String, Script)>,
    /// What every accepted connection meets, such as `silent-accept`.
    #[arg(long, value_name = "SCRIPT")]
    pub(crate) accept: Option<Script>,
    /// Print one JSON object a request instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Group)]
pub(crate) struct Demo {
    /// Where the gateway listens, during the tour and after it.
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = address, default_value = "127.0.0.1:8080")]
    pub(crate) listen: SocketAddr,
    /// End after the tour instead of staying up.
    #[arg(long)]
    pub(crate) tour_only: bool,
}

fn address(text: &str) -> Result<SocketAddr, String> {
    let wrong = |_| "write an address in digits and a port, such as 127.0.0.1:8080".to_owned();
    text.parse().map_err(wrong)
}

fn model(text: &str) -> Result<(String, Script), String> {
    let (name, script) = text.split_once('=').ok_or("write NAME=SCRIPT")?;
    let script = script.parse().map_err(|e| format!("{e}"))?;
    Ok((name.to_owned(), script))
}
