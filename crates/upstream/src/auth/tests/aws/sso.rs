//! A single sign-on: which login is read, how it is renewed, and what is said when a person must log in.

use super::*;
use punctual_sim::Seen;
use serde_json::{Value, json};

const SESSION: &str = "[profile p]\nsso_session = my one\nsso_account_id = 123456789012\nsso_role_name = Reader+\n[sso-session 'my one']\nsso_start_url = https://x.awsapps.com/start\nsso_region = eu-west-1\nsso_registration_scopes = sso:account:access\n";
const ALONE: &str = "[profile p]\nsso_start_url = https://x.awsapps.com/start\nsso_region = eu-west-1\nsso_account_id = 123456789012\nsso_role_name = Reader+\n";
/// `printf %s 'my one' | sha1sum`, and the same of the start URL.
const SESSION_FILE: &str = ".aws/sso/cache/5e848934ba0f897a956d864f427057d0d7375dcf.json";
const ALONE_FILE: &str = ".aws/sso/cache/3947de8b16688092197fa616c34e01335f21d256.json";
const LOG_IN: &str = "; sign in with: aws sso login --profile p";

fn signed_on(test: &str, sim: &Sim, config: &str) -> Machine {
    let machine = Machine::new(test)
        .with("AWS_ENDPOINT_URL_SSO", sim.url())
        .with("AWS_ENDPOINT_URL_SSO_OIDC", sim.url());
    machine.file(".aws/config", config);
    machine
}

/// A login that ends so many seconds from now.
fn login(left: u64) -> Value {
    let end = moment::Moment(moment::Moment::now().0 + left).written();
    json!({ "startUrl": "https://x.awsapps.com/start", "accessToken": "the-login", "expiresAt": end })
}

fn renewable(left: u64) -> Value {
    let mut login = login(left);
    for (name, value) in [
        ("clientId", "client"),
        ("clientSecret", "the-client-secret"),
        ("refreshToken", "the-refresh-token"),
        ("registrationExpiresAt", "2999-01-01T00:00:00Z"),
    ] {
        login[name] = value.into();
    }
    login
}

fn names(all: &[Seen]) -> Vec<&str> {
    all.iter().map(|seen| seen.model.as_str()).collect()
}

#[tokio::test]
async fn a_login_of_a_person_gives_keys() {
    for (config, file) in [(SESSION, SESSION_FILE), (ALONE, ALONE_FILE)] {
        let sim = sim().await;
        let machine = signed_on("sso", &sim, config);
        machine.file(file, &login(3600).to_string());
        let signer = machine.signer(of_profile("p")).unwrap();
        for _ in 0..2 {
            let headers = sign(&signer).await.unwrap();
            assert_eq!(headers["x-amz-security-token"], "sim-token-0");
        }
        let all = sim.report();
        assert_eq!(names(&all), ["aws-sso"]);
        let path = "/federation/credentials?role_name=Reader%2B&account_id=123456789012";
        assert_eq!(
            (all[0].method.as_str(), all[0].path.as_str()),
            ("GET", path)
        );
        assert_eq!(all[0].header("x-amz-sso_bearer_token"), Some("the-login"));
    }
}

#[tokio::test]
async fn without_a_login_it_is_said_how_to_get_one() {
    let sim = sim().await;
    for (test, config, saved, word) in [
        (
            "none",
            SESSION,
            None,
            "is not in ~/.aws/sso/cache: entity not found",
        ),
        ("over", SESSION, Some(login(0)), "has ended"),
        ("alone", ALONE, Some(renewable(0)), "has ended"),
        (
            "torn",
            SESSION,
            Some(json!({ "accessToken": 1 })),
            "cannot be read",
        ),
        (
            "unknown",
            SESSION,
            Some(json!({ "accessToken": "a", "expiresAt": "soon" })),
            "has ended",
        ),
    ] {
        let machine = signed_on(&format!("sso-{test}"), &sim, config);
        let file = if config == ALONE {
            ALONE_FILE
        } else {
            SESSION_FILE
        };
        saved.map(|saved| machine.file(file, &saved.to_string()));
        let (code, text) = refusal(&machine.signer(of_profile("p")).unwrap()).await;
        assert_eq!(code, Code::Unauthorized, "{test}");
        assert!(
            text.contains(word) && text.ends_with(LOG_IN),
            "{test}: {text}"
        );
    }
    assert_eq!(sim.report().len(), 0);

    let machine = signed_on("sso-denied", &sim, SESSION);
    machine.file(SESSION_FILE, &login(3600).to_string());
    for (status, word) in [(401, LOG_IN), (403, "the portal of AWS SSO answered 403 (")] {
        sim.set("aws-sso", format!("status={status}").parse().unwrap());
        let (code, text) = refusal(&machine.signer(of_profile("p")).unwrap()).await;
        assert_eq!(code, Code::Unauthorized);
        assert!(text.contains(word) && !text.contains("the-login"), "{text}");
    }
}

