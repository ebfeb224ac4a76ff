//! HDR-05: what an answer says about limits, and under which id its upstream knows it, is the winning attempt's;
//! of one that failed nothing is left.

use crate::{
    carried::config,
    house::{Asks, House, SURFACES},
    support::Answer,
};
use punctual_sim::Script;

/// What both members say about themselves, with this name in every value.
fn labels(name: &str, hint: u32) -> String {
    format!(
        "header=x-ratelimit-remaining-requests:{hint},header=anthropic-ratelimit-tokens-limit:{hint},header=request-id:{name},header=openai-processing-ms:{hint},header=set-cookie:__cf_bm={name},header=x-ratelimit-only-{name}:{hint}"
    )
}

fn values(answer: &Answer, name: &str) -> Vec<String> {
    let lines = answer.headers.iter().filter(|(n, _)| n == name);
    lines.map(|(_, value)| value.clone()).collect()
}

#[tokio::test]
async fn limits_and_ids_are_the_winning_attempts_and_nobody_elses() {
    let failed = labels("lost", 91827364);
    let fails = [
        format!("sim:status=429,retry-after=9,{failed},header=x-should-retry:true"),
        format!("sim:status=503,retry-after-ms=9000,{failed}"),
        format!("sim:status=500,header=x-should-retry:false,{failed}"),
        format!("sim:error=rate_limit,error-first,{failed}"),
    ];
    let fails: Vec<&str> = fails.iter().map(String::as_str).collect();
    let house = House::open("", &config(&fails)).await;
    let won: Script = labels("won", 50505050).parse().unwrap();
    // the third says nothing about itself but the id that the simulator gives every request
    house.sim.set("llama-y", won);
    for (n, fails) in fails.iter().enumerate() {
        for asks in SURFACES {
            let what = format!("{fails} {asks:?}");
            house.sim.reset();
            let answer = house.ask(&asks.of(&format!("r{n}"))).await;
            assert_eq!(answer.status, 200, "{what}: {}", answer.text());
            let winner = house.sim.report().pop().unwrap();
            let id = format!("sim-{}", winner.seq);
            assert_eq!(values(&answer, "x-upstream-request-id"), [id], "{what}");
            let leftover = answer.headers.iter().find(|(name, value)| {
                value.contains("91827364") || value.contains("lost") || name.contains("lost")
            });
            assert_eq!(leftover, None, "{what}");
            for name in [
                "set-cookie",
                "retry-after",
                "retry-after-ms",
                "x-should-retry",
            ] {
                assert_eq!(answer.header(name), None, "{what}: {name}");
            }
            if answer.header("x-punctual-target") != Some("b") {
                continue;
            }
            for name in [
                "x-ratelimit-remaining-requests",
                "anthropic-ratelimit-tokens-limit",
                "openai-processing-ms",
            ] {
                assert_eq!(values(&answer, name), ["50505050"], "{what}: {name}");
            }
        }
    }
}

#[tokio::test]
async fn when_all_fail_the_last_ones_limits_are_told() {
    let fails = [format!(
        "sim:status=429,retry-after=9,{}",
        labels("lost", 91827364)
    )];
    let fails: Vec<&str> = fails.iter().map(String::as_str).collect();
    let house = House::open("", &config(&fails)).await;
    let last: Script = format!("status=503,retry-after=2,{}", labels("last", 50505050))
        .parse()
        .unwrap();
    house.sim.set("llama-y", last);
    let answer = house.ask(&Asks::ChatStream.of("r0")).await;
    assert_eq!(answer.status, 503, "{}", answer.text());
    assert_eq!(values(&answer, "retry-after"), ["2"]);
    assert_eq!(
        values(&answer, "x-ratelimit-remaining-requests"),
        ["50505050"]
    );
    assert_eq!(values(&answer, "x-upstream-request-id"), ["sim-1"]);
    let leftover = answer
        .headers
        .iter()
        .find(|(name, value)| name.contains("lost") || value.contains("91827364"));
    assert_eq!(leftover, None);
}
