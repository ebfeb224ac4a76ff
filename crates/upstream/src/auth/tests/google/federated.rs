//! Identities that another than Google vouches for: what is exchanged, and what a file must say.

use super::*;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

pub(super) const POOL: &str =
    "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q";
pub(super) const IMPERSONATE: &str =
    "/v1/projects/-/serviceAccounts/robot@p.iam.gserviceaccount.com:generateAccessToken";
const EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
pub(super) const SECRET: &str = "the-token-of-another";

pub(super) fn external(origin: &str, source: Value) -> Value {
    json!({
        "type": "external_account",
        "audience": POOL,
        "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
        "token_url": format!("{origin}/v1/token"),
        "credential_source": source,
    })
}

pub(super) fn user() -> Value {
    json!({
        "type": "authorized_user",
        "client_id": "id",
        "client_secret": "secret~1",
        "refresh_token": "1//r",
        "quota_project_id": "payer",
    })
}

pub(super) fn with(mut file: Value, more: Value) -> Value {
    let more = more.as_object().unwrap().clone();
    file.as_object_mut().unwrap().extend(more);
    file
}

pub(super) fn signer(machine: &Machine, file: &Value) -> Signer {
    machine.signer(google(&file.to_string())).unwrap()
}

#[tokio::test]
async fn a_token_in_a_file_is_exchanged_as_it_is_then() {
    let sim = sim().await;
    let machine = Machine::new("federated");
    let path = machine.file("token", &format!(" {SECRET}-0\n"));
    let file = external(&sim.url(), json!({ "file": path }));
    let signer = signer(&machine, &file);
    machine.file("token", &format!("{SECRET}-1\n"));
    assert_eq!(authorization(&signer).await, "Bearer sim-token-0");
    assert_eq!(authorization(&signer).await, "Bearer sim-token-0");
    let report = sim.report();
    assert_eq!((report.len(), report[0].path.as_str()), (1, "/v1/token"));
    assert_eq!(report[0].header("authorization"), None);
    let expected = [
        ("grant_type", EXCHANGE),
        ("audience", POOL),
        ("scope", "https://www.googleapis.com/auth/cloud-platform"),
        (
            "requested_token_type",
            "urn:ietf:params:oauth:token-type:access_token",
        ),
        ("subject_token", "the-token-of-another-1"),
        ("subject_token_type", "urn:ietf:params:oauth:token-type:jwt"),
    ];
    let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(form(&report[0].body), HashMap::from(expected));
}

#[tokio::test]
async fn a_token_at_a_url_is_asked_for_with_its_headers_and_taken_out_of_its_object() {
    let sim = sim().await;
    let url = format!(
        "{}/metadata/identity/oauth2/token?resource=https://x/y",
        sim.url()
    );
    let source = json!({ "url": url, "headers": { "Metadata": "true" },
        "format": { "type": "json", "subject_token_field_name": "access_token" } });
    let file = with(
        external(&sim.url(), source),
        json!({ "workforce_pool_user_project": "people" }),
    );
    let machine = Machine::new("url");
    assert_eq!(
        authorization(&signer(&machine, &file)).await,
        "Bearer sim-token-1"
    );
    let report = sim.report();
    assert!(report[0].path.ends_with("?resource=https://x/y"));
    let sent = form(&report[1].body);
    assert_eq!(sent["subject_token"], "sim-token-0");
    assert_eq!(sent["options"], "%7B%22userProject%22%3A%22people%22%7D");
    // a client's own project pays
    let file = with(file, json!({ "client_id": "c", "client_secret": "s" }));
    authorization(&signer(&machine, &file)).await;
    let last = &sim.report()[3];
    assert_eq!(last.header("authorization"), Some("Basic Yzpz"));
    assert!(!form(&last.body).contains_key("options"));
    // all of the answer, where no format is given
    let file = external(
        &sim.url(),
        json!({ "url": url, "headers": { "Metadata": "true" } }),
    );
    authorization(&signer(&machine, &file)).await;
    let sent = form(&sim.report()[5].body)["subject_token"].clone();
    assert!(sent.starts_with("{\"access_token\""), "{sent}");
}

/// Answers one request after another with these, and gives what was asked.
async fn scripted(answers: [&'static str; 2]) -> (String, impl Future<Output = Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let serve = async move {
        let mut asked = Vec::new();
        for answer in answers {
            let (mut io, _) = listener.accept().await.unwrap();
            let (mut text, mut some) = (String::new(), [0; 4096]);
            while !text.contains("refresh_token=") {
                let n = io.read(&mut some).await.unwrap();
                text.push_str(std::str::from_utf8(&some[..n]).unwrap());
            }
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n",
                answer.len()
            );
            io.write_all((head + answer).as_bytes()).await.unwrap();
            asked.push(text);
        }
        asked
    };
    (origin, serve)
}

