//! Hot reload: a good file is served from the next request on, a bad one never is, and what is running stays.

use crate::{
    stage::{PATIENCE, Stage},
    support::{Gateway, Request, ms},
};
use std::time::Duration;

const WITHIN: Duration = ms(10_000);
/// A caller's key.
const KEY: &str = "pk-0123456789012345678901234567890123456789012";

fn text(stage: &Stage, target: &str) -> String {
    format!(
        "server: {{ listen: 127.0.0.1:0, admin: {{ listen: 127.0.0.1:0 }} }}\n\
         providers: {{ sim: {{ dialect: openai, base_url: \"{}/v1\", api_key_file: {}/key }} }}\n\
         targets: {{ t: {{ provider: sim, {target} }} }}\n\
         routes: {{ r: {{ plan: t }} }}\n",
        stage.sim.url(),
        stage.dir.display()
    )
}

fn start() -> Stage {
    let config = "server: { listen: 127.0.0.1:0, admin: { listen: 127.0.0.1:0 } }\n\
        providers: { sim: { dialect: openai, base_url: \"{upstream}/v1\", api_key_file: {dir}/key } }\n\
        targets: { t: { provider: sim, model: first, max_concurrency: 1 } }\n\
        routes: { r: { plan: t } }\n";
    Stage::start(config, &[], |dir| {
        std::fs::write(dir.join("key"), "sk-first").unwrap()
    })
}

/// Replaces the file as editors do: a new one is moved over the old.
fn save(gateway: &Gateway, text: &str) {
    let new = gateway.config.with_extension("new");
    std::fs::write(&new, text).unwrap();
    std::fs::rename(&new, &gateway.config).unwrap();
}

/// Waits until the gateway has said something this often.
fn said(stage: &Stage, what: &str, times: usize) {
    let mut n = 0;
    let found = stage.gateway.said().find(WITHIN, |line| {
        n += usize::from(line.contains(what));
        (n >= times).then_some(())
    });
    assert!(
        found.is_some(),
        "{what:?} not said {times} times:\n{}",
        stage.story()
    );
}

fn model(stage: &Stage) -> String {
    assert_eq!(stage.chat("r", false).status, 200, "{}", stage.story());
    stage.sim.report().last().unwrap().model.clone()
}

#[test]
fn a_good_file_is_served_and_a_bad_one_never() {
    let stage = start();
    assert_eq!(model(&stage), "first");
    save(&stage.gateway, &text(&stage, "model: second"));
    said(&stage, "configuration reloaded", 1);
    assert_eq!(model(&stage), "second");

    save(&stage.gateway, &text(&stage, "modl: third"));
    said(&stage, "the last good one stays", 1);
    let place = format!("{}:3:", stage.gateway.config.display());
    said(&stage, &place, 1);
    said(&stage, "did you mean model?", 1);
    assert_eq!(model(&stage), "second");

    std::fs::remove_file(&stage.gateway.config).unwrap();
    said(&stage, "the last good one stays", 2);
    assert_eq!(model(&stage), "second");

    // not moved into place but written there
    std::fs::write(&stage.gateway.config, text(&stage, "model: fourth")).unwrap();
    said(&stage, "configuration reloaded", 2);
    assert_eq!(model(&stage), "fourth");
    let metrics = stage.admin(&Request::get("/metrics")).text();
    let counted = |what: &str| {
        metrics
            .lines()
            .any(|l| l.contains("reload") && l.contains(what))
    };
    assert!(counted("2"), "{metrics}");
}

