//! What is no conversation: images, vectors, counts of tokens and TypeSafe's questions keep the same deadlines,
//! retries and fallbacks.

use crate::{
    stage::{Mark, Stage, alone, at_once, late},
    support::{Caller, Request, ms},
};
use std::sync::Arc;
use tokio::time::Instant;

/// One of these APIs: its dialect, where its paths begin, how it is asked, what an answer holds.
struct Kind {
    name: &'static str,
    dialect: &'static str,
    base: &'static str,
    path: &'static str,
    body: &'static str,
    holds: &'static str,
}

const KINDS: [Kind; 11] = [
    Kind {
        name: "openai-images",
        dialect: "openai",
        base: "/v1",
        path: "/v1/images/generations",
        body: r#""prompt":"a cat""#,
        holds: "b64_json",
    },
    Kind {
        name: "images",
        dialect: "images",
        base: "/v1",
        path: "/v1/images/generations",
        body: r#""prompt":"a cat""#,
        holds: "b64_json",
    },
    Kind {
        name: "vercel",
        dialect: "vercel_images",
        base: "/v3/ai",
        path: "/v1/images/generations",
        body: r#""prompt":"a cat""#,
        holds: "b64_json",
    },
    Kind {
        name: "typesafe",
        dialect: "typesafe",
        base: "/v1",
        path: "/v1/systemone",
        body: r#""questions":["why?"]"#,
        holds: "{",
    },
    Kind {
        name: "openai-vectors",
        dialect: "openai",
        base: "/v1",
        path: "/v1/embeddings",
        body: r#""input":["a","b"]"#,
        holds: "embedding",
    },
    Kind {
        name: "ollama-vectors",
        dialect: "ollama",
        base: "",
        path: "/v1/embeddings",
        body: r#""input":["a","b"]"#,
        holds: "embedding",
    },
    Kind {
        name: "gemini-vectors",
        dialect: "gemini",
        base: "/v1beta",
        path: "/v1/embeddings",
        body: r#""input":["a","b"]"#,
        holds: "embedding",
    },
    Kind {
        name: "vertex-vectors",
        dialect: "vertex, project: p",
        base: "/v1",
        path: "/v1/embeddings",
        body: r#""input":["a","b"]"#,
        holds: "embedding",
    },
    Kind {
        name: "titan-embed-vectors",
        dialect: "bedrock, region: r",
        base: "",
        path: "/v1/embeddings",
        body: r#""input":"a""#,
        holds: "embedding",
    },
    Kind {
        name: "cohere.embed-vectors",
        dialect: "bedrock, region: r",
        base: "",
        path: "/v1/embeddings",
        body: r#""input":["a","b"]"#,
        holds: "embedding",
    },
    Kind {
        name: "counts",
        dialect: "anthropic",
        base: "/v1",
        path: "/v1/messages/count_tokens",
        body: r#""messages":[{"role":"user","content":"hi"}]"#,
        holds: "input_tokens",
    },
];

/// What an upstream does, and what comes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Does {
    Answers,
    /// Two failures, then an answer: the third try is it.
    FailsTwice,
    /// The next member answers.
    FailsAlways,
    Silent,
    /// Left alone by its caller.
    Left,
    Expires,
    Refuses,
    Breaks,
}

const ALL: [Does; 8] = [
    Does::Answers,
    Does::FailsTwice,
    Does::FailsAlways,
    Does::Silent,
    Does::Left,
    Does::Expires,
    Does::Refuses,
    Does::Breaks,
];

impl Does {
    const fn script(self) -> &'static str {
        match self {
            Self::Answers => "tokens=1",
            Self::FailsTwice => "fail=2,status=503",
            Self::FailsAlways => "status=500",
            Self::Silent | Self::Left | Self::Expires => "silent-headers",
            Self::Refuses => "status=400",
            Self::Breaks => "fin-after=10",
        }
    }

    /// Attempts at the first and at the second member.
    const fn attempts(self) -> (usize, usize) {
        match self {
            Self::Answers | Self::Left | Self::Expires | Self::Refuses => (1, 0),
            Self::FailsTwice => (3, 0),
            Self::FailsAlways | Self::Silent | Self::Breaks => (3, 1),
        }
    }
}

