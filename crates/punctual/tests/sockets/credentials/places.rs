//! Where a machine has credentials: its environment, and what that names. An environment belongs to a process, so
//! each place is looked at by a child: this binary again, with one test to run and the variables of that place.

use super::{SECRET, account, of};
use crate::support::*;
use punctual::{
    AwsCredentials, AzureCredentials, Client, GoogleCredentials, Node, aws, google, openai,
};
use punctual_sim::Sim;
use std::{path::PathBuf, process::Command};
use tokio::task::JoinSet;

const AT_ONCE: usize = 8;

/// A place where credentials can be: the cloud whose chain finds them, the simulator's name of who hands them
/// out, how a request that bears them begins.
type Place = (
    &'static str,
    &'static str,
    Option<&'static str>,
    &'static str,
);

const PLACES: [Place; 14] = [
    ("bearer", "aws", None, "Bearer the-secret-of-nobody"),
    (
        "environment",
        "aws",
        None,
        "AWS4-HMAC-SHA256 Credential=AKIAENV/",
    ),
    (
        "profile",
        "aws",
        None,
        "AWS4-HMAC-SHA256 Credential=AKIAFILE/",
    ),
    ("web-identity", "aws", Some("aws-sts"), "AWS4-HMAC-SHA256 "),
    (
        "container",
        "aws",
        Some("aws-container"),
        "AWS4-HMAC-SHA256 ",
    ),
    ("instance", "aws", Some("aws-imds"), "AWS4-HMAC-SHA256 "),
    (
        "account",
        "google",
        Some("google-token"),
        "Bearer sim-token-",
    ),
    (
        "gcloud",
        "google",
        Some("google-token"),
        "Bearer sim-token-",
    ),
    (
        "federated",
        "google",
        Some("google-token"),
        "Bearer sim-token-",
    ),
    (
        "impersonated",
        "google",
        Some("google-iam"),
        "Bearer sim-token-",
    ),
    (
        "metadata",
        "google",
        Some("gce-metadata"),
        "Bearer sim-token-",
    ),
    (
        "application",
        "azure",
        Some("entra-token"),
        "Bearer sim-token-",
    ),
    (
        "workload",
        "azure",
        Some("entra-token"),
        "Bearer sim-token-",
    ),
    (
        "identity",
        "azure",
        Some("azure-metadata"),
        "Bearer sim-token-",
    ),
];

/// The file that a place needs.
fn file(place: &str, origin: &str) -> Option<String> {
    Some(match place {
        "account" => account(origin),
        "gcloud" => format!(
            r#"{{"type":"authorized_user","client_id":"c","client_secret":"{SECRET}","refresh_token":"r","token_uri":"{origin}/token"}}"#
        ),
        "federated" => serde_json::json!({ "type": "external_account", "audience": "a",
            "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
            "token_url": format!("{origin}/v1/token"), "client_id": "c", "client_secret": SECRET,
            "credential_source": { "headers": { "metadata": "true" },
                "url": format!("{origin}/metadata/identity/oauth2/token") } })
        .to_string(),
        "impersonated" => format!(
            r#"{{"type":"impersonated_service_account","service_account_impersonation_url":"{origin}/v1/a@p:generateAccessToken","source_credentials":{}}}"#,
            file("gcloud", origin)?
        ),
        "profile" => {
            format!("[work]\naws_access_key_id = AKIAFILE\naws_secret_access_key = {SECRET}\n")
        }
        "web-identity" | "workload" => SECRET.to_owned(),
        _ => return None,
    })
}

/// The variables of a place.
fn variables(place: &str, origin: &str, file: &str) -> Vec<(&'static str, String)> {
    let own = |text: &str| text.to_owned();
    match place {
        "bearer" => vec![("AWS_BEARER_TOKEN_BEDROCK", own(SECRET))],
        "environment" => vec![
            ("AWS_ACCESS_KEY_ID", own("AKIAENV")),
            ("AWS_SECRET_ACCESS_KEY", own(SECRET)),
        ],
        "profile" => vec![
            ("AWS_SHARED_CREDENTIALS_FILE", own(file)),
            ("AWS_PROFILE", own("work")),
        ],
        "web-identity" => vec![
            ("AWS_ROLE_ARN", own("arn:aws:iam::1:role/r")),
            ("AWS_WEB_IDENTITY_TOKEN_FILE", own(file)),
            ("AWS_ENDPOINT_URL_STS", own(origin)),
        ],
        "container" => vec![(
            "AWS_CONTAINER_CREDENTIALS_FULL_URI",
            format!("{origin}/v2/credentials/1"),
        )],
        "instance" => vec![("AWS_EC2_METADATA_SERVICE_ENDPOINT", own(origin))],
        "account" | "gcloud" | "federated" | "impersonated" => {
            vec![("GOOGLE_APPLICATION_CREDENTIALS", own(file))]
        }
        "metadata" => vec![(
            "GCE_METADATA_HOST",
            own(origin.trim_start_matches("http://")),
        )],
        "application" | "workload" => vec![
            ("AZURE_AUTHORITY_HOST", own(origin)),
            ("AZURE_TENANT_ID", own("t")),
            ("AZURE_CLIENT_ID", own("c")),
            match place {
                "workload" => ("AZURE_FEDERATED_TOKEN_FILE", own(file)),
                _ => ("AZURE_CLIENT_SECRET", own(SECRET)),
            },
        ],
        _ => vec![],
    }
}

