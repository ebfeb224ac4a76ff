//! The binary as a first-time user meets it.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

mod support;

use punctual_sim::{Listen, Sim};
use support::{Caller, Collector, Gateway, Request, caller::H2, run};

fn config(sim: &Sim) -> String {
    format!(
        "providers: {{ sim: {{ dialect: openai, base_url: \"{}/v1\", api_key: sk-test }} }}\nroutes: {{ \"*\": {{ plan: {{ pass: sim }} }} }}\n",
        sim.url()
    )
}

#[test]
fn a_request_is_served_over_http1_and_http2_and_leaves_one_log_line_and_one_trace() {
    run(async {
        let sim = Sim::start(Listen::loopback()).await.unwrap();
        let collector = Collector::start().await;
        let env = collector.env();
        let env: Vec<_> = env.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        let gateway = Gateway::start_with(&config(&sim), &env);
        let unary = Caller::connect(gateway.addr)
            .await
            .ask(&Request::chat("m", false))
            .await;
        assert_eq!(unary.status, 200, "{}", unary.text());
        let streamed = H2::connect(gateway.addr)
            .await
            .ask(&Request::chat("m", true))
            .await;
        assert!(streamed.done() && streamed.complete, "{}", streamed.text());
        let log = gateway.log(2);
        assert!(log.iter().all(|line| line["outcome"] == "ok"), "{log:#?}");
        let spans = collector
            .wait(|spans| spans.iter().filter(|s| s.name == "request.chat").count() == 2)
            .await;
        assert_eq!(spans.len(), 8, "two trees of four spans");
    });
}
