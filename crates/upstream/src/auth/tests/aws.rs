use super::*;
use crate::aside::LARGE;
use ring::digest::{SHA256, digest};
use std::{
    pin::pin,
    task::{Context, Poll, Waker},
};

mod process;
mod role;
mod sso;

fn aws(change: impl FnOnce(&mut AwsAuth)) -> Auth {
    let mut auth = AwsAuth::default();
    change(&mut auth);
    Auth::Aws(auth)
}

fn anything() -> Auth {
    aws(|_| ())
}

fn of_profile(name: &str) -> Auth {
    aws(|auth| auth.profile = Some(name.into()))
}

/// Who signed a request that the simulator saw: the key, and what the signature is for.
fn signed_by(seen: &punctual_sim::Seen) -> (String, String) {
    let value = seen.header("authorization").unwrap();
    let scope = value.split("Credential=").nth(1).unwrap();
    let scope = scope.split(',').next().unwrap();
    let parts: Vec<&str> = scope.split('/').collect();
    (parts[0].to_owned(), parts[2..].join("/"))
}

#[tokio::test]
async fn keys_of_the_target_go_before_those_of_the_environment() {
    let machine = Machine::new("keys")
        .with("AWS_ACCESS_KEY_ID", "AKIAENV")
        .with("AWS_SECRET_ACCESS_KEY", "s")
        .with("AWS_SESSION_TOKEN", "session")
        .with("AWS_BEARER_TOKEN_BEDROCK", "");
    let signer = machine.signer(anything()).unwrap();
    let headers = sign(&signer).await.unwrap();
    assert_eq!(headers.get("x-amz-security-token").unwrap(), "session");
    let value = headers
        .get(header::AUTHORIZATION)
        .unwrap()
        .to_str()
        .unwrap();
    assert!(
        value.starts_with("AWS4-HMAC-SHA256 Credential=AKIAENV/"),
        "{value}"
    );
    assert!(
        value.contains("/eu-west-1/bedrock/aws4_request, "),
        "{value}"
    );
    let names = "content-type;host;x-amz-content-sha256;x-amz-date;x-amz-security-token";
    assert!(
        value.contains(&format!("SignedHeaders={names}, ")),
        "{value}"
    );
    assert!(!headers.contains_key(header::HOST) && !headers.contains_key(header::CONTENT_TYPE));
    let stated = aws(|auth| {
        auth.region = Some("us-west-2".into());
        auth.keys = Some(AwsKeys {
            access_key_id: "AKIASTATED".into(),
            secret_access_key: "s".into(),
            session_token: None,
        });
    });
    let value = authorization(&machine.signer(stated).unwrap()).await;
    assert!(value.contains("Credential=AKIASTATED/"), "{value}");
    assert!(value.contains("/us-west-2/bedrock/"), "{value}");
    assert!(!value.contains("security-token"));
}

#[test]
fn a_large_body_is_hashed_aside_and_a_small_one_at_once() {
    // the one thread beside this is busy until it is let go
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().max_blocking_threads(1).build();
    runtime.unwrap().block_on(async {
        let machine = Machine::new("large")
            .with("AWS_ACCESS_KEY_ID", "AKIA")
            .with("AWS_SECRET_ACCESS_KEY", "s");
        let signer = machine.signer(anything()).unwrap();
        for (size, aside) in [(LARGE, false), (LARGE + 1, true)] {
            let (let_go, held) = std::sync::mpsc::sync_channel::<()>(1);
            let busy = tokio::task::spawn_blocking(move || held.recv().is_err());
            let body = [vec![b'{'; size - 1].into(), Bytes::from_static(b"}")];
            let request = Unsigned {
                method: &Method::POST,
                uri: &Uri::from_static("/model/a/converse"),
                host: "h",
                content_type: None,
                body: &body,
            };
            let mut signing = pin!(signer.sign(&request));
            let first = signing
                .as_mut()
                .poll(&mut Context::from_waker(Waker::noop()));
            assert_eq!(first.is_pending(), aside, "{size}");
            drop(let_go);
            assert!(busy.await.unwrap());
            let headers = match first {
                Poll::Ready(headers) => headers,
                Poll::Pending => signing.await,
            };
            let sum = digest(&SHA256, &body.concat());
            let hex: String = sum.as_ref().iter().map(|b| format!("{b:02x}")).collect();
            assert_eq!(headers.unwrap()["x-amz-content-sha256"], hex.as_str());
        }
    });
}

