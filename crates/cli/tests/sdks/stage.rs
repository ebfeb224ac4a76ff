//! Where a script plays: the simulator, the gateway before it, and the process of the script.
//!
//! Every model of [`models`](super::models) is one target and one route of the same name. Targets of the
//! dialect that most scripts speak have the model's bare name, the others' stand behind their dialect's:
//! `gemini-hello`. A target is a provider of its own, so that a limit that one meets rests no other.

use super::{
    models,
    support::{Gateway, run},
};
use punctual_sim::{Listen, Sim};
use std::{fmt::Write as _, path::Path, path::PathBuf, process::Command};

const KEY: &str = "pk-the-key-of-the-sdk-tests";

/// What a target of each dialect is told beside its model; `URL` is the simulator's.
const DIALECTS: [(&str, &str); 6] = [
    ("openai", "base_url: URL/v1, api_key: sk-openai"),
    ("responses", "base_url: URL/v1, api_key: sk-responses"),
    ("anthropic", "base_url: URL/v1, api_key: sk-anthropic"),
    ("gemini", "base_url: URL/v1beta, api_key: sk-gemini"),
    (
        "bedrock",
        "base_url: URL, region: us-east-1, access_key_id: AKIDOFTHESIM, secret_access_key: of-the-sim",
    ),
    ("ollama", "base_url: URL"),
];

/// Runs one script against a simulator and a gateway of its own.
pub fn check(script: &str) {
    let Some(sdks) = std::env::var_os("PUNCTUAL_SDKS").map(PathBuf::from) else {
        println!(
            "{script}: skipped, PUNCTUAL_SDKS names no folder with the SDKs; ./scripts/test.sh fetches them"
        );
        return;
    };
    run(async {
        let sim = Sim::start(Listen::loopback()).await.unwrap();
        models::set(&sim);
        let gateway = Gateway::start(&config(&sim));
        let script = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sdks")).join(script);
        let python = sdks.join("venv/bin/python").into_os_string();
        let is_python = script.extension().is_some_and(|e| e == "py");
        let done = Command::new(if is_python { python } else { "node".into() })
            .arg(&script)
            .env("PUNCTUAL_SDKS", &sdks)
            .env("PUNCTUAL_URL", gateway.url())
            .env("PUNCTUAL_KEY", KEY)
            .env("SIM_URL", sim.url())
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .output()
            .unwrap();
        let (said, complained) = (
            String::from_utf8_lossy(&done.stdout),
            String::from_utf8_lossy(&done.stderr),
        );
        println!("{said}");
        assert!(
            done.status.success() && said.contains("checks held"),
            "{said}\n{complained}"
        );
    });
}

/// A route and a target for each model in each dialect, and one route that the key may not use.
fn config(sim: &Sim) -> String {
    let (mut targets, mut routes, mut allowed) = (String::new(), String::new(), Vec::new());
    for (dialect, place) in DIALECTS {
        let place = place.replace("URL", &sim.url());
        for model in models::names(dialect) {
            let name = match dialect {
                "openai" => model.to_owned(),
                _ => format!("{dialect}-{model}"),
            };
            let beat = models::heartbeat(model);
            let _ = writeln!(
                targets,
                "  {name}: {{ dialect: {dialect}, {place}, model: {model}, passthrough: true }}"
            );
            let _ = writeln!(routes, "  {name}: {{ {beat}plan: {name} }}");
            allowed.push(name);
        }
    }
    let allowed = allowed.join(", ");
    format!(
        "keys: {{ tests: {{ value: {KEY}, routes: [{allowed}], passthrough: true }} }}\ntargets:\n{targets}\
         routes:\n{routes}  private: {{ plan: hello }}\n"
    )
}
