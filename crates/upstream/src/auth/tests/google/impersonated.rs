//! Accounts that another identity is allowed to be: who asks, for what, who pays, for how long.

use super::{
    federated::{IMPERSONATE, SECRET, external, signer, user, with},
    *,
};
use serde_json::{Value, json};

#[tokio::test]
async fn the_account_that_a_file_names_is_impersonated() {
    let sim = sim().await;
    let machine = Machine::new("impersonation");
    let path = machine.file("token.json", &format!(r#"{{"id":"{SECRET}"}}"#));
    let format = json!({ "type": "json", "subject_token_field_name": "id" });
    let file = with(
        external(&sim.url(), json!({ "file": path, "format": format })),
        json!({ "service_account_impersonation_url": format!("{}{IMPERSONATE}", sim.url()),
            "service_account_impersonation": { "token_lifetime_seconds": 7200 },
            "quota_project_id": "billed" }),
    );
    let headers = sign(&signer(&machine, &file)).await.unwrap();
    assert_eq!(headers["authorization"], "Bearer sim-token-1");
    assert_eq!(headers["x-goog-user-project"], "billed");
    let report = sim.report();
    assert_eq!(form(&report[0].body)["subject_token"], SECRET);
    let asked = &report[1];
    assert_eq!(
        (asked.method.as_str(), asked.path.as_str()),
        ("POST", IMPERSONATE)
    );
    assert_eq!(asked.header("authorization"), Some("Bearer sim-token-0"));
    assert_eq!(asked.header("x-goog-user-project"), Some("billed"));
    let wish: Value = serde_json::from_slice(&asked.body).unwrap();
    let scope = "https://www.googleapis.com/auth/cloud-platform";
    assert_eq!(wish, json!({ "scope": [scope], "lifetime": "7200s" }));
}

#[tokio::test]
async fn a_user_and_a_service_account_can_be_another_account() {
    let sim = sim().await;
    let robot = serde_json::from_str(&account(&format!("{}/token", sim.url()))).unwrap();
    let with_url = |user: Value| with(user, json!({ "token_uri": format!("{}/token", sim.url()) }));
    let machine = Machine::new("allowed");
    for (n, (source, payer)) in [(with_url(user()), "payer"), (robot, "billed")]
        .into_iter()
        .enumerate()
    {
        let file = json!({
            "type": "impersonated_service_account",
            "service_account_impersonation_url": format!("{}{IMPERSONATE}", sim.url()),
            "delegates": ["projects/-/serviceAccounts/between"],
            "source_credentials": source,
        });
        let headers = sign(&signer(&machine, &file)).await.unwrap();
        let token = format!("Bearer sim-token-{}", 2 * n + 1);
        assert_eq!(headers["authorization"], token);
        // the source's project pays for the step, and the file's own, which is none, for requests
        assert!(!headers.contains_key("x-goog-user-project"));
        let asked = &sim.report()[2 * n + 1];
        let shown = format!("Bearer sim-token-{}", 2 * n);
        assert_eq!(asked.header("authorization"), Some(shown.as_str()));
        assert_eq!(asked.header("x-goog-user-project"), Some(payer));
        let wish: Value = serde_json::from_slice(&asked.body).unwrap();
        let between = json!(["projects/-/serviceAccounts/between"]);
        assert_eq!(
            (&wish["delegates"], &wish["lifetime"]),
            (&between, &json!("3600s"))
        );
    }
}

#[tokio::test]
async fn a_token_lasts_as_long_as_the_impersonated_account_may() {
    let sim = sim().await;
    sim.set("google-iam", "expires-in=1s".parse().unwrap());
    let machine = Machine::new("lasts");
    let path = machine.file("token", SECRET);
    let url = format!("{}{IMPERSONATE}", sim.url());
    let file = with(
        external(&sim.url(), json!({ "file": path })),
        json!({ "service_account_impersonation_url": url }),
    );
    let signer = signer(&machine, &file);
    authorization(&signer).await;
    tokio::time::sleep(std::time::Duration::from_millis(1100)).await;
    assert_eq!(authorization(&signer).await, "Bearer sim-token-3");
}
