//! A call on its way through the engine: the deadline is made, the plan walked, the record closed.
//!
//! What must hold: the record is closed, and whoever observes the call has been told, before the program has
//! its answer or its error.

use crate::{
    answer::Answer,
    call::Call,
    dispatch::{Dispatch, Parcels},
    error::Error,
    execution::Execution,
    node::{Compiled, Leaf, Node},
    record::CallRecord,
    runtime,
    stream::AnswerStream,
};
use punctual_core::{
    Call as CoreCall, Deadline, Engine, Event, Failure, Observer, Open, Outcome, Policy, Record,
    Refused, Report, Source, Surface, Target, Trace, open,
};
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::time::Instant;

/// What of a closed record a program is told.
#[derive(Default)]
pub(crate) struct Ended {
    pub(crate) records: Vec<CallRecord>,
    pub(crate) deadline: Option<Deadline>,
    pub(crate) elapsed: Duration,
}

/// Keeps what the record said when it closed.
pub(crate) struct Tee {
    last: Mutex<Ended>,
    leaves: Arc<[Leaf]>,
    observer: Option<Arc<dyn Observer>>,
}

impl Observer for Tee {
    fn on(&self, report: &Report, event: &Event<'_>) {
        if matches!(event, Event::Finished) {
            let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
            *last = Ended {
                records: CallRecord::all(report, &self.leaves),
                deadline: Some(report.deadline),
                elapsed: report.elapsed,
            };
        }
        if let Some(observer) = &self.observer {
            observer.on(report, event);
        }
    }
}

impl Tee {
    fn new(leaves: Arc<[Leaf]>, observer: Option<Arc<dyn Observer>>) -> Arc<Self> {
        Arc::new(Self {
            last: Mutex::default(),
            leaves,
            observer,
        })
    }

    /// What the record said when it closed.
    fn ended(&self) -> Ended {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *last)
    }

    /// The record is closed; what the program is told.
    pub(crate) fn error(&self, failure: Failure) -> Error {
        Error::new(failure, self.ended())
    }
}

/// A record of something that is no call of a client's, and what it says when it closes.
#[cfg(any(feature = "tower", feature = "reqwest-middleware"))]
pub(crate) fn record(surface: Surface, deadline: Deadline) -> (Arc<Tee>, Record) {
    let tee = Tee::new(Arc::new([]), None);
    let id = format!("{:016x}", fastrand::u64(..)).into();
    let mut record = Record::open(id, surface, Trace::root(), deadline, tee.clone());
    record.identify(None, None, false, deadline);
    (tee, record)
}

/// The time of something that is no call of a client's is up.
#[cfg(any(feature = "tower", feature = "reqwest-middleware"))]
pub(crate) fn over(deadline: &Deadline) -> Error {
    let (tee, mut record) = record(Surface::Passthrough, *deadline);
    let failure = punctual_core::deadline_exceeded(deadline);
    record.fail(&failure);
    drop(record);
    tee.error(*failure)
}

/// A call that has begun.
pub(crate) struct Run {
    pub(crate) engine: Arc<Engine<Dispatch>>,
    pub(crate) tee: Arc<Tee>,
}

