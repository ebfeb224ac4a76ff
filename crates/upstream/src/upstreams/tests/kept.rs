//! A translated stream whose writer has kept much: what ends something is written aside, and what goes on is not.

use super::*;
use punctual_core::{Kind, Pieces};
use std::{future::poll_fn, task::Poll};

/// A chat stream: a long text in small events, a little more of it, a call in two events, the end.
fn chat() -> String {
    let event = |delta: &str, finish: &str| {
        format!(
            "data: {{\"id\":\"a\",\"model\":\"m\",\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{finish}}}]}}\n\n"
        )
    };
    let text = |text: &str| event(&format!(r#"{{"content":"{text}"}}"#), "null");
    // what is told beside a call that waits does not go before it
    let call = |rest: &str| {
        let calls = format!(r#"{{"tool_calls":[{{"index":0,{rest}}}]}}"#);
        event(&calls, r#""tool_calls""#)
    };
    let piece = "words ".repeat(10_000);
    let long = text(&piece).repeat(2 * LARGE / piece.len());
    [
        long,
        text("one more"),
        text("and one more"),
        call(r#""id":"c-1","type":"function","function":{"name":"f","arguments":"{}"}"#),
        call(r#""function":{"arguments":" "}"#),
        "data: [DONE]\n\n".to_owned(),
    ]
    .concat()
}

fn question() -> Call {
    let deadline = Deadline::starting(Instant::now());
    let plan = Arc::new(Plan::Target(TargetId(0)));
    Call {
        stream: true,
        model: "m".into(),
        model_span: 9..12,
        body: Bytes::from_static(br#"{"model":"m","stream":true,"input":"x"}"#),
        ..Call::new(Surface::Responses, plan, deadline)
    }
}

async fn asked(bench: &Bench) -> Box<Answer> {
    let (call, trace, progress) = (question(), Trace::root(), Progress::new());
    let attempt = Attempt {
        number: 1,
        left: None,
        limit: None,
        trace: &trace,
        span: trace.span,
        progress: &progress,
    };
    let answer = bench.engine.upstream.send(TargetId(0), &call, &attempt);
    answer.await.unwrap()
}

/// Reads on, to the end or until work on something is waited for.
async fn read(answer: &mut Answer, text: &mut String) {
    let reading = async {
        loop {
            let next = poll_fn(|cx| match answer.poll_piece(cx) {
                Poll::Pending if answer.is_busy() => Poll::Ready(None),
                polled => polled,
            });
            let Some(piece) = next.await.transpose().unwrap() else {
                return;
            };
            assert!(!matches!(piece.kind, Kind::Error(_)));
            *text += std::str::from_utf8(&piece.bytes).unwrap();
        }
    };
    timeout(PATIENCE, reading).await.expect("a piece in time");
}

#[tokio::test]
async fn only_what_ends_something_is_written_aside_and_all_keeps_its_order() {
    let (base, _) = provider(vec![chat(), chat()]);
    let mut spec = TargetSpec::new("t", base);
    spec.model = ModelChoice::Fixed("m".into());
    let bench = Bench::new(Limits::default(), spec);
    let mut text = String::new();
    let hold = Hold::of(&bench.pools);
    let mut answer = asked(&bench).await;
    read(&mut answer, &mut text).await;
    assert!(answer.is_busy(), "what a call ends is written aside");
    assert!(text.contains(r#""delta":"and one more""#), "and no more");
    assert!(!text.contains("response.output_text.done"));
    drop(hold);
    while !text.contains("response.completed") {
        read(&mut answer, &mut text).await;
        sleep(Duration::from_millis(1)).await;
    }
    let kinds: Vec<_> = text
        .lines()
        .filter_map(|l| l.strip_prefix("event: response."))
        .collect();
    let behind = kinds
        .iter()
        .rev()
        .take_while(|kind| **kind != "output_text.delta");
    let mut behind: Vec<_> = behind.copied().collect();
    behind.reverse();
    assert_eq!(
        behind,
        [
            "output_text.done",
            "content_part.done",
            "output_item.done",
            "output_item.added",
            "function_call_arguments.delta",
            "function_call_arguments.delta",
            "function_call_arguments.done",
            "output_item.done",
            "completed"
        ]
    );
    let numbered =
        |(at, line): (usize, &str)| line.contains(&format!(r#""sequence_number":{at},"#));
    let mut events = text.lines().filter(|line| line.starts_with("data: {"));
    assert!(events.by_ref().enumerate().all(numbered), "in order");
}
