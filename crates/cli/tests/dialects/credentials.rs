//! Credentials that are fetched, through the built binary: one fetch for everybody who waits, inside the
//! deadline, ended by its caller, and in no log at any level.

use crate::{
    stage::{Mark, Stage, alone, at_once, beside, late},
    support::{Caller, ms},
    voices::Voice,
};
use serde_json::json;
use std::sync::Arc;
use tokio::time::Instant;

/// Made for tests of the same; opens nothing.
const ACCOUNT: &str = include_str!("../../../upstream/src/auth/tests/account.pem");

const ROLE: &str = "[default]
role_arn = arn:aws:iam::1:role/r
source_profile = source
[profile source]
aws_access_key_id = AKIASOURCE
aws_secret_access_key = the-secret-of-a-source
";
const SIGN_ON: &str = "[default]
sso_session = admin
sso_account_id = 1
sso_role_name = r
[sso-session admin]
sso_start_url = https://x.awsapps.com/start
sso_region = us-east-1
";

/// Ways to a credential: what is asked, and how it is configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    ServiceAccount,
    /// A workload's token is exchanged, and an account impersonated by what it gives.
    Federated,
    Metadata,
    Container,
    /// The same for InvokeModel.
    Invoked,
    WebIdentity,
    /// A role that is taken with the keys of a profile.
    Role,
    /// A single sign-on that somebody logged in to.
    SignOn,
    Entra,
}

const WAYS: [Way; 9] = [
    Way::ServiceAccount,
    Way::Federated,
    Way::Metadata,
    Way::Container,
    Way::Invoked,
    Way::WebIdentity,
    Way::Role,
    Way::SignOn,
    Way::Entra,
];

impl Way {
    /// What the simulator calls its server.
    const fn issuer(self) -> &'static str {
        match self {
            Self::ServiceAccount => "google-token",
            Self::Federated => "google-iam",
            Self::Metadata => "gce-metadata",
            Self::Container | Self::Invoked => "aws-container",
            Self::WebIdentity | Self::Role => "aws-sts",
            Self::SignOn => "aws-sso",
            Self::Entra => "entra-token",
        }
    }

    fn target(self, origin: &str, token: &str) -> String {
        let target = match self {
            Self::ServiceAccount => {
                let account = json!({ "type": "service_account", "project_id": "p",
                    "private_key_id": "kid1", "private_key": ACCOUNT,
                    "client_email": "robot@p.iam.gserviceaccount.com",
                    "token_uri": format!("{origin}/token") });
                let account = serde_json::to_string(&account.to_string()).unwrap();
                format!(
                    "dialect: vertex, project: p, base_url: \"{origin}/v1\", credentials_json: {account}"
                )
            }
            Self::Federated => {
                let account = json!({ "type": "external_account", "audience": "//iam/pool",
                    "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
                    "token_url": format!("{origin}/v1/token"),
                    "credential_source": { "file": token },
                    "service_account_impersonation_url": format!(
                        "{origin}/v1/projects/-/serviceAccounts/a@p:generateAccessToken") });
                let account = serde_json::to_string(&account.to_string()).unwrap();
                format!(
                    "dialect: vertex, project: p, base_url: \"{origin}/v1\", credentials_json: {account}"
                )
            }
            Self::Metadata => format!("dialect: vertex, project: p, base_url: \"{origin}/v1\""),
            Self::Container | Self::WebIdentity | Self::Role | Self::SignOn => {
                format!("dialect: bedrock, region: us-east-1, base_url: \"{origin}\"")
            }
            Self::Invoked => {
                format!("dialect: bedrock, region: us-east-1, api: invoke, base_url: \"{origin}\"")
            }
            Self::Entra => format!(
                "dialect: azure, base_url: \"{origin}\", tenant_id: t, client_id: c, client_secret: the-secret-of-entra"
            ),
        };
        format!("targets: {{ t: {{ {target}, model: m }} }}\nroutes: {{ r: {{ plan: t }} }}\n")
    }

    /// What stands in the home directory.
    fn furnish(self, home: &std::path::Path) {
        let write = |file: &str, text: &str| {
            let path = home.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        match self {
            Self::Role => write(".aws/config", ROLE),
            Self::SignOn => {
                write(".aws/config", SIGN_ON);
                // named by the SHA-1 of `admin`
                let file = ".aws/sso/cache/d033e22ae348aeb5660fc2140aec35850c4da997.json";
                let login = json!({ "accessToken": "the-login-of-a-person",
                    "expiresAt": "2999-01-01T00:00:00Z" });
                write(file, &login.to_string());
            }
            _ => {}
        }
    }

    /// With the simulator's address known before the gateway starts.
    async fn stage(self) -> (Arc<Stage>, std::path::PathBuf) {
        let token = crate::support::gateway::scratch("web-identity");
        std::fs::write(&token, "the-token-of-a-workload").unwrap();
        let sim = punctual_sim::Sim::start(punctual_sim::Listen::loopback())
            .await
            .unwrap();
        let origin = sim.url();
        let host = origin.trim_start_matches("http://").to_owned();
        let container = format!("{origin}/v2/credentials/1");
        let file = token.display().to_string();
        let nowhere = file.clone() + "-none";
        self.furnish(std::path::Path::new(&nowhere));
        let mut env = vec![("RUST_LOG", "trace"), ("HOME", nowhere.as_str())];
        env.extend(match self {
            Self::Metadata => vec![("GCE_METADATA_HOST", host.as_str())],
            Self::Container | Self::Invoked => {
                vec![("AWS_CONTAINER_CREDENTIALS_FULL_URI", container.as_str())]
            }
            Self::WebIdentity => vec![
                ("AWS_ROLE_ARN", "arn:aws:iam::1:role/r"),
                ("AWS_WEB_IDENTITY_TOKEN_FILE", file.as_str()),
                ("AWS_ENDPOINT_URL_STS", origin.as_str()),
            ],
            Self::Role => vec![("AWS_ENDPOINT_URL_STS", origin.as_str())],
            Self::SignOn => vec![("AWS_ENDPOINT_URL_SSO", origin.as_str())],
            Self::Entra => vec![("AZURE_AUTHORITY_HOST", origin.as_str())],
            Self::ServiceAccount | Self::Federated => vec![],
        });
        let stage = Stage::around(sim, &self.target(&origin, &file), &env);
        stage.plays("m", "tokens=3");
        (Arc::new(stage), token)
    }
}

