//! `routes`: names, rules, and every form of a plan.

use crate::{
    row::{ROW, Row, rows},
    stage::{PATIENCE, Stage, error, expired, failed},
    support::{Request, ms},
};
use std::time::Duration;

/// Two targets on one provider; what they do is set by [`script`].
macro_rules! routed {
    ($routes:literal) => {
        routed!($routes, "")
    };
    ($routes:literal, $target:literal) => {
        concat!(
            "providers: { sim: { dialect: openai, base_url: \"{upstream}/v1\", api_key: sk-test } }\n",
            "targets: { a: { provider: sim, model: a, ", $target, " }, b: { provider: sim, model: b } }\n",
            "routes: { ", $routes, ", other: { plan: { fallback: [ a, b ] } } }\n",
        )
    };
}

fn script(s: &Stage, model: &str, script: &str) {
    s.sim.set(model, script.parse().unwrap());
}

/// The models the upstream was asked for, in order.
fn models(s: &Stage) -> Vec<String> {
    s.sim.report().into_iter().map(|r| r.model).collect()
}

/// Whether this many requests reach the upstream, all within a time of each other.
fn together(s: &Stage, n: usize, within: Duration) -> bool {
    s.arrived(n) && {
        let seen = s.sim.report();
        let apart = seen[n - 1].arrived - seen[0].arrived;
        s.note(format!("{n} attempts within {apart:?}"));
        apart <= within
    }
}