#[tokio::test]
async fn a_login_that_ends_soon_is_renewed_and_saved_for_all() {
    let sim = sim().await;
    let machine = signed_on("sso-renewed", &sim, SESSION);
    let file = machine.file(SESSION_FILE, &renewable(200).to_string());
    sign(&machine.signer(of_profile("p")).unwrap())
        .await
        .unwrap();
    let all = sim.report();
    assert_eq!(names(&all), ["aws-sso-oidc", "aws-sso"]);
    assert_eq!(
        (all[0].method.as_str(), all[0].path.as_str()),
        ("POST", "/token")
    );
    let asked: Value = serde_json::from_slice(&all[0].body).unwrap();
    let expected = json!({ "grantType": "refresh_token", "clientId": "client",
        "clientSecret": "the-client-secret", "refreshToken": "the-refresh-token" });
    assert_eq!(asked, expected);
    assert_eq!(all[1].header("x-amz-sso_bearer_token"), Some("sim-token-0"));
    let saved: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(saved["accessToken"], "sim-token-0");
    assert_eq!(saved["refreshToken"], "sim-refresh-0");
    assert_eq!(saved["startUrl"], "https://x.awsapps.com/start");
    let end = moment::Moment::parse(saved["expiresAt"].as_str().unwrap()).unwrap();
    assert!(end.left().as_secs() > 3000, "{saved}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let files = fs::read_dir(file.parent().unwrap()).unwrap();
    assert_eq!(files.count(), 1, "nothing is left beside it");
    // who comes later reads the new one
    sign(&machine.signer(of_profile("p")).unwrap())
        .await
        .unwrap();
    assert_eq!(names(&sim.report())[2..], ["aws-sso"]);
}

#[tokio::test]
async fn a_login_that_cannot_be_renewed_is_used_to_its_end() {
    let sim = sim().await;
    for (status, left, refused) in [
        (400, 0, Some((Code::Unauthorized, "has ended"))),
        (
            500,
            0,
            Some((Code::ServerError, "AWS SSO OIDC answered 500")),
        ),
        (400, 200, None),
        (500, 200, None),
    ] {
        let machine = signed_on(&format!("sso-{status}-{left}"), &sim, SESSION);
        machine.file(SESSION_FILE, &renewable(left).to_string());
        sim.set("aws-sso-oidc", format!("status={status}").parse().unwrap());
        let signer = machine.signer(of_profile("p")).unwrap();
        let Some((code, word)) = refused else {
            sign(&signer).await.unwrap();
            let all = sim.report();
            let seen = all.last().unwrap();
            assert_eq!(seen.header("x-amz-sso_bearer_token"), Some("the-login"));
            continue;
        };
        let (found, text) = refusal(&signer).await;
        assert_eq!(found, code);
        assert!(text.contains(word), "{text}");
    }
    let mut over = renewable(200);
    over["registrationExpiresAt"] = "2020-01-01T00:00:00Z".into();
    let machine = signed_on("sso-registration", &sim, SESSION);
    machine.file(SESSION_FILE, &over.to_string());
    let before = sim.report().len();
    sign(&machine.signer(of_profile("p")).unwrap())
        .await
        .unwrap();
    assert_eq!(names(&sim.report()[before..]), ["aws-sso"]);
}

#[cfg(unix)]
#[tokio::test]
async fn a_renewed_login_that_cannot_be_saved_is_still_used() {
    let sim = sim().await;
    let machine = signed_on("sso-read-only", &sim, SESSION);
    let file = machine.file(SESSION_FILE, &renewable(200).to_string());
    // in the way of what would be renamed: a folder of that name
    let beside = file.with_extension(format!("json.{}", std::process::id()));
    fs::create_dir(&beside).unwrap();
    let signer = machine.signer(of_profile("p")).unwrap();
    sim.set("aws-sso", "expires-in=0s".parse().unwrap());
    for _ in 0..2 {
        sign(&signer).await.unwrap();
    }
    let all = sim.report();
    assert_eq!(names(&all), ["aws-sso-oidc", "aws-sso", "aws-sso"]);
    assert_eq!(all[2].header("x-amz-sso_bearer_token"), Some("sim-token-0"));
}

#[tokio::test]
async fn a_single_sign_on_that_says_too_little_is_refused_by_what_it_lacks() {
    for (from, to, word) in [
        (
            "[sso-session 'my one']",
            "[sso-session other]",
            "no section [sso-session my one]",
        ),
        ("sso_role_name", "x", "without sso_role_name"),
        ("sso_account_id", "x", "without sso_account_id"),
        ("sso_start_url", "x", "which has no sso_start_url"),
        (
            "\nsso_account",
            "\nsso_region = eu-west-2\nsso_account",
            "another sso_region",
        ),
        ("= eu-west-1", "= eu/west", "sso_region = eu/west"),
    ] {
        let machine = Machine::new("sso-faults");
        machine.file(".aws/config", &SESSION.replace(from, to));
        let fault = machine.fault(of_profile("p"));
        assert_eq!(
            (fault.field, fault.value.as_str()),
            ("auth.aws.profile", "p"),
            "{word}"
        );
        assert!(fault.problem.contains(word), "{word}: {}", fault.problem);
    }
    let machine = Machine::new("sso-faults-alone");
    machine.file(".aws/config", &ALONE.replace("sso_region", "x"));
    let fault = machine.fault(of_profile("p"));
    assert!(fault.problem.contains("without sso_region"), "{fault:?}");
}
