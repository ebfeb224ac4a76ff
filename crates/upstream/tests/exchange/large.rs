//! Large bodies, answers and events hold up nobody: while one is worked on, everything else in the runtime,
//! which here has one thread, gets its turn.

use crate::support::{Heard, PATIENCE, read_within};
use base64::{Engine, prelude::BASE64_STANDARD};
use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use punctual_core::{Attempt, Call, Deadline, Plan, Progress, Surface, TargetId, Trace, Upstream};
use punctual_upstream::{Dialect, ModelChoice, Pools, TargetSpec, Upstreams};
use std::{
    cell::Cell,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::Arc,
    task::{Context, Waker},
    time::Duration,
};
use tokio::time::{Instant, sleep, timeout};

const SIZE: usize = 16 << 20;
/// What the deadline may be missed by on an idle machine, and what tests allow beyond that.
const GAP: Duration = Duration::from_millis(5 + 50);

/// A provider on a thread of its own, which answers every request with the same bytes.
pub(crate) fn provider(head: &str, body: Vec<u8>) -> String {
    provider_that_says("200 OK", head, body)
}

/// The same with a status.
pub(crate) fn provider_that_says(status: &str, head: &str, body: Vec<u8>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let head = format!(
        "HTTP/1.1 {status}\r\n{head}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    std::thread::spawn(move || {
        for socket in listener.incoming().map_while(Result::ok) {
            // whoever asks may leave in the middle
            let _ = answer(socket, head.as_bytes(), &body);
        }
    });
    base
}

fn answer(mut socket: TcpStream, head: &[u8], body: &[u8]) -> std::io::Result<()> {
    let (mut read, mut chunk) = (Vec::new(), vec![0; 1 << 20]);
    let mut whole = None;
    while whole.is_none_or(|whole| read.len() < whole) {
        match socket.read(&mut chunk)? {
            0 => return Ok(()),
            n => read.extend_from_slice(&chunk[..n]),
        }
        if whole.is_none()
            && let Some(end) = read.windows(4).position(|w| w == b"\r\n\r\n")
        {
            let lines = String::from_utf8_lossy(&read[..end]).to_ascii_lowercase();
            let length = lines
                .lines()
                .find_map(|l| l.strip_prefix("content-length: "));
            whole = Some(end + 4 + length.map_or(0, |l| l.parse().unwrap()));
        }
    }
    socket.write_all(head)?;
    socket.write_all(body)
}

pub(crate) struct Bench {
    pools: Arc<Pools>,
    pub(crate) upstreams: Upstreams,
}

impl Bench {
    pub(crate) fn new(dialect: Dialect, base: String) -> Self {
        let mut spec = TargetSpec::new("t", base);
        spec.dialect = dialect;
        spec.model = ModelChoice::Fixed("m".into());
        spec.site.invoke = true;
        let pools = Pools::new();
        let upstreams = Upstreams::new(vec![spec], &pools).unwrap();
        Self { pools, upstreams }
    }

    pub(crate) async fn hear(&self, call: &Call) -> Heard {
        let (progress, trace) = (Progress::new(), Trace::root());
        let attempt = Attempt {
            number: 1,
            left: None,
            limit: None,
            trace: &trace,
            span: trace.span,
            progress: &progress,
        };
        let answer = self.upstreams.send(TargetId(0), call, &attempt).await;
        read_within(answer.unwrap(), 20 * PATIENCE).await
    }

    /// Hears the answer to `call`, while nothing else waits longer than it may.
    async fn hears_and_holds_up_nobody(&self, call: &Call) -> Heard {
        let (gap, heard) = watched(self.hear(call)).await;
        assert!(heard.failure.is_none(), "{:?}", heard.failure);
        assert!(gap <= GAP, "nothing else had a turn in {gap:?} of work");
        heard
    }
}

/// How long this thread has worked. A machine that is busy with something else takes nothing away from that;
/// where the system does not tell, it is the time on the clock.
fn worked(since: Instant) -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let told = told.and_then(|told| told.split(' ').next()?.parse().ok());
    told.map_or_else(|| since.elapsed(), Duration::from_nanos)
}

/// The most that this thread has worked without anything else having a turn while `work` was done, and what
/// came of it.
async fn watched<T>(work: impl Future<Output = T>) -> (Duration, T) {
    let started = Instant::now();
    let (turn, longest) = (Cell::new(worked(started)), Cell::new(Duration::ZERO));
    let look = || {
        let now = worked(started);
        longest.set(longest.get().max(now.saturating_sub(turn.replace(now))));
    };
    let canary = async {
        loop {
            sleep(Duration::from_millis(1)).await;
            look();
        }
    };
    let done = tokio::select! {
        biased;
        done = timeout(30 * PATIENCE, work) => done.expect("done in time"),
        () = canary => unreachable!("it never ends"),
    };
    look();
    (longest.get(), done)
}

