//! A scripted upstream in memory, targets and plans in a word, and an observer that writes lines.

use bytes::Bytes;
use punctual_core::*;
use std::{
    collections::HashMap,
    num::NonZeroU32,
    sync::{Arc, Mutex, atomic::AtomicUsize},
    task::{Context, Poll},
    time::Duration,
};
use tokio::time::{Instant, Sleep, sleep};

pub const MS: Duration = Duration::from_millis(1);

pub fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// One thing an upstream does.
#[derive(Clone, Debug)]
pub enum Act {
    Wait(u64),
    /// Works on what came.
    Busy(u64),
    /// The last byte has come.
    Read,
    Connected,
    StartsOver,
    Head,
    Preamble(&'static str),
    Fail(Code, Option<u64>),
    Status(Code, u16, Option<u64>),
    Text(&'static str),
    Reasoning(&'static str),
    Role,
    Comment,
    Error(Code),
    Stop,
    Length,
    Done,
    Eof,
    Hang,
    Panic,
}

pub use Act::*;

#[derive(Default)]
pub struct Fake {
    scripts: Mutex<HashMap<u16, Vec<Vec<Act>>>>,
    /// The target of every attempt, in order.
    pub sent: Arc<Mutex<Vec<u16>>>,
    /// Exchanges not yet dropped.
    pub open: Arc<AtomicUsize>,
    /// Who can serve calls that carry state.
    pub bond: Bond,
    /// Targets that cannot serve at all.
    pub unsuited: Vec<u16>,
    /// What ends a complete answer, where that is not the voice's to say.
    pub closing: Option<&'static str>,
    /// What an answer is that is an error in its upstream's words.
    pub refused: Option<Code>,
}

pub struct Exchange {
    refused: Option<Box<Failure>>,
    closing: Option<&'static str>,
    acts: std::collections::VecDeque<Act>,
    sleep: Option<std::pin::Pin<Box<Sleep>>>,
    busy: bool,
    read: bool,
    head: punctual_core::Head,
    stream: bool,
    content: u64,
    _open: Guard,
}

struct Guard(Arc<AtomicUsize>);
impl Drop for Guard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
    }
}

impl Upstream for Fake {
    type Pieces = Exchange;
    async fn send(
        &self,
        target: TargetId,
        call: &Call,
        attempt: &Attempt<'_>,
    ) -> Result<Exchange, Box<Failure>> {
        self.sent.lock().unwrap().push(target.0);
        self.open.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let guard = Guard(self.open.clone());
        let acts = {
            let mut scripts = self.scripts.lock().unwrap();
            let queue = scripts.entry(target.0).or_default();
            if queue.len() > 1 {
                queue.remove(0)
            } else {
                queue.first().cloned().unwrap_or_default()
            }
        };
        let mut acts: std::collections::VecDeque<_> = acts.into();
        loop {
            match acts.pop_front() {
                Some(Wait(n)) => sleep(ms(n)).await,
                Some(Connected) => attempt.progress.connected(false),
                Some(StartsOver) => attempt.progress.starts_over(),
                Some(Fail(code, hint)) => {
                    attempt.progress.connected(false);
                    return Err(failure(code, None, hint));
                }
                Some(Status(code, status, hint)) => {
                    attempt.progress.connected(false);
                    attempt.progress.headers();
                    return Err(failure(code, Some(status), hint));
                }
                Some(Hang) => std::future::pending::<()>().await,
                Some(Panic) => panic!("scripted"),
                other => {
                    attempt.progress.connected(false);
                    attempt.progress.writing();
                    attempt.progress.headers();
                    if !matches!(other, Some(Head) | None) {
                        acts.extend(other.clone());
                        acts.rotate_right(1);
                    }
                    break;
                }
            }
        }
        let head = punctual_core::Head::default();
        Ok(Exchange {
            acts,
            sleep: None,
            busy: false,
            read: false,
            head,
            stream: call.stream,
            content: 0,
            refused: self.refused.map(|code| failure(code, Some(500), None)),
            closing: self.closing,
            _open: guard,
        })
    }

    fn bond(&self, _: &Call) -> Bond {
        self.bond.clone()
    }

