//! Work of our own is done aside, and here whoever does it is held until the test says so: what it may cost is
//! then certain. It counts against the request's deadline and against no clock of the member's.

use super::*;
use crate::{
    auth::{AwsAuth, AwsKeys},
    dialect::Dialect,
    request::ForwardDeadline,
    spec::{Auth, ModelChoice},
};
use punctual_core::{
    Clock, Deadline, Engine, Lane, LaneLimits, Limits, NoObserver, Opened, Plan, Record, Source,
    Surface, Trace, open,
};
use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    num::NonZero,
    pin::pin,
    sync::mpsc::{SyncSender, sync_channel},
    task::{Context, Waker},
    thread,
};
use tokio::time::{Instant, sleep, timeout};

mod kept;

/// How long work is held.
const HELD: Duration = Duration::from_millis(350);
/// Shorter than that, and longer than the work itself takes.
const CLOCK: Duration = Duration::from_millis(300);
const PATIENCE: Duration = Duration::from_secs(10);

/// Holds up all large work until it is dropped.
struct Hold(#[expect(dead_code, reason = "held for its drop")] Vec<SyncSender<()>>);

impl Hold {
    fn of(pools: &Pools) -> Self {
        let turns = thread::available_parallelism().map_or(1, NonZero::get);
        let hold = |_| {
            let (hold, held) = sync_channel(1);
            let mut doing = pools.aside.run(move || {
                let _ = held.recv();
            });
            let mut cx = Context::from_waker(Waker::noop());
            assert!(doing.as_mut().poll(&mut cx).is_pending());
            hold
        };
        Self((0..turns).map(hold).collect())
    }
}

struct Bench {
    pools: Arc<Pools>,
    engine: Arc<Engine<Upstreams>>,
}

impl Bench {
    fn new(limits: Limits, spec: TargetSpec) -> Self {
        let mut target = punctual_core::Target::new("t");
        target.limits = limits;
        target.lane = Lane::new(LaneLimits {
            max_concurrency: 1,
            ..LaneLimits::default()
        });
        let pools = Pools::new();
        let upstream = Upstreams::new(vec![spec], &pools).unwrap();
        let targets = vec![target];
        let engine = Arc::new(Engine { targets, upstream });
        Self { pools, engine }
    }

    async fn open(
        &self,
        (surface, size): (Surface, usize),
        budget: Option<Duration>,
    ) -> Opened<Box<Answer>> {
        let mut deadline = Deadline::starting(Instant::now());
        if let Some(budget) = budget {
            deadline.tighten(budget, Source::Server);
        }
        let observer = Arc::new(NoObserver);
        let record = Record::open("r".into(), surface, Trace::root(), deadline, observer);
        let words = "words ".repeat(size / 6);
        let body = format!(
            r#"{{"model":"m","max_tokens":9,"messages":[{{"role":"user","content":"{words}"}}]}}"#
        );
        let call = Call {
            model: "m".into(),
            model_span: 9..12,
            body: body.into(),
            ..Call::new(surface, Arc::new(Plan::Target(TargetId(0))), deadline)
        };
        let opened = open(self.engine.clone(), call, record);
        timeout(PATIENCE, opened).await.expect("an end in time")
    }
}

/// A target whose large requests are translated, and one whose are hashed.
fn specs(base: &str) -> [(TargetSpec, Surface); 2] {
    let mut translated = TargetSpec::new("t", base);
    translated.dialect = Dialect::Anthropic;
    translated.model = ModelChoice::Fixed("m".into());
    translated.endpoint.tls.only_ca = false;
    let mut hashed = translated.clone();
    hashed.auth = Auth::Aws(AwsAuth {
        region: Some("eu-west-1".into()),
        keys: Some(AwsKeys {
            access_key_id: "AKIA".into(),
            secret_access_key: "s".into(),
            session_token: None,
        }),
        ..AwsAuth::default()
    });
    [(translated, Surface::Chat), (hashed, Surface::Messages)]
}

/// Takes connections and says nothing.
fn silent() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    (listener, at)
}

#[tokio::test]
async fn work_on_a_large_question_is_charged_to_no_clock_of_the_members() {
    let (_listener, at) = silent();
    let clock = |clock| match clock {
        Clock::Connect => Limits {
            connect: Some(CLOCK),
            ..Limits::default()
        },
        _ => Limits {
            unary: Some(CLOCK),
            ..Limits::default()
        },
    };
    for (scheme, which) in [("https", Clock::Connect), ("http", Clock::Unary)] {
        for (spec, surface) in specs(&format!("{scheme}://{at}")) {
            let bench = Bench::new(clock(which), spec);
            let (hold, started) = (Hold::of(&bench.pools), Instant::now());
            let letting_go = async {
                sleep(HELD).await;
                drop(hold);
            };
            let opening = bench.open((surface, LARGE), None);
            let (opened, ()) = tokio::join!(opening, letting_go);
            let failure = opened.err().unwrap().failure;
            let limit = failure.limit.unwrap();
            assert_eq!((failure.code, limit.clock), (Code::Timeout, which));
            let took = started.elapsed();
            let all = HELD + CLOCK - Duration::from_millis(5);
            assert!(took >= all, "{which:?} of {surface:?} after {took:?}");
        }
    }
}

