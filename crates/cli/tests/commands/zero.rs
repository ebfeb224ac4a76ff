//! `punctual serve` without a file: what the environment has keys for, and model servers on this machine.

use crate::{
    support::{Caller, Gateway, Request, ms, run},
    term::Folder,
};
use punctual_sim::{Listen, Sim};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One at a time has Ollama's own port.
static PORT: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    PORT.lock().unwrap_or_else(PoisonError::into_inner)
}

const PORTS: [(&str, &str); 2] = [
    ("PUNCTUAL_LISTEN", "127.0.0.1:0"),
    ("PUNCTUAL_ADMIN_LISTEN", "127.0.0.1:0"),
];

fn serve(folder: &Folder, env: &[(&str, &str)]) -> Gateway {
    let mut command = folder.command(&["serve"]);
    command.envs(PORTS).envs(env.iter().copied());
    let gateway = Gateway::spawn(command, folder.0.join("none"));
    gateway
        .said()
        .find(ms(10_000), |l| l.contains("routes: ").then_some(()))
        .unwrap();
    gateway
}

fn said(gateway: &Gateway, what: &str) -> bool {
    gateway.said().all().iter().any(|l| l.contains(what))
}

#[test]
fn a_key_in_the_environment_serves_every_model_there() {
    let folder = Folder::new();
    let gateway = serve(
        &folder,
        &[
            ("OPENAI_API_KEY", "sk-secret-of-mine"),
            ("ANTHROPIC_API_KEY", "k"),
        ],
    );
    assert!(said(&gateway, "no configuration file"));
    assert!(said(&gateway, "openai/<model>: OPENAI_API_KEY is set"));
    assert!(said(&gateway, "openai/*"));
    assert!(said(
        &gateway,
        "anthropic/<model>: ANTHROPIC_API_KEY is set"
    ));
    assert!(!said(&gateway, "sk-secret-of-mine"));
}

#[test]
fn two_providers_are_told_apart_by_prefix() {
    let folder = Folder::new();
    let gateway = serve(&folder, &[("OPENAI_API_KEY", "a"), ("GROQ_API_KEY", "b")]);
    assert!(said(&gateway, "groq/<model>: GROQ_API_KEY is set"));
    run(async {
        let answer = Caller::connect(gateway.addr)
            .await
            .ask(&Request::chat("gpt-9", false))
            .await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (404, "model_not_found")
        );
    });
}

#[test]
fn nothing_to_serve_is_exit_code_1_and_says_what_to_do() {
    let _alone = alone();
    // a real model server on this machine would be served, and rightly so
    if std::net::TcpStream::connect("127.0.0.1:11434").is_ok() {
        println!("skipped: something listens on 127.0.0.1:11434");
        return;
    }
    let mut env = PORTS;
    env[0].1 = "127.0.0.1:8080";
    let ran = Folder::new().run_with(&["serve"], &env);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    for word in ["OPENAI_API_KEY", "GROQ_API_KEY", "Ollama", "punctual.yaml"] {
        assert!(ran.err.contains(word), "{word}: {}", ran.err);
    }
}

#[test]
fn a_model_server_on_this_machine_is_served() {
    let _alone = alone();
    run(async {
        let ollama = "127.0.0.1:11434".parse().unwrap();
        let Ok(sim) = Sim::start(Listen::at(ollama)).await else {
            println!("skipped: something else listens on {ollama}");
            return;
        };
        let folder = Folder::new();
        let gateway = serve(&folder, &[]);
        assert!(said(
            &gateway,
            "ollama/<model>: a server answers on 127.0.0.1:11434"
        ));
        let answer = Caller::connect(gateway.addr)
            .await
            .ask(&Request::chat("ollama/qwen3:8b", false))
            .await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(sim.report().last().unwrap().model, "qwen3:8b");
    });
}

#[test]
fn the_models_of_an_ollama_on_this_machine_are_listed_and_answer_by_their_names() {
    let _alone = alone();
    run(async {
        let ollama = "127.0.0.1:11434".parse().unwrap();
        let Ok(sim) = Sim::start(Listen::at(ollama)).await else {
            println!("skipped: something else listens on {ollama}");
            return;
        };
        sim.set("qwen3:8b", "tokens=2".parse().unwrap());
        let gateway = serve(&Folder::new(), &[]);
        let mut caller = Caller::connect(gateway.addr).await;
        let list = caller.ask(&Request::get("/v1/models")).await.json();
        let ids: Vec<_> = list["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|m| &m["id"])
            .collect();
        assert!(ids.contains(&&"ollama/qwen3:8b".into()), "{list:#}");
        let answer = caller.ask(&Request::chat("ollama/qwen3:8b", false)).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(sim.report().last().unwrap().model, "qwen3:8b");
    });
}

#[test]
fn a_file_in_this_folder_goes_before_the_environment() {
    let folder =
        Folder::with("providers: { vllm: {} }\nroutes: { mine: { plan: { pass: vllm } } }\n");
    let gateway = serve(&folder, &[("OPENAI_API_KEY", "k")]);
    assert!(said(&gateway, "routes: mine") && !said(&gateway, "no configuration file"));
}
