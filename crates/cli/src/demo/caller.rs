//! The caller of the tour: a bare HTTP/1.1 client that notes when each thing reached its socket.
//!
//! It is deliberately not one of our own clients: what the tour prints is what a socket saw.

use std::{io, net::SocketAddr, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::{Instant, timeout_at},
};

/// What reached the caller's socket.
#[derive(Debug, Default)]
pub(super) struct Got {
    /// The status line's code, and when it came.
    pub(super) head: Option<(u16, Instant)>,
    /// `data:` lines of the body (or the whole body when there are none), each with its time.
    pub(super) lines: Vec<(String, Instant)>,
    /// When the answer was over, or the caller left.
    pub(super) ended: Option<Instant>,
    /// The caller left by itself.
    pub(super) left: bool,
}

impl Got {
    /// The first line that has `text`.
    pub(super) fn find(&self, text: &str) -> Option<&(String, Instant)> {
        self.lines.iter().find(|(line, _)| line.contains(text))
    }
}

/// How the caller behaves.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Manner {
    /// Hangs up after this long.
    pub(super) leaves_after: Option<Duration>,
    /// Sends `X-Request-Deadline-Ms`.
    pub(super) deadline_ms: Option<u64>,
    /// Asks for a stream.
    pub(super) stream: bool,
}

/// One request, to its end.
pub(super) async fn ask(gateway: SocketAddr, model: &str, manner: Manner) -> io::Result<Got> {
    let mut socket = TcpStream::connect(gateway).await?;
    socket.set_nodelay(true)?;
    socket
        .write_all(request(gateway, model, manner).as_bytes())
        .await?;
    let far = Duration::from_secs(60);
    let until = Instant::now() + manner.leaves_after.unwrap_or(far);
    let mut got = Got::default();
    let mut reader = Reader::default();
    loop {
        let mut buffer = vec![0; 16 * 1024];
        let Ok(read) = timeout_at(until, socket.read(&mut buffer)).await else {
            got.left = true;
            break;
        };
        let n = read.unwrap_or(0);
        reader.take(buffer.get(..n).unwrap_or_default(), &mut got);
        if n == 0 || reader.complete {
            break;
        }
    }
    got.ended = Some(Instant::now());
    drop(socket);
    Ok(got)
}

fn request(gateway: SocketAddr, model: &str, manner: Manner) -> String {
    let body = format!(
        r#"{{"model":"{model}","stream":{},"messages":[{{"role":"user","content":"hi"}}]}}"#,
        manner.stream
    );
    let deadline = manner
        .deadline_ms
        .map(|ms| format!("X-Request-Deadline-Ms: {ms}\r\n"))
        .unwrap_or_default();
    format!(
        "POST /v1/chat/completions HTTP/1.1\r\nHost: {gateway}\r\nContent-Type: application/json\r\nConnection: close\r\n{deadline}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Takes an answer apart, just enough to print it.
#[derive(Default)]
struct Reader {
    text: String,
    head_done: bool,
    complete: bool,
}

impl Reader {
    fn take(&mut self, bytes: &[u8], got: &mut Got) {
        let now = Instant::now();
        self.text.push_str(&String::from_utf8_lossy(bytes));
        if !self.head_done {
            let Some(end) = self.text.find("\r\n\r\n") else {
                return;
            };
            let status = self
                .text
                .get(9..12)
                .and_then(|s| s.parse().ok())
                .unwrap_or(0);
            got.head = Some((status, now));
            self.text.drain(..end + 4);
            self.head_done = true;
        }
        while let Some(end) = self.text.find('\n') {
            let line: String = self.text.drain(..=end).collect();
            self.line(line.trim_end(), now, got);
        }
        if self.text.starts_with('{') {
            let whole = std::mem::take(&mut self.text);
            self.line(&whole, now, got);
        }
    }

    fn line(&mut self, line: &str, now: Instant, got: &mut Got) {
        if line == "0" {
            self.complete = true;
        }
        if line.starts_with("data:") || line.starts_with(':') || line.starts_with('{') {
            got.lines.push((line.to_owned(), now));
        }
    }
}
