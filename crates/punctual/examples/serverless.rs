//! A run that will be killed: it has a window of seconds, and uses all of it but what it needs to end well.
//!
//! Whoever runs it sends SIGTERM at the end of the window and SIGKILL shortly after. The end of the run is set
//! once, from the environment (`PUNCTUAL_EXECUTION_LIMIT`, `PUNCTUAL_EXECUTION_RESERVE`; 15 s and 2 s here where
//! nothing is said); every call is clamped to it, so that what is in the middle of a call then still has its
//! result, and its log, to write. No call begins with under 5 s left. Both go to the folder named first, or to a
//! new one for temporary files.
//!
//! It works through more questions than fit, against a simulator in the process that is slow to answer.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use punctual::{Call, Client, Execution, Retry, openai};
use punctual_sim::{Listen, Sim};
use std::{
    error::Error,
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
    time::Duration,
};
use tokio::signal::unix::{SignalKind, signal};

/// The log, which is shown as well.
struct Log(File);

impl Log {
    fn line(&mut self, text: &str) -> io::Result<()> {
        println!("{text}");
        writeln!(self.0, "{text}")
    }
}

/// Where the log and the result go.
fn room() -> io::Result<PathBuf> {
    let usual = || {
        let name = format!("punctual-serverless-{}", std::process::id());
        std::env::temp_dir().join(name)
    };
    let room = std::env::args().nth(1).map_or_else(usual, PathBuf::from);
    std::fs::create_dir_all(&room)?;
    Ok(room)
}

async fn work(sim: &Sim, room: &Path, log: &mut Log) -> Result<(), Box<dyn Error>> {
    let model = openai::Chat::new("sim:delay=700ms,tokens=3")
        .base_url(format!("{}/v1", sim.url()))
        .without_key();
    let client = Retry::new(model, 3);
    let mut told = signal(SignalKind::terminate())?;
    log.line("begun")?;
    let mut answers = Vec::new();
    for number in 0..10_000 {
        let call = Call::new().user(format!("Question {number}"));
        let answer = tokio::select! {
            answer = client.invoke(&call) => answer,
            _ = told.recv() => {
                log.line(&format!("SIGTERM in the middle of question {number}"))?;
                break;
            }
        };
        match answer {
            Ok(answer) => {
                answers.push(answer.text());
                log.line(&format!("question {number} has its answer"))?;
            }
            Err(error) if error.is_execution_deadline() => {
                log.line(&format!("the run ends: {error}"))?;
                break;
            }
            Err(error) => log.line(&format!("question {number} has no answer: {error}"))?,
        }
    }
    std::fs::write(room.join("result"), answers.join("\n"))?;
    let written = format!("{} answers written to {}", answers.len(), room.display());
    log.line(&written)?;
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let room = room()?;
    let mut log = Log(File::create(room.join("log"))?);
    let usual = || Execution::within(Duration::from_secs(15 - 2));
    let run = Execution::from_env()?.unwrap_or_else(usual);
    run.set();
    log.line(&format!("{:?} left", run.left()))?;
    let sim = Sim::start(Listen::loopback()).await?;
    work(&sim, &room, &mut log).await
}
