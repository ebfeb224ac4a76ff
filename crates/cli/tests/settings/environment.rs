//! Variables of the environment: those of ours, those of an agent-proxy deployment, and proxies.

use crate::{
    row::{ROW, Row, rows},
    stage::{PATIENCE, Stage, cut, expired},
    support::{Gateway, Request, gateway::write_config},
};
use punctual_config::environment::{Meaning, VARIABLES};
use std::collections::BTreeSet;

macro_rules! silent {
    () => {
        concat!(
            "providers: { sim: { dialect: openai, base_url: \"{upstream}/v1\", api_key: sk-test } }\n",
            "targets: { silent: { provider: sim, model: \"sim:silent-headers\" } }\n",
            "routes: { silent: { plan: silent }, \"*\": { plan: { pass: sim } } }\n",
        )
    };
}

fn unary(s: &Stage) -> crate::support::Answer {
    s.chat("silent", false)
}

rows! {
    the_ceiling_may_come_from_the_environment: Row {
        covers: &["PUNCTUAL_REQUEST_DEADLINE"],
        config: silent!(),
        env: &[("PUNCTUAL_REQUEST_DEADLINE", "0.3")],
        look: |s| expired(&unary(s), "server"),
        ..ROW
    };
    an_agent_proxys_ceiling_is_understood: Row {
        covers: &["PROXY_REQUEST_DEADLINE"],
        config: silent!(),
        env: &[("PROXY_REQUEST_DEADLINE", "0.3")],
        look: |s| expired(&unary(s), "server"),
        ..ROW
    };
    an_agent_proxys_timeout_is_understood: Row {
        covers: &["PROXY_REQUEST_TIMEOUT"],
        config: silent!(),
        env: &[("PROXY_REQUEST_TIMEOUT", "0.3")],
        look: |s| cut(&unary(s), "timeout", 300),
        ..ROW
    };
    the_address_may_come_from_the_environment: Row {
        covers: &["PUNCTUAL_LISTEN"],
        config: silent!(),
        env: &[("PUNCTUAL_LISTEN", "{free}")],
        look: |s| s.gateway.addr == s.free && s.chat("m", false).status == 200,
        ..ROW
    };
    the_administrators_address_may_too: Row {
        covers: &["PUNCTUAL_ADMIN_LISTEN"],
        config: silent!(),
        env: &[("PUNCTUAL_ADMIN_LISTEN", "{free}")],
        look: |s| s.gateway.admin == s.free && s.admin(&Request::get("/healthz")).status == 200,
        ..ROW
    };
    the_proxy_may_come_from_the_environment: Row {
        covers: &["HTTP_PROXY"],
        config: silent!(),
        env: &[("HTTP_PROXY", "{other}")],
        look: |s| s.chat("m", false).status != 0 && s.other.report().len() == 1,
        ..ROW
    };
    hosts_without_the_proxy_may_too: Row {
        covers: &["NO_PROXY"],
        config: silent!(),
        always: &[("HTTP_PROXY", "{other}")],
        env: &[("NO_PROXY", "127.0.0.1")],
        look: |s| s.chat("m", false).status == 200 && s.other.report().is_empty(),
        ..ROW
    };
    no_proxy_at_all_is_said_in_the_file: Row {
        covers: &["providers.*.proxy"],
        config: concat!(
            "providers: { sim: { dialect: openai, base_url: \"{upstream}/v1\", api_key: sk-test, «proxy: none» } }\n",
            "routes: { \"*\": { plan: { pass: sim } } }\n",
        ),
        always: &[("HTTP_PROXY", "{other}")],
        look: |s| s.chat("m", false).status == 200 && s.other.report().is_empty(),
        ..ROW
    };
    an_agent_proxys_ways_come_with_its_variables: Row {
        covers: &["compat"],
        config: silent!(),
        env: &[("PROXY_REQUEST_TIMEOUT", "30")],
        look: |s| s.ask(&Request::chat("m", false).with("x-request-deadline-ms", "abc")).status == 200,
        ..ROW
    };
}

#[test]
fn the_file_may_come_from_the_environment() {
    let path = write_config(
        "providers: { ollama: {} }\nroutes: { from-the-file: { plan: { pass: ollama } } }\n",
    );
    let mut command = Gateway::command();
    command.arg("serve").env("PUNCTUAL_CONFIG", &path);
    let gateway = Gateway::spawn(command, path);
    let routes = |line: &str| line.contains("routes: from-the-file").then_some(());
    assert!(gateway.said().find(PATIENCE, routes).is_some());
}

#[test]
fn every_variable_that_the_gateway_reads_has_a_proof() {
    let covered: BTreeSet<&str> = ROWS
        .iter()
        .flat_map(|r| r.covers)
        .copied()
        .chain(["PUNCTUAL_CONFIG"])
        .collect();
    let read = VARIABLES.iter().filter(|(_, m)| *m != Meaning::Elsewhere);
    let missing: Vec<_> = read
        .map(|(n, _)| *n)
        .filter(|n| !covered.contains(n))
        .collect();
    assert!(missing.is_empty(), "variables without a proof: {missing:?}");
}
