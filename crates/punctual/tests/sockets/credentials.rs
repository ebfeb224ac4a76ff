//! Credentials that are computed or fetched: from wherever a machine has them, once for all that wait, inside
//! the time there is, and in nothing that is shown.

use crate::support::*;
use punctual::{
    AwsCredentials, AzureCredentials, Client, Code, Fallback, GoogleCredentials, Node, aws, google,
    openai,
};
use std::time::Duration;
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

/// So much time goes by for everybody here, the simulator included, and nobody waits for it.
async fn pass(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

/// The credentials that its requests for the model `m` bore.
fn borne(all: &[punctual_sim::Seen]) -> Vec<String> {
    let mut borne = Vec::new();
    for seen in of(all, "m") {
        borne.push(seen.header("authorization").unwrap().to_owned());
    }
    borne
}

#[tokio::test]
async fn a_credential_that_the_provider_refuses_is_fetched_anew_once_it_is_not_quite_new() {
    for at in 0..2 {
        let sim = sim().await;
        let (issuer, client) = fetching(&sim.url())[at].clone();
        let refused = async || {
            sim.set("m", "status=401".parse().unwrap());
            let error = ask(&client, &hi(), false).await.unwrap_err();
            assert_eq!(error.kind(), Code::Unauthorized, "{issuer}: {error}");
            sim.set("m", "tokens=1".parse().unwrap());
            ask(&client, &hi(), false).await.unwrap();
        };
        refused().await;
        assert_eq!(of(&sim.report(), issuer).len(), 1, "{issuer}: a new one");
        // far from its end, so nothing but the refusal makes it go
        pass(Duration::from_secs(40)).await;
        ask(&client, &hi(), false).await.unwrap();
        assert_eq!(of(&sim.report(), issuer).len(), 1, "{issuer}: it is good");
        refused().await;
        let borne = borne(&sim.report());
        assert_eq!(of(&sim.report(), issuer).len(), 2, "{issuer}: {borne:?}");
        let [old @ .., new] = &borne[..] else {
            panic!("{issuer}: {borne:?}");
        };
        assert!(old.iter().all(|one| one == &old[0]), "{issuer}: {borne:?}");
        assert_ne!(new, &old[0], "{issuer}");
    }
}

#[tokio::test]
async fn a_credential_is_fetched_anew_at_its_end_and_not_before() {
    for at in 0..2 {
        let sim = sim().await;
        let (issuer, client) = fetching(&sim.url())[at].clone();
        sim.set(issuer, "expires-in=600s".parse().unwrap());
        sim.set("m", "tokens=1".parse().unwrap());
        for seconds in [0, 500, 101] {
            pass(Duration::from_secs(seconds)).await;
            ask(&client, &hi(), false).await.unwrap();
        }
        let borne = borne(&sim.report());
        assert_eq!(of(&sim.report(), issuer).len(), 2, "{issuer}: {borne:?}");
        assert_eq!(borne[0], borne[1], "{issuer}");
        assert_ne!(borne[1], borne[2], "{issuer}");
    }
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
