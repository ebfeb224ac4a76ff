//! What stands beside the streams: responses that are kept, other unary services, credential servers, and
//! the record of what all of them were sent.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod talk;

use std::time::Duration;

use punctual_sim::{Listen, Script, Sim};
use serde_json::Value;
use talk::{End, Heard, Http2, ask, body, send};

const PATIENCE: Duration = Duration::from_millis(250);

async fn plain() -> Sim {
    Sim::start(Listen::loopback()).await.unwrap()
}

fn json(heard: &Heard) -> Value {
    serde_json::from_slice(&heard.bytes()).unwrap()
}

fn script(line: &str) -> Script {
    line.parse().unwrap()
}

async fn response(sim: &Sim, more: &str) -> Value {
    let body = format!(r#"{{"model":"m","input":"hi"{more}}}"#);
    json(&ask(sim, "/v1/responses", &body, PATIENCE).await)
}

#[tokio::test]
async fn a_response_is_kept_cancelled_and_deleted_where_it_was_made() {
    let (sim, other) = (plain().await, plain().await);
    let first = response(&sim, "").await;
    let first = first["id"].as_str().unwrap();
    let second = response(&sim, &format!(r#","previous_response_id":"{first}""#)).await;
    assert_eq!(second["previous_response_id"], first);
    let id = second["id"].as_str().unwrap();
    let elsewhere = response(&other, "").await;
    assert!(id != first && elsewhere["id"] != first);
    let path = format!("/v1/responses/{id}");
    let got = json(&send(&sim, "GET", &path, &[], "").await);
    assert_eq!((&got["id"], &got["model"]), (&id.into(), &"m".into()));
    assert_eq!(
        (&got["previous_response_id"], &got["status"]),
        (&first.into(), &"completed".into())
    );
    assert_eq!(got["output"][0]["content"][0]["text"], "tok0 tok1 ");
    assert_eq!(send(&other, "GET", &path, &[], "").await.status(), 404);
    let cancelled = json(&send(&sim, "POST", &format!("{path}/cancel"), &[], "").await);
    assert_eq!(cancelled["status"], "cancelled");
    let streamed = send(&sim, "GET", &format!("{path}?stream=true"), &[], "").await;
    assert_eq!(streamed.data().len(), 10);
    let gone = json(&send(&sim, "DELETE", &path, &[], "").await);
    assert_eq!((&gone["id"], &gone["deleted"]), (&id.into(), &true.into()));
    assert_eq!(send(&sim, "GET", &path, &[], "").await.status(), 404);
    sim.reset();
    let path = format!("/v1/responses/{first}");
    assert_eq!(send(&sim, "GET", &path, &[], "").await.status(), 404);
}

#[tokio::test]
async fn a_streamed_response_is_kept_and_a_refused_one_is_not() {
    let sim = plain().await;
    let heard = ask(&sim, "/v1/responses", &body("m", true), PATIENCE).await;
    let created: Value = serde_json::from_str(&heard.data()[0]).unwrap();
    let id = created["response"]["id"].as_str().unwrap();
    let path = format!("/v1/responses/{id}");
    assert_eq!(send(&sim, "GET", &path, &[], "").await.status(), 200);
    sim.set(id, script("status=503"));
    assert_eq!(send(&sim, "GET", &path, &[], "").await.status(), 503);
    let slow = format!("/sim:delay=60ms{path}");
    assert!(send(&sim, "GET", &slow, &[], "").await.took >= Duration::from_millis(60));
    let port = sim.addr().port();
    ask(
        &sim,
        "/v1/responses",
        &body("sim:status=500", false),
        PATIENCE,
    )
    .await;
    let refused = format!("/v1/responses/resp_sim_{port}_4");
    assert_eq!(send(&sim, "GET", &refused, &[], "").await.status(), 404);
}

#[tokio::test]
async fn tokens_are_counted_as_anthropic_does() {
    let sim = plain().await;
    let vertex = "/v1/projects/p/locations/l/publishers/anthropic/models/count-tokens:rawPredict";
    for path in ["/v1/messages/count_tokens", vertex] {
        let counted = json(&ask(&sim, path, &body("m", false), PATIENCE).await);
        assert_eq!(counted["input_tokens"], 7, "{path}");
    }
    let wanted = body("sim:status=429", false);
    let refused = ask(&sim, "/v1/messages/count_tokens", &wanted, PATIENCE).await;
    assert_eq!(json(&refused)["type"], "error");
}

#[tokio::test]
async fn every_typed_question_gets_its_answer() {
    let sim = plain().await;
    let asked = r#"{"model":"jev","state":"x","questions":{
        "urgent":{"type":"noul","criteria":"is it?"},
        "mood":{"type":"choice","criteria":{"angry":"a","calm":"b"}},
        "grade":{"type":"score","criteria":["low","high"]}}}"#;
    let said = json(&ask(&sim, "/v1/systemone", asked, PATIENCE).await);
    assert_eq!(
        (&said["model"], &said["answers"]["urgent"]["noul"]),
        (&"jev".into(), &0.5.into())
    );
    assert_eq!(said["answers"]["mood"]["choice"], "angry");
    assert_eq!(said["answers"]["grade"]["legend"]["1"], "high");
    assert!(said["usage"]["input_tokens"].is_u64());
    let status = ask(
        &sim,
        "/x/systemone",
        &body("sim:status=503", true),
        PATIENCE,
    )
    .await;
    assert_eq!(status.status(), 503);
}

#[tokio::test]
async fn the_gateways_pictures_are_of_the_model_in_the_header() {
    let sim = plain().await;
    sim.set("bfl/flux", script("delay=40ms"));
    let headers = [
        ("ai-model-id", "bfl/flux"),
        ("ai-image-model-specification-version", "3"),
    ];
    let heard = send(
        &sim,
        "POST",
        "/v1/ai/image-model",
        &headers,
        r#"{"prompt":"x","n":2}"#,
    )
    .await;
    assert!(heard.took >= Duration::from_millis(40));
    let images = json(&heard)["images"].clone();
    assert_eq!(images.as_array().unwrap().len(), 2);
    assert!(images[1].as_str().unwrap().starts_with("iVBOR"));
    let seen = &sim.report()[0];
    assert_eq!(
        (seen.model.as_str(), seen.header("ai-model-id")),
        ("bfl/flux", Some("bfl/flux"))
    );
}

const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");
const EXCHANGE: &str = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange&audience=a&subject_token=t&subject_token_type=j";
const JWT: &str =
    "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=a.b.c";

#[tokio::test]
async fn google_gives_a_new_token_to_each_request() {
    let sim = plain().await;
    sim.set("google-token", script("delay=50ms,expires-in=2s"));
    let refresh = "grant_type=refresh_token&refresh_token=r&client_id=c";
    for (seq, form) in [JWT, refresh, EXCHANGE].iter().enumerate() {
        let heard = send(&sim, "POST", "/token", &[FORM], form).await;
        assert!(heard.took >= Duration::from_millis(50));
        let said = json(&heard);
        assert_eq!(said["access_token"], format!("sim-token-{seq}"));
        assert_eq!(
            (&said["expires_in"], &said["token_type"]),
            (&2.into(), &"Bearer".into())
        );
    }
    for (form, code) in [
        ("grant_type=password", "unsupported_grant_type"),
        (&JWT.replace("a.b.c", "a.b"), "invalid_grant"),
        (&EXCHANGE.replace("subject_token=t&", ""), "invalid_grant"),
        ("", "unsupported_grant_type"),
    ] {
        let heard = send(&sim, "POST", "/token", &[FORM], form).await;
        assert_eq!(
            (heard.status(), &json(&heard)["error"]),
            (400, &code.into())
        );
    }
    assert_eq!(
        sim.report()
            .iter()
            .filter(|s| s.model == "google-token")
            .count(),
        7
    );
}

#[tokio::test]
async fn google_lets_a_bearer_be_an_account() {
    let sim = plain().await;
    let path = "/v1/projects/-/serviceAccounts/a@p.iam.gserviceaccount.com:generateAccessToken";
    let heard = send(&sim, "POST", path, &[], "{}").await;
    assert_eq!(heard.status(), 401);
    assert_eq!(json(&heard)["error"]["status"], "UNAUTHENTICATED");
    let bearer = [("authorization", "Bearer t")];
    let said = json(&send(&sim, "POST", path, &bearer, "{}").await);
    assert_eq!(said["accessToken"], "sim-token-1");
    let until = said["expireTime"].as_str().unwrap();
    assert!(until.ends_with('Z') && until.len() == 20, "{until}");
    sim.set("google-iam", script("status=403"));
    let heard = send(&sim, "POST", path, &bearer, "{}").await;
    assert_eq!(
        (heard.status(), &json(&heard)["error"]["code"]),
        (403, &403.into())
    );
}

#[tokio::test]
async fn metadata_servers_want_their_header() {
    let sim = plain().await;
    let path = "/computeMetadata/v1/instance/service-accounts/default/token";
    assert_eq!(send(&sim, "GET", path, &[], "").await.status(), 403);
    let flavour = [("metadata-flavor", "Google")];
    let heard = send(&sim, "GET", path, &flavour, "").await;
    assert_eq!(heard.header("metadata-flavor"), Some("Google"));
    assert_eq!(json(&heard)["expires_in"], 3599);
    let project = send(
        &sim,
        "GET",
        "/computeMetadata/v1/project/project-id",
        &flavour,
        "",
    )
    .await;
    assert_eq!(project.text(), "sim-project");
    let path = "/metadata/identity/oauth2/token?api-version=2018-02-01&resource=r";
    assert_eq!(send(&sim, "GET", path, &[], "").await.status(), 400);
    let heard = send(&sim, "GET", path, &[("metadata", "true")], "").await;
    assert_eq!(json(&heard)["expires_in"], "3599");
}

#[tokio::test]
async fn entra_gives_tokens_to_clients() {
    let sim = plain().await;
    let path = "/11111111-2222/oauth2/v2.0/token";
    let form = "grant_type=client_credentials&client_id=c&client_secret=s&scope=https%3A%2F%2Fx%2F.default";
    let heard = send(&sim, "POST", path, &[FORM], form).await;
    assert_eq!(json(&heard)["access_token"], "sim-token-0");
    let heard = send(
        &sim,
        "POST",
        path,
        &[FORM],
        &form.replace("client_secret", "secret"),
    )
    .await;
    assert_eq!(
        (heard.status(), &json(&heard)["error"]),
        (400, &"invalid_request".into())
    );
    sim.set("entra-token", script("status=503"));
    assert_eq!(send(&sim, "POST", path, &[FORM], form).await.status(), 503);
}

#[tokio::test]
async fn aws_gives_keys_in_its_three_forms() {
    let sim = plain().await;
    let opened = send(&sim, "PUT", "/latest/api/token", &[], "").await;
    let session = opened.text();
    assert_eq!(session, "sim-session-0");
    let folder = "/latest/meta-data/iam/security-credentials/";
    assert_eq!(send(&sim, "GET", folder, &[], "").await.status(), 401);
    let headers = [("x-aws-ec2-metadata-token", session.as_str())];
    let role = send(&sim, "GET", folder, &headers, "").await.text();
    let keys = json(&send(&sim, "GET", &format!("{folder}{role}"), &headers, "").await);
    assert_eq!(
        (&keys["Code"], &keys["Token"]),
        (&"Success".into(), &"sim-token-3".into())
    );
    let zone = "/latest/meta-data/placement/availability-zone";
    let zone = send(&sim, "GET", zone, &headers, "").await.text();
    assert_eq!(zone, "eu-west-1b");
    sim.set("aws-container", script("expires-in=0s"));
    let keys = json(&send(&sim, "GET", "/v2/credentials/abc", &[], "").await);
    assert_eq!(keys["Expiration"], keys["LastUpdated"]);
    assert!(keys["AccessKeyId"].as_str().unwrap().starts_with("ASIA"));
    let form = "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=r&WebIdentityToken=t";
    let heard = send(&sim, "POST", "/", &[FORM], form).await;
    assert_eq!(heard.header("content-type"), Some("text/xml"));
    assert_eq!(heard.count("<SessionToken>sim-token-6</SessionToken>"), 1);
    let heard = send(
        &sim,
        "GET",
        "/?Action=AssumeRoleWithWebIdentity&RoleArn=r",
        &[],
        "",
    )
    .await;
    assert_eq!(
        (heard.status(), heard.count("<Code>ValidationError</Code>")),
        (400, 1)
    );
    let names: Vec<String> = sim.report().into_iter().map(|seen| seen.model).collect();
    assert_eq!(names.iter().filter(|n| *n == "aws-imds").count(), 5);
    assert_eq!(
        (names[5].as_str(), names[6].as_str()),
        ("aws-container", "aws-sts")
    );
}

#[tokio::test]
async fn aws_gives_a_role_to_who_signs_and_keys_to_who_signed_on() {
    let sim = plain().await;
    let form = "Action=AssumeRole&RoleArn=r&RoleSessionName=s";
    assert_eq!(send(&sim, "POST", "/", &[FORM], form).await.status(), 403);
    let signed = [FORM, ("authorization", "AWS4-HMAC-SHA256 x")];
    let heard = send(&sim, "POST", "/", &signed, form).await;
    assert_eq!(heard.count("<AssumeRoleResult><Credentials>"), 1);
    assert_eq!(heard.count("<SessionToken>sim-token-1</SessionToken>"), 1);
    let path = "/federation/credentials?role_name=r&account_id=1";
    assert_eq!(send(&sim, "GET", path, &[], "").await.status(), 401);
    let bearer = [("x-amz-sso_bearer_token", "t")];
    let keys = json(&send(&sim, "GET", path, &bearer, "").await);
    assert_eq!(keys["roleCredentials"]["sessionToken"], "sim-token-3");
    let until = keys["roleCredentials"]["expiration"].as_u64().unwrap();
    assert!(until > 1_700_000_000_000, "{until}");
    let renewal =
        r#"{"grantType":"refresh_token","clientId":"c","clientSecret":"s","refreshToken":"r"}"#;
    let token = json(&send(&sim, "POST", "/token", &[], renewal).await);
    assert_eq!(token["accessToken"], "sim-token-4");
    assert_eq!(send(&sim, "POST", "/token", &[], "{}").await.status(), 400);
    let names: Vec<String> = sim.report().into_iter().map(|seen| seen.model).collect();
    assert_eq!(
        (names[1].as_str(), names[3].as_str()),
        ("aws-sts", "aws-sso")
    );
    assert_eq!(names[4], "aws-sso-oidc");
}

#[tokio::test]
async fn credential_servers_misbehave_like_any_other() {
    let sim = plain().await;
    for (line, end) in [
        ("silent-headers", End::Silent),
        ("truncated", End::Fin),
        ("rst", End::Rst),
        ("trickle=5ms", End::Silent),
        ("fail=1,status=500", End::Complete),
    ] {
        sim.set("google-token", script(line));
        let heard = send(&sim, "POST", "/token", &[FORM], JWT).await;
        assert_eq!(heard.end, end, "{line}");
    }
    let heard = send(&sim, "POST", "/token", &[FORM], JWT).await;
    assert_eq!(heard.status(), 200, "only the first one failed");
    let path = "/sim:status=429/tenant/oauth2/v2.0/token";
    let form = "grant_type=client_credentials&client_id=c&client_secret=s&scope=x";
    assert_eq!(send(&sim, "POST", path, &[FORM], form).await.status(), 429);
}

#[tokio::test]
async fn the_record_keeps_all_that_was_sent_on_every_path() {
    let sim = plain().await;
    let paths = [
        (
            "POST",
            "/v1beta/models/g:streamGenerateContent?alt=sse&key=k",
        ),
        ("POST", "/model/m/converse-stream"),
        ("POST", "/api/chat"),
        ("GET", "/v1/responses/resp_1?include=x"),
        ("DELETE", "/v1/responses/resp_1"),
        ("PUT", "/latest/api/token?x=y"),
        (
            "GET",
            "/computeMetadata/v1/instance/service-accounts/default/token?scopes=s",
        ),
    ];
    for (method, path) in paths {
        let headers = [
            ("authorization", "Bearer sim-token-7"),
            ("x-twice", "1"),
            ("x-twice", "2"),
        ];
        send(&sim, method, path, &headers, r#"{"a":1}"#).await;
    }
    let report = sim.report();
    assert_eq!(report.len(), paths.len());
    for (seen, (method, path)) in report.iter().zip(paths) {
        assert_eq!((seen.method.as_str(), seen.path.as_str()), (method, path));
        assert_eq!(seen.header("authorization"), Some("Bearer sim-token-7"));
        assert_eq!(
            seen.headers.iter().filter(|(n, _)| n == "x-twice").count(),
            2
        );
        assert_eq!(&seen.body[..], br#"{"a":1}"#);
    }
    let mut client = Http2::open(&sim).await;
    let answer = client.post("/model/m/converse-stream", r#"{"b":2}"#).await;
    let heard = Http2::listen(answer, PATIENCE).await;
    assert_eq!(
        heard.header("content-type"),
        Some("application/vnd.amazon.eventstream")
    );
    let seen = sim.report().pop().unwrap();
    assert_eq!(
        (seen.model.as_str(), &seen.body[..]),
        ("m", br#"{"b":2}"#.as_slice())
    );
}
