//! An upstream that does what a script of its model's name says, and notes when its exchanges end.

use bytes::Bytes;
use punctual_core::{
    Attempt, Bond, Call, Code, End, Failure, Head, Kind, Piece, Pieces, Summary, Surface, TargetId,
    Upstream,
};
use std::{
    collections::{HashMap, VecDeque},
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll},
    time::Duration,
};
use tokio::time::{Instant, Sleep, sleep};

#[derive(Clone, Debug)]
pub enum Step {
    Wait(Duration),
    Hang,
    /// The status of the answer that follows; 200 otherwise.
    Status(u16),
    /// What the target had no place for.
    Lost(Vec<&'static str>),
    /// The head of the answer; what comes before it happens in `send`.
    Head(Vec<(&'static str, &'static str)>),
    Piece(Bytes, Sort, Option<End>),
    Fail(Box<Failure>),
    /// The answer that follows is this failure, in the words of its upstream.
    Is(Box<Failure>),
    Panic,
}

#[derive(Clone, Copy, Debug)]
pub enum Sort {
    Content,
    Event,
    Done,
}

pub type Script = Vec<Step>;

pub fn content(text: &str) -> Step {
    Step::Piece(
        Bytes::from(format!("data: {{\"c\":\"{text}\"}}\n\n")),
        Sort::Content,
        None,
    )
}

pub fn event(text: &str, end: Option<End>) -> Step {
    Step::Piece(Bytes::from(format!("data: {text}\n\n")), Sort::Event, end)
}

pub fn done() -> Step {
    Step::Piece(Bytes::from_static(b"data: [DONE]\n\n"), Sort::Done, None)
}

pub fn failure(code: Code, status: u16) -> Box<Failure> {
    let mut f = Failure::new(code, "the upstream said no");
    f.status = http::StatusCode::from_u16(status).ok();
    f
}

#[derive(Debug, Default)]
struct Log {
    scripts: HashMap<String, Script>,
    calls: Vec<Call>,
    bond: Bond,
    unsuited: Vec<Surface>,
    closed: Vec<Instant>,
    hanging: usize,
}

#[derive(Clone, Debug, Default)]
pub struct Fake(Arc<Mutex<Log>>);

/// One exchange; its drop is the closing of the connection.
pub struct Exchange {
    fake: Fake,
    head: Head,
    is: Option<Box<Failure>>,
    steps: VecDeque<Step>,
    wait: Option<Pin<Box<Sleep>>>,
    hangs: bool,
}

impl Exchange {
    /// Nothing comes any more.
    fn hang(&mut self) {
        if !std::mem::replace(&mut self.hangs, true) {
            self.fake.0.lock().unwrap().hanging += 1;
        }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.fake.0.lock().unwrap().closed.push(Instant::now());
    }
}

impl Fake {
    /// What happens when `sim/<name>` is asked for, or the path `name` where there is no model.
    pub fn script(&self, name: &str, script: Script) {
        self.0.lock().unwrap().scripts.insert(name.into(), script);
    }

    /// Who can serve what carries state.
    pub fn bind(&self, bond: Bond) {
        self.0.lock().unwrap().bond = bond;
    }

    /// No target serves this surface.
    pub fn lacks(&self, surface: Surface) {
        self.0.lock().unwrap().unsuited.push(surface);
    }

    pub fn sent(&self) -> usize {
        self.0.lock().unwrap().calls.len()
    }

    pub fn calls(&self) -> Vec<Call> {
        self.0.lock().unwrap().calls.clone()
    }

    /// When exchanges ended, in order.
    pub fn closed(&self) -> Vec<Instant> {
        self.0.lock().unwrap().closed.clone()
    }

    /// How many exchanges came to [`Step::Hang`].
    pub fn hanging(&self) -> usize {
        self.0.lock().unwrap().hanging
    }