#[test]
fn a_permit_that_is_held_is_held_over_a_reload() {
    let stage = start();
    stage.sim.set("first", "silent-headers".parse().unwrap());
    let holder = stage.begin(&Request::chat("r", false));
    assert!(stage.arrived(1));
    save(
        &stage.gateway,
        &text(
            &stage,
            "model: first, max_concurrency: 1, first_token_timeout: 20s",
        ),
    );
    said(&stage, "configuration reloaded", 1);
    let _waiter = stage.begin(&Request::chat("r", false));
    assert!(
        stage.queued(1) && stage.arrived_only(1),
        "the lane is doubled:\n{}",
        stage.story()
    );
    holder.leave();
    assert!(
        stage.arrived(2),
        "the waiter gets the permit of the one before:\n{}",
        stage.story()
    );
}

#[test]
fn a_wider_lane_lets_those_in_who_wait() {
    let stage = start();
    stage.sim.set("first", "silent-headers".parse().unwrap());
    let _holder = stage.begin(&Request::chat("r", false));
    assert!(stage.arrived(1));
    let _waiter = stage.begin(&Request::chat("r", false));
    assert!(stage.queued(1));
    save(
        &stage.gateway,
        &text(&stage, "model: first, max_concurrency: 2"),
    );
    assert!(
        stage.saw(WITHIN, |seen| seen.len() == 2),
        "{}",
        stage.story()
    );
}

#[test]
fn a_running_request_ends_with_what_it_began_with() {
    let stage = start();
    stage
        .sim
        .set("first", "tokens=3,gap=700ms".parse().unwrap());
    let mut caller = stage.begin(&Request::chat("r", true));
    assert!(stage.arrived(1));
    save(
        &stage.gateway,
        &text(&stage, "model: second, stream_token_timeout: 100ms"),
    );
    said(&stage, "configuration reloaded", 1);
    let answer = stage.block(caller.answer(PATIENCE * 3));
    assert!(
        answer.done() && answer.content() == "tok0 tok1 tok2 ",
        "{}",
        answer.text()
    );
}

#[test]
fn a_file_that_the_configuration_names_is_followed_too() {
    let stage = start();
    model(&stage);
    std::fs::write(stage.dir.join("key"), "sk-second").unwrap();
    said(&stage, "configuration reloaded", 1);
    model(&stage);
    let sent: Vec<_> = stage
        .sim
        .report()
        .iter()
        .map(|r| r.header("authorization").unwrap().to_owned())
        .collect();
    assert_eq!(sent, ["Bearer sk-first", "Bearer sk-second"]);
}

#[test]
fn what_takes_a_restart_is_said() {
    let stage = start();
    let changed = text(&stage, "model: first").replacen("127.0.0.1:0", &stage.free.to_string(), 1);
    save(&stage.gateway, &changed);
    said(&stage, "server.listen has changed; that takes a restart", 1);
    assert_eq!(model(&stage), "first");
}

#[test]
fn what_is_bound_where_others_come_is_never_opened() {
    let server =
        "server: { listen: 0.0.0.0:0, hosts: [0.0.0.0], admin: { listen: 127.0.0.1:0 } }\n";
    let keys = format!("keys: {{ me: {{ value: {KEY} }} }}\n");
    let rest = "providers: { sim: { dialect: openai, base_url: \"{upstream}/v1\", api_key: k } }\n\
        targets: { t: { provider: sim, model: first } }\n\
        routes: { r: { plan: t } }\n";
    let stage = Stage::start(&format!("{server}{keys}{rest}"), &[], |_| {});
    let status = || stage.chat("r", false).status;
    assert_eq!(status(), 401, "{}", stage.story());
    let rest = rest.replace("{upstream}", &stage.sim.url());
    let local = server.replace("listen: 0.0.0.0", "listen: 127.0.0.1");
    save(&stage.gateway, &format!("{local}{rest}"));
    said(&stage, "the last good one stays", 1);
    said(&stage, "no key would be asked for", 1);
    assert_eq!(status(), 401, "{}", stage.story());
    let meant = local.replace("admin", "auth: none, admin");
    save(&stage.gateway, &format!("{meant}{rest}"));
    said(&stage, "configuration reloaded", 1);
    assert_eq!(status(), 200, "{}", stage.story());
}
