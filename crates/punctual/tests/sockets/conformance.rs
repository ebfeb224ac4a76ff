//! The one table: every clock and every failure against each of the clients.

use crate::support::*;
use punctual::{Code, Fallback, Timeouts, wire::middle::Part};
use punctual_sim::Blackhole;
use tokio::time::Instant;

#[tokio::test]
async fn every_client_gives_the_whole_answer_of_its_provider() {
    let sim = sim().await;
    for row in rows() {
        for stream in row.ways() {
            let client = row.client(&sim, "tokens=3", Timeouts::new());
            let answer = ask(&client, &row.call(), *stream).await;
            let answer = answer.unwrap_or_else(|e| panic!("{} {stream}: {e}", row.name));
            let said = match answer.choices[0].parts.first() {
                Some(Part::Image { .. }) => true,
                _ if row.name == "typesafe::SystemOne" => answer.text().contains("\"answers\""),
                _ => answer.text().starts_with("tok0 tok1 tok2"),
            };
            assert!(said, "{} {stream}: {:?}", row.name, answer.choices);
            assert_eq!(answer.records.len(), 1, "{}", row.name);
            assert!(answer.records[0].completed, "{}", row.name);
            let tokens = answer.usage.output.or(answer.usage.input);
            let untold = ["openai::Generic", "openai::Image", "vercel::AiGatewayImage"];
            assert!(
                tokens.is_some() || untold.contains(&row.name),
                "{} {stream}",
                row.name
            );
        }
    }
}

#[tokio::test]
async fn every_client_reads_tool_calls_and_thoughts_where_its_provider_has_them() {
    let sim = sim().await;
    for row in rows().iter().filter(|row| row.streams) {
        for stream in row.ways() {
            let client = row.client(&sim, "tool-call,tokens=1", Timeouts::new());
            let answer = ask(&client, &row.call(), *stream).await.unwrap();
            let call = answer
                .tool_calls()
                .next()
                .unwrap_or_else(|| panic!("{}", row.name));
            let at = format!("{} {stream}: {call:?}", row.name);
            assert!(!call.name.is_empty() && call.input.starts_with('{'), "{at}");
            assert!(!call.id.is_empty(), "{at}");
            let client = row.client(&sim, "reasoning=2,tokens=1", Timeouts::new());
            let answer = ask(&client, &row.call(), *stream).await.unwrap();
            assert!(
                !answer.reasoning().is_empty(),
                "{} {stream}: {:?}",
                row.name,
                answer.choices
            );
        }
    }
}

/// A silence, the clock that ends it, and whether that is one of streams.
fn silences() -> Vec<(&'static str, Timeouts, &'static str, Option<bool>)> {
    let quick = ms(150);
    let none = Timeouts::none();
    vec![
        ("silent-headers", none.total(quick), "timeout", None),
        ("headers-then-silent", none.total(quick), "timeout", None),
        (
            "silent-headers",
            none.unary(quick),
            "unary_timeout",
            Some(false),
        ),
        (
            "silent-headers",
            none.first_token(quick),
            "first_token_timeout",
            Some(true),
        ),
        (
            "headers-then-silent",
            none.first_token(quick),
            "first_token_timeout",
            Some(true),
        ),
        (
            "preamble-then-silent",
            none.first_token(quick),
            "first_token_timeout",
            Some(true),
        ),
        (
            "stall-after=1",
            none.stream_token(quick),
            "stream_token_timeout",
            Some(true),
        ),
        ("stall-after=1", none.total(quick), "timeout", Some(true)),
    ]
}