    fn suits(&self, target: TargetId, _: &Call) -> Result<(), Box<Failure>> {
        match self.unsuited.contains(&target.0) {
            true => Err(failure(Code::Unsupported, None, None)),
            false => Ok(()),
        }
    }
}

fn failure(code: Code, status: Option<u16>, hint: Option<u64>) -> Box<Failure> {
    let mut f = Failure::new(code, "scripted");
    f.status = status.map(|s| http::StatusCode::from_u16(s).unwrap());
    f.retry_after = hint.map(ms);
    f
}

impl Pieces for Exchange {
    fn head(&self) -> &punctual_core::Head {
        &self.head
    }
    fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Piece, Box<Failure>>>> {
        loop {
            if let Some(s) = &mut self.sleep {
                std::task::ready!(std::future::Future::poll(s.as_mut(), cx));
                self.sleep = None;
                self.busy = false;
            }
            let piece = |text: &str, kind, end| {
                Poll::Ready(Some(Ok(Piece {
                    bytes: Bytes::copy_from_slice(text.as_bytes()),
                    kind,
                    end,
                })))
            };
            return match self.acts.pop_front() {
                Some(Wait(n)) => {
                    self.sleep = Some(Box::pin(sleep(ms(n))));
                    continue;
                }
                Some(Busy(n)) => {
                    self.busy = true;
                    self.sleep = Some(Box::pin(sleep(ms(n))));
                    continue;
                }
                Some(Read) => {
                    self.read = true;
                    continue;
                }
                Some(Text(t)) => {
                    self.content += 1;
                    piece(
                        t,
                        Kind::Content { text: true },
                        (!self.stream).then_some(End::Stop),
                    )
                }
                Some(Reasoning(t)) => piece(t, Kind::Content { text: false }, None),
                Some(Role) => piece("role;", Kind::Event, None),
                Some(Preamble(t)) => piece(t, Kind::Event, None),
                Some(Comment) => piece(": c\n", Kind::Comment, None),
                Some(Stop) => piece("stop;", Kind::Event, Some(End::Stop)),
                Some(Length) => piece("length;", Kind::Event, Some(End::Other)),
                Some(Done) => piece("[DONE]", Kind::Done, Some(End::Stop)),
                Some(Error(code)) => piece("err", Kind::Error(failure(code, None, None)), None),
                Some(Hang) => {
                    self.acts.push_front(Hang);
                    Poll::Pending
                }
                Some(Fail(code, hint)) => Poll::Ready(Some(Err(failure(code, None, hint)))),
                _ => Poll::Ready(None),
            };
        }
    }
    fn summary(&self) -> Summary {
        Summary {
            content_events: self.content,
            ..Summary::default()
        }
    }
    fn is_busy(&self) -> bool {
        self.busy
    }
    fn is_read(&self) -> bool {
        self.read
    }
    fn failure(&self) -> Option<&Failure> {
        self.refused.as_deref()
    }
    fn closing(&mut self) -> Option<Bytes> {
        self.closing
            .take()
            .map(|c| Bytes::from_static(c.as_bytes()))
    }
}

/// What was observed, as lines.
#[derive(Default, Clone)]
pub struct Lines(pub Arc<Mutex<Vec<String>>>, pub Arc<Mutex<Vec<Report>>>);

impl Observer for Lines {
    fn on(&self, r: &Report, e: &Event<'_>) {
        let line = match e {
            Event::QueueLeft(q) => {
                format!("queue {} {}", q.target, q.refused.unwrap_or("admitted"))
            }
            Event::AttemptEnded(a) => format!(
                "attempt {} {} {}",
                a.number,
                a.target,
                a.failed
                    .map_or(if a.completed { "ok" } else { "cut" }, Code::as_str)
            ),
            Event::BackedOff(b) => format!("backoff {}", b.length().as_millis()),
            Event::Committed => "commit".into(),
            Event::Heartbeat => "heartbeat".into(),
            Event::Finished => {
                self.1.lock().unwrap().push(r.clone());
                format!("finished {}", r.outcome.map_or("-", Outcome::as_str))
            }
            _ => return,
        };
        self.0.lock().unwrap().push(line);
    }
}

impl Lines {
    pub fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
    pub fn report(&self) -> Report {
        let reports = self.1.lock().unwrap();
        assert_eq!(reports.len(), 1, "exactly one outcome");
        reports[0].clone()
    }
}

/// A gateway in memory: targets a, b, c … with scripts.
pub struct Bench {
    pub engine: Arc<Engine<Fake>>,
    pub lines: Lines,
    pub policy: Policy,
    pub stream: bool,
    pub budget: Option<u64>,
    pub room: Option<Arc<dyn Room>>,
}

pub fn target(name: &str, limits: Limits) -> Target {
    Target {
        name: name.into(),
        limits,
        reserve: Reserve::Auto,
        replay_timeouts: true,
        allow_empty: false,
        benchable: true,
        lane: Lane::new(LaneLimits::default()),
        max_queue_wait: None,
        health: Arc::default(),
        credential: Arc::default(),
        budget: Arc::default(),
    }
}

impl Bench {
    /// One target per list of attempts; each attempt is a list of acts, the last one repeats.
    pub fn new(targets: Vec<(Limits, Vec<Vec<Act>>)>) -> Self {
        let fake = Fake::default();
        let mut table = Vec::new();
        for (i, (limits, acts)) in targets.into_iter().enumerate() {
            fake.scripts.lock().unwrap().insert(i as u16, acts);
            table.push(target(&char::from(b'a' + i as u8).to_string(), limits));
        }
        Self {
            engine: Arc::new(Engine {
                targets: table,
                upstream: fake,
            }),
            lines: Lines::default(),
            policy: Policy {
                heartbeat: None,
                ..Policy::default()
            },
            stream: true,
            budget: None,
            room: None,
        }
    }

    pub fn edit(mut self, f: impl FnOnce(&mut Vec<Target>)) -> Self {
        f(&mut Arc::get_mut(&mut self.engine).unwrap().targets);
        self
    }