#[tokio::test]
async fn a_key_for_bedrock_is_a_plain_bearer() {
    let machine = Machine::new("bearer").with("AWS_BEARER_TOKEN_BEDROCK", "abc");
    let signer = machine.signer(anything()).unwrap();
    assert_eq!(authorization(&signer).await, "Bearer abc");
}

#[tokio::test]
async fn a_profile_has_keys_in_either_file() {
    let machine = Machine::new("profile").with("AWS_PROFILE", "work");
    machine.file(
        ".aws/config",
        "# mine\n[default]\naws_access_key_id = AKIADEFAULT\naws_secret_access_key = x\n\n[profile  work]\nregion=ap-south-1\ns3 =\n  aws_access_key_id = NESTED\n",
    );
    let file = "[default]\r\naws_access_key_id=NO\r\n[work]\r\naws_access_key_id = AKIAWORK\r\nAWS_SECRET_ACCESS_KEY = a=b # c\r\n";
    machine.file(".aws/credentials", file);
    let signer = machine.signer(anything()).unwrap();
    let value = authorization(&signer).await;
    assert!(value.contains("Credential=AKIAWORK/"), "{value}");
    let default = of_profile("default");
    machine.file(".aws/credentials", "");
    let value = authorization(&machine.signer(default).unwrap()).await;
    assert!(value.contains("Credential=AKIADEFAULT/"), "{value}");
    // the files are read when keys are needed, not when the target is set up
    signer.refused();
    let late = machine.signer(of_profile("default")).unwrap();
    machine.file(".aws/config", "");
    let (code, text) = refusal(&late).await;
    assert_eq!(code, Code::Unauthorized);
    assert!(text.contains("shared files"), "{text}");
}

#[tokio::test]
async fn a_profile_that_was_asked_for_is_there_and_somebody_has_keys() {
    let fault = Machine::new("none").fault(of_profile("gone"));
    assert_eq!(
        (fault.field, fault.value.as_str(), fault.problem.as_str()),
        ("auth.aws.profile", "gone", "is not there")
    );
    let off = Machine::new("off").with("AWS_EC2_METADATA_DISABLED", "true");
    assert_eq!(off.fault(anything()).field, "auth.aws");
}

#[tokio::test]
async fn a_web_identity_takes_a_role() {
    let sim = sim().await;
    let machine = Machine::new("web")
        .with("AWS_ROLE_ARN", "arn:aws:iam::1:role/r")
        .with("AWS_ENDPOINT_URL_STS", sim.url());
    let file = machine.file("token", "the+token/=\n");
    let machine = machine.with("AWS_WEB_IDENTITY_TOKEN_FILE", file.display().to_string());
    let signer = machine.signer(anything()).unwrap();
    let headers = sign(&signer).await.unwrap();
    assert_eq!(headers.get("x-amz-security-token").unwrap(), "sim-token-0");
    let seen = &sim.report()[0];
    assert_eq!(
        (seen.model.as_str(), seen.method.as_str()),
        ("aws-sts", "POST")
    );
    let form = form(&seen.body);
    assert_eq!(form["RoleArn"], "arn:aws:iam::1:role/r");
    assert_eq!(form["WebIdentityToken"], "the+token/=");
    assert_eq!(form["RoleSessionName"], "punctual");

    sim.set("aws-sts", "status=403".parse().unwrap());
    let (code, text) = refusal(&machine.signer(anything()).unwrap()).await;
    assert_eq!(code, Code::Unauthorized);
    assert!(
        text.starts_with("no credential: AWS STS answered 403"),
        "{text}"
    );
    assert!(
        !text.contains("the+token") && !text.contains("127.0.0.1"),
        "{text}"
    );
}