rows! {
    an_alias_is_the_route: Row {
        covers: &["routes.*.aliases"],
        config: routed!("r: { «aliases: [ gpt-9 ],» plan: a }"),
        look: |s| s.chat("gpt-9", false).status == 200,
        ..ROW
    };
    a_route_ends_at_its_deadline: Row {
        covers: &["routes.*.deadline"],
        config: routed!("r: { «deadline: 300ms,» plan: a }"),
        look: |s| {
            script(s, "a", "silent-headers");
            expired(&s.chat("r", false), "route")
        },
        ..ROW
    };
    what_has_no_place_there_may_be_refused: Row {
        covers: &["routes.*.unsupported"],
        config: concat!(
            "providers: { o: { dialect: ollama, base_url: \"{upstream}\" } }\n",
            "targets: { t: { provider: o, model: t } }\n",
            "routes: { r: { «unsupported: refuse,» plan: t } }\n",
        ),
        look: |s| {
            let body = r#"{"model":"r","logit_bias":{"1":1},"messages":[{"role":"user","content":"x"}]}"#;
            let answer = s.ask(&Request::post("/v1/chat/completions", body));
            failed(&answer, "unsupported") && models(s).is_empty()
        },
        ..ROW
    };
    nothing_starts_with_too_little_left: Row {
        covers: &["routes.*.min_attempt"],
        config: routed!("r: { «min_attempt: 10s,» plan: a }"),
        look: |s| {
            let answer = s.ask(&Request::chat("r", false).with("x-request-deadline-ms", "5000"));
            answer.status == 504 && error(&answer)["reason"] == "below_min_attempt" && models(s).is_empty()
        },
        ..ROW
    };
    all_attempts_together_are_bounded: Row {
        covers: &["routes.*.max_attempts_total"],
        config: routed!("r: { «max_attempts_total: 2,» plan: { retry: { of: a, max_attempts: 5, initial: 1ms } } }"),
        look: |s| {
            script(s, "a", "status=500");
            s.chat("r", false).status == 502 && models(s).len() == 2
        },
        ..ROW
    };
    a_hint_over_the_limit_is_not_waited_for: Row {
        covers: &["routes.*.max_retry_after"],
        config: routed!("r: { «max_retry_after: 1s,» plan: { retry: { of: a } } }"),
        look: |s| {
            script(s, "a", "status=429,retry-after=20");
            let answer = s.chat("r", false);
            answer.status == 429 && answer.header("retry-after") == Some("20")
        },
        ..ROW
    };
    a_cooling_target_is_not_waited_for: Row {
        covers: &["routes.*.max_cooldown_wait"],
        config: routed!("r: { «max_cooldown_wait: 0s,» plan: a }"),
        look: |s| {
            script(s, "a", "status=429,retry-after=3");
            s.chat("r", false).status == 429 && failed(&s.chat("r", false), "cooling_down")
        },
        ..ROW
    };
    reasoning_does_not_commit_when_text_does: Row {
        covers: &["routes.*.commit_on"],
        config: routed!("r: { «commit_on: text,» plan: { fallback: [ a, b ] } }"),
        look: |s| {
            script(s, "a", "reasoning=2,fin-after=1");
            let answer = s.chat("r", true);
            answer.done() && models(s) == ["a", "b"]
        },
        ..ROW
    };
    a_silent_stream_of_the_route_beats: Row {
        covers: &["routes.*.heartbeat_interval"],
        config: routed!("r: { «heartbeat_interval: 200ms,» plan: a }"),
        look: |s| {
            script(s, "a", "silent-headers");
            let mut caller = s.begin(&Request::chat("r", true));
            s.hear(&mut caller).is_some_and(|text| text.starts_with("HTTP/1.1 200"))
        },
        ..ROW
    };
    the_impatient_go_before_those_who_wait: Row {
        covers: &["routes.*.patience"],
        config: routed!("r: { plan: a }, quick: { «patience: 1ms,» plan: a }", "max_concurrency: 1"),
        look: |s| {
            script(s, "a", "silent-headers");
            let holder = s.begin(&Request::chat("r", false));
            let held = s.arrived(1);
            let patient = s.begin(&Request::chat("r", true));
            let first = s.queued(1);
            let quick = s.begin(&Request::chat("quick", false));
            let both = s.queued(2);
            drop(holder);
            // only one of them streams
            let whole = |seen: &[punctual_sim::Seen]| seen.get(1).is_some_and(|r| !r.model.is_empty());
            let next = s.saw(PATIENCE, whole) && !s.sim.report()[1].stream;
            drop((patient, quick));
            held && first && both && next
        },
        ..ROW
    };
    a_callers_mistake_falls_back_when_told_to: Row {
        covers: &["routes.*.fallback_on"],
        config: routed!("r: { «fallback_on: [ +invalid_request ],» plan: [ a, b ] }"),
        look: |s| {
            script(s, "a", "status=400");
            s.chat("r", false).status == 200
        },
        ..ROW
    };
    a_fallback_may_have_its_own_codes: Row {
        covers: &["routes.*.plan.fallback.fallback_on", "routes.*.plan.fallback.of"],
        config: routed!("r: { plan: { fallback: { of: [ a, b ], «fallback_on: [ +invalid_request ]» } } }"),
        look: |s| {
            script(s, "a", "status=400");
            s.chat("r", false).status == 200 && models(s) == ["a", "b"]
        },
        ..ROW
    };
    a_fallback_asks_the_next: Row {
        covers: &["routes.*.plan.fallback", "routes.*.plan"],
        config: routed!("r: { «plan: { fallback: [ a, b ] }|plan: a» }"),
        look: |s| {
            script(s, "a", "status=500");
            s.chat("r", false).status == 200 && models(s) == ["a", "b"]
        },
        ..ROW
    };
    a_round_robin_takes_turns: Row {
        covers: &["routes.*.plan.round_robin"],
        config: routed!("r: { «plan: { round_robin: [ a, b ] }|plan: [ a, b ]» }"),
        look: |s| {
            (0..4).for_each(|_| assert_eq!(s.chat("r", false).status, 200));
            let models = models(s);
            models == ["a", "b", "a", "b"] || models == ["b", "a", "b", "a"]
        },
        ..ROW
    };
    a_leaf_names_its_target: Row {
        covers: &["routes.*.plan.use"],
        config: routed!("r: { plan: { «use: b|use: a» } }"),
        look: |s| s.chat("r", false).status == 200 && models(s) == ["b"],
        ..ROW
    };
    a_passed_model_is_the_callers: Row {
        covers: &["routes.*.plan.pass"],
        config: routed!("\"sim/*\": { «plan: { pass: sim }|plan: a» }"),
        look: |s| s.chat("sim/whatever", false).status == 200 && models(s) == ["whatever"],
        ..ROW
    };
    a_retry_asks_its_member_again: Row {
        covers: &["routes.*.plan.retry", "routes.*.plan.retry.of"],
        config: routed!("r: { «plan: { retry: { of: b, initial: 1ms } }|plan: a» }"),
        look: |s| {
            script(s, "b", "status=500,fail=1");
            s.chat("r", false).status == 200 && models(s) == ["b", "b"]
        },
        ..ROW
    };
    max_attempts_is_the_total: Row {
        covers: &["routes.*.plan.retry.max_attempts"],
        config: routed!("r: { plan: { retry: { of: a, initial: 1ms, «max_attempts: 4» } } }"),
        look: |s| {
            script(s, "a", "status=500");
            s.chat("r", false).status == 502 && models(s).len() == 4
        },
        ..ROW
    };
    // pauses are drawn from 0 to a bound, so these rows make several: that all of them are short by
    // chance happens less than once in ten thousand runs; an empty answer fails and is no mark on the target
    the_first_pause_is_at_most_initial: Row {
        covers: &["routes.*.plan.retry.initial"],
        config: routed!("r: { plan: { retry: { of: a, max_attempts: 6, «initial: 1ms» } } }"),
        look: |s| {
            script(s, "a", "tokens=0");
            let _caller = s.begin(&Request::chat("r", false));
            together(s, 6, ms(350))
        },
        ..ROW
    };
    a_pause_grows_by_the_multiplier: Row {
        covers: &["routes.*.plan.retry.multiplier"],
        config: routed!("r: { plan: { retry: { of: a, max_attempts: 10, initial: 20ms, «multiplier: 1» } } }"),
        look: |s| {
            script(s, "a", "tokens=0");
            let _caller = s.begin(&Request::chat("r", false));
            together(s, 10, ms(500))
        },
        ..ROW
    };
    no_pause_is_over_max: Row {
        covers: &["routes.*.plan.retry.max"],
        config: routed!("r: { plan: { retry: { of: a, max_attempts: 4, initial: 10s, «max: 1ms» } } }"),
        look: |s| {
            script(s, "a", "tokens=0");
            let _caller = s.begin(&Request::chat("r", false));
            together(s, 4, ms(300))
        },
        ..ROW
    };
    only_the_codes_named_are_retried: Row {
        covers: &["routes.*.plan.retry.retry_on"],
        config: routed!("r: { plan: { retry: { of: a, initial: 1ms, «retry_on: [ rate_limited ]» } } }"),
        look: |s| {
            script(s, "a", "status=500");
            s.chat("r", false).status == 502 && models(s).len() == 1
        },
        ..ROW
    };
}
