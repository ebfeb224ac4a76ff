//! A local model first, a paid one when the local one is busy, slow or not there.
//!
//! With `OPENAI_API_KEY` the paid one is OpenAI's, and the local one an Ollama at its usual address; without,
//! both are played by a simulator in the process.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use punctual::{Call, Client, Fallback, Retry, Timeouts, openai};
use punctual_sim::{Listen, Sim};
use std::{error::Error, time::Duration};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let sim = Sim::start(Listen::loopback()).await?;
    let (local, paid) = match std::env::var("OPENAI_API_KEY") {
        Ok(_) => (
            openai::Ollama::new("qwen3:8b"),
            openai::Chat::new("gpt-4o-mini"),
        ),
        Err(_) => (
            openai::Ollama::new("sim:silent-headers").base_url(sim.url()),
            openai::Chat::new("sim:tokens=5")
                .base_url(format!("{}/v1", sim.url()))
                .without_key(),
        ),
    };
    // one request at a time on this machine, and not a second too long for the one who waits
    let local = local
        .named("local")
        .max_concurrency(1)
        .timeouts(Timeouts::new().connect(1).unary(2).first_token(2));
    let client = Fallback::new((local, Retry::new(paid.named("paid"), 3)));
    let call = Call::new()
        .user("Say hello.")
        .limit(Duration::from_secs(30));
    let answer = client.invoke(&call).await?;
    println!("{}", answer.text());
    for record in &answer.records {
        let how = record.failed.map_or("answered", punctual::Code::as_str);
        println!("{}: {how} after {:?}", record.client, record.duration);
    }
    Ok(())
}