#[tokio::test]
async fn a_container_is_asked_with_its_token() {
    let sim = sim().await;
    let machine = Machine::new("container");
    let file = machine.file("token", "proof\n");
    let url = format!("{}/v2/credentials/id", sim.url());
    let machine = machine
        .with("AWS_CONTAINER_CREDENTIALS_FULL_URI", url)
        .with(
            "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
            file.display().to_string(),
        );
    let signer = machine.signer(anything()).unwrap();
    let headers = sign(&signer).await.unwrap();
    assert_eq!(headers.get("x-amz-security-token").unwrap(), "sim-token-0");
    assert_eq!(sim.report()[0].header("authorization"), Some("proof"));
    sign(&signer).await.unwrap();
    assert_eq!(sim.report().len(), 1);
    let elsewhere = "http://example.com/x";
    let machine = machine.with("AWS_CONTAINER_CREDENTIALS_FULL_URI", elsewhere);
    assert_eq!(
        machine.fault(anything()).field,
        "AWS_CONTAINER_CREDENTIALS_FULL_URI"
    );
}

#[tokio::test]
async fn an_instance_opens_a_session_first() {
    let sim = sim().await;
    let machine = Machine::new("imds").with("AWS_EC2_METADATA_SERVICE_ENDPOINT", sim.url());
    let signer = machine.signer(anything()).unwrap();
    let headers = sign(&signer).await.unwrap();
    assert_eq!(headers.get("x-amz-security-token").unwrap(), "sim-token-2");
    let paths: Vec<String> = sim.report().into_iter().map(|seen| seen.path).collect();
    let roles = "/latest/meta-data/iam/security-credentials/";
    let role = format!("{roles}sim-role");
    assert_eq!(paths, ["/latest/api/token", roles, role.as_str()]);

    sim.set("aws-imds", "expires-in=0s".parse().unwrap());
    let short = machine.signer(anything()).unwrap();
    sign(&short).await.unwrap();
    assert_eq!(
        sim.report().len(),
        6,
        "keys that have ended are used for the request that fetched them"
    );
}

#[tokio::test]
async fn a_metadata_service_that_stays_silent_is_given_up_soon() {
    let sim = sim().await;
    sim.set("aws-imds", "silent-headers".parse().unwrap());
    let machine = Machine::new("silent").with("AWS_EC2_METADATA_SERVICE_ENDPOINT", sim.url());
    let signer = machine.signer(anything()).unwrap();
    let started = tokio::time::Instant::now();
    let (code, text) = refusal(&signer).await;
    let took = started.elapsed().as_millis();
    assert_eq!(code, Code::ConnectFailed);
    assert!(text.contains("no answer within 2 s"), "{text}");
    assert!((2000..2100).contains(&took), "{took} ms");
}

#[tokio::test]
async fn the_region_is_in_the_host_or_must_be_said() {
    let keys = |region: Option<&str>| {
        aws(|auth| {
            auth.region = region.map(Into::into);
            auth.keys = Some(AwsKeys {
                access_key_id: "A".into(),
                secret_access_key: "s".into(),
                session_token: None,
            });
        })
    };
    let fault = Machine::new("region").fault(keys(Some("Ireland/..")));
    assert_eq!(fault.field, "auth.aws.region");
    let signed = |base: &str, machine: &Machine| {
        let mut spec = TargetSpec::new("t", base);
        spec.auth = keys(None);
        let variable = |name: &str| machine.variables.get(name).cloned();
        let around = Surroundings::of(&variable, &|_| Err(io::ErrorKind::NotFound.into()));
        let signer = Signer::within(&spec, &Pools::new(), &around);
        signer.map(Option::unwrap)
    };
    let machine = Machine::new("region-env").with("AWS_REGION", "sa-east-1");
    for (base, region) in [
        (
            "https://bedrock-runtime.us-gov-west-1.amazonaws.com",
            "us-gov-west-1",
        ),
        (
            "https://bedrock-runtime.cn-north-1.amazonaws.com.cn",
            "cn-north-1",
        ),
        (
            "https://vpce-1.bedrock-runtime.us-east-1.vpce.amazonaws.com",
            "us-east-1",
        ),
        ("https://bedrock.example.com", "sa-east-1"),
    ] {
        let value = authorization(&signed(base, &machine).unwrap()).await;
        assert!(
            value.contains(&format!("/{region}/bedrock/")),
            "{base}: {value}"
        );
    }
    let nowhere = signed("https://bedrock.example.com", &Machine::new("region-none"));
    assert!(nowhere.is_err_and(|fault| fault.problem == "is missing"));
}
