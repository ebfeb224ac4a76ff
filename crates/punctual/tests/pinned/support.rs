//! Members that do what a script says, and questions asked both ways.

use futures_core::Stream;
use punctual::{
    Answer, Call, CallRecord, Client, Code, Delta, Deltas, Done, Error, Failed, Finish, Member,
    Safe, Timeouts, Turn,
};
use std::{
    collections::VecDeque,
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::time::{Sleep, sleep};

pub(crate) fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// One thing a member does.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    Wait(u64),
    Text(&'static str),
    Think(&'static str),
    Tool,
    Input(&'static str),
    Meta,
    Empty,
    End,
    Cut,
    Hang,
    Fail(Code),
    Status(Code, u16),
    Hint(Code, u64),
    Unsafe(Code, Safe),
}
pub(crate) use Act::*;

/// Who was asked, in order: one letter each.
pub(crate) type Log = Arc<Mutex<String>>;

#[derive(Clone)]
pub(crate) struct Fake {
    name: &'static str,
    scripts: Arc<Mutex<VecDeque<Vec<Act>>>>,
    log: Log,
    timeouts: Timeouts,
    replays: bool,
    streams: bool,
}

/// A member whose attempts follow the scripts, the last one for ever.
pub(crate) fn fake(log: &Log, name: &'static str, scripts: &[&[Act]]) -> Fake {
    Fake {
        name,
        scripts: Arc::new(Mutex::new(scripts.iter().map(|s| s.to_vec()).collect())),
        log: log.clone(),
        timeouts: Timeouts::none(),
        replays: true,
        streams: true,
    }
}

pub(crate) fn good(log: &Log, name: &'static str) -> Fake {
    fake(log, name, &[&[Text(name), End]])
}

pub(crate) fn bad(log: &Log, name: &'static str, code: Code) -> Fake {
    fake(log, name, &[&[Fail(code)]])
}

impl Fake {
    pub(crate) fn within(mut self, timeouts: impl Into<Timeouts>) -> Self {
        self.timeouts = timeouts.into();
        self
    }

    pub(crate) fn once(mut self) -> Self {
        self.replays = false;
        self
    }

    pub(crate) fn whole_only(mut self) -> Self {
        self.streams = false;
        self
    }

    fn turn(&self) -> VecDeque<Act> {
        self.log.lock().unwrap().push_str(self.name);
        let mut scripts = self.scripts.lock().unwrap();
        let script = match scripts.len() {
            0 | 1 => scripts.front().cloned(),
            _ => scripts.pop_front(),
        };
        script.unwrap_or_default().into()
    }
}

fn failed(act: &Act) -> Option<Failed> {
    let of = |code: &Code| Failed::new(*code, "scripted");
    Some(match act {
        Fail(code) => of(code),
        Status(code, status) => of(code).status(http::StatusCode::from_u16(*status).unwrap()),
        Hint(code, wait) => of(code).hint(ms(*wait)),
        Unsafe(code, safe) => of(code).safe(*safe),
        _ => return None,
    })
}

impl Member for Fake {
    fn name(&self) -> &str {
        self.name
    }

    fn timeouts(&self) -> Timeouts {
        self.timeouts
    }

    fn replays(&self) -> bool {
        self.replays
    }

    async fn invoke(&self, _: Turn) -> Result<Answer, Failed> {
        let mut text = String::new();
        for act in self.turn() {
            match act {
                Wait(n) => sleep(ms(n)).await,
                Text(t) => text += t,
                Hang => std::future::pending().await,
                End => break,
                Cut => return Err(Failed::new(Code::Truncated, "cut")),
                other => failed(&other).map_or(Ok(()), Err)?,
            }
        }
        Ok(Answer::of_text(text))
    }

    async fn invoke_stream(&self, _: Turn) -> Result<Deltas, Failed> {
        if !self.streams {
            return Err(Failed::not_streaming(self.name));
        }
        let acts = self.turn();
        Ok(Box::pin(Steps { acts, sleep: None }))
    }
}

struct Steps {
    acts: VecDeque<Act>,
    sleep: Option<Pin<Box<Sleep>>>,
}

impl Stream for Steps {
    type Item = Result<Delta, Failed>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(sleep) = &mut self.sleep {
                ready!(sleep.as_mut().poll(cx));
                self.sleep = None;
            }
            let Some(act) = self.acts.pop_front() else {
                return Poll::Ready(None);
            };
            let choice = 0;
            let delta = match act {
                Wait(n) => {
                    self.sleep = Some(Box::pin(sleep(ms(n))));
                    continue;
                }
                Hang => {
                    self.acts.push_front(Hang);
                    return Poll::Pending;
                }
                Text(t) => Delta::text(t),
                Think(t) => Delta::Reasoning {
                    choice,
                    text: t.into(),
                },
                Tool => Delta::ToolCall {
                    choice,
                    index: 0,
                    id: "1".into(),
                    name: "f".into(),
                },
                Input(t) => Delta::ToolInput {
                    choice,
                    index: 0,
                    json: t.into(),
                },
                Meta => Delta::Meta {
                    id: Some("i".into()),
                    model: None,
                },
                Empty => Delta::text(""),
                End => Delta::Done(Done::because(Finish::Stop)),
                Cut => return Poll::Ready(None),
                other => return Poll::Ready(failed(&other).map(Err)),
            };
            return Poll::Ready(Some(Ok(delta)));
        }
    }
}

/// What a call came to.
pub(crate) struct Came {
    pub(crate) result: Result<String, Error>,
    pub(crate) records: Vec<CallRecord>,
    pub(crate) took: Duration,
}

impl Came {
    #[track_caller]
    pub(crate) fn text(&self) -> &str {
        self.result.as_deref().unwrap()
    }

    #[track_caller]
    pub(crate) fn error(&self) -> &Error {
        self.result.as_ref().unwrap_err()
    }
}

/// Asks and reads to the end.
pub(crate) async fn ask(client: &impl Client, call: &Call, stream: bool) -> Came {
    let started = tokio::time::Instant::now();
    let answer = if stream {
        match client.invoke_stream(call).await {
            Ok(stream) => stream.collect().await,
            Err(error) => Err(error),
        }
    } else {
        client.invoke(call).await
    };
    let took = started.elapsed();
    let records = match &answer {
        Ok(answer) => answer.records.clone(),
        Err(error) => error.records().to_vec(),
    };
    Came {
        result: answer.map(|answer| answer.text()),
        records,
        took,
    }
}

pub(crate) fn hi() -> Call {
    Call::new().user("hi")
}

/// Who was asked, once.
pub(crate) fn order(log: &Log) -> String {
    std::mem::take(&mut *log.lock().unwrap())
}

/// Retries without pauses.
pub(crate) fn retry(client: impl Client, max_attempts: u32) -> punctual::Retry {
    let none = punctual::Backoff {
        initial: Duration::ZERO,
        multiplier: 1.0,
        max: Duration::ZERO,
    };
    punctual::Retry::new(client, max_attempts).backoff(none)
}