    fn begin(&self, call: &Call) -> Exchange {
        let mut log = self.0.lock().unwrap();
        // a copy, or the memory that the body takes would never be given back
        log.calls.push(Call {
            body: Bytes::copy_from_slice(&call.body),
            ..call.clone()
        });
        let steps = log
            .scripts
            .get(match call.path.as_deref() {
                Some(path) => path,
                None => &call.model,
            })
            .cloned()
            .unwrap_or_else(|| fine(call.stream));
        Exchange {
            fake: self.clone(),
            head: Head {
                request_id: Some("up-1".into()),
                ..Head::default()
            },
            is: None,
            steps: steps.into(),
            wait: None,
            hangs: false,
        }
    }
}

fn fine(stream: bool) -> Script {
    let head = Step::Head(vec![
        ("content-type", "application/json"),
        ("x-ratelimit-remaining-requests", "3"),
    ]);
    if stream {
        return vec![
            head,
            content("hi"),
            event("{\"finish_reason\":\"stop\"}", Some(End::Stop)),
            done(),
        ];
    }
    vec![
        head,
        Step::Piece(
            Bytes::from_static(b"{\"answer\":1}"),
            Sort::Content,
            Some(End::Stop),
        ),
    ]
}

impl Upstream for Fake {
    type Pieces = Exchange;

    fn suits(&self, _: TargetId, call: &Call) -> Result<(), Box<Failure>> {
        match self.0.lock().unwrap().unsuited.contains(&call.surface) {
            true => Err(Failure::new(Code::Unsupported, "does not serve it")),
            false => Ok(()),
        }
    }

    fn bond(&self, call: &Call) -> Bond {
        match call.state.is_empty() {
            true => Bond::Free,
            false => self.0.lock().unwrap().bond.clone(),
        }
    }

    async fn send(
        &self,
        _: TargetId,
        call: &Call,
        attempt: &Attempt<'_>,
    ) -> Result<Exchange, Box<Failure>> {
        let mut exchange = self.begin(call);
        attempt.progress.connected(false);
        attempt.progress.writing();
        while let Some(step) = exchange.steps.pop_front() {
            match step {
                Step::Wait(length) => sleep(length).await,
                Step::Hang => {
                    exchange.hang();
                    std::future::pending().await
                }
                Step::Fail(failure) => return Err(failure),
                Step::Is(failure) => exchange.is = Some(failure),
                Step::Panic => panic!("scripted"),
                Step::Status(status) => {
                    exchange.head.status = http::StatusCode::from_u16(status).unwrap();
                }
                Step::Lost(names) => {
                    exchange.head.dropped = names.into_iter().map(Into::into).collect();
                }
                Step::Head(headers) => {
                    for (name, value) in headers {
                        exchange.head.headers.insert(name, value.parse().unwrap());
                    }
                    attempt.progress.headers();
                    break;
                }
                piece @ Step::Piece(..) => panic!("{piece:?} before a head"),
            }
        }
        Ok(exchange)
    }
}

impl Pieces for Exchange {
    fn head(&self) -> &Head {
        &self.head
    }

    fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Piece, Box<Failure>>>> {
        loop {
            if let Some(wait) = &mut self.wait {
                std::task::ready!(wait.as_mut().poll(cx));
                self.wait = None;
            }
            match self.steps.pop_front() {
                None => return Poll::Ready(None),
                Some(Step::Wait(length)) => self.wait = Some(Box::pin(sleep(length))),
                Some(Step::Hang) => {
                    self.steps.push_front(Step::Hang);
                    self.hang();
                    return Poll::Pending;
                }
                Some(Step::Head(_) | Step::Status(_) | Step::Lost(_) | Step::Is(_)) => {}
                Some(Step::Fail(failure)) => return Poll::Ready(Some(Err(failure))),
                Some(Step::Panic) => panic!("scripted"),
                Some(Step::Piece(bytes, sort, end)) => {
                    let kind = match sort {
                        Sort::Content => Kind::Content { text: true },
                        Sort::Event => Kind::Event,
                        Sort::Done => Kind::Done,
                    };
                    return Poll::Ready(Some(Ok(Piece { bytes, kind, end })));
                }
            }
        }
    }

    fn summary(&self) -> Summary {
        Summary::default()
    }

    fn failure(&self) -> Option<&Failure> {
        self.is.as_deref()
    }
}
