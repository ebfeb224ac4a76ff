//! Keys that a program prints (`credential_process`), through the built binary: it is run once for everybody who
//! waits, ends with the deadline it is run in, and nothing that it says is in a log.
#![cfg(unix)]

use crate::{
    stage::{Stage, alone, at_once, beside},
    support::{Caller, gateway::scratch, ms},
    voices::Voice,
};
use std::{fs, path::PathBuf, sync::Arc};
use tokio::time::{Instant, sleep};

const KEYS: &str = r#"{"Version":1,"AccessKeyId":"AKIAPRINTED","SecretAccessKey":"the-printed-secret","SessionToken":"the-printed-session"}"#;

/// A gateway whose keys come from this script, and the folder that the script is run for.
async fn stage(script: &str) -> (Arc<Stage>, PathBuf) {
    let home = scratch("program");
    fs::create_dir_all(home.join(".aws")).unwrap();
    // sh reads it, as a file that was just written cannot be run safely while other tests start programs
    let file = home.join("keys.sh");
    fs::write(&file, script).unwrap();
    let (file, folder) = (file.display(), home.display());
    let config = format!("[default]\ncredential_process = /bin/sh \"{file}\" \"{folder}\"\n");
    fs::write(home.join(".aws/config"), config).unwrap();
    let folder = home.display().to_string();
    let target = |origin: &str| {
        format!(
            "targets: {{ t: {{ dialect: bedrock, region: us-east-1, base_url: \"{origin}\", model: m }} }}\nroutes: {{ r: {{ plan: t }} }}\n"
        )
    };
    let env = [("RUST_LOG", "trace"), ("HOME", folder.as_str())];
    let stage = Stage::open_with(target, &env).await;
    stage.plays("m", "tokens=3");
    (Arc::new(stage), home)
}

#[test]
fn a_program_is_run_once_for_all_and_what_it_says_is_in_no_log() {
    beside(async {
        let script = format!(
            "echo run >> \"$1/runs\"\necho the-printed-message >&2\nsleep 0.2\ncat <<'END'\n{KEYS}\nEND\n"
        );
        let (stage, home) = stage(&script).await;
        let shared = stage.clone();
        at_once(20, (0..20).collect(), move |n: u32| {
            let stage = shared.clone();
            async move {
                let answer = stage.ask(&Voice::Chat.asks("r", n.is_multiple_of(2))).await;
                assert_eq!(answer.status, 200, "{}", answer.text());
            }
        })
        .await;
        let runs = fs::read_to_string(home.join("runs")).unwrap();
        assert_eq!(runs, "run\n");
        for seen in stage.asked("m") {
            let signed = seen.header("authorization").unwrap();
            assert!(signed.contains("Credential=AKIAPRINTED/"), "{signed}");
            assert_eq!(
                seen.header("x-amz-security-token"),
                Some("the-printed-session")
            );
        }
        let said = stage.gateway.said().all().join("\n");
        for secret in ["the-printed-", "Signature="] {
            assert!(!said.contains(secret), "{secret}");
        }
    });
}

#[test]
fn a_program_that_does_not_end_is_ended_at_the_deadline() {
    alone(async {
        let (stage, home) = stage("echo $$ > \"$1/pid\"\nexec sleep 60\n").await;
        let request = Voice::Chat
            .asks("r", false)
            .with("x-request-deadline-ms", "800");
        let mut caller = Caller::connect(stage.gateway.addr).await;
        let started = Instant::now();
        let answer = caller.ask(&request).await;
        stage.at("answered", answer.ended_at - started, ms(800));
        assert_eq!(answer.status, 504, "{}", answer.text());
        let pid = fs::read_to_string(home.join("pid")).unwrap();
        let runs = || {
            let mut kill = std::process::Command::new("/bin/sh");
            let kill = kill.args(["-c", &format!("kill -0 {} 2>/dev/null", pid.trim())]);
            kill.status().unwrap().success()
        };
        let patience = Instant::now();
        while runs() {
            assert!(patience.elapsed() < ms(5_000), "it still runs");
            sleep(ms(5)).await;
        }
        assert_eq!(stage.asked("m").len(), 0);
    });
}
