//! Keys that a program prints. Programs are scripts that `sh` reads, as a file that was just written cannot be
//! run safely while other tests start programs.
#![cfg(unix)]

use super::*;
use std::time::Duration;
use tokio::time::{Instant, advance, pause, resume, sleep, timeout};

const KEYS: &str = r#"{"Version":1,"AccessKeyId":"AKIAPRINTED","SecretAccessKey":"printed-secret","SessionToken":"printed-session"}"#;

fn profile(machine: &Machine, script: &str) -> Signer {
    let count = machine.folder.join("runs");
    let counted = format!("echo run >> '{}'\n{script}\n", count.display());
    let script = machine.file("a script", &counted);
    let line = format!("/bin/sh \"{}\" 'x y'", script.display());
    let config = format!("[profile p]\ncredential_process = {line}\n");
    machine.file(".aws/config", &config);
    machine.signer(of_profile("p")).unwrap()
}

fn printing(keys: &str) -> String {
    format!("cat <<'END'\n{keys}\nEND")
}

fn runs(machine: &Machine) -> usize {
    let text = fs::read_to_string(machine.folder.join("runs"));
    text.unwrap_or_default().lines().count()
}

#[tokio::test]
async fn a_program_is_asked_once_for_all_who_need_its_keys() {
    let machine = Machine::new("process");
    let script = format!(
        "test \"$1\" = 'x y' || exit 9\nsleep 0.1\n{}",
        printing(KEYS)
    );
    let signer = profile(&machine, &script);
    let (one, two) = tokio::join!(sign(&signer), sign(&signer));
    let (one, two) = (one.unwrap(), two.unwrap());
    assert_eq!(one["x-amz-security-token"], "printed-session");
    let signed = two[header::AUTHORIZATION].to_str().unwrap();
    assert!(signed.contains("Credential=AKIAPRINTED/"), "{signed}");
    pause();
    advance(Duration::from_secs(24 * 3600)).await;
    resume();
    sign(&signer).await.unwrap();
    assert_eq!(runs(&machine), 1, "keys without an end are kept");
    signer.refused();
    sign(&signer).await.unwrap();
    assert_eq!(runs(&machine), 2, "and not if they were refused");
}

#[tokio::test]
async fn keys_that_end_are_printed_anew() {
    let machine = Machine::new("process-end");
    let until = |seconds: u64| {
        let end = moment::Moment(moment::Moment::now().0 + seconds).written();
        let end = end.replace('Z', "+00:00");
        KEYS.replace('}', &format!(r#","Expiration":"{end}"}}"#))
    };
    let signer = profile(&machine, &printing(&until(600)));
    sign(&signer).await.unwrap();
    for (seconds, expected) in [(500, 1), (50, 2)] {
        pause();
        advance(Duration::from_secs(seconds)).await;
        resume();
        sign(&signer).await.unwrap();
        assert_eq!(runs(&machine), expected);
    }
    let signer = profile(&machine, &printing(&until(0)));
    let (code, text) = refusal(&signer).await;
    assert_eq!(code, Code::Unauthorized);
    assert!(text.ends_with("prints keys that have expired"), "{text}");
}

#[tokio::test]
async fn what_a_program_says_is_never_repeated() {
    for (test, script, word) in [
        (
            "exit",
            "echo printed-secret; echo printed-secret >&2; exit 3",
            "failed (exit status: 3)",
        ),
        ("signal", "echo printed-secret; kill -9 $$", "signal: 9"),
        ("text", "echo printed-secret", "(line 1, column 1)"),
        (
            "version",
            &printing(&KEYS.replace("n\":1", "n\":2")),
            "in version 2, not 1",
        ),
        (
            "half",
            r#"echo '{"Version":1,"AccessKeyId":"printed-secret"}'"#,
            "something else than JSON with Version",
        ),
        ("much", "exec yes printed-secret", "more than 64 KiB"),
    ] {
        let machine = Machine::new(&format!("process-{test}"));
        let (code, text) = refusal(&profile(&machine, script)).await;
        assert_eq!(code, Code::Unauthorized, "{test}");
        let what = "no credential: the credential_process of profile p ";
        assert!(text.starts_with(what) && text.contains(word), "{text}");
        assert!(!text.contains("printed-secret"), "{text}");
    }
    let machine = Machine::new("process-none");
    machine.file(".aws/config", "[profile p]\ncredential_process = ~/keys\n");
    let (_, text) = refusal(&machine.signer(of_profile("p")).unwrap()).await;
    assert!(text.contains("cannot be run: entity not found"), "{text}");
    machine.file(".aws/config", "[profile p]\ncredential_process = \"/a b\n");
    let fault = machine.fault(of_profile("p"));
    assert!(fault.problem.contains("credential_process"), "{fault:?}");
}

#[tokio::test]
async fn a_program_ends_with_the_attempt_that_needs_it() {
    let machine = Machine::new("process-drop");
    let file = machine.folder.join("pid");
    let script = format!(
        "echo $$ > '{0}.new'; mv '{0}.new' '{0}'; exec sleep 60",
        file.display()
    );
    let signer = profile(&machine, &script);
    let started = async {
        while !file.exists() {
            sleep(Duration::from_millis(5)).await;
        }
    };
    let both = async {
        tokio::select! {
            _ = sign(&signer) => panic!("it sleeps"),
            () = started => {}
        }
    };
    timeout(Duration::from_secs(20), both).await.unwrap();
    let left = Instant::now();
    let pid = fs::read_to_string(&file).unwrap();
    let runs = || {
        let mut kill = std::process::Command::new("/bin/sh");
        let kill = kill.args(["-c", &format!("kill -0 {} 2>/dev/null", pid.trim())]);
        kill.status().unwrap().success()
    };
    while runs() {
        assert!(left.elapsed() < Duration::from_secs(5), "it still runs");
        sleep(Duration::from_millis(5)).await;
    }
}