#[tokio::test]
async fn a_user_of_a_workforce_refreshes_by_the_token_that_was_handed_out_last() {
    let (origin, asked) = scripted([
        r#"{"access_token":"a","expires_in":1,"refresh_token":"second"}"#,
        r#"{"access_token":"b","expires_in":3600}"#,
    ])
    .await;
    let file = json!({ "type": "external_account_authorized_user", "audience": POOL,
        "refresh_token": "first", "token_url": format!("{origin}/v1/oauth/token"),
        "client_id": "c", "client_secret": "s" });
    let signer = signer(&Machine::new("workforce"), &file);
    let asking = async {
        assert_eq!(authorization(&signer).await, "Bearer a");
        tokio::time::sleep(std::time::Duration::from_millis(1100)).await;
        assert_eq!(authorization(&signer).await, "Bearer b");
    };
    let (asked, ()) = tokio::join!(asked, asking);
    for (text, token) in asked.iter().zip(["first", "second"]) {
        assert!(text.starts_with("POST /v1/oauth/token "), "{text}");
        assert!(text.contains("authorization: Basic Yzpz\r\n"), "{text}");
        let body = format!("\r\n\r\ngrant_type=refresh_token&refresh_token={token}");
        assert!(text.ends_with(&body), "{text}");
    }
}

/// The request that was shown to the token service.
fn shown(body: &[u8]) -> Value {
    let token = &form(body)["subject_token"];
    let text = &form(format!("token={token}").as_bytes())["token"];
    serde_json::from_str(text).unwrap()
}

#[tokio::test]
async fn an_instance_of_aws_shows_a_request_that_only_google_can_use() {
    let sim = sim().await;
    let meta = format!("{}/latest/meta-data", sim.url());
    let file = external(
        &sim.url(),
        json!({ "environment_id": "aws1",
            "region_url": format!("{meta}/placement/availability-zone"),
            "url": format!("{meta}/iam/security-credentials"),
            "imdsv2_session_token_url": format!("{}/latest/api/token", sim.url()),
            "regional_cred_verification_url":
                "https://sts.{region}.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15" }),
    );
    let machine = Machine::new("aws-instance");
    assert_eq!(
        authorization(&signer(&machine, &file)).await,
        "Bearer sim-token-4"
    );
    let seen = sim.report();
    let paths: Vec<&str> = seen.iter().map(|seen| seen.path.as_str()).collect();
    let roles = "/latest/meta-data/iam/security-credentials";
    let role = format!("{roles}/sim-role");
    let zone = "/latest/meta-data/placement/availability-zone";
    assert_eq!(
        paths,
        ["/latest/api/token", zone, roles, &role, "/v1/token"]
    );
    let said = shown(&seen[4].body);
    let url = "https://sts.eu-west-1.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15";
    assert_eq!(
        (&said["url"], &said["method"]),
        (&json!(url), &json!("POST"))
    );
    let of = |name: &str| {
        let headers = said["headers"].as_array().unwrap();
        let found = headers.iter().find(|header| header["key"] == name);
        found.unwrap()["value"].as_str().unwrap().to_owned()
    };
    assert_eq!(of("x-goog-cloud-target-resource"), POOL);
    assert_eq!(of("x-amz-security-token"), "sim-token-3");
    assert_eq!(of("host"), "sts.eu-west-1.amazonaws.com");
    let signed = of("Authorization");
    let names = "host;x-amz-date;x-amz-security-token;x-goog-cloud-target-resource";
    assert!(signed.contains("/eu-west-1/sts/aws4_request, "), "{signed}");
    assert!(
        signed.contains(&format!("SignedHeaders={names}, ")),
        "{signed}"
    );

    // what the environment says is not asked for
    let machine = machine
        .with("AWS_REGION", "us-east-2")
        .with("AWS_ACCESS_KEY_ID", "AKIAENV")
        .with("AWS_SECRET_ACCESS_KEY", SECRET);
    authorization(&signer(&machine, &file)).await;
    let seen = sim.report();
    assert_eq!((seen.len(), seen[5].path.as_str()), (6, "/v1/token"));
    let said = shown(&seen[5].body).to_string();
    assert!(
        said.contains("Credential=AKIAENV/") && said.contains("sts.us-east-2."),
        "{said}"
    );
    assert!(!said.contains(SECRET), "{said}");
}

