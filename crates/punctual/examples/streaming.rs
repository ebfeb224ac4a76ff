//! A stream that fails over until its first word, and says so when it breaks off after it.
//!
//! With `OPENAI_API_KEY` and `ANTHROPIC_API_KEY` it asks those; without, a simulator in the process, whose first
//! model never says a word.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use punctual::{Call, Client, Delta, Fallback, Node, Timeouts, anthropic, openai};
use punctual_sim::{Listen, Sim};
use std::{error::Error, io::Write, time::Duration};

fn clients(sim: &Sim) -> (openai::Chat, anthropic::Messages) {
    if ["OPENAI_API_KEY", "ANTHROPIC_API_KEY"]
        .iter()
        .all(|key| std::env::var(key).is_ok())
    {
        let model = "claude-sonnet-4-5";
        return (
            openai::Chat::new("gpt-4o-mini"),
            anthropic::Messages::new(model),
        );
    }
    let base = format!("{}/v1", sim.url());
    let silent = openai::Chat::new("sim:preamble-then-silent").base_url(&base);
    let spoken = anthropic::Messages::new("sim:tokens=8,gap=40ms").base_url(&base);
    (silent.without_key(), spoken.key("none"))
}

async fn show(client: &Node, call: &Call) -> Result<(), punctual::Error> {
    let mut stream = client.invoke_stream(call).await?;
    while let Some(step) = stream.next().await {
        match step? {
            Delta::Text { text, .. } => print!("{text}"),
            Delta::Done(done) => {
                let last = done.records.last().map(|record| record.client.clone());
                println!(
                    "\n{:?} by {last:?}, {} attempts",
                    done.finish,
                    done.records.len()
                );
            }
            _ => {}
        }
        // a terminal that is gone is no reason to fail
        let _ = std::io::stdout().flush();
    }
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let sim = Sim::start(Listen::loopback()).await?;
    let (first, second) = clients(&sim);
    let clocks = Timeouts::new().first_token(1.5).stream_token(20);
    let client = Fallback::new((first.timeouts(clocks), second.timeouts(clocks))).node();
    let call = Call::new()
        .user("Count to eight.")
        .limit(Duration::from_secs(60));
    show(&client, &call).await?;
    Ok(())
}
