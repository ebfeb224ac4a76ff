//! What upstreams say, which clock watches, and what must come of it.

use crate::{
    guest::{Asks, STREAMS, UNARY, WAYS, Way},
    tally::cell,
};
use punctual_sim::Sim;

/// What a row ends with.
#[derive(Clone, Copy, Debug)]
pub enum Expect {
    /// The first member is cut by `first_token_timeout`; the second answers, and nothing of the first is seen.
    FailsOver,
    /// The first member answers.
    Served,
    /// Cut after content.
    Cut,
    /// `timeout` of 20 ms against an answer that takes 2 s.
    TimesOut,
}

#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub name: &'static str,
    pub script: &'static str,
    pub clocks: &'static str,
    pub streams: bool,
    pub expect: Expect,
}

const fn row(
    name: &'static str,
    script: &'static str,
    clocks: &'static str,
    expect: Expect,
) -> Row {
    Row {
        name,
        script,
        clocks,
        streams: true,
        expect,
    }
}

const FIRST: &str = "first_token_timeout: 100ms";
const BETWEEN: &str = "stream_token_timeout: 150ms";
const WHOLE: &str = "timeout: 20ms";

const ROWS: [Row; 13] = [
    row("no headers", "silent-headers", FIRST, Expect::FailsOver),
    row(
        "headers alone",
        "headers-then-silent",
        FIRST,
        Expect::FailsOver,
    ),
    row(
        "preamble and pings",
        "preamble-then-silent,ping=10ms",
        FIRST,
        Expect::FailsOver,
    ),
    row(
        "role-only deltas",
        "role-only=10ms",
        FIRST,
        Expect::FailsOver,
    ),
    row(
        "empty deltas",
        "empty-deltas=10ms",
        FIRST,
        Expect::FailsOver,
    ),
    row(
        "usage before content",
        "usage-frames=10ms",
        FIRST,
        Expect::FailsOver,
    ),
    row(
        "tool input, then text",
        "tool-at=80ms,tokens=2,gap=220ms",
        FIRST,
        Expect::Served,
    ),
    row("a gap", "stall-after=1", BETWEEN, Expect::Cut),
    row(
        "usage frames only",
        "stall-after=1,usage-frames=10ms",
        BETWEEN,
        Expect::Cut,
    ),
    row(
        "empty deltas after content",
        "stall-after=1,empty-deltas=10ms",
        BETWEEN,
        Expect::Cut,
    ),
    row("the whole", "delay=2s", WHOLE, Expect::TimesOut),
    Row {
        streams: false,
        ..row("unary", "delay=400ms", FIRST, Expect::Served)
    },
    Row {
        streams: false,
        ..row("the whole, unary", "delay=2s", WHOLE, Expect::TimesOut)
    },
];

/// Both dialects, every caller, every surface that has streams (or has none).
#[derive(Clone, Copy)]
pub struct Trial {
    pub n: usize,
    pub row: Row,
    pub dialect: &'static str,
    pub asks: Asks,
    pub way: Way,
}

impl Trial {
    pub fn name(&self) -> String {
        cell(&[&self.row.name, &self.dialect, &self.asks, &self.way])
    }

    pub fn all() -> Vec<Self> {
        let mut out = Vec::new();
        for row in ROWS {
            for dialect in ["openai", "generic"] {
                for asks in if row.streams {
                    &STREAMS[..]
                } else {
                    &UNARY[..]
                } {
                    for way in WAYS {
                        let n = out.len();
                        out.push(Self {
                            n,
                            row,
                            dialect,
                            asks: *asks,
                            way,
                        });
                    }
                }
            }
        }
        out
    }

    /// A target of its own, because failures in a row would rest a shared one.
    fn config(&self) -> (String, String) {
        let Self {
            n, row, dialect, ..
        } = self;
        let target = format!(
            "  a{n}: {{ provider: {dialect}, model: a{n}, {} }}\n",
            row.clocks
        );
        let plan = match row.expect {
            Expect::TimesOut => format!("a{n}"),
            _ => format!("{{ fallback: [ a{n}, good ] }}"),
        };
        (target, format!("  r{n}: {{ plan: {plan} }}\n"))
    }
}

pub fn config(sim: &Sim, trials: &[Trial]) -> String {
    let (targets, routes): (String, String) = trials.iter().map(Trial::config).unzip();
    let url = sim.url();
    format!(
        "providers:\n  openai: {{ dialect: openai, base_url: \"{url}/v1\", api_key: sk-proof }}\n  generic: {{ dialect: generic, base_url: \"{url}/v1\" }}\n\
         targets:\n  good: {{ provider: generic, model: good }}\n  slow: {{ provider: generic, model: slow, {BETWEEN} }}\n{targets}\
         routes:\n  slow: {{ plan: slow }}\n{routes}"
    )
}
