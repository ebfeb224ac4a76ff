//! Roles that are taken with other keys: whose, in which order, and what STS is told.

use super::*;
use ring::{digest, hmac};

const ROLE: &str = "arn:aws:iam::1:role/r";

fn shared(test: &str, sim: &Sim, config: &str, credentials: &str) -> Machine {
    let machine = Machine::new(test).with("AWS_ENDPOINT_URL_STS", sim.url());
    machine.file(".aws/config", config);
    machine.file(".aws/credentials", credentials);
    machine
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// The signature that STS makes of what it got.
fn expected(seen: &punctual_sim::Seen, secret: &str) -> String {
    let value = |name: &str| seen.header(name).unwrap().to_owned();
    let authorization = value("authorization");
    let part = |name: &str| {
        let (_, rest) = authorization.split_once(name).unwrap();
        rest.split(',').next().unwrap().to_owned()
    };
    let names = part("SignedHeaders=");
    let headers = names
        .split(';')
        .map(|name| format!("{name}:{}\n", value(name)));
    let headers: String = headers.collect();
    let body = hex(digest::digest(&digest::SHA256, &seen.body).as_ref());
    let canonical = format!(
        "{}\n{}\n\n{headers}\n{names}\n{body}",
        seen.method, seen.path
    );
    let canonical = hex(digest::digest(&digest::SHA256, canonical.as_bytes()).as_ref());
    let scope = part("Credential=");
    let (_, scope) = scope.split_once('/').unwrap();
    let text = format!(
        "AWS4-HMAC-SHA256\n{}\n{scope}\n{canonical}",
        value("x-amz-date")
    );
    let mac = |key: &[u8], text: &str| {
        let key = hmac::Key::new(hmac::HMAC_SHA256, key);
        hmac::sign(&key, text.as_bytes()).as_ref().to_vec()
    };
    let first = format!("AWS4{secret}").into_bytes();
    let key = scope.split('/').fold(first, |key, part| mac(&key, part));
    hex(&mac(&key, &text))
}

#[tokio::test]
async fn a_role_is_taken_with_the_keys_of_another_profile() {
    let sim = sim().await;
    let config = format!(
        "[profile r]\nrole_arn = {ROLE}\nsource_profile = keys\nrole_session_name = me\nexternal_id = the one\nduration_seconds = 900\n"
    );
    let keys = "[keys]\naws_access_key_id = AKIASOURCE\naws_secret_access_key = source-secret\n";
    let machine = shared("role", &sim, &config, keys);
    let signer = machine.signer(of_profile("r")).unwrap();
    for _ in 0..2 {
        let headers = sign(&signer).await.unwrap();
        assert_eq!(headers["x-amz-security-token"], "sim-token-0");
    }
    let all = sim.report();
    assert_eq!(all.len(), 1, "one for all");
    let asked = form(&all[0].body);
    for (name, value) in [
        ("Action", "AssumeRole"),
        ("Version", "2011-06-15"),
        ("RoleArn", ROLE),
        ("RoleSessionName", "me"),
        ("ExternalId", "the one"),
        ("DurationSeconds", "900"),
    ] {
        assert_eq!(asked[name], value);
    }
    let (key, scope) = signed_by(&all[0]);
    assert_eq!(
        (key.as_str(), scope.as_str()),
        ("AKIASOURCE", "eu-west-1/sts/aws4_request")
    );
    let signed = all[0].header("authorization").unwrap();
    assert!(
        signed.contains("SignedHeaders=content-type;host;x-amz-"),
        "{signed}"
    );
    let expected = expected(&all[0], "source-secret");
    assert!(
        signed.ends_with(&format!("Signature={expected}")),
        "{signed}"
    );

    sim.set("aws-sts", "status=403".parse().unwrap());
    let (code, text) = refusal(&machine.signer(of_profile("r")).unwrap()).await;
    assert_eq!(code, Code::Unauthorized);
    assert!(
        text.starts_with("no credential: AWS STS answered 403"),
        "{text}"
    );
}

#[tokio::test]
async fn roles_lead_to_roles_and_end_at_keys() {
    let sim = sim().await;
    let config = "[profile a]\nrole_arn = A\nsource_profile = b\n[profile b]\nrole_arn = B\nsource_profile = c\n[profile c]\nrole_arn = C\nsource_profile = c\naws_access_key_id = AKIAC\naws_secret_access_key = s\n";
    let machine = shared("role-chain", &sim, config, "");
    let signer = machine.signer(of_profile("a")).unwrap();
    assert_eq!(
        sign(&signer).await.unwrap()["x-amz-security-token"],
        "sim-token-1"
    );
    let all = sim.report();
    let taken = |n: usize| (form(&all[n].body)["RoleArn"].clone(), signed_by(&all[n]).0);
    // of a profile that others take a role with, keys go before its own role
    assert_eq!(taken(0), ("B".into(), "AKIAC".into()));
    assert_eq!(taken(1), ("A".into(), "ASIASIM0000000000000".into()));
    assert_eq!(all[1].header("x-amz-security-token"), Some("sim-token-0"));
    assert_eq!(form(&all[1].body)["RoleSessionName"], "punctual");
    // of the one that is asked for, its role goes before its keys
    let signer = machine.signer(of_profile("c")).unwrap();
    assert_eq!(
        sign(&signer).await.unwrap()["x-amz-security-token"],
        "sim-token-2"
    );
    let all = sim.report();
    assert_eq!(form(&all[2].body)["RoleArn"], "C");
    assert_eq!(signed_by(&all[2]).0, "AKIAC");
}

#[tokio::test]
async fn a_role_is_taken_with_what_the_machine_has() {
    let sim = sim().await;
    for (source, asked, key) in [
        ("Environment", &["aws-sts"][..], "AKIAENV"),
        ("EcsContainer", &["aws-container", "aws-sts"], "ASIASIM"),
        (
            "ec2instancemetadata",
            &["aws-imds", "aws-imds", "aws-imds", "aws-sts"],
            "ASIASIM",
        ),
    ] {
        let config = format!("[profile r]\nrole_arn = {ROLE}\ncredential_source = {source}\n");
        let container = format!("{}/v2/credentials/id", sim.url());
        let machine = shared(source, &sim, &config, "")
            .with("AWS_ACCESS_KEY_ID", "AKIAENV")
            .with("AWS_SECRET_ACCESS_KEY", "s")
            .with("AWS_CONTAINER_CREDENTIALS_FULL_URI", container)
            .with("AWS_EC2_METADATA_SERVICE_ENDPOINT", sim.url());
        let before = sim.report().len();
        sign(&machine.signer(of_profile("r")).unwrap())
            .await
            .unwrap();
        let all = sim.report().split_off(before);
        let names: Vec<&str> = all.iter().map(|seen| seen.model.as_str()).collect();
        assert_eq!(names, asked, "{source}");
        let signed = signed_by(all.last().unwrap()).0;
        assert!(signed.starts_with(key), "{source}: {signed}");
    }
}

#[tokio::test]
async fn a_profile_shows_a_web_identity() {
    let sim = sim().await;
    let token = Machine::new("role-web-token");
    let token = (token.file("token", "the-token"), token);
    let config = format!(
        "[profile w]\nrole_arn = W\nweb_identity_token_file = {}\nrole_session_name = pod\n[profile r]\nrole_arn = R\nsource_profile = w\n",
        token.0.display()
    );
    let machine = shared("role-web", &sim, &config, "");
    sign(&machine.signer(of_profile("r")).unwrap())
        .await
        .unwrap();
    let all = sim.report();
    let first = form(&all[0].body);
    assert_eq!(first["WebIdentityToken"], "the-token");
    assert_eq!(
        (first["RoleArn"].as_str(), first["RoleSessionName"].as_str()),
        ("W", "pod")
    );
    assert_eq!(all[0].header("authorization"), None);
    assert_eq!(form(&all[1].body)["RoleArn"], "R");
    assert_eq!(all[1].header("x-amz-security-token"), Some("sim-token-0"));
}

#[tokio::test]
async fn a_role_that_nobody_can_take_is_refused_by_what_is_wrong() {
    let deep: String = (0..12)
        .map(|n| {
            format!(
                "[profile p{n}]\nrole_arn = r\nsource_profile = p{}\n",
                n + 1
            )
        })
        .collect();
    for (at, config, word) in [
        (
            "p",
            "[profile p]\nrole_arn = r\n",
            "does not say with whose keys",
        ),
        (
            "p",
            "[profile p]\nrole_arn = r\nsource_profile = q\ncredential_source = Environment\n",
            "both source_profile and credential_source",
        ),
        (
            "p",
            "[profile p]\nrole_arn = r\nsource_profile = q\n",
            "source_profile = q, which is not there",
        ),
        (
            "p",
            "[profile p]\nrole_arn = r\nsource_profile = q\n[profile q]\nregion = x\n",
            "source_profile = q, which has no keys",
        ),
        (
            "p",
            "[profile p]\nrole_arn = r\nsource_profile = p\n",
            "names itself",
        ),
        (
            "q",
            "[profile p]\nrole_arn = r\nsource_profile = q\n[profile q]\nrole_arn = r\nsource_profile = p\n",
            "is its own source_profile: p, q, p",
        ),
        (
            "p7",
            &deep.replace("profile p0", "profile p"),
            "over 8 profiles",
        ),
        (
            "p",
            "[profile p]\nrole_arn = r\nsource_profile = q\nmfa_serial = m\n",
            "mfa_serial",
        ),
        (
            "p",
            "[profile p]\nrole_arn = r\nsource_profile = q\nduration_seconds = 1h\n",
            "duration_seconds = 1h",
        ),
        (
            "p",
            "[profile p]\nrole_arn = r\nsource_profile = q\nduration_seconds = 899\n",
            "duration_seconds = 899",
        ),
        (
            "p",
            "[profile p]\nrole_arn = r\ncredential_source = Environment\n",
            "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set",
        ),
        (
            "p",
            "[profile p]\nrole_arn = r\ncredential_source = EcsContainer\n",
            "AWS_CONTAINER_CREDENTIALS_FULL_URI are not set",
        ),
        (
            "p",
            "[profile p]\nrole_arn = r\ncredential_source = Ec2InstanceMetadata\n",
            "AWS_EC2_METADATA_DISABLED",
        ),
        (
            "p",
            "[profile p]\nrole_arn = r\ncredential_source = Elsewhere\n",
            "credential_source = Elsewhere",
        ),
        (
            "p",
            "[profile p]\nweb_identity_token_file = f\n",
            "no role_arn",
        ),
    ] {
        let machine = Machine::new("role-faults").with("AWS_EC2_METADATA_DISABLED", "true");
        machine.file(".aws/config", config);
        let fault = machine.fault(of_profile("p"));
        assert_eq!(
            (fault.field, fault.value.as_str()),
            ("auth.aws.profile", at),
            "{word}"
        );
        assert!(fault.problem.contains(word), "{word}: {}", fault.problem);
    }
}