/// A client of a cloud whose credentials are looked for.
fn chained(cloud: &str, origin: &str) -> Node {
    match cloud {
        "aws" => aws::Bedrock::new("us-east-1", "m")
            .base_url(origin)
            .credentials(AwsCredentials::default_chain())
            .node(),
        "google" => google::Vertex::new("p", "l", "m")
            .base_url(format!("{origin}/v1"))
            .credentials(GoogleCredentials::default_chain())
            .node(),
        _ => openai::Azure::new(origin, "m")
            // the one place that no variable names
            .credentials(AzureCredentials::default_chain().imds_url(origin))
            .node(),
    }
}

#[tokio::test]
#[ignore = "run by the tests below, each time in another environment"]
async fn many_ask_by_what_the_environment_has() {
    let [cloud, origin] = ["CLOUD", "ORIGIN"].map(|name| std::env::var(name).unwrap());
    let client = chained(&cloud, &origin);
    let mut asking = JoinSet::new();
    for n in 0..AT_ONCE {
        let client = client.clone();
        asking.spawn(async move { ask(&client, &hi(), n % 2 == 0).await });
    }
    while let Some(asked) = asking.join_next().await {
        let answer = asked.unwrap().unwrap();
        assert!(answer.text().starts_with("tok0"), "{:?}", answer.choices);
    }
    println!("{client:?}");
}

async fn asked_by_a_child(sim: &Sim, (place, cloud, ..): Place) -> String {
    let origin = sim.url();
    let name = format!("punctual-{place}-{}", std::process::id());
    let path: PathBuf = std::env::temp_dir().join(name);
    if let Some(text) = file(place, &origin) {
        std::fs::write(&path, text).unwrap();
    }
    let mut child = Command::new(std::env::current_exe().unwrap());
    child
        .args(["--exact", "--ignored", "--nocapture"])
        .arg("credentials::places::many_ask_by_what_the_environment_has")
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .envs([("HOME", "/nowhere"), ("CLOUD", cloud)])
        .env("ORIGIN", &origin)
        .envs(variables(place, &origin, &path.display().to_string()));
    let told = tokio::task::spawn_blocking(move || child.output().unwrap()).await;
    let told = told.unwrap();
    let _ = std::fs::remove_file(&path);
    let text = [told.stdout, told.stderr].map(|text| String::from_utf8(text).unwrap());
    let text = text.concat();
    assert!(
        told.status.success() && text.contains("1 passed"),
        "{place}: {text}"
    );
    text
}

#[tokio::test]
async fn wherever_credentials_are_they_are_found_and_fetched_once_for_all() {
    for place @ (name, _, issuer, begins) in PLACES {
        let sim = sim().await;
        sim.set("m", "tokens=3".parse().unwrap());
        if let Some(issuer) = issuer {
            sim.set(issuer, "delay=200ms".parse().unwrap());
        }
        let told = asked_by_a_child(&sim, place).await;
        let all = sim.report();
        let asked = of(&all, "m");
        assert_eq!(asked.len(), AT_ONCE, "{name}");
        for seen in asked {
            let borne = seen.header("authorization").unwrap();
            assert!(borne.starts_with(begins), "{name}: {borne}");
            assert!(seen.header("api-key").is_none(), "{name}");
        }
        if let Some(issuer) = issuer {
            // the instance's service opens a session and lists the roles first
            let fetches = if issuer == "aws-imds" { 3 } else { 1 };
            assert_eq!(of(&all, issuer).len(), fetches, "{name}");
        }
        for secret in [SECRET, "sim-token-", "Signature="] {
            assert!(!told.contains(secret), "{name}: {secret}: {told}");
        }
    }
}