#[tokio::test]
async fn every_clock_cuts_every_client_in_time_and_says_which_it_was() {
    let sim = sim().await;
    let mut cells = 0;
    for row in rows() {
        for (script, clocks, name, only) in silences() {
            for stream in row.ways().iter().filter(|s| only.is_none_or(|o| o == **s)) {
                let started = Instant::now();
                let error = ask(&row.client(&sim, script, clocks), &row.call(), *stream).await;
                let at = format!("{} {stream} {script} {name}", row.name);
                let error = error.map(|answer| answer.text()).expect_err(&at);
                let timeout = error.timeout().unwrap_or_else(|| panic!("{at}: {error}"));
                assert_eq!(
                    (error.kind(), timeout.timeout_type),
                    (Code::Timeout, name),
                    "{at}"
                );
                assert_eq!(timeout.configured, ms(150), "{at}");
                assert!(
                    started.elapsed() < ms(1_150),
                    "{at}: {:?}",
                    started.elapsed()
                );
                cells += 1;
            }
        }
    }
    assert!(cells > 80, "{cells}");
    let left = |all: &[punctual_sim::Seen]| all.iter().all(|seen| seen.closed.is_some());
    sim.wait(PATIENCE, left).await.unwrap();
}

#[tokio::test]
async fn a_connection_that_is_not_made_is_cut_by_its_own_clock() {
    let hole = Blackhole::open().await.unwrap();
    let url = format!("http://{}", hole.addr());
    for row in rows() {
        for stream in row.ways() {
            let client = row.at(&url, Timeouts::none().connect(ms(100)));
            let error = ask(&client, &row.call(), *stream).await.unwrap_err();
            let timeout = error
                .timeout()
                .unwrap_or_else(|| panic!("{}: {error}", row.name));
            assert_eq!(timeout.timeout_type, "connect_timeout", "{}", row.name);
            assert_eq!(error.sent(), punctual::Sent::No, "{}", row.name);
        }
    }
}

const FAILURES: [(&str, Code); 10] = [
    ("status=400", Code::InvalidRequest),
    ("status=401", Code::Unauthorized),
    ("status=403", Code::Unauthorized),
    ("status=404", Code::NotFound),
    ("status=429", Code::RateLimited),
    ("status=500", Code::ServerError),
    ("status=503", Code::Overloaded),
    ("status=302", Code::MalformedResponse),
    ("rst", Code::Truncated),
    ("html", Code::MalformedResponse),
];

#[tokio::test]
async fn every_failure_has_its_code_with_every_client_and_a_fallback_passes_it() {
    let sim = sim().await;
    for row in rows() {
        for (script, code) in FAILURES {
            for stream in row.ways() {
                let client = row.client(&sim, script, Timeouts::new());
                let at = format!("{} {stream} {script}", row.name);
                let error = ask(&client, &row.call(), *stream).await;
                let error = error.map(|answer| answer.text()).expect_err(&at);
                assert_eq!(error.kind(), code, "{at}: {error}");
                let good = row.client(&sim, "tokens=2", Timeouts::new());
                let plan = punctual::Client::node(&Fallback::new((client, good)));
                let answer = ask(&plan, &row.call(), *stream).await;
                let records = answer.unwrap_or_else(|e| panic!("{at}: {e}")).records;
                assert_eq!((records.len(), records[0].failed), (2, Some(code)), "{at}");
            }
        }
    }
}

#[tokio::test]
async fn what_breaks_off_after_the_first_content_is_an_error_with_every_client() {
    let sim = sim().await;
    for row in rows().iter().filter(|row| row.streams) {
        for script in [
            "tokens=5,fin-after=2",
            "tokens=5,rst-after=2",
            "tokens=5,error-after=2",
        ] {
            let good = row.client(&sim, "tokens=2", Timeouts::new());
            let client = row.client(&sim, script, Timeouts::new());
            let plan = punctual::Client::node(&Fallback::new((client, good)));
            let mut stream = punctual::Client::invoke_stream(&plan, &row.call())
                .await
                .unwrap();
            let (mut text, mut error) = (String::new(), None);
            while let Some(step) = stream.next().await {
                match step {
                    Ok(step) => text += step.as_text().unwrap_or_default(),
                    Err(e) => error = Some(e),
                }
            }
            let at = format!("{} {script}: {text:?}", row.name);
            let error = error.unwrap_or_else(|| panic!("{at}"));
            assert_eq!(error.records().len(), 1, "{at}: {error}");
            assert!(text.starts_with("tok0"), "{at}");
        }
    }
}
