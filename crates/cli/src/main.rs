//! The `punctual` binary: reads the command line, runs one command, says how it went.
//!
//! Exit codes: 0 done, 1 the configuration has errors or cannot be read (or the demo's promises did not hold),
//! 2 the command line could not be read, 3 something could not be started (an address taken, a certificate
//! unusable).

mod args;
mod build;
mod check;
mod demo;
mod keys;
mod logs;
mod schema;
mod screen;
mod serve;
mod signals;
mod sim;

use args::{Args, Command};
use clap::Parser;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How a command ended.
#[derive(Debug, thiserror::Error)]
enum Failure {
    /// What was asked about is wrong; it has been said where and why.
    #[error("")]
    Wrong,
    /// Something could not be started.
    #[error("{0}")]
    Start(String),
}

fn main() -> ExitCode {
    let args = Args::parse();
    let done = match args.command {
        Command::Serve(args) => serve::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Sim(args) => sim::run(&args),
        Command::Demo(args) => demo::run(&args),
        Command::Schema => schema::run(),
        Command::Keys(args::Keys::New(args)) => keys::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Wrong) => ExitCode::from(1),
        Err(Failure::Start(why)) => {
            screen::complain(&format!("punctual: {why}"));
            ExitCode::from(3)
        }
    }
}