#[tokio::test]
async fn work_on_a_large_question_is_charged_to_the_requests_deadline() {
    let (_listener, at) = silent();
    for (spec, surface) in specs(&format!("http://{at}")) {
        let bench = Bench::new(Limits::default(), spec);
        let hold = Hold::of(&bench.pools);
        let opened = bench.open((surface, LARGE), Some(CLOCK)).await;
        let failure = opened.err().unwrap().failure;
        assert_eq!(failure.code, Code::DeadlineExceeded, "while it is held");
        drop(hold);
    }
}

/// A provider on a thread of its own: answers each connection's one request with the next of `answers`, and
/// gives back what it was asked.
fn provider(answers: Vec<String>) -> (String, thread::JoinHandle<Vec<String>>) {
    let (listener, at) = silent();
    let serve = move || {
        let mut asked = Vec::new();
        let mut open = Vec::new();
        for answer in answers {
            let (mut socket, _) = listener.accept().unwrap();
            asked.push(question(&mut socket));
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
                answer.len()
            );
            socket.write_all(head.as_bytes()).unwrap();
            socket.write_all(answer.as_bytes()).unwrap();
            open.push(socket);
        }
        asked
    };
    (format!("http://{at}"), thread::spawn(serve))
}

/// A request's head, its body read away.
fn question(socket: &mut TcpStream) -> String {
    let (mut read, mut chunk) = (Vec::new(), vec![0; 1 << 16]);
    loop {
        let n = socket.read(&mut chunk).unwrap();
        read.extend_from_slice(&chunk[..n]);
        let text = String::from_utf8_lossy(&read).to_ascii_lowercase();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head
            .lines()
            .find_map(|l| l.strip_prefix("content-length: "));
        if body.len() >= length.map_or(0, |l| l.parse().unwrap()) {
            return head.to_owned();
        }
    }
}

fn answer(size: usize) -> String {
    let text = "words ".repeat(size / 6);
    format!(
        r#"{{"id":"a","type":"message","role":"assistant","model":"m","content":[{{"type":"text","text":"{text}"}}],"stop_reason":"end_turn","usage":{{"input_tokens":1,"output_tokens":1}}}}"#
    )
}

#[tokio::test]
async fn a_large_answer_takes_no_place_in_the_lane_while_it_is_judged() {
    let (base, asked) = provider(vec![answer(LARGE), answer(6)]);
    let [(spec, surface), _] = specs(&base);
    let bench = Bench::new(Limits::default(), spec);
    let hold = Hold::of(&bench.pools);
    let mut judged = pin!(bench.open((surface, 6), None));
    let lane = bench.engine.targets[0].lane.clone();
    let free = async {
        while lane.in_use() > 0 {
            sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::select! {
        biased;
        _ = judged.as_mut() => panic!("it is held"),
        () = sleep(PATIENCE) => panic!("the permit is not back"),
        // not before it was taken
        () = async { sleep(Duration::from_millis(1)).await; free.await } => {}
    }
    let next = tokio::select! {
        _ = judged.as_mut() => panic!("it is held"),
        next = bench.open((surface, 6), None) => next,
    };
    assert!(next.is_ok());
    drop(hold);
    assert!(judged.await.is_ok());
    assert_eq!(asked.join().unwrap().len(), 2);
}

#[tokio::test]
async fn the_time_left_is_told_as_it_is_when_the_question_is_sent() {
    let (base, asked) = provider(vec![answer(6)]);
    let [(mut spec, surface), _] = specs(&base);
    spec.forward_deadline = vec![ForwardDeadline::Punctual];
    let bench = Bench::new(Limits::default(), spec);
    let hold = Hold::of(&bench.pools);
    let letting_go = async {
        sleep(HELD).await;
        drop(hold);
    };
    let opening = bench.open((surface, LARGE), Some(PATIENCE));
    let (opened, ()) = tokio::join!(opening, letting_go);
    assert!(opened.is_ok());
    let head = asked.join().unwrap().pop().unwrap();
    let told = head
        .lines()
        .find_map(|l| l.strip_prefix("x-request-deadline-ms: "));
    let told = Duration::from_millis(told.unwrap().parse().unwrap());
    assert!(told <= PATIENCE - HELD, "{told:?}");
}
