//! What a caller must get of a case: the contract's rules on streams and its table of failures, written down
//! a second time.

use super::{
    sse::{Block, blocks},
    support::Answer,
    table::Case,
};

/// The status of the answer when `code` is the last word before anything was sent. `upstream` is the
/// status that the upstream gave.
pub fn status(code: &str, upstream: u16) -> u16 {
    match code {
        "ok" => 200,
        "rate_limited" | "quota_exhausted" => 429,
        "overloaded" => 503,
        "context_length_exceeded" => 400,
        "invalid_request" | "content_refused" => upstream,
        _ => 502,
    }
}

/// Codes that say the caller was wrong: the upstream's own words are passed on.
pub fn is_callers(code: &str) -> bool {
    matches!(
        code,
        "invalid_request" | "context_length_exceeded" | "content_refused"
    )
}

/// The index of the first content among the events of a stream.
pub fn first_content(case: &Case, events: &[Block]) -> Option<usize> {
    let found = events.iter().position(Block::has_content);
    match case.first_content {
        None => found,
        Some(told) => {
            // only a call that stays without arguments is content at its end
            let late = case.name.ends_with("call-without-arguments.sse");
            assert!(
                found == told || late,
                "{}: content at {found:?}, the table says {told:?}",
                case.name
            );
            told
        }
    }
}

/// Whether the caller's head is out before the outcome is known.
pub fn commits(case: &Case) -> bool {
    case.succeeds() || case.stream && first_content(case, &blocks(&case.plain())).is_some()
}

/// The outcome on the log line.
pub fn outcome(case: &Case) -> &'static str {
    ends(case, commits(case))
}

/// The same where it is known whether the head was out.
pub fn ends(case: &Case, committed: bool) -> &'static str {
    match case.class.as_str() {
        "ok" => "ok",
        _ if committed => "truncated",
        code if is_callers(code) => "upstream_rejected",
        _ => "failed",
    }
}

/// Checks everything that the caller's socket saw.
pub fn check(case: &Case, name: &str, answer: &Answer) {
    assert!(answer.complete, "{name}: the answer is framed to its end");
    assert!(answer.header("content-encoding").is_none(), "{name}");
    let wanted = if commits(case) {
        200
    } else {
        status(&case.class, case.status)
    };
    assert_eq!(answer.status, wanted, "{name}: {}", answer.text());
    let kind = answer.header("content-type").unwrap_or_default();
    let is_stream = case.stream && wanted == 200;
    let wanted = if is_stream {
        "text/event-stream"
    } else {
        "application/json"
    };
    assert!(kind.starts_with(wanted), "{name}: {kind}");
    match (is_stream, case.succeeds()) {
        (true, true) if case.name.ends_with(".json") => converted(case, name, answer),
        (true, _) => streamed(case, name, answer),
        (false, true) => assert_eq!(
            answer.text(),
            String::from_utf8_lossy(&case.plain()),
            "{name}"
        ),
        (false, false) => refused(case, name, answer),
    }
}

fn streamed(case: &Case, name: &str, answer: &Answer) {
    let (relayed, complete) = relayed(case);
    let body = answer.text();
    let relayed = String::from_utf8_lossy(&relayed);
    if complete {
        assert_eq!(body, relayed, "{name}");
        return;
    }
    let Some(words) = body.strip_prefix(&*relayed) else {
        panic!(
            "{name}: the bytes before the error are not the upstream's:\n{body}\nwanted:\n{relayed}"
        );
    };
    let ends_well = words.starts_with("data: {") && words.ends_with("}\n\n");
    assert!(
        ends_well && words.matches('\n').count() == 2,
        "{name}: one event: {words:?}"
    );
    assert!(!answer.done(), "{name}: no [DONE] behind an error");
    let [error] = answer
        .error_events()
        .try_into()
        .unwrap_or_else(|all| panic!("{name}: one error, not {all:?}"));
    assert_eq!(error["status"], status(&case.class, 400), "{name}: {error}");
    assert!(
        error["message"].is_string() && error["type"].is_string(),
        "{name}: {error}"
    );
    if !is_callers(&case.class) {
        assert_eq!(error["code"], case.class.as_str(), "{name}: {error}");
    }
}

/// What of a stream is passed on, and whether that is all.
pub fn relayed(case: &Case) -> (Vec<u8>, bool) {
    let events = blocks(&case.plain());
    let content = first_content(case, &events);
    let mut out = Vec::new();
    let mut done = false;
    for (index, event) in events.iter().enumerate() {
        let cut = !event.complete && !event.is_blank() && (event.is_comment() || !case.succeeds());
        let unheard = event.is_comment() && content.is_some_and(|first| index < first);
        if cut || unheard || event.is_done() && done {
            continue;
        }
        if !case.succeeds() && event.is_error() {
            break;
        }
        done |= event.is_done();
        out.extend_from_slice(&event.bytes);
        if !event.complete && !event.is_blank() {
            out.extend_from_slice(if out.ends_with(b"\n") { b"\n" } else { b"\n\n" });
        }
    }
    if case.succeeds() && !done {
        out.extend_from_slice(b"data: [DONE]\n\n");
    }
    (out, case.succeeds())
}

/// A whole answer where a stream was asked for becomes one.
fn converted(case: &Case, name: &str, answer: &Answer) {
    let whole: serde_json::Value = serde_json::from_slice(&case.plain()).unwrap();
    assert!(
        answer.done() && answer.error_events().is_empty(),
        "{name}: {}",
        answer.text()
    );
    let events = answer.events();
    let first: serde_json::Value = serde_json::from_str(&events[0]).unwrap();
    assert_eq!(
        (&first["id"], &first["object"]),
        (&whole["id"], &"chat.completion.chunk".into()),
        "{name}"
    );
    assert!(
        events
            .iter()
            .any(|e| e.contains(case.finish.as_deref().unwrap())),
        "{name}: {events:?}"
    );
}

fn refused(case: &Case, name: &str, answer: &Answer) {
    let error = &answer.json()["error"];
    assert!(error["message"].is_string(), "{name}: {}", answer.text());
    if is_callers(&case.class) {
        let theirs: serde_json::Value = serde_json::from_slice(&case.plain()).unwrap_or_default();
        if theirs["error"]["message"].is_string() {
            assert_eq!(answer.json(), theirs, "{name}: the upstream's own words");
        }
    } else {
        assert_eq!(error["code"], case.class.as_str(), "{name}: {error}");
    }
    let again = answer.header("x-should-retry");
    let hint = answer.header("retry-after");
    assert!(
        answer.status < 500 || again == Some("false") || hint.is_some(),
        "{name}: {:?}",
        answer.headers
    );
}
