//! Holds `docs/errors.md` to the code: the table of failures is made from it, and no code of the front door
//! goes unsaid.

use super::*;
use punctual_core::Outcome;
use std::{fmt::Write, fs};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/errors.md");

/// When it happens.
fn when(code: Code) -> &'static str {
    match code {
        Code::ConnectFailed => "DNS, TCP, TLS or a proxy; closed before the request was sent",
        Code::Timeout => "a clock of the target, or its reserve",
        Code::RateLimited => "429, or the same said in the body of a 200",
        Code::QuotaExhausted => "402; money or quota used up, behind whichever status",
        Code::Overloaded => "503, 529, `overloaded_error`",
        Code::ServerError => "any other 5xx, 408, 425; an HTTP/2 stream refused three times",
        Code::Unauthorized => "401, 403",
        Code::NotFound => "404",
        Code::InvalidRequest => "any other 4xx",
        Code::ContextLengthExceeded => "a prompt that is too long, in every known wording",
        Code::ContentRefused => "refused by the provider's policy",
        Code::BoundStateUnavailable => {
            "state that only the target which made it can serve, and that one is unknown, gone, in a pause that it asked for, or failed before and is being probed"
        }
        Code::Unsupported => "no target of the route has a place for what is asked",
        Code::MalformedResponse => {
            "a 200 that is not the dialect, a redirect (never followed), not HTTP"
        }
        Code::Truncated => "closed before the end of the answer, or without one",
        Code::StreamError => "an error inside a 200 that does not say what kind",
        Code::EmptyResponse => {
            "ended without content and without a reason for that; see `allow_empty`"
        }
        Code::ValidationFailed => "an answer that fails a check; raised by no surface built here",
        Code::ResponseTooLarge => "over `max_response_bytes` or `max_event_bytes`",
        Code::QueueFull => "`max_queue` requests wait already",
        Code::QueueTimeout => "no permit within `max_queue_wait`",
        Code::QueueWouldExpire => "`shed: predicted`: it would expire in the queue",
        Code::CoolingDown => "only resting targets are left, this one because it asked for a pause",
        Code::BreakerOpen => "likewise, because it failed; when all did, only while a probe is out",
        Code::KeyLimit => "a limit of the caller's key; none can be configured",
        Code::Internal => "a bug of Punctual's",
        Code::DeadlineExceeded => "the request's deadline passed, or under `min_attempt` is left",
        Code::ShuttingDown => "the process ends",
        other => panic!("say when {} happens", other.as_str()),
    }
}

/// What it means for the target beyond counting; the engine's tests hold it to that.
fn health(code: Code) -> &'static str {
    match code {
        _ if code.rule().counts => "counts",
        Code::RateLimited => "rests as hinted",
        Code::QuotaExhausted => "the credential rests: as hinted, or 60 s",
        Code::Unauthorized => "401: the credential rests after two in a row; 403: the target rests",
        Code::NotFound => "the target rests",
        _ => "–",
    }
}

fn status(code: Code) -> String {
    let (bare, given) = (
        code.status(None),
        code.status(Some(StatusCode::UNPROCESSABLE_ENTITY)),
    );
    match bare == given {
        true => bare.as_str().to_owned(),
        false => format!("as given, else {}", bare.as_str()),
    }
}

fn fall_back(code: Code) -> &'static str {
    let rule = code.rule();
    match (rule.fall_back, rule.fault) {
        (true, _) => "yes",
        (false, Fault::Caller) => "by `fallback_on`",
        (false, _) => "no",
    }
}

fn table() -> String {
    let mut table = "| code | when | status | `type` | outcome | retry | fall back | health |\n\
                     |---|---|---|---|---|---|---|---|\n"
        .to_owned();
    for code in Code::ALL {
        let retry = if code.rule().retry { "yes" } else { "no" };
        writeln!(
            table,
            "| `{}` | {} | {} | `{}` | `{}` | {retry} | {} | {} |",
            code.as_str(),
            when(code),
            status(code),
            kind(code, false),
            Outcome::of(code, false).as_str(),
            fall_back(code),
            health(code)
        )
        .unwrap();
    }
    table
}

#[test]
fn every_failure_is_documented_as_it_is() {
    let page = fs::read_to_string(PAGE).unwrap();
    let (before, rest) = page.split_once("<!-- failures: begin").unwrap();
    let (mark, rest) = rest.split_once("-->\n").unwrap();
    let (documented, after) = rest.split_once("<!-- failures: end").unwrap();
    let table = table();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        let page =
            format!("{before}<!-- failures: begin{mark}-->\n{table}<!-- failures: end{after}");
        return fs::write(PAGE, page).unwrap();
    }
    assert_eq!(
        documented, table,
        "docs/errors.md differs; UPDATE_DOCS=1 writes it anew"
    );
}

#[test]
fn every_code_of_the_front_door_is_documented() {
    let page = fs::read_to_string(PAGE).unwrap();
    let mut codes = 0;
    for source in [
        include_str!("../refusal.rs"),
        include_str!("../../front/door.rs"),
        include_str!("../../front/head.rs"),
        include_str!("../../front/place.rs"),
        include_str!("../../front/asked.rs"),
        include_str!("../../listen.rs"),
    ] {
        let product = source.split("#[cfg(test)]").next().unwrap();
        let plain = |text: &&str| {
            text.contains('_') && text.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
        };
        for code in product.split(['"', '\\']).filter(plain) {
            codes += 1;
            // a family, and part of a path
            let other = ["server_error", "input_items"].contains(&code);
            let known = other || page.contains(&format!("| `{code}` |"));
            assert!(known, "{code} is not in docs/errors.md");
        }
    }
    assert!(codes >= 20, "{codes} codes");
}
