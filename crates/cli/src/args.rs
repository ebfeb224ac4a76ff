//! The command line.

use clap::{Args as Group, Parser, Subcommand};
use std::{net::SocketAddr, path::PathBuf};

/// LLM calls that end on time, and tell the truth about it.
#[derive(Parser)]
#[command(name = "punctual", version, about, arg_required_else_help = true, after_help = EXIT_CODES)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 done; 1 the configuration has errors; 2 the command line could not be read; 3 something could not be started.";

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
}

#[derive(Group)]
pub(crate) struct Serve {
    /// The configuration file; `punctual.yaml` in this folder is taken when it is there.
    #[arg(long, short, env = "PUNCTUAL_CONFIG", value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Listen here instead of where the configuration says.
    #[arg(long, env = "PUNCTUAL_LISTEN", value_name = "ADDRESS:PORT")]
    pub(crate) listen: Option<SocketAddr>,
}

#[derive(Group)]
pub(crate) struct Check {
    /// The configuration file.
    #[arg(
        long,
        short,
        env = "PUNCTUAL_CONFIG",
        value_name = "FILE",
        default_value = "punctual.yaml"
    )]
    pub(crate) config: PathBuf,
    /// Print JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Group)]
#[command(after_long_help = punctual_sim::routes_help())]
pub(crate) struct Sim {
    /// Where to listen.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:9000")]
    pub(crate) listen: SocketAddr,
    /// Speak TLS with a certificate made for this run; it is printed at the start.
    #[arg(long)]
    pub(crate) tls: bool,
    /// What a model does, as NAME=SCRIPT; may be repeated. Any model can also be named `sim:SCRIPT`.
    #[arg(long = "model", value_name = "NAME=SCRIPT")]
    pub(crate) models: Vec<String>,
    /// What every accepted connection meets, such as `silent-accept`.
    #[arg(long, value_name = "SCRIPT")]
    pub(crate) accept: Option<String>,
    /// Print one JSON object a request instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Group)]
pub(crate) struct Demo {
    /// Where the gateway listens when the tour is over.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080")]
    pub(crate) listen: SocketAddr,
    /// End after the tour instead of staying up.
    #[arg(long)]
    pub(crate) tour_only: bool,
}