#[test]
fn many_calls_at_once_fetch_one_credential_and_no_log_has_it() {
    beside(async {
        for way in WAYS {
            let (stage, _token) = way.stage().await;
            stage.plays(way.issuer(), "delay=200ms");
            let shared = stage.clone();
            at_once(20, (0..20).collect(), move |n: u32| {
                let stage = shared.clone();
                async move {
                    let answer = stage.ask(&Voice::Chat.asks("r", n.is_multiple_of(2))).await;
                    assert_eq!(answer.status, 200, "{way:?}: {}", answer.text());
                }
            })
            .await;
            let fetched = stage.asked(way.issuer());
            assert_eq!(fetched.len(), 1, "{way:?}: {fetched:#?}");
            let asked = stage.asked("m");
            assert_eq!(asked.len(), 20, "{way:?}");
            let presented = asked[0].header("authorization").unwrap().to_owned();
            assert!(presented.len() > 12, "{way:?}: {presented}");
            let secrets = [
                format!("sim-token-{}", fetched[0].seq),
                "the-secret-of-entra".to_owned(),
                "the-token-of-a-workload".to_owned(),
                "the-secret-of-a-source".to_owned(),
                "the-login-of-a-person".to_owned(),
                ACCOUNT.lines().nth(3).unwrap().to_owned(),
                presented.split(' ').next_back().unwrap().to_owned(),
            ];
            let said = stage.gateway.said().all().join("\n");
            assert!(said.contains("listening"), "{way:?}: {said}");
            for secret in &secrets {
                assert!(!said.contains(secret.as_str()), "{way:?}: {secret}");
                let lines = stage.gateway.requests().all().join("\n");
                assert!(!lines.contains(secret.as_str()), "{way:?}: {secret}");
            }
        }
    });
}

