//! Keys that stand at several levels: `defaults`, a provider, a target, and (clocks) a leaf of a plan.
//!
//! Each is proved at every level where the schema has it: once without the key, where its effect must not be
//! seen, and once with it at each level, where it must.

use crate::{
    stage::{Stage, cut, failed},
    support::{Request, ms},
};
use std::thread;

/// A key, a value, and what is seen of it.
struct Shared {
    key: &'static str,
    value: &'static str,
    /// Whether a leaf of a plan may say it.
    leaf: bool,
    config: &'static str,
    look: fn(&Stage) -> bool,
}

/// `{defaults}`, `{provider}`, `{target}` and `{leaf}` are where the key goes.
const PLAIN: &str = r#"
defaults: { {defaults} }
providers: { sim: { dialect: openai, base_url: "{upstream}/v1", api_key: sk-test, {provider} } }
targets: { t: { provider: sim, model: t, {target} } }
routes: { r: { plan: { use: t, {leaf} } } }
"#;
const NARROW: &str = r#"
defaults: { {defaults} }
providers: { sim: { dialect: openai, base_url: "{upstream}/v1", api_key: sk-test, {provider} } }
targets: { t: { provider: sim, model: t, max_concurrency: 1, {target} } }
routes: { r: { plan: { use: t, {leaf} } } }
"#;
const HOLE: &str = r#"
defaults: { {defaults} }
providers: { hole: { dialect: openai, base_url: "{hole}/v1", api_key: sk-test, {provider} } }
targets: { t: { provider: hole, model: t, {target} } }
routes: { r: { plan: { use: t, {leaf} } } }
"#;
const TWO: &str = r#"
defaults: { {defaults} }
providers: { sim: { dialect: openai, base_url: "{upstream}/v1", api_key: sk-test, {provider} } }
targets: { t: { provider: sim, model: t, {target} }, ok: { provider: sim, model: ok } }
routes: { r: { deadline: 2800ms, plan: { fallback: [ { use: t, {leaf} }, ok ] } } }
"#;
const RETRIED: &str = r#"
defaults: { {defaults} }
providers: { sim: { dialect: openai, base_url: "{upstream}/v1", api_key: sk-test, {provider} } }
targets: { t: { provider: sim, model: t, unary_timeout: 100ms, {target} } }
routes: { r: { plan: { retry: { of: { use: t, {leaf} }, max_attempts: 3, initial: 1ms } } } }
"#;
const LANES: &str = r#"
defaults: { {defaults} }
providers: { sim: { dialect: openai, base_url: "{upstream}/v1", api_key: sk-test, {provider} } }
targets:
  t: { provider: sim, model: t, max_concurrency: 1, {target} }
  u: { provider: sim, model: t, max_concurrency: 1, {target} }
routes: { r: { plan: t }, s: { plan: u } }
"#;

fn script(s: &Stage, script: &str) {
    s.sim.set("t", script.parse().unwrap());
}

fn clocks() -> Vec<Shared> {
    let clock = |key, value, config, look| Shared {
        key,
        value,
        leaf: true,
        config,
        look,
    };
    vec![
        clock("connect_timeout", "300ms", HOLE, |s| {
            cut(&s.chat("r", false), "connect_timeout", 300)
        }),
        clock("first_token_timeout", "300ms", PLAIN, |s| {
            script(s, "silent-headers");
            cut(&s.chat("r", true), "first_token_timeout", 300)
        }),
        clock("stream_token_timeout", "300ms", PLAIN, |s| {
            script(s, "stall-after=1");
            cut(&s.chat("r", true), "stream_token_timeout", 300)
        }),
        clock("unary_timeout", "300ms", PLAIN, |s| {
            script(s, "silent-headers");
            cut(&s.chat("r", false), "unary_timeout", 300)
        }),
        clock("timeout", "300ms", PLAIN, |s| {
            script(s, "keepalive");
            cut(&s.chat("r", true), "timeout", 300)
        }),
        clock("timeouts", "300ms", PLAIN, |s| {
            script(s, "silent-headers");
            cut(&s.chat("r", false), "timeout", 300)
        }),
        // half of 2.8 s is kept by itself, nine tenths when told to
        clock("reserve", "90%", TWO, |s| {
            script(s, "silent-headers");
            let _caller = s.begin(&Request::chat("r", true));
            s.saw(ms(1000), |seen| seen.iter().any(|r| r.model == "ok"))
        }),
        clock("max_queue_wait", "200ms", NARROW, |s| {
            script(s, "silent-headers");
            let _holder = s.begin(&Request::chat("r", false));
            s.arrived(1) && failed(&s.chat("r", false), "queue_timeout")
        }),
        clock("replay_timeouts", "false", RETRIED, |s| {
            script(s, "silent-headers");
            failed(&s.chat("r", false), "timeout") && s.sim.report().len() == 1
        }),
        clock("allow_empty", "true", PLAIN, |s| {
            script(s, "tokens=0");
            s.chat("r", false).status == 200
        }),
    ]
}