impl Run {
    /// Everything that needs no waiting.
    fn begin(node: &Node, mut call: Call, stream: bool) -> Result<(Self, CoreCall, Record), Error> {
        if let Some(mistake) = &call.mistake {
            return Err(Error::misuse("bad_call", mistake.clone()));
        }
        let compiled = node.compiled()?;
        let (deadline, min_attempt) = deadline(&call);
        let tee = Tee::new(compiled.leaves.clone(), call.observer.take());
        let id: Arc<str> = format!("{:016x}", fastrand::u64(..)).into();
        let (surface, observer) = (Surface::Chat, tee.clone());
        let mut record = Record::open(id.clone(), surface, Trace::root(), deadline, observer);
        record.identify(None, None, stream, deadline);
        let policy = Policy {
            max_attempts_total: compiled.max_attempts_total,
            min_attempt,
            heartbeat: None,
            caller_stall: None,
            ..Policy::default()
        };
        if call.request.stream != stream {
            call = call.edit(|request| (request.stream, request.include_usage) = (stream, stream));
        }
        let core = CoreCall {
            id,
            stream,
            choices: choices(&call),
            include_usage: stream,
            headers: call.headers.clone(),
            policy: Arc::new(policy),
            ..CoreCall::new(surface, compiled.plan.clone(), deadline)
        };
        let engine = Arc::new(Engine {
            targets: targets(&compiled, &call),
            upstream: Dispatch {
                compiled,
                call,
                parcels: Mutex::new(Parcels::default()),
            },
        });
        Ok((Self { engine, tee }, core, record))
    }

    /// The record is closed: every attempt of the call.
    pub(crate) fn records(&self) -> Vec<CallRecord> {
        self.tee.ended().records
    }

    /// The record is closed; what the program is told.
    pub(crate) fn error(&self, failure: Failure) -> Error {
        self.tee.error(failure)
    }
}

/// The call's clock, and the least that must be left of it for an attempt to begin. Only the end of a run has
/// such a least, so it is counted from there, whichever limit comes first.
pub(crate) fn deadline(call: &Call) -> (Deadline, Duration) {
    let now = Instant::now();
    let mut deadline = Deadline::starting(now);
    if let Some(limit) = call.limit {
        deadline.tighten(limit, Source::Call);
    }
    let bound = match (Execution::current(), call.deadline) {
        (Some(current), Some(own)) => Some(current.earlier(own)),
        (one, other) => one.or(other),
    };
    let Some(run) = bound else {
        return (deadline, Duration::ZERO);
    };
    deadline.tighten(run.ends().saturating_duration_since(now), Source::Execution);
    let first = deadline.at().unwrap_or(run.ends());
    let between = run.ends().saturating_duration_since(first);
    (deadline, run.least().saturating_sub(between))
}

pub(crate) fn choices(call: &Call) -> u32 {
    let n = call.request.sampling.n.as_ref().and_then(|n| n.as_u64());
    n.and_then(|n| u32::try_from(n).ok()).unwrap_or(1).max(1)
}

fn targets(compiled: &Compiled, call: &Call) -> Vec<Target> {
    let own = call.timeouts.map(|timeouts| timeouts.limits());
    let target = |leaf: &Leaf| {
        let mut target = leaf.target.clone();
        target.limits = own.unwrap_or(target.limits);
        target
    };
    compiled.leaves.iter().map(target).collect()
}

/// Asks, and waits for the whole answer.
pub(crate) async fn whole(node: Node, call: Call) -> Result<Answer, Error> {
    let (run, core, record) = Run::begin(&node, call, false)?;
    let opening = Box::pin(open(run.engine.clone(), core, record));
    match runtime::enter(opening).await {
        Ok(Open { mut record, .. }) => {
            record.settle(Outcome::Ok, None);
            drop(record);
            let said = run.engine.upstream.parcels().lock().answer.take();
            let mut answer = said.unwrap_or_default();
            answer.records = run.records();
            Ok(answer)
        }
        Err(refused) => Err(refuse(&run, refused)),
    }
}

/// Asks, and waits for the first content.
pub(crate) async fn stream(node: Node, call: Call) -> Result<AnswerStream, Error> {
    let (run, core, record) = Run::begin(&node, call, true)?;
    let opening = Box::pin(open(run.engine.clone(), core, record));
    match runtime::enter(opening).await {
        Ok(open) => Ok(AnswerStream::new(run, open)),
        Err(refused) => Err(refuse(&run, refused)),
    }
}

fn refuse(run: &Run, Refused { failure, record }: Refused) -> Error {
    drop(record);
    run.error(*failure)
}
