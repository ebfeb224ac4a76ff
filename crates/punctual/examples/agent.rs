//! An agent's loop with a budget of three minutes: however many steps it takes and whatever fails on the way,
//! it ends in time, and says what it has found by then.
//!
//! With `OPENAI_API_KEY` it asks OpenAI; without, a simulator in the process.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use punctual::{Call, Client, Execution, Node, Retry, openai};
use punctual_sim::{Listen, Sim};
use std::{error::Error, time::Duration};

/// What the model may call.
fn look_up(question: &str) -> String {
    format!("The answer to {question} is 42.")
}

async fn agent(client: &Node, task: &str) -> Result<String, punctual::Error> {
    let mut call = Call::new()
        .system("Use the tool, then answer in one sentence.")
        .user(task)
        .tool(
            "look_up",
            "Looks something up.",
            r#"{"type":"object","properties":{"question":{"type":"string"}}}"#,
        );
    for _ in 0..8 {
        let answer = client.invoke(&call).await?;
        println!("{} attempts, {:?}", answer.records.len(), answer.finish);
        call = call.message(answer.message());
        let mut asked = false;
        for tool in answer.tool_calls() {
            asked = true;
            call = call.tool_result(&tool.id, look_up(&tool.input));
        }
        if !asked {
            return Ok(answer.text());
        }
        if Execution::remaining().is_some_and(|left| left < Duration::from_secs(30)) {
            call = call.user("Time is nearly up: answer with what you have.");
        }
    }
    Ok("no answer in eight steps".to_owned())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let sim = Sim::start(Listen::loopback()).await?;
    sim.set("agent", "tool-call,tokens=0,fail=1".parse()?);
    let model = match std::env::var("OPENAI_API_KEY") {
        Ok(_) => openai::Chat::new("gpt-4o-mini"),
        Err(_) => openai::Chat::new("agent")
            .base_url(format!("{}/v1", sim.url()))
            .without_key(),
    };
    let client = Retry::new(model.timeouts(Duration::from_secs(60)), 3).node();
    let budget = Execution::within(Duration::from_secs(180));
    let work = agent(&client, "What is the meaning of it all?");
    match budget.scope(work).await {
        Ok(text) => println!("{text}"),
        Err(error) if error.is_execution_deadline() => println!("out of time: {error}"),
        Err(error) => return Err(error.into()),
    }
    Ok(())
}