    pub fn upstream(mut self, f: impl FnOnce(&mut Fake)) -> Self {
        f(&mut Arc::get_mut(&mut self.engine).unwrap().upstream);
        self
    }

    pub fn unary(mut self) -> Self {
        self.stream = false;
        self
    }

    pub fn within(mut self, ms: u64) -> Self {
        self.budget = Some(ms);
        self
    }

    pub fn record(&self, deadline: Deadline) -> Record {
        Record::open(
            "r".into(),
            Surface::Chat,
            Trace::root(),
            deadline,
            Arc::new(self.lines.clone()),
        )
    }

    pub fn call(&self, plan: &Arc<Plan>) -> (Call, Record) {
        let mut deadline = Deadline::starting(Instant::now());
        if let Some(b) = self.budget {
            deadline.tighten(ms(b), Source::Server);
        }
        let mut record = self.record(deadline);
        record.identify(Some("route".into()), None, self.stream, deadline);
        let call = Call {
            stream: self.stream,
            model: "m".into(),
            body: Bytes::from_static(b"{}"),
            policy: Arc::new(self.policy.clone()),
            room: self.room.clone(),
            ..Call::new(Surface::Chat, plan.clone(), deadline)
        };
        (call, record)
    }

    pub async fn open(&self, plan: &Arc<Plan>) -> Opened<Exchange> {
        let (call, record) = self.call(plan);
        punctual_core::open(self.engine.clone(), call, record).await
    }

    /// The code of the last word, or what the caller read.
    pub async fn run(&self, plan: &Arc<Plan>) -> Result<String, Box<Failure>> {
        match self.open(plan).await {
            Ok(open) => Ok(read(Relay::answer(open, Arc::new(Text_), Pace::default())).await),
            Err(refused) => Err(refused.failure),
        }
    }

    pub fn order(&self) -> String {
        let sent = self.engine.upstream.sent.lock().unwrap();
        sent.iter().map(|t| char::from(b'a' + *t as u8)).collect()
    }

    pub fn idle(&self) -> bool {
        self.engine
            .targets
            .iter()
            .all(|t| t.lane.in_use() == 0 && t.lane.depth() == 0)
            && self
                .engine
                .upstream
                .open
                .load(std::sync::atomic::Ordering::SeqCst)
                == 0
    }
}

pub struct Text_;
impl Voice for Text_ {
    fn error_event(&self, f: &Failure, _: &Report, _: Option<u64>) -> Option<Bytes> {
        Some(format!("<error {}>", f.code.as_str()).into())
    }
    fn heartbeat(&self) -> Bytes {
        Bytes::from_static(b"<beat>")
    }
    fn done(&self) -> Option<Bytes> {
        Some(Bytes::from_static(b"[DONE]"))
    }
}

/// Reads a body to its end.
/// A connection that is not blocked, with `others` open on it.
pub fn among(others: usize) -> Standing {
    Standing {
        requests: others + 1,
        blocked_since: None,
    }
}

pub async fn read<P: Pieces>(mut relay: Relay<P>) -> String {
    let mut out = Vec::new();
    while let Some(frame) =
        std::future::poll_fn(|cx| http_body::Body::poll_frame(std::pin::Pin::new(&mut relay), cx))
            .await
    {
        out.extend_from_slice(frame.unwrap().data_ref().unwrap());
    }
    String::from_utf8(out).unwrap()
}

pub fn leaf(i: u16) -> Arc<Plan> {
    Arc::new(Plan::Target(TargetId(i)))
}

pub fn fallback(of: impl IntoIterator<Item = Arc<Plan>>) -> Arc<Plan> {
    Arc::new(Plan::Fallback {
        of: of.into_iter().collect(),
        also_on: CodeSet::NONE,
    })
}

pub fn turns(of: impl IntoIterator<Item = Arc<Plan>>) -> Arc<Plan> {
    Arc::new(Plan::RoundRobin {
        of: of.into_iter().collect(),
        next: Arc::default(),
    })
}

pub fn retry(of: Arc<Plan>, max_attempts: u32) -> Arc<Plan> {
    retry_after(of, max_attempts, 0)
}

pub fn retry_after(of: Arc<Plan>, max_attempts: u32, initial: u64) -> Arc<Plan> {
    let backoff = Backoff {
        initial: ms(initial),
        multiplier: 1.0,
        max: ms(initial),
    };
    Arc::new(Plan::Retry {
        of,
        rules: Retry {
            max_attempts: NonZeroU32::new(max_attempts).unwrap(),
            backoff,
            on: CodeSet::ALL,
        },
    })
}

pub fn none() -> Limits {
    Limits::default()
}

pub fn first_token(n: u64) -> Limits {
    Limits {
        first_token: Some(ms(n)),
        unary: Some(ms(n)),
        ..none()
    }
}

pub fn good() -> Vec<Vec<Act>> {
    vec![vec![Head, Role, Text("hi;"), Stop, Done, Eof]]
}

pub fn always(code: Code) -> Vec<Vec<Act>> {
    vec![vec![Fail(code, None)]]
}
