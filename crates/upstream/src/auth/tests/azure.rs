use super::*;

fn azure(change: impl FnOnce(&mut AzureAuth)) -> Auth {
    let mut auth = AzureAuth::default();
    change(&mut auth);
    Auth::Azure(auth)
}

#[tokio::test]
async fn an_application_proves_itself_by_its_secret() {
    let sim = sim().await;
    let url = sim.url();
    let auth = || {
        azure(|auth| {
            auth.tenant = Some("contoso".into());
            auth.client_id = Some("app".into());
            auth.client_secret = Some("s~1".into());
            auth.authority_url = Some(url.clone());
        })
    };
    let machine = Machine::new("application");
    assert_eq!(
        authorization(&machine.signer(auth()).unwrap()).await,
        "Bearer sim-token-0"
    );
    let seen = &sim.report()[0];
    assert_eq!(seen.path, "/contoso/oauth2/v2.0/token");
    let form = form(&seen.body);
    assert_eq!(
        form["scope"],
        "https://cognitiveservices.azure.com/.default"
    );
    assert_eq!(
        (form["client_id"].as_str(), form["client_secret"].as_str()),
        ("app", "s~1")
    );
    sim.set("entra-token", "status=503".parse().unwrap());
    let (code, text) = refusal(&machine.signer(auth()).unwrap()).await;
    assert_eq!(code, Code::ServerError);
    assert!(!text.contains("s~1"), "{text}");
    let fault = machine.fault(azure(|auth| auth.client_secret = Some("s".into())));
    assert_eq!(fault.field, "auth.azure.tenant");
}

#[tokio::test]
async fn a_workload_shows_the_token_of_its_cluster() {
    let sim = sim().await;
    let machine = Machine::new("workload");
    let file = machine.file("token", "a.b.c\n");
    let machine = machine
        .with("AZURE_FEDERATED_TOKEN_FILE", file.display().to_string())
        .with("AZURE_TENANT_ID", "t")
        .with("AZURE_CLIENT_ID", "c")
        .with("AZURE_AUTHORITY_HOST", format!("{}/", sim.url()));
    let signer = machine.signer(azure(|_| ())).unwrap();
    assert_eq!(authorization(&signer).await, "Bearer sim-token-0");
    assert_eq!(form(&sim.report()[0].body)["client_assertion"], "a.b.c");
}

#[tokio::test]
async fn a_host_is_asked_for_its_identity() {
    let sim = sim().await;
    let url = sim.url();
    let host = azure(|auth| {
        auth.imds_url = Some(url.clone());
        auth.client_id = Some("mine".into());
    });
    let machine = Machine::new("host");
    assert_eq!(
        authorization(&machine.signer(host).unwrap()).await,
        "Bearer sim-token-0"
    );
    let seen = &sim.report()[0];
    assert_eq!(
        seen.path,
        "/metadata/identity/oauth2/token?api-version=2018-02-01&resource=https%3A%2F%2Fcognitiveservices.azure.com&client_id=mine"
    );
    let service = format!("{url}/metadata/identity/oauth2/token");
    let machine = machine
        .with("IDENTITY_ENDPOINT", service)
        .with("IDENTITY_HEADER", "h");
    let signer = machine.signer(azure(|_| ())).unwrap();
    // the simulator plays the host's service only, and misses its header
    let (code, _) = refusal(&signer).await;
    assert_eq!(code, Code::Unauthorized);
    let seen = &sim.report()[1];
    assert_eq!(seen.header("x-identity-header"), Some("h"));
    assert!(
        seen.path.contains("token?api-version=2019-08-01&resource="),
        "{}",
        seen.path
    );
}
