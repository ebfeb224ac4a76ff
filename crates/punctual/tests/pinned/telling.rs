//! What a call tells of itself.

use crate::support::*;
use punctual::{Call, Client, Code, Delta, Fallback, core};
use std::sync::{Arc, Mutex};

#[tokio::test(start_paused = true)]
async fn every_attempt_is_on_record_also_when_the_call_fails() {
    let log = Log::default();
    for stream in [false, true] {
        let a = fake(&log, "a", &[&[Wait(30), Status(Code::ServerError, 503)]]);
        let slow = fake(&log, "b", &[&[Hang]]).within(ms(100));
        let failing = Fallback::new((a.clone(), slow.clone()));
        let going = Fallback::new((a, slow, fake(&log, "c", &[&[Wait(5), Text("c"), End]])));
        for (came, count) in [
            (ask(&failing, &hi(), stream).await, 2),
            (ask(&going, &hi(), stream).await, 3),
        ] {
            let records = came.records;
            assert_eq!(records.len(), count);
            let told = |n: usize| (&*records[n].client, records[n].provider, records[n].number);
            assert_eq!((told(0), told(1)), (("a", "own", 1), ("b", "own", 2)));
            assert_eq!(
                (records[0].failed, records[0].status),
                (Some(Code::ServerError), Some(503))
            );
            assert_eq!(records[0].duration, ms(30));
            assert_eq!(records[1].failed, Some(Code::Timeout));
            assert_eq!(records[1].timeout.unwrap().1, ms(100));
            if let Some(last) = records.get(2) {
                assert!(last.completed && last.failed.is_none());
                assert_eq!(last.first_content, Some(ms(5)));
            }
        }
    }
}

struct Ends(Mutex<Vec<(core::Outcome, usize)>>);

impl core::Observer for Ends {
    fn on(&self, report: &core::Report, event: &core::Event<'_>) {
        if matches!(event, core::Event::Finished) {
            let ended = (report.outcome.unwrap(), report.attempts.len());
            self.0.lock().unwrap().push(ended);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_observer_has_been_told_before_the_call_returns() {
    let log = Log::default();
    for stream in [false, true] {
        let ends = Arc::new(Ends(Mutex::default()));
        let call = || Call::from("hi").observer(ends.clone());
        let told = || ends.0.lock().unwrap().pop();
        ask(&good(&log, "a"), &call(), stream).await;
        assert_eq!(told(), Some((core::Outcome::Ok, 1)));
        ask(&retry(bad(&log, "a", Code::Overloaded), 2), &call(), stream).await;
        assert_eq!(told(), Some((core::Outcome::Failed, 2)));
        ask(&fake(&log, "a", &[&[Hang]]), &call().limit(ms(10)), stream).await;
        assert_eq!(told(), Some((core::Outcome::DeadlineExceeded, 1)));
        assert_eq!(told(), None);
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_dropped_in_the_middle_is_recorded_as_cancelled() {
    let log = Log::default();
    let ends = Arc::new(Ends(Mutex::default()));
    let a = fake(&log, "a", &[&[Text("x"), Hang]]);
    let mut stream = a.invoke_stream(&hi().observer(ends.clone())).await.unwrap();
    assert!(matches!(stream.next().await, Some(Ok(Delta::Text { .. }))));
    drop(stream);
    assert_eq!(
        ends.0.lock().unwrap().pop(),
        Some((core::Outcome::Cancelled, 1))
    );
}

#[tokio::test(start_paused = true)]
async fn a_stream_gives_every_kind_of_step_in_order_and_ends_with_done() {
    let log = Log::default();
    let script = [
        Meta,
        Think("t"),
        Text("x"),
        Tool,
        Input("{\"a\":"),
        Input("1}"),
        End,
    ];
    let a = || fake(&log, "a", &[&script]);
    let mut stream = a().invoke_stream(&hi()).await.unwrap();
    let mut kinds = String::new();
    while let Some(step) = stream.next().await {
        kinds.push(match step.unwrap() {
            Delta::Meta { .. } => 'm',
            Delta::Reasoning { .. } => 'r',
            Delta::Text { .. } => 't',
            Delta::ToolCall { .. } => 'c',
            Delta::ToolInput { .. } => 'i',
            Delta::Done(done) => {
                assert_eq!(done.records.len(), 1);
                'd'
            }
            other => panic!("{other:?}"),
        });
    }
    assert_eq!(kinds, "mrtciid");
    assert!(stream.next().await.is_none());
    let answer = a()
        .invoke_stream(&hi())
        .await
        .unwrap()
        .collect()
        .await
        .unwrap();
    let calls: Vec<_> = answer
        .tool_calls()
        .map(|c| (c.name.as_str(), c.input.as_str()))
        .collect();
    assert_eq!(calls, [("f", "{\"a\":1}")]);
    assert_eq!(
        (answer.text(), answer.reasoning(), answer.id.as_deref()),
        ("x".into(), "t".into(), Some("i"))
    );
}

#[tokio::test(start_paused = true)]
async fn a_failed_attempts_words_never_reach_the_program() {
    let log = Log::default();
    let a = fake(&log, "a", &[&[Meta, Empty, Tool, Fail(Code::ServerError)]]);
    let answer = Fallback::new((a, good(&log, "b")));
    let mut stream = answer.invoke_stream(&hi()).await.unwrap();
    let mut steps = 0;
    while let Some(step) = stream.next().await {
        steps += 1;
        assert!(matches!(step.unwrap(), Delta::Text { .. } | Delta::Done(_)));
    }
    assert_eq!(steps, 2);
}
