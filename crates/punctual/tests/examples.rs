//! The examples run, and the one that is killed ends well.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::{
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::OnceLock,
    time::{Duration, SystemTime},
};
use tokio::time::{Instant, sleep, timeout};

/// When the newest source of an example below `folder` was written.
fn newest(folder: &Path) -> Option<SystemTime> {
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let written = entries.filter_map(|entry| {
        let path = entry.path();
        match path.is_dir() {
            true if path.ends_with("tests") || path.ends_with("benches") => None,
            true => newest(&path),
            false if path.extension().is_some_and(|it| it == "rs") => {
                entry.metadata().ok()?.modified().ok()
            }
            false => None,
        }
    });
    written.max()
}

/// Whether the examples are there and as new as their sources. `cargo test` alone builds them; to build them by
/// themselves is to build their dependencies anew, with other features.
fn are_built(examples: &Path, crates: &Path) -> bool {
    let names = ["agent", "chain", "serverless", "streaming"].map(|name| examples.join(name));
    let built = names
        .iter()
        .map(|path| path.metadata().ok()?.modified().ok());
    let oldest = built.min().flatten();
    let sources = ["core", "punctual", "sim", "upstream", "wire"].map(|name| crates.join(name));
    let newest = sources.iter().filter_map(|folder| newest(folder)).max();
    oldest.is_some() && newest < oldest
}

/// An example, built if it is not yet: `cargo test --test examples` alone does not.
fn example(name: &str) -> Command {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    let folder = BUILT.get_or_init(|| {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut examples = std::env::current_exe().unwrap();
        examples.pop();
        examples.pop();
        examples.push("examples");
        if !are_built(&examples, manifest.parent().unwrap()) {
            let mut cargo = Command::new(env!("CARGO"));
            cargo.args([
                "build",
                "--quiet",
                "--locked",
                "-p",
                "punctual",
                "--examples",
            ]);
            assert!(cargo.current_dir(manifest).status().unwrap().success());
        }
        examples
    });
    let mut command = Command::new(folder.join(name));
    for key in ["OPENAI_API_KEY", "ANTHROPIC_API_KEY"] {
        command.env_remove(key);
    }
    command
}

fn run(name: &str) -> String {
    let Output {
        status,
        stdout,
        stderr,
    } = example(name).output().unwrap();
    let told = String::from_utf8(stdout).unwrap();
    assert!(
        status.success(),
        "{told}{}",
        String::from_utf8_lossy(&stderr)
    );
    told
}

#[test]
fn an_agents_loop_ends_within_its_budget() {
    assert!(run("agent").contains("tok"), "it has an answer");
}

#[test]
fn a_chain_goes_on_to_the_paid_model() {
    let told = run("chain");
    assert!(
        told.contains("local: timeout") && told.contains("paid: answered"),
        "{told}"
    );
}

#[test]
fn a_stream_fails_over_before_its_first_word() {
    let told = run("streaming");
    assert!(
        told.contains("tok7") && told.contains("2 attempts"),
        "{told}"
    );
}

/// The serverless example with this limit and reserve, in a folder of its own.
fn serverless(limit: &str, reserve: &str) -> (PathBuf, Child) {
    let room = std::env::temp_dir().join(format!(
        "punctual-serverless-{limit}-{}",
        std::process::id()
    ));
    std::fs::create_dir_all(&room).unwrap();
    let child = example("serverless")
        .arg(&room)
        .env("PUNCTUAL_EXECUTION_LIMIT", limit)
        .env("PUNCTUAL_EXECUTION_RESERVE", reserve)
        .stdout(Stdio::null())
        .stderr(Stdio::inherit())
        .spawn();
    (room, child.unwrap())
}

fn told(room: &PathBuf) -> (String, String) {
    let read = |name| std::fs::read_to_string(room.join(name)).unwrap();
    let told = (read("log"), read("result"));
    std::fs::remove_dir_all(room).unwrap();
    told
}

#[test]
fn a_run_of_fifteen_seconds_ends_by_itself_before_its_window_does() {
    let (room, mut child) = serverless("15s", "2s");
    let started = Instant::now();
    assert!(child.wait().unwrap().success());
    let took = started.elapsed();
    // nothing begins with under five seconds left of thirteen
    assert!(
        took > Duration::from_secs(6) && took < Duration::from_secs(14),
        "{took:?}"
    );
    let (log, result) = told(&room);
    assert!(
        log.contains("EXECUTION_DEADLINE_EXCEEDED") && log.contains("answers written"),
        "{log}"
    );
    assert!(result.lines().count() >= 5, "{result}");
}

#[tokio::test]
async fn a_run_that_gets_sigterm_still_writes_its_result_and_its_log() {
    let (room, mut child) = serverless("900s", "10s");
    let log = room.join("log");
    let answered = async {
        let first = "question 0 has its answer";
        while !std::fs::read_to_string(&log).is_ok_and(|log| log.contains(first)) {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(Duration::from_secs(20), answered).await.unwrap();
    let pid = child.id().to_string();
    let killed = Command::new("kill").args(["-TERM", &pid]).status().unwrap();
    assert!(killed.success() && child.wait().unwrap().success());
    let (log, result) = told(&room);
    let ended = log.contains("SIGTERM in the middle") && log.contains("answers written");
    assert!(ended, "{log}");
    assert!(result.starts_with("tok0"), "{result}");
}
