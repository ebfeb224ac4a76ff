//! A run that will be killed: it has a window of seconds, and uses all of it but what it needs to end well.
//!
//! Whoever runs it sends SIGTERM at the end of the window and SIGKILL shortly after. The end of the run is set
//! once, from the environment (`PUNCTUAL_EXECUTION_LIMIT`, `PUNCTUAL_EXECUTION_RESERVE`); every call is clamped
//! to it, so that what is in the middle of a call then still has its result, and its log, to write. Files go
//! to the directory named first.
//!
//! It works through more questions than fit, against a simulator in the process that is slow to answer.

use punctual::{Call, Client, Execution, Retry, openai};
use punctual_sim::{Listen, Sim};
use std::{
    error::Error,
    fs::File,
    io::{BufWriter, Write},
    path::PathBuf,
};
use tokio::signal::unix::{SignalKind, signal};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let room = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".to_owned()));
    let mut log = BufWriter::new(File::create(room.join("log"))?);
    if let Some(run) = Execution::from_env()? {
        run.set();
        writeln!(log, "{:?} left", run.left())?;
    }
    let sim = Sim::start(Listen::loopback()).await?;
    let model = openai::Chat::new("sim:delay=700ms,tokens=3")
        .base_url(format!("{}/v1", sim.url()))
        .without_key();
    let client = Retry::new(model, 3);
    let mut told = signal(SignalKind::terminate())?;
    writeln!(log, "begun")?;
    log.flush()?;
    let mut answers = Vec::new();
    for number in 0..10_000 {
        let call = Call::new().user(format!("Question {number}"));
        let answer = tokio::select! {
            answer = client.invoke(&call) => answer,
            _ = told.recv() => {
                writeln!(log, "SIGTERM in the middle of question {number}")?;
                break;
            }
        };
        match answer {
            Ok(answer) => answers.push(answer.text()),
            Err(error) if error.is_execution_deadline() => {
                writeln!(log, "the run ends: {error}")?;
                break;
            }
            Err(error) => writeln!(log, "question {number} has no answer: {error}")?,
        }
    }
    std::fs::write(room.join("result"), answers.join("\n"))?;
    writeln!(log, "{} answers written", answers.len())?;
    log.flush()?;
    Ok(())
}