#[tokio::test]
async fn a_refusal_names_who_refused_and_no_token() {
    let sim = sim().await;
    let machine = Machine::new("refusals");
    let path = machine.file("token", SECRET);
    let url = format!("{}{IMPERSONATE}", sim.url());
    let file = with(
        external(&sim.url(), json!({ "file": path })),
        json!({ "service_account_impersonation_url": url }),
    );
    for (issuer, script, code, said) in [
        (
            "google-iam",
            "status=403",
            Code::Unauthorized,
            "Google's service for impersonation answered 403 (",
        ),
        (
            "google-iam",
            "status=503",
            Code::ServerError,
            "Google's service for impersonation answered 503",
        ),
        (
            "google-iam",
            "truncated",
            Code::ConnectFailed,
            "Google's service for impersonation cannot be reached",
        ),
        (
            "google-token",
            "status=400",
            Code::Unauthorized,
            "Google's security token service answered 400 (",
        ),
    ] {
        sim.set(issuer, script.parse().unwrap());
        let (found, text) = refusal(&signer(&machine, &file)).await;
        assert_eq!(found, code, "{text}");
        assert!(text.contains(said), "{text}");
        assert!(
            !text.contains(SECRET) && !text.contains("sim-token"),
            "{text}"
        );
    }
    let asked = sim.report().len();
    for (source, said) in [
        (
            json!({ "file": "/nowhere/token" }),
            "cannot be read: entity not found",
        ),
        (
            json!({ "file": machine.file("empty", " \n") }),
            "holds no token",
        ),
        (
            json!({ "file": path, "format": { "type": "json", "subject_token_field_name": "x" } }),
            "holds no token",
        ),
    ] {
        let (code, text) = refusal(&signer(&machine, &external(&sim.url(), source))).await;
        assert_eq!(code, Code::Unauthorized);
        assert!(
            text.contains("the file of credential_source ") && text.contains(said),
            "{text}"
        );
        assert!(
            !text.contains(SECRET) && !text.contains("/nowhere"),
            "{text}"
        );
    }
    assert_eq!(sim.report().len(), asked, "nothing is sent without a token");
    let url = format!("{}/metadata/identity/oauth2/token", sim.url());
    let file = external(&sim.url(), json!({ "url": url }));
    let (code, text) = refusal(&signer(&machine, &file)).await;
    assert_eq!(code, Code::Unauthorized);
    assert!(
        text.contains("the URL of credential_source answered 400"),
        "{text}"
    );
}

#[tokio::test]
async fn what_a_file_says_wrongly_is_named_before_anything_is_sent() {
    let machine = Machine::new("faults");
    let good = "https://sts.googleapis.com";
    let source = |source: Value| external(good, source);
    let more = |more: Value| with(external(good, json!({ "file": "/t" })), more);
    let impersonated = |source: Value| {
        json!({ "type": "impersonated_service_account", "source_credentials": source,
            "service_account_impersonation_url": format!("https://iamcredentials.googleapis.com{IMPERSONATE}") })
    };
    let url = format!("https://iamcredentials.googleapis.com{IMPERSONATE}");
    for (file, named) in [
        (source(json!({})), "credential_source"),
        (
            source(json!({ "environment_id": "aws2" })),
            "credential_source.environment_id",
        ),
        (
            source(
                json!({ "environment_id": "aws1", "regional_cred_verification_url": "https://sts" }),
            ),
            "credential_source.url",
        ),
        (
            source(json!({ "executable": { "command": "/bin/x" } })),
            "credential_source.executable",
        ),
        (
            source(json!({ "certificate": {} })),
            "credential_source.certificate",
        ),
        (
            source(json!({ "url": "http://tokens.example" })),
            "credential_source.url",
        ),
        (
            source(json!({ "url": "https://h", "headers": { "a b": "c" } })),
            "credential_source.headers",
        ),
        (
            source(json!({ "file": "/t", "format": { "type": "xml" } })),
            "credential_source.format.type",
        ),
        (
            source(json!({ "file": "/t", "format": { "type": "json" } })),
            "credential_source.format.subject_token_field_name",
        ),
        (
            external("http://sts.example", json!({ "file": "/t" })),
            "token_url",
        ),
        (
            more(json!({ "service_account_impersonation_url": "http://iam.example/x" })),
            "service_account_impersonation_url",
        ),
        (
            more(json!({ "service_account_impersonation_url": url,
                "service_account_impersonation": { "token_lifetime_seconds": 599 } })),
            "token_lifetime_seconds: 599",
        ),
        (
            with(user(), json!({ "token_uri": "http://oauth.example/token" })),
            "token_uri",
        ),
        (
            impersonated(impersonated(user())),
            "impersonated_service_account",
        ),
    ] {
        let fault = machine.fault(google(&file.to_string()));
        assert_eq!(
            (fault.field, fault.value.as_str()),
            ("auth.google", named),
            "{fault:?}"
        );
        assert!(!format!("{fault:?}").contains("example"), "{fault:?}");
    }
    let azure = "http://169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01";
    signer(
        &machine,
        &source(json!({ "url": azure, "headers": { "Metadata": "True" } })),
    );
    signer(&machine, &impersonated(user()));
}
