//! What the token clocks count.

use crate::support::*;
use punctual::{Client, Code, Fallback, Timeouts};

#[tokio::test(start_paused = true)]
async fn only_content_ends_the_first_token_clock_and_tool_input_is_content() {
    let log = Log::default();
    let clocks = Timeouts::none().first_token(ms(100));
    for (script, passes) in [
        (
            &[Meta, Wait(80), Empty, Wait(80), Text("x"), End][..],
            false,
        ),
        (&[Meta, Wait(80), Tool, Input("{}"), Wait(300), End], true),
        (&[Wait(80), Think("x"), Wait(300), Text("y"), End], true),
        (&[Tool, Wait(150), Input("{}"), End], false),
    ] {
        let a = fake(&log, "a", &[script]).within(clocks);
        let came = ask(&a, &hi(), true).await;
        assert_eq!(came.result.is_ok(), passes, "{script:?}");
        if !passes {
            let timeout = came.error().timeout().unwrap();
            assert_eq!(timeout.timeout_type, "first_token_timeout");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn only_content_resets_the_clock_between_tokens() {
    let log = Log::default();
    let clocks = Timeouts::none().stream_token(ms(100));
    for (script, passes) in [
        (
            &[
                Text("x"),
                Wait(80),
                Input("1"),
                Wait(80),
                Think("y"),
                Wait(80),
                Text("z"),
                End,
            ][..],
            true,
        ),
        (
            &[Text("x"), Wait(80), Meta, Wait(80), Text("z"), End],
            false,
        ),
        (
            &[Text("x"), Wait(80), Empty, Wait(80), Text("z"), End],
            false,
        ),
    ] {
        let came = ask(&fake(&log, "a", &[script]).within(clocks), &hi(), true).await;
        assert_eq!(came.result.is_ok(), passes, "{script:?}");
        if !passes {
            assert_eq!(
                came.error().timeout().unwrap().timeout_type,
                "stream_token_timeout"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn token_clocks_pause_while_the_consumer_is_slow() {
    let log = Log::default();
    let clocks = Timeouts::none().stream_token(ms(100));
    let script = [Text("a"), Wait(20), Text("b"), Wait(20), Text("c"), End];
    let a = fake(&log, "a", &[&script]).within(clocks);
    let mut stream = a.invoke_stream(&hi()).await.unwrap();
    let mut text = String::new();
    while let Some(step) = stream.next().await {
        text += step.unwrap().as_text().unwrap_or_default();
        tokio::time::sleep(ms(500)).await;
    }
    assert_eq!(text, "abc");
}

#[tokio::test(start_paused = true)]
async fn whole_answers_ignore_the_token_clocks() {
    let log = Log::default();
    let clocks = Timeouts::none().first_token(ms(10)).stream_token(ms(10));
    let a = fake(&log, "a", &[&[Wait(400), Text("a"), End]]).within(clocks);
    assert_eq!(ask(&a, &hi(), false).await.text(), "a");
}

#[tokio::test(start_paused = true)]
async fn zero_and_negative_are_no_clock() {
    let log = Log::default();
    let clocks = Timeouts::new()
        .first_token(0)
        .stream_token(-1)
        .unary(-0.5)
        .total(0.0);
    for stream in [false, true] {
        let a = fake(&log, "a", &[&[Wait(3_600_000), Text("a"), End]]).within(clocks);
        assert_eq!(ask(&a, &hi(), stream).await.text(), "a");
    }
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_never_begins_is_caught_by_the_first_token_clock() {
    let log = Log::default();
    let a = fake(&log, "a", &[&[Hang]]).within(Timeouts::none().first_token(ms(100)));
    let came = ask(&Fallback::new((a, good(&log, "b"))), &hi(), true).await;
    assert_eq!(came.text(), "b");
    assert_eq!(came.records[0].failed, Some(Code::Timeout));
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_ends_before_its_end_is_a_failure() {
    let log = Log::default();
    let cut = fake(&log, "a", &[&[Text("x"), Cut]]);
    assert_eq!(ask(&cut, &hi(), true).await.error().kind(), Code::Truncated);
    let before = fake(&log, "a", &[&[Meta, Cut]]);
    assert_eq!(
        ask(&Fallback::new((before, good(&log, "b"))), &hi(), true)
            .await
            .text(),
        "b"
    );
    let empty = fake(&log, "a", &[&[Meta, End]]);
    assert_eq!(
        ask(&empty, &hi(), true).await.error().kind(),
        Code::EmptyResponse
    );
}
