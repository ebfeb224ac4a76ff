use super::*;
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, RsaKeyPair, UnparsedPublicKey};
use tokio_rustls::rustls::pki_types::{PrivatePkcs8KeyDer, pem::PemObject};

mod federated;
mod impersonated;

/// Made for these tests; opens nothing.
const KEY: &str = include_str!("account.pem");

fn account(token_uri: &str) -> String {
    serde_json::json!({
        "type": "service_account",
        "project_id": "p",
        "private_key_id": "kid1",
        "private_key": KEY,
        "client_email": "robot@p.iam.gserviceaccount.com",
        "token_uri": token_uri,
        "quota_project_id": "billed",
    })
    .to_string()
}

fn google(json: &str) -> Auth {
    Auth::Google(GoogleAuth {
        json: Some(SecretString::from(json)),
        ..GoogleAuth::default()
    })
}

fn claims(part: &str) -> serde_json::Value {
    serde_json::from_slice(&BASE64.decode(part).unwrap()).unwrap()
}

#[tokio::test]
async fn a_service_account_signs_for_its_token() {
    let sim = sim().await;
    let url = format!("{}/token", sim.url());
    let signer = Machine::new("account")
        .signer(google(&account(&url)))
        .unwrap();
    let headers = sign(&signer).await.unwrap();
    assert_eq!(
        headers.get(header::AUTHORIZATION).unwrap(),
        "Bearer sim-token-0"
    );
    assert_eq!(headers.get("x-goog-user-project").unwrap(), "billed");
    let form = form(&sim.report()[0].body);
    assert_eq!(
        form["grant_type"],
        "urn:ietf:params:oauth:grant-type:jwt-bearer"
    );
    let (signed, signature) = form["assertion"].rsplit_once('.').unwrap();
    let (head, body) = signed.split_once('.').unwrap();
    assert_eq!(
        claims(head),
        serde_json::json!({"alg": "RS256", "typ": "JWT", "kid": "kid1"})
    );
    let said = claims(body);
    assert_eq!(said["iss"], "robot@p.iam.gserviceaccount.com");
    assert_eq!(
        said["scope"],
        "https://www.googleapis.com/auth/cloud-platform"
    );
    assert_eq!(said["aud"], url);
    let lasts = said["exp"].as_u64().unwrap() - said["iat"].as_u64().unwrap();
    assert_eq!(lasts, 3600);
    let der = PrivatePkcs8KeyDer::from_pem_slice(KEY.as_bytes()).unwrap();
    let key = RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()).unwrap();
    let public = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, key.public());
    let signature = BASE64.decode(signature).unwrap();
    public.verify(signed.as_bytes(), &signature).unwrap();
}

#[tokio::test]
async fn the_file_of_gcloud_is_found_and_refreshes() {
    let sim = sim().await;
    let machine = Machine::new("gcloud");
    let file = serde_json::json!({
        "type": "authorized_user",
        "client_id": "id",
        "client_secret": "secret~1",
        "refresh_token": "1//r",
    });
    machine.file(
        ".config/gcloud/application_default_credentials.json",
        &file.to_string(),
    );
    let auth = |quota: Option<&str>| {
        Auth::Google(GoogleAuth {
            token_url: Some(format!("{}/token", sim.url())),
            quota_project: quota.map(Into::into),
            ..GoogleAuth::default()
        })
    };
    let headers = sign(&machine.signer(auth(Some("mine"))).unwrap())
        .await
        .unwrap();
    assert_eq!(
        headers.get(header::AUTHORIZATION).unwrap(),
        "Bearer sim-token-0"
    );
    assert_eq!(headers.get("x-goog-user-project").unwrap(), "mine");
    let form = form(&sim.report()[0].body);
    assert_eq!(form["refresh_token"], "1//r");
    sim.set("google-token", "status=400".parse().unwrap());
    let (code, text) = refusal(&machine.signer(auth(None)).unwrap()).await;
    assert_eq!(code, Code::Unauthorized);
    assert!(
        text.contains("Google's token endpoint answered 400"),
        "{text}"
    );
    assert!(
        !text.contains("1//r") && !text.contains("secret~1"),
        "{text}"
    );
    let unread = machine.with("GOOGLE_APPLICATION_CREDENTIALS", "/nowhere/x.json");
    let fault = unread.fault(auth(None));
    assert_eq!(
        (fault.field, fault.value.as_str()),
        ("auth.google.file", "/nowhere/x.json")
    );
}

#[tokio::test]
async fn a_file_that_is_named_goes_before_that_of_gcloud_and_its_folder_can_be_another() {
    let sim = sim().await;
    let user = |refresh: &str| {
        let mut user = federated::user();
        user["refresh_token"] = refresh.into();
        user["token_uri"] = format!("{}/token", sim.url()).into();
        user.to_string()
    };
    let found = async |machine: &Machine| {
        let signer = machine.signer(Auth::Google(GoogleAuth::default())).unwrap();
        authorization(&signer).await;
        form(&sim.report().last().unwrap().body)["refresh_token"].clone()
    };
    let known = "application_default_credentials.json";
    let machine = Machine::new("order").with("GCE_METADATA_HOST", "127.0.0.1:1");
    machine.file(&format!(".config/gcloud/{known}"), &user("home"));
    assert_eq!(found(&machine).await, "home");
    let path = machine.file(&format!("other/{known}"), &user("other"));
    let folder = path.parent().unwrap().display().to_string();
    let machine = machine.with("CLOUDSDK_CONFIG", folder);
    assert_eq!(found(&machine).await, "other");
    let path = machine.file("named.json", &user("named"));
    let machine = machine.with("GOOGLE_APPLICATION_CREDENTIALS", path.display().to_string());
    assert_eq!(found(&machine).await, "named");
}

#[tokio::test]
async fn without_a_file_the_metadata_server_is_asked() {
    let sim = sim().await;
    let host = sim.url().strip_prefix("http://").unwrap().to_owned();
    let machine = Machine::new("metadata").with("GCE_METADATA_HOST", host);
    let signer = machine.signer(Auth::Google(GoogleAuth::default())).unwrap();
    assert_eq!(authorization(&signer).await, "Bearer sim-token-0");
    assert_eq!(sim.report()[0].header("metadata-flavor"), Some("Google"));
}

#[tokio::test]
async fn kinds_that_are_not_supported_are_named() {
    let machine = Machine::new("kinds");
    for (kind, named) in [("gdch_service_account", "gdch_service_account"), ("x", "")] {
        let fault = machine.fault(google(&format!(r#"{{"type":"{kind}"}}"#)));
        assert_eq!((fault.field, fault.value.as_str()), ("auth.google", named));
        assert!(fault.problem.contains("not supported"), "{}", fault.problem);
    }
    for bad in [
        "",
        "{}",
        "[]",
        r#"{"type":"service_account","client_email":"x"}"#,
        r#"{"type":"authorized_user","client_id":"x"}"#,
        r#"{"type":"external_account","audience":"x"}"#,
        r#"{"type":"external_account_authorized_user","client_id":"x"}"#,
        r#"{"type":"impersonated_service_account"}"#,
    ] {
        assert_eq!(machine.fault(google(bad)).field, "auth.google", "{bad}");
    }
    let broken = account("https://oauth2.googleapis.com/token").replace("MII", "XXX");
    let fault = machine.fault(google(&broken));
    assert!(fault.problem.contains("private_key"), "{}", fault.problem);
}
