//! `punctual keys new`: what it prints opens the door, and nothing else does.

use crate::{
    stage::Stage,
    support::{Gateway, Request},
    term::Folder,
};

#[test]
fn the_lines_that_are_printed_let_the_key_in_and_nobody_else() {
    let ran = Folder::new().run(&["keys", "new", "--name", "agent-7"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let key = ran
        .out
        .split_whitespace()
        .find(|w| w.starts_with("pk-"))
        .unwrap();
    let lines = &ran.out[ran.out.find("keys:\n").unwrap()..];
    let lines = lines.split("\n\n").next().unwrap();
    assert!(!lines.contains(key) && lines.contains(&punctual_config::keys::hash(key)));
    let config = format!(
        "{lines}\nproviders: {{ sim: {{ dialect: openai, base_url: \"{{upstream}}/v1\", api_key: sk-test }} }}\nroutes: {{ \"*\": {{ plan: {{ pass: sim }} }} }}\n"
    );
    let stage = Stage::start(&config, &[], |_| {});
    let ask = |key: &str| {
        let request = Request::chat("m", false).with("authorization", &format!("Bearer {key}"));
        stage.ask(&request).status
    };
    assert_eq!((ask(key), ask("pk-guess")), (200, 401));
    let log = stage.gateway.log(2);
    assert!(
        log.iter().any(|l| l.to_string().contains("agent-7")),
        "{log:#?}"
    );
    assert!(!log.iter().any(|l| l.to_string().contains(key)));
}

#[test]
fn no_two_keys_are_the_same() {
    let key = || Folder::new().run(&["keys", "new"]).out;
    assert_ne!(key(), key());
}

#[test]
fn an_address_for_others_asks_for_keys_wherever_it_was_said() {
    let text = "providers: { vllm: {} }\nroutes: { r: { plan: { pass: vllm } } }\n";
    let folder = Folder::with(text);
    folder.write(
        "listen.yaml",
        &format!("server: {{ listen: 0.0.0.0:0 }}\n{text}"),
    );
    for (args, env) in [
        (&["serve", "--listen", "0.0.0.0:0"][..], &[][..]),
        (&["serve"], &[("PUNCTUAL_LISTEN", "0.0.0.0:0")]),
        (&["serve", "listen.yaml"], &[]),
    ] {
        let ran = folder.run_with(args, env);
        assert_eq!(ran.code, Some(1), "{args:?} {env:?}");
        assert!(
            ran.err.contains("punctual keys new makes one"),
            "{}",
            ran.err
        );
    }
    folder.write(
        "open.yaml",
        &format!("server: {{ auth: none, admin: {{ listen: 127.0.0.1:0 }} }}\n{text}"),
    );
    let path = folder.0.join("open.yaml");
    let command = folder.command(&["serve", "open.yaml", "--listen", "0.0.0.0:0"]);
    assert!(Gateway::spawn(command, path).addr.ip().is_unspecified());
}