#[test]
fn a_credential_is_fetched_inside_the_deadline() {
    alone(async {
        for way in WAYS {
            let (stage, _token) = way.stage().await;
            stage.plays(way.issuer(), "delay=20s");
            for (voice, stream) in [
                (Voice::Chat, false),
                (Voice::Responses, true),
                (Voice::Messages, true),
            ] {
                let what = format!("{way:?} / {voice:?}");
                let request = voice.asks("r", stream).with("x-request-deadline-ms", "400");
                let mut caller = Caller::connect(stage.gateway.addr).await;
                let started = Instant::now();
                let answer = caller.ask(&request).await;
                stage.at(&what, answer.ended_at - started, ms(400));
                assert_eq!(answer.status, 504, "{what}: {}", answer.text());
                let error = voice.error(&what, &answer);
                assert_eq!(error["code"], "request_deadline_exceeded", "{what}");
                assert_eq!(stage.asked("m").len(), 0, "{what}");
                let closed = stage.seen(way.issuer(), |s| s.closed.is_some()).await;
                let overshoot = late(closed.closed.unwrap().0, started + ms(400));
                stage.within(&what, overshoot, ms(10));
            }
        }
    });
}

#[test]
fn a_fetch_ends_with_the_caller_it_was_for_and_the_next_one_does_it_anew() {
    alone(async {
        for way in WAYS {
            let (stage, _token) = way.stage().await;
            stage.plays(way.issuer(), "fail=1,delay=20s");
            let mark = Mark::new();
            let mut caller = Caller::connect(stage.gateway.addr).await;
            caller.send(&mark.on(Voice::Chat.asks("r", true))).await;
            stage.seen(way.issuer(), |s| s.received.is_some()).await;
            let mut waits = Caller::connect(stage.gateway.addr).await;
            waits.send(&Voice::Chat.asks("r", false)).await;
            let left = caller.leave();
            let seen = |s: &punctual_sim::Seen| s.closed.is_some();
            let first = stage.sim.wait(ms(10_000), |all| {
                all.iter().any(|s| s.model == way.issuer() && seen(s))
            });
            first.await.unwrap();
            let first = stage.asked(way.issuer()).remove(0);
            let took = late(first.closed.unwrap().0, left);
            stage.within(&format!("{way:?}"), took, ms(10));
            let answer = waits.answer(ms(10_000)).await;
            assert_eq!(answer.status, 200, "{way:?}: {}", answer.text());
            assert_eq!(stage.asked(way.issuer()).len(), 2, "{way:?}");
            let record = stage.record(&mark);
            assert_eq!(record["outcome"], "cancelled", "{way:?}: {record:#}");
        }
    });
}

#[test]
fn keys_of_aws_sign_each_request_and_are_shown_nowhere() {
    beside(async {
        let stage = Stage::open_with(
            |origin| {
                format!(
                    "targets: {{ t: {{ dialect: bedrock, region: us-east-1, base_url: \"{origin}\", access_key_id: AKIATEST, secret_access_key: the-secret-of-aws, session_token: the-session-of-aws, model: \"us.m-v1:0\" }} }}\nroutes: {{ r: {{ plan: t }} }}\n"
                )
            },
            &[("RUST_LOG", "trace")],
        )
        .await;
        for stream in [false, true] {
            let answer = stage.ask(&Voice::Messages.asks("r", stream)).await;
            assert_eq!(answer.status, 200, "{}", answer.text());
        }
        for seen in stage.asked("us.m-v1:0") {
            let signed = seen.header("authorization").unwrap();
            assert!(
                signed.starts_with("AWS4-HMAC-SHA256 Credential=AKIATEST/"),
                "{signed}"
            );
            assert!(seen.path.contains("us.m-v1%3A0"), "{}", seen.path);
            assert_eq!(
                seen.header("x-amz-security-token"),
                Some("the-session-of-aws")
            );
        }
        let said = stage.gateway.said().all().join("\n");
        for secret in ["the-secret-of-aws", "the-session-of-aws", "Signature="] {
            assert!(!said.contains(secret), "{secret}");
        }
    });
}
