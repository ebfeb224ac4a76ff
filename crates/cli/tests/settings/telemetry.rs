//! `telemetry`: what is exported, to whom, under which name.

use crate::{
    row::{ROW, Row, rows},
    stage::{PATIENCE, Stage, WHILE},
    support::Request,
};

macro_rules! told {
    ($telemetry:literal) => {
        concat!(
            "providers: { sim: { dialect: openai, base_url: \"{upstream}/v1\", api_key: sk-test } }\n",
            "routes: { \"*\": { plan: { pass: sim } } }\n",
            "telemetry: { ", $telemetry, " }\n",
        )
    };
}

const SOON: &[(&str, &str)] = &[("OTEL_BSP_SCHEDULE_DELAY", "50")];

/// One request, and what the other upstream, standing where the collector is, gets of it.
fn traced(s: &Stage) -> Option<punctual_sim::Seen> {
    assert_eq!(s.chat("m", false).status, 200);
    let traces = |r: &punctual_sim::Seen| r.path.ends_with("/v1/traces") && r.received.is_some();
    let _ = s.block(s.other.wait(PATIENCE, |seen| seen.iter().any(traces)));
    s.other.report().into_iter().find(traces)
}

rows! {
    traces_go_to_the_endpoint: Row {
        covers: &["telemetry.otlp.endpoint"],
        config: told!("«otlp: { endpoint: \"{other}\" }»"),
        always: SOON,
        look: |s| traced(s).is_some_and(|r| r.path == "/v1/traces" && !r.body.is_empty()),
        ..ROW
    };
    exports_carry_the_headers: Row {
        covers: &["telemetry.otlp.headers"],
        config: told!("otlp: { endpoint: \"{other}\", «headers: { x-tenant: blue }» }"),
        always: SOON,
        look: |s| traced(s).is_some_and(|r| r.header("x-tenant") == Some("blue")),
        ..ROW
    };
    only_the_share_is_kept: Row {
        covers: &["telemetry.otlp.sample"],
        config: told!("otlp: { endpoint: \"{other}\", «sample: 0» }"),
        always: SOON,
        look: |s| traced(s).is_none(),
        ..ROW
    };
    names_begin_with_the_prefix: Row {
        covers: &["telemetry.prefix"],
        config: told!("«prefix: agentproxy»"),
        look: |s| {
            s.chat("m", false);
            let text = s.admin(&Request::get("/metrics")).text();
            text.contains("\nagentproxy_requests") && !text.contains("\npunctual_")
        },
        ..ROW
    };
    the_log_may_be_off: Row {
        covers: &["telemetry.log"],
        config: told!("«log: off»"),
        look: |s| {
            s.chat("m", false);
            !s.gateway.logs_within(WHILE)
        },
        ..ROW
    };
    metrics_may_be_off: Row {
        covers: &["telemetry.metrics"],
        config: told!("«metrics: off»"),
        look: |s| {
            s.chat("m", false);
            !s.admin(&Request::get("/metrics")).text().contains("punctual_requests")
        },
        ..ROW
    };
}
