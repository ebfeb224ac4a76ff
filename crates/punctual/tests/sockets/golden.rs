//! The bytes of a request.

use crate::support::*;
use punctual::{Call, Client, Execution, ForwardDeadline, Timeouts, openai};
use std::{path::Path, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

/// What one call sends, with what is different each time made plain.
async fn sent(make: impl FnOnce(&str) -> (openai::Chat, Call)) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    let (client, call) = make(&format!("http://{addr}/v1"));
    let serve = async {
        let (mut tcp, _) = listener.accept().await.unwrap();
        let mut got = Vec::new();
        let mut piece = [0; 4096];
        loop {
            let n = tcp.read(&mut piece).await.unwrap();
            got.extend_from_slice(&piece[..n]);
            if got.ends_with(b"}") || n == 0 {
                break;
            }
        }
        let answer = b"HTTP/1.1 500 x\r\ncontent-length: 2\r\n\r\n{}";
        tcp.write_all(answer).await.unwrap();
        String::from_utf8(got).unwrap()
    };
    let (text, _) = tokio::join!(serve, client.invoke(&call));
    let text = text.replace(&addr.to_string(), "HOST");
    let plain = |line: &str| match line.split_once(": ") {
        Some(("traceparent", _)) => "traceparent: 00-TRACE-SPAN-01".to_owned(),
        Some(("user-agent", _)) => "user-agent: punctual/VERSION".to_owned(),
        _ => line.to_owned(),
    };
    text.split("\r\n")
        .map(plain)
        .collect::<Vec<_>>()
        .join("\r\n")
}

fn plain(url: &str) -> (openai::Chat, Call) {
    let client = openai::Chat::new("gpt-4o-mini")
        .base_url(url)
        .key("k")
        .timeouts(Duration::from_secs(900))
        .header("X-UiPath-LLMGateway-TimeoutSeconds", "895")
        .forward_deadline(ForwardDeadline::UiPath);
    (
        client,
        Call::new().system("Be brief.").user("hi").temperature(0.2),
    )
}

#[tokio::test]
async fn without_an_execution_deadline_the_bytes_are_those_of_the_golden_file() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sockets/golden.http");
    let got = sent(plain).await;
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &got).unwrap();
    }
    assert_eq!(got, std::fs::read_to_string(path).unwrap());
}

#[tokio::test]
async fn an_execution_deadline_changes_one_header_and_nothing_else() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sockets/golden.http");
    let golden = std::fs::read_to_string(path).unwrap();
    let bound = |url: &str| {
        let (client, call) = plain(url);
        (
            client,
            call.deadline(Execution::within(Duration::from_secs(60))),
        )
    };
    let got = sent(bound).await;
    let name = "x-uipath-llmgateway-timeoutseconds: ";
    let (before, rest) = got.split_once(name).unwrap();
    let (seconds, after) = rest.split_once("\r\n").unwrap();
    let seconds: u64 = seconds.parse().unwrap();
    assert!((55..=59).contains(&seconds), "{seconds}");
    let lines = |text: &str| {
        let mut lines: Vec<_> = text.split("\r\n").map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(
        lines(&format!("{before}{name}895\r\n{after}")),
        lines(&golden)
    );
}

#[tokio::test]
async fn a_header_is_lowered_to_the_time_left_and_never_raised() {
    let sim = sim().await;
    let header = "X-UiPath-LLMGateway-TimeoutSeconds";
    for (configured, left, expected) in [
        (Some("895"), Some(60), 55..=59),
        (Some("895.0"), Some(60), 55..=59),
        (Some("0"), Some(60), 55..=59),
        (Some("text"), Some(60), 55..=59),
        (None, Some(60), 55..=59),
        (Some("895"), Some(100_000), 895..=895),
        (Some("895.0"), None, 895..=895),
        (Some("7"), Some(60), 7..=7),
    ] {
        let mut client = openai::Chat::new("sim:tokens=1")
            .base_url(format!("{}/v1", sim.url()))
            .key("k")
            .timeouts(Timeouts::none())
            .forward_deadline(ForwardDeadline::UiPath);
        if let Some(value) = configured {
            client = client.header(header, value);
        }
        let mut call = hi();
        if let Some(left) = left {
            call = call.deadline(Execution::within(Duration::from_secs(left)));
        }
        client.invoke(&call).await.unwrap();
        let seen = sim.report().pop().unwrap();
        let told = seen.header("x-uipath-llmgateway-timeoutseconds").unwrap();
        let told: u64 = told.parse().unwrap();
        assert!(expected.contains(&told), "{configured:?} {left:?}: {told}");
    }
}
