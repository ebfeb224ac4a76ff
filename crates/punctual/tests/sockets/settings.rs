//! What a client was told is what is sent.

use crate::support::*;
use punctual::{AwsCredentials, Call, Client, Timeouts, aws, google, openai};

#[tokio::test]
async fn headers_query_and_extra_body_are_sent() {
    let sim = sim().await;
    let client = openai::Chat::new("sim:tokens=1")
        .base_url(format!("{}/v1", sim.url()))
        .key("secret")
        .header("x-team", "blue")
        .forward_header("x-run")
        .query("tier", "a b")
        .extra_body(r#"{"stream_options":null,"reasoning":{"effort":"low"},"temperature":0.10}"#);
    let call = hi().header("x-run", "7").temperature(0.9);
    client.invoke(&call).await.unwrap();
    let seen = sim.report().pop().unwrap();
    assert_eq!(seen.path, "/v1/chat/completions?tier=a%20b");
    let header = |name| seen.header(name);
    assert_eq!(
        (header("x-team"), header("x-run")),
        (Some("blue"), Some("7"))
    );
    assert_eq!(header("authorization"), Some("Bearer secret"));
    let body = String::from_utf8(seen.body.to_vec()).unwrap();
    assert!(
        body.contains(r#""temperature":0.10"#) && body.contains(r#""effort":"low""#),
        "{body}"
    );
}

#[tokio::test]
async fn an_extra_body_is_in_the_providers_own_words() {
    let sim = sim().await;
    let extra = r#"{"generationConfig":{"candidateCount":1}}"#;
    let gemini = google::Gemini::new("sim:tokens=1").base_url(format!("{}/v1beta", sim.url()));
    gemini
        .key("k")
        .extra_body(extra)
        .invoke(&hi().max_tokens(9))
        .await
        .unwrap();
    let body = String::from_utf8(sim.report().pop().unwrap().body.to_vec()).unwrap();
    assert!(
        body.contains(r#""candidateCount":1"#) && body.contains("9"),
        "{body}"
    );
    let extra = r#"{"additionalModelRequestFields":{"top_k":5}}"#;
    let bedrock = aws::Bedrock::new("r", "sim:tokens=1")
        .base_url(sim.url())
        .key("k");
    bedrock.extra_body(extra).invoke(&hi()).await.unwrap();
    let body = String::from_utf8(sim.report().pop().unwrap().body.to_vec()).unwrap();
    assert!(body.contains(r#""top_k":5"#), "{body}");
}

#[tokio::test]
async fn claude_on_bedrock_is_invoked_in_anthropics_words_where_that_is_said() {
    let sim = sim().await;
    let model = "us.anthropic.claude-x-v1:0";
    sim.set(model, "tokens=1".parse().unwrap());
    let client = aws::Bedrock::new("us-east-1", model)
        .base_url(sim.url())
        .credentials(AwsCredentials::keys("AKIATEST", "s"))
        .header("anthropic-beta", "a")
        .extra_body(r#"{"top_k":5}"#)
        .invoke_model();
    let path = "/model/us.anthropic.claude-x-v1%3A0/invoke";
    for (stream, below) in [(false, ""), (true, "-with-response-stream")] {
        let answer = ask(&client.node(), &hi().max_tokens(9), stream).await;
        assert!(answer.unwrap().text().starts_with("tok0"), "{stream}");
        let seen = sim.report().pop().unwrap();
        assert_eq!(seen.path, format!("{path}{below}"));
        assert_eq!(seen.header("anthropic-beta"), None, "it is in the body");
        let body = String::from_utf8(seen.body.to_vec()).unwrap();
        let begin = r#"{"anthropic_version":"bedrock-2023-05-31","anthropic_beta":["a"],"#;
        assert!(body.starts_with(begin), "{body}");
        assert!(body.contains(r#""max_tokens":9"#), "{body}");
        assert!(body.contains(r#""top_k":5"#), "{body}");
        assert!(!body.contains(r#""model""#), "{body}");
        assert!(!body.contains(r#""stream""#), "{body}");
        let signed = seen.header("authorization").unwrap();
        assert!(signed.starts_with("AWS4-HMAC-SHA256 "), "{signed}");
    }
}

#[tokio::test]
async fn nobody_but_claude_is_invoked() {
    let sim = sim().await;
    let nova = "amazon.nova-lite-v1:0";
    sim.set(nova, "tokens=1".parse().unwrap());
    let client = aws::Bedrock::new("us-east-1", nova).base_url(sim.url());
    let client = client.key("k");
    let error = client.clone().invoke_model().invoke(&hi()).await;
    let error = error.unwrap_err();
    assert_eq!(error.reason(), Some("bad_client"), "{error}");
    let text = error.to_string();
    let said =
        "which is for Claude, and amazon.nova-lite-v1:0 is not Claude; leave invoke_model out";
    assert!(text.contains(said), "{text}");
    assert!(sim.report().is_empty());
    client.invoke(&hi()).await.unwrap();
    assert!(sim.report()[0].path.ends_with("/converse"));
}

#[tokio::test]
async fn a_secret_does_not_come_back_in_an_error() {
    let sim = sim().await;
    let script =
        r#"status=400,body="{\"error\":{\"message\":\"bad key sk-very-secret and hdr-secret\"}}""#;
    sim.set("leaky", script.parse().unwrap());
    let client = openai::Chat::new("leaky")
        .base_url(format!("{}/v1", sim.url()))
        .key("sk-very-secret")
        .secret_header("x-more", "hdr-secret");
    let error = client.invoke(&hi()).await.unwrap_err();
    let text = format!("{error} {error:?} {:?} {client:?}", error.records());
    assert!(text.contains("bad key"), "{text}");
    assert!(
        !text.contains("very-secret") && !text.contains("hdr-secret"),
        "{text}"
    );
}

#[tokio::test]
async fn others_wait_where_only_one_at_a_time_is_let_through() {
    let sim = sim().await;
    let client = openai::Chat::new("sim:delay=100ms,tokens=1")
        .base_url(format!("{}/v1", sim.url()))
        .key("k")
        .max_concurrency(1);
    let (call, started) = (hi(), tokio::time::Instant::now());
    let (a, b, c) = tokio::join!(
        client.invoke(&call),
        client.invoke(&call),
        client.invoke(&call)
    );
    assert!(a.is_ok() && b.is_ok() && c.is_ok());
    assert!(started.elapsed() >= ms(300), "{:?}", started.elapsed());
}

#[tokio::test]
async fn a_tool_round_trip_is_a_conversation_with_every_client() {
    let sim = sim().await;
    for row in rows().iter().filter(|row| row.streams) {
        let tooled = |call: Call| call.tool("look", "Looks.", r#"{"type":"object"}"#);
        let client = row.client(&sim, "tool-call,tokens=1", Timeouts::new());
        let first = ask(&client, &tooled(row.call()), false).await.unwrap();
        let id = first.tool_calls().next().unwrap().id.clone();
        let next = tooled(row.call())
            .message(first.message())
            .tool_result(id, "42");
        let client = row.client(&sim, "tokens=2", Timeouts::new());
        let last = ask(&client, &next, true).await;
        let last = last.unwrap_or_else(|e| panic!("{}: {e}", row.name));
        assert!(last.text().starts_with("tok0"), "{}", row.name);
        let body = String::from_utf8(sim.report().pop().unwrap().body.to_vec()).unwrap();
        assert!(
            body.contains("42") && body.contains("look"),
            "{}: {body}",
            row.name
        );
    }
}
