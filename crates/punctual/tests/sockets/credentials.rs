//! Credentials that are computed or fetched: from wherever a machine has them, once for all that wait, inside
//! the time there is, and in nothing that is shown.

use crate::support::*;
use punctual::{
    AwsCredentials, AzureCredentials, Client, Code, Fallback, GoogleCredentials, Node, aws, google,
    openai,
};
use tokio::time::Instant;

mod places;

/// Made for tests of the same; opens nothing.
const ACCOUNT: &str = include_str!("../../../upstream/src/auth/tests/account.pem");
const SECRET: &str = "the-secret-of-nobody";

fn account(origin: &str) -> String {
    let account = serde_json::json!({
        "type": "service_account", "project_id": "p", "private_key_id": "kid1", "private_key": ACCOUNT,
        "client_email": "robot@p.iam.gserviceaccount.com", "token_uri": format!("{origin}/token"),
    });
    account.to_string()
}

fn of<'a>(all: &'a [punctual_sim::Seen], model: &str) -> Vec<&'a punctual_sim::Seen> {
    all.iter().filter(|seen| seen.model == model).collect()
}

/// Clients whose credentials are handed out by the simulator, and its name of who does.
fn fetching(origin: &str) -> [(&'static str, Node); 2] {
    let vertex = google::Vertex::new("p", "l", "m")
        .base_url(format!("{origin}/v1"))
        .credentials(GoogleCredentials::service_account_json(account(origin)));
    let azure = openai::Azure::new(origin, "m")
        .credentials(AzureCredentials::client_secret("t", "c", SECRET).authority_url(origin));
    [
        ("google-token", vertex.node()),
        ("entra-token", azure.node()),
    ]
}

#[tokio::test]
async fn a_credential_is_fetched_inside_the_time_there_is_and_the_fetch_ends_with_it() {
    for stream in [false, true] {
        for at in 0..2 {
            let sim = sim().await;
            let (issuer, client) = fetching(&sim.url())[at].clone();
            sim.set(issuer, "delay=20s".parse().unwrap());
            let started = Instant::now();
            let error = ask(&client, &hi().limit(ms(400)), stream).await;
            let (error, took) = (error.unwrap_err(), started.elapsed());
            assert_eq!(error.kind(), Code::DeadlineExceeded, "{issuer}: {error}");
            assert!(took >= ms(399) && took < ms(1_400), "{issuer}: {took:?}");
            let ended = |all: &[punctual_sim::Seen]| {
                let fetch = of(all, issuer).pop();
                fetch.is_some_and(|seen| seen.closed.is_some())
            };
            sim.wait(PATIENCE, ended).await.unwrap();
            assert!(of(&sim.report(), "m").is_empty(), "{issuer}");
        }
    }
}

#[tokio::test]
async fn a_fetch_that_takes_too_long_is_a_timeout_that_a_fallback_passes_over() {
    let sim = sim().await;
    sim.set("google-token", "delay=20s".parse().unwrap());
    let slow = google::Vertex::new("p", "l", "m")
        .base_url(format!("{}/v1", sim.url()))
        .credentials(GoogleCredentials::service_account_json(account(&sim.url())))
        .timeouts(ms(300));
    let good = openai::Chat::new("sim:tokens=3").base_url(format!("{}/v1", sim.url()));
    let client = Fallback::new((slow, good.key("k"))).node();
    let answer = ask(&client, &hi(), true).await.unwrap();
    let failed: Vec<_> = answer.records.iter().map(|record| record.failed).collect();
    assert_eq!(failed, [Some(Code::Timeout), None]);
}

#[tokio::test]
async fn who_leaves_in_the_middle_of_a_fetch_ends_it_and_the_next_one_does_it_anew() {
    let sim = sim().await;
    let (issuer, client) = fetching(&sim.url())[0].clone();
    sim.set(issuer, "fail=1,delay=20s".parse().unwrap());
    let left = tokio::time::timeout(ms(300), client.invoke(&hi())).await;
    assert!(left.is_err());
    sim.set("m", "tokens=3".parse().unwrap());
    let answer = ask(&client, &hi(), false).await.unwrap();
    assert!(answer.text().starts_with("tok0"));
    let all = sim.report();
    let fetches = of(&all, issuer);
    assert_eq!(fetches.len(), 2);
    assert!(fetches[0].closed.is_some());
}

#[tokio::test]
async fn what_the_provider_does_not_accept_any_more_is_fetched_anew() {
    let sim = sim().await;
    let (issuer, client) = fetching(&sim.url())[0].clone();
    sim.set(issuer, "expires-in=1s".parse().unwrap());
    sim.set("m", "tokens=1".parse().unwrap());
    for _ in 0..2 {
        ask(&client, &hi(), false).await.unwrap();
        tokio::time::sleep(ms(1_050)).await;
    }
    let all = sim.report();
    let borne = of(&all, "m");
    let borne: Vec<_> = borne
        .iter()
        .map(|seen| seen.header("authorization"))
        .collect();
    assert_eq!(of(&all, issuer).len(), 2);
    assert_ne!(borne[0], borne[1]);
}

#[tokio::test]
async fn credentials_that_are_not_there_are_named_and_passed_over() {
    let sim = sim().await;
    let base = format!("{}/v1", sim.url());
    let vertex = google::Vertex::new("p", "l", "m").base_url(&base);
    let bedrock = aws::Bedrock::new("us-east-1", "m").base_url(sim.url());
    let good = openai::Chat::new("sim:tokens=1").base_url(&base).key("k");
    for (client, said) in [
        (
            vertex
                .clone()
                .credentials(GoogleCredentials::file("/nowhere/key.json"))
                .node(),
            "GoogleCredentials::file",
        ),
        (
            vertex
                .credentials(GoogleCredentials::service_account_json("{}"))
                .node(),
            "GoogleCredentials ",
        ),
        (
            bedrock
                .clone()
                .credentials(AwsCredentials::profile("nobody's"))
                .node(),
            "AwsCredentials::profile \"nobody's\" is not there",
        ),
        (
            bedrock
                .credentials(AwsCredentials::keys("AKIA", SECRET).region("no region"))
                .node(),
            "AwsCredentials::region \"no region\"",
        ),
    ] {
        let error = ask(&client, &hi(), false).await.unwrap_err();
        assert_eq!(error.kind(), Code::Unauthorized, "{error}");
        assert_eq!(error.reason(), Some("missing_credential"), "{error}");
        let text = error.to_string();
        assert!(text.contains(said) && !text.contains("auth."), "{text}");
        assert!(!text.contains(SECRET), "{text}");
        let both = Fallback::new((client, good.clone())).node();
        assert_eq!(ask(&both, &hi(), false).await.unwrap().records.len(), 2);
    }
    assert!(of(&sim.report(), "m").is_empty());
}

#[tokio::test]
async fn keys_sign_for_the_clients_region_and_are_shown_nowhere() {
    let sim = sim().await;
    let token = "the-token-beside-it";
    let credentials = AwsCredentials::temporary("ASIATEST", SECRET, token);
    let client = aws::Bedrock::new("eu-west-3", "sim:tokens=1")
        .base_url(sim.url())
        .credentials(credentials.clone());
    let shown = format!("{credentials:?} {client:?}");
    assert!(!shown.contains(SECRET) && !shown.contains(token), "{shown}");
    for stream in [false, true] {
        ask(&client.node(), &hi(), stream).await.unwrap();
        let seen = sim.report().pop().unwrap();
        let signed = seen.header("authorization").unwrap();
        let scope = signed.split(", ").next().unwrap();
        assert!(
            scope.starts_with("AWS4-HMAC-SHA256 Credential=ASIATEST/"),
            "{scope}"
        );
        assert!(
            scope.ends_with("/eu-west-3/bedrock/aws4_request"),
            "{scope}"
        );
        assert_eq!(seen.header("x-amz-security-token"), Some(token));
    }
}