impl Kind {
    fn asks(&self, model: &str) -> Request {
        let body = format!(r#"{{"model":"{model}",{}}}"#, self.body);
        Request::post(self.path, &body)
    }

    fn target(&self, name: &str, origin: &str) -> String {
        let (dialect, base) = (self.dialect, self.base);
        format!(
            "  {name}: {{ dialect: {dialect}, base_url: \"{origin}{base}\", api_key: key-of-{name}, model: {name}, unary_timeout: 200ms }}\n"
        )
    }
}

fn name(kind: &Kind, does: Does) -> String {
    format!("{}-{does:?}", kind.name).to_lowercase()
}

fn config(origin: &str) -> String {
    let (mut targets, mut routes) = (String::new(), String::new());
    for kind in &KINDS {
        for does in ALL {
            let name = name(kind, does);
            let target = kind.target(&name, origin);
            targets += &match does {
                Does::Left | Does::Expires => {
                    target.replace("unary_timeout: 200ms", "reserve: none")
                }
                _ => target,
            };
            targets += &kind.target(&format!("{name}-good"), origin);
            routes += &format!(
                "  {name}: {{ plan: [ {{ retry: {{ of: {name}, initial: 1ms, max: 1ms }} }}, {name}-good ] }}\n"
            );
        }
    }
    format!("targets:\n{targets}routes:\n{routes}")
}

#[test]
fn what_is_no_conversation_keeps_deadlines_retries_and_fallbacks() {
    alone(async {
        let stage = Arc::new(Stage::open(config).await);
        let mut trials = Vec::new();
        for kind in &KINDS {
            for does in ALL {
                let name = name(kind, does);
                stage.plays(&name, does.script());
                trials.push((kind, does, name));
            }
        }
        let shared = stage.clone();
        at_once(8, trials, move |(kind, does, name)| {
            let stage = shared.clone();
            async move { one(&stage, kind, does, &name).await }
        })
        .await;
    });
}

async fn one(stage: &Stage, kind: &Kind, does: Does, name: &str) {
    let mark = Mark::new();
    let mut request = mark.on(kind.asks(name));
    if does == Does::Expires {
        request = request.with("x-request-deadline-ms", "300");
    }
    let mut caller = Caller::connect(stage.gateway.addr).await;
    let started = Instant::now();
    if does == Does::Left {
        caller.send(&request).await;
        stage.seen(name, |s| s.received.is_some()).await;
        let left = caller.leave();
        let seen = stage.seen(name, |s| s.closed.is_some()).await;
        stage.within(name, late(seen.closed.unwrap().0, left), ms(10));
        let record = stage.record(&mark);
        assert_eq!(record["outcome"], "cancelled", "{name}: {record:#}");
        return;
    }
    let answer = caller.ask(&request).await;
    let text = answer.text();
    let (first, second) = does.attempts();
    let asked = (
        stage.asked(name).len(),
        stage.asked(&format!("{name}-good")).len(),
    );
    assert_eq!(asked, (first, second), "{name}: {text}");
    let record = stage.record(&mark);
    let (status, outcome) = match does {
        Does::Expires => (504, "deadline_exceeded"),
        Does::Refuses => (400, "upstream_rejected"),
        _ => (200, "ok"),
    };
    assert_eq!(answer.status, status, "{name}: {text}");
    assert_eq!(record["outcome"], outcome, "{name}: {record:#}");
    match does {
        Does::Expires => {
            stage.at(name, answer.ended_at - started, ms(300));
            assert!(text.contains("request_deadline_exceeded"), "{name}: {text}");
        }
        Does::Refuses => assert!(text.contains("\"error\""), "{name}: {text}"),
        _ => assert!(text.contains(kind.holds), "{name}: {text}"),
    }
}