fn settings() -> Vec<Shared> {
    let setting = |key, value, config, look| Shared {
        key,
        value,
        leaf: false,
        config,
        look,
    };
    vec![
        setting("max_concurrency", "1", PLAIN, |s| {
            script(s, "silent-headers");
            let holder = s.begin(&Request::chat("r", false));
            let waits = s.arrived(1) && {
                let _waiter = s.begin(&Request::chat("r", false));
                s.arrived_only(1)
            };
            drop(holder);
            waits
        }),
        setting("max_queue", "0", NARROW, |s| {
            script(s, "silent-headers");
            let _holder = s.begin(&Request::chat("r", false));
            s.arrived(1) && failed(&s.chat("r", false), "queue_full")
        }),
        setting("shed", "predicted", NARROW, |s| {
            script(s, "delay=60ms");
            (0..20).for_each(|_| assert_eq!(s.chat("r", false).status, 200));
            script(s, "silent-headers");
            let ahead: Vec<_> = (0..10)
                .map(|_| s.begin(&Request::chat("r", false)))
                .collect();
            let hopeless = Request::chat("r", false).with("x-request-deadline-ms", "250");
            let refused = s.queued(9) && failed(&s.ask(&hopeless), "queue_would_expire");
            drop(ahead);
            refused
        }),
        setting("lane", "gpu", LANES, |s| {
            script(s, "silent-headers");
            let _holder = s.begin(&Request::chat("r", false));
            s.arrived(1) && {
                let _waiter = s.begin(&Request::chat("s", false));
                s.arrived_only(1)
            }
        }),
        setting("usage", "inject", PLAIN, |s| {
            s.chat("r", true);
            let seen = s.sim.report();
            String::from_utf8_lossy(&seen[0].body).contains("\"include_usage\":true")
        }),
        setting("forward_deadline", "x-request-deadline-ms", PLAIN, |s| {
            s.ask(&Request::chat("r", false).with("x-request-deadline-ms", "5000"));
            let sent = s.forwarded("x-request-deadline-ms");
            sent.is_some_and(|ms| (1..=4950).contains(&ms.parse::<u64>().unwrap()))
        }),
        setting("forward_headers", "x-tenant", PLAIN, |s| {
            s.ask(&Request::chat("r", false).with("x-tenant", "blue"));
            s.forwarded("x-tenant").as_deref() == Some("blue")
        }),
        setting("headers", "{ x-added: \"yes\" }", PLAIN, |s| {
            s.chat("r", false);
            s.forwarded("x-added").as_deref() == Some("yes")
        }),
        setting("max_event_bytes", "64KiB", PLAIN, |s| {
            script(s, "huge-event=200KiB");
            failed(&s.chat("r", true), "response_too_large")
        }),
        setting("max_response_bytes", "1KiB", PLAIN, |s| {
            script(s, "tokens=1000");
            failed(&s.chat("r", false), "response_too_large")
        }),
        setting("http2", "true", PLAIN, |s| {
            s.chat("r", false);
            s.sim.report()[0].protocol == punctual_sim::Protocol::Http2
        }),
        setting("passthrough", "true", PLAIN, |s| {
            s.ask(&Request::get("/passthrough/t/models")).status == 200
        }),
    ]
}

/// Where the key stands in the file, and in the schema.
const LEVELS: [(&str, &str); 4] = [
    ("{defaults}", "defaults"),
    ("{provider}", "providers.*"),
    ("{target}", "targets.*"),
    ("{leaf}", "routes.*.plan"),
];

impl Shared {
    fn levels(&self) -> &'static [(&'static str, &'static str)] {
        if self.leaf { &LEVELS } else { &LEVELS[..3] }
    }

    /// The file with the key at one level, or at none.
    fn text(&self, level: Option<&str>) -> String {
        LEVELS
            .iter()
            .fold(self.config.to_owned(), |text, (slot, _)| {
                let here = level == Some(*slot);
                let said = here.then(|| format!("{}: {}", self.key, self.value));
                text.replace(slot, &said.unwrap_or_default())
            })
    }

    fn run(&self, level: Option<&str>) -> (bool, String) {
        let stage = Stage::start(&self.text(level), &[], |_| {});
        let seen = (self.look)(&stage);
        (seen, stage.story())
    }

    fn prove(&self) {
        thread::scope(|s| {
            let without = s.spawn(|| self.run(None));
            let runs = self
                .levels()
                .iter()
                .map(|(slot, path)| (path, s.spawn(|| self.run(Some(*slot)))));
            for (path, run) in runs.collect::<Vec<_>>() {
                let (seen, story) = run.join().unwrap();
                assert!(seen, "{path}.{} has no effect:\n{story}", self.key);
            }
            let (seen, story) = without.join().unwrap();
            assert!(
                !seen,
                "the effect of {} is there without it:\n{story}",
                self.key
            );
        });
    }
}

/// The dotted paths that are proved here.
pub fn covered() -> Vec<String> {
    let path = |shared: &Shared| -> Vec<String> {
        let levels = shared.levels().iter();
        levels
            .map(|(_, path)| format!("{path}.{}", shared.key))
            .collect()
    };
    clocks().iter().chain(&settings()).flat_map(path).collect()
}

/// One test a key, so that a failure names it.
macro_rules! proofs {
    ($($list:ident: $($key:ident)*;)*) => {
        $($(#[test] fn $key() { prove($list(), stringify!($key)); })*)*

        #[test]
        fn every_shared_key_has_a_test() {
            let tested = [$($(stringify!($key)),*),*];
            for shared in clocks().iter().chain(&settings()) {
                assert!(tested.contains(&shared.key), "{} has no test", shared.key);
            }
        }
    };
}

fn prove(list: Vec<Shared>, key: &str) {
    list.into_iter().find(|s| s.key == key).unwrap().prove();
}

proofs! {
    clocks: connect_timeout first_token_timeout stream_token_timeout unary_timeout timeout timeouts reserve
        max_queue_wait replay_timeouts allow_empty;
    settings: max_concurrency max_queue shed lane usage forward_deadline forward_headers headers
        max_event_bytes max_response_bytes http2 passthrough;
}
