//! Providers, and what stands in front of them, that answer with one JSON object where a stream was asked for.

use crate::support::*;
use punctual::{Client, Node, Timeouts, google};

/// The streaming clients, and Claude on Vertex, which speaks another API than Gemini there.
async fn clients(script: &str) -> (punctual_sim::Sim, Vec<(&'static str, Node)>) {
    let sim = sim().await;
    let streaming = rows().into_iter().filter(|row| row.streams);
    let mut clients: Vec<_> = streaming
        .map(|row| (row.name, row.client(&sim, script, Timeouts::new())))
        .collect();
    sim.set("claude-on-vertex", script.parse().unwrap());
    let claude =
        google::Vertex::new("p", "l", "claude-on-vertex").base_url(format!("{}/v1", sim.url()));
    clients.push(("google::Vertex (Claude)", claude.key("k").node()));
    (sim, clients)
}

#[tokio::test]
async fn every_client_reads_one_answer_where_it_asked_for_a_stream() {
    let (_sim, all) = clients("reasoning=2,tokens=3,json-for-stream").await;
    assert_eq!(all.len(), 12);
    for (name, client) in all {
        let answer = ask(&client, &hi(), true).await;
        let answer = answer.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(
            answer.text().starts_with("tok0 tok1 tok2"),
            "{name}: {:?}",
            answer.choices
        );
        assert!(
            !answer.reasoning().is_empty(),
            "{name}: {:?}",
            answer.choices
        );
        assert!(
            answer
                .finish
                .as_ref()
                .is_some_and(|finish| finish.is_stop()),
            "{name}"
        );
        assert!(answer.records[0].completed, "{name}");
    }
}

#[tokio::test]
async fn the_calls_in_it_are_read_too() {
    let (_sim, all) = clients("tool-call,tokens=1,json-for-stream").await;
    for (name, client) in all {
        let answer = ask(&client, &hi(), true).await.unwrap();
        let call = answer.tool_calls().next();
        let call = call.unwrap_or_else(|| panic!("{name}: {:?}", answer.choices));
        assert!(
            call.input.starts_with('{') && !call.id.is_empty(),
            "{name}: {call:?}"
        );
    }
}