pub(crate) fn call(surface: Surface, stream: bool, body: String) -> Call {
    let plan = Arc::new(Plan::Target(TargetId(0)));
    Call {
        stream,
        model: "m".into(),
        model_span: 9..12,
        body: body.into(),
        ..Call::new(surface, plan, Deadline::starting(Instant::now()))
    }
}

pub(crate) fn small(stream: bool) -> String {
    format!(r#"{{"model":"m","stream":{stream},"messages":[{{"role":"user","content":"x"}}]}}"#)
}

/// Text as it stands in JSON, not all of it as it is.
fn text(size: usize) -> String {
    let line = format!("a line {}\\n", "of words ".repeat(10));
    line.repeat(size / line.len())
}

#[tokio::test]
async fn a_large_question_is_translated_aside() {
    let answer = r#"{"id":"a","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"x"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}"#;
    let head = "content-type: application/json";
    let bench = Bench::new(Dialect::Anthropic, provider(head, answer.into()));
    let turn = format!(r#"{{"role":"user","content":"{}"}}"#, text(1000));
    let turns = vec![turn; SIZE / 1000].join(",");
    let body = format!(r#"{{"model":"m","max_tokens":9,"messages":[{turns}]}}"#);
    let heard = bench
        .hears_and_holds_up_nobody(&call(Surface::Chat, false, body))
        .await;
    assert!(heard.complete().text.contains(r#""content":"x""#));
}

#[tokio::test]
async fn a_large_answer_is_judged_and_translated_aside() {
    let block = format!(r#"{{"type":"text","text":"{}"}}"#, text(SIZE));
    let answer = format!(
        r#"{{"id":"a","type":"message","role":"assistant","model":"m","content":[{block}],"stop_reason":"end_turn","usage":{{"input_tokens":1,"output_tokens":1}}}}"#
    );
    let head = "content-type: application/json";
    let bench = Bench::new(Dialect::Anthropic, provider(head, answer.into()));
    for stream in [false, true] {
        let call = call(Surface::Chat, stream, small(stream));
        let heard = bench.hears_and_holds_up_nobody(&call).await.complete();
        assert!(heard.text.len() > SIZE / 2, "{}", heard.text.len());
    }
}

/// A stream of Anthropic's with a text of this size in one event, in the middle of small ones.
fn messages(size: usize) -> String {
    let event =
        |kind: &str, rest: &str| format!("event: {kind}\ndata: {{\"type\":\"{kind}\"{rest}}}\n\n");
    let delta = |text: &str| {
        let rest = format!(r#","index":0,"delta":{{"type":"text_delta","text":"{text}"}}"#);
        event("content_block_delta", &rest)
    };
    [
        event(
            "message_start",
            r#","message":{"id":"a","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":1,"output_tokens":1}}"#,
        ),
        event(
            "content_block_start",
            r#","index":0,"content_block":{"type":"text","text":""}"#,
        ),
        delta("before"),
        delta(&text(size)),
        delta("after"),
        event("content_block_stop", r#","index":0"#),
        event(
            "message_delta",
            r#","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}"#,
        ),
        event("message_stop", ""),
    ]
    .concat()
}

#[tokio::test]
async fn a_large_event_is_judged_and_translated_aside_and_keeps_its_place() {
    let stream = messages(SIZE);
    let head = "content-type: text/event-stream";
    let bench = Bench::new(Dialect::Anthropic, provider(head, stream.clone().into()));
    let asked = call(Surface::Messages, true, small(true));
    let heard = bench.hears_and_holds_up_nobody(&asked).await.complete();
    assert!(heard.text == stream, "bytes through");
    assert_eq!((heard.contents(), heard.summary.content_events), (3, 3));
    let asked = call(Surface::Chat, true, small(true));
    let heard = bench.hears_and_holds_up_nobody(&asked).await.complete();
    let at = |text: &str| heard.text.find(text).expect(text);
    assert!(at("before") < at("a line") && at("a line") < at("after"));
    assert_eq!((heard.contents(), heard.summary.content_events), (3, 3));
    assert!(heard.everything().ends_with("data: [DONE]\n\n"));
}

/// The same events as Bedrock's InvokeModel sends them, each as base64 in a message.
fn chunks(events: &str) -> Vec<u8> {
    let number = |n: usize| u32::try_from(n).unwrap().to_be_bytes();
    let data = events
        .lines()
        .filter_map(|line| line.strip_prefix("data: "));
    let chunk = |json: &str| {
        let payload = format!(r#"{{"bytes":"{}"}}"#, BASE64_STANDARD.encode(json));
        let mut out = [number(16 + payload.len()), number(0)].concat();
        out.extend(crc32fast::hash(&out).to_be_bytes());
        out.extend(payload.as_bytes());
        out.extend(crc32fast::hash(&out).to_be_bytes());
        out
    };
    data.flat_map(chunk).collect()
}

#[tokio::test]
async fn a_large_chunk_is_opened_aside_and_keeps_its_place() {
    let stream = messages(SIZE);
    let head = "content-type: application/vnd.amazon.eventstream";
    let bench = Bench::new(Dialect::Bedrock, provider(head, chunks(&stream)));
    let asked = call(Surface::Messages, true, small(true));
    let heard = bench.hears_and_holds_up_nobody(&asked).await.complete();
    assert!(heard.text == stream, "events as they would come over HTTP");
    assert_eq!((heard.contents(), heard.summary.content_events), (3, 3));
}

#[tokio::test]
async fn what_a_writer_has_kept_of_many_events_is_written_aside() {
    let piece = text(1 << 16);
    let delta = format!(
        r#"{{"id":"a","model":"m","choices":[{{"index":0,"delta":{{"content":"{piece}"}}}}]}}"#
    );
    let last =
        r#"{"id":"a","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;
    let head = "content-type: text/event-stream";
    // the last event repeats all of it, four times; where there is no end mark it comes with the end of the body
    for mark in ["data: [DONE]\n\n", ""] {
        let events = format!("data: {delta}\n\n").repeat(SIZE >> 18);
        let stream = format!("{events}data: {last}\n\n{mark}");
        let bench = Bench::new(Dialect::OpenAi, provider(head, stream.into()));
        let asked = call(
            Surface::Responses,
            true,
            r#"{"model":"m","stream":true,"input":"x"}"#.into(),
        );
        let heard = bench.hears_and_holds_up_nobody(&asked).await.complete();
        let everything = heard.everything();
        assert_eq!(
            everything.matches("event: response.completed").count(),
            1,
            "{mark}"
        );
        assert!(everything.len() > SIZE, "{}", everything.len());
    }
}

#[tokio::test]
async fn a_large_compressed_answer_is_decoded_in_turns() {
    let mut words = String::new();
    let mut seed = 1_u32;
    while words.len() < 2 * SIZE {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        words += &format!(
            "{:04x}{}",
            seed >> 16,
            "tokens and more of them ".repeat(16)
        );
    }
    let answer = format!(
        r#"{{"id":"a","model":"m","choices":[{{"index":0,"message":{{"role":"assistant","content":"{words}"}},"finish_reason":"stop"}}]}}"#
    );
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(answer.as_bytes()).unwrap();
    let head = "content-type: application/json\r\ncontent-encoding: gzip";
    let bench = Bench::new(Dialect::OpenAi, provider(head, gzip.finish().unwrap()));
    let asked = call(Surface::Chat, false, small(false));
    let heard = bench.hears_and_holds_up_nobody(&asked).await.complete();
    assert!(heard.text == answer);
}

/// A body that tells whether anybody still has it.
struct Kept(
    String,
    #[expect(dead_code, reason = "counts those who have it")] Arc<()>,
);

impl AsRef<[u8]> for Kept {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

#[test]
fn a_caller_that_leaves_meanwhile_leaves_work_that_ends_by_itself() {
    // the one thread beside this is busy until it is let go: the work is begun and cannot be done
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().max_blocking_threads(1).build();
    runtime.unwrap().block_on(async {
        let (let_go, held) = std::sync::mpsc::sync_channel::<()>(1);
        let _busy = tokio::task::spawn_blocking(move || held.recv().is_err());
        let bench = Bench::new(Dialect::Anthropic, provider("x-a: b", Vec::new()));
        let turn = format!(r#"{{"role":"user","content":"{}"}}"#, text(1000));
        let turns = vec![turn; 2000].join(",");
        let body = format!(r#"{{"model":"m","max_tokens":9,"messages":[{turns}]}}"#);
        let kept = Arc::new(());
        let mut call = call(Surface::Chat, false, String::new());
        call.body = Bytes::from_owner(Kept(body, kept.clone()));
        let mut hearing = Box::pin(bench.hear(&call));
        let mut cx = Context::from_waker(Waker::noop());
        assert!(hearing.as_mut().poll(&mut cx).is_pending());
        drop(hearing);
        drop(call);
        assert_eq!(Arc::strong_count(&kept), 2, "what is worked on counts");
        drop(let_go);
        let shutdown = timeout(20 * PATIENCE, bench.pools.shutdown());
        shutdown.await.unwrap();
        assert_eq!(Arc::strong_count(&kept), 1);
    });
}
