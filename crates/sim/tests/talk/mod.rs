//! A client that notes every byte and the moment it came, over HTTP/1.1 and HTTP/2, plain and TLS.
//!
//! Written on raw sockets: a polite client library would hide what these tests are about, and could not
//! leave by RST.

#![allow(dead_code, reason = "each test binary uses its part of the client")]

pub(crate) mod frames;

use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use punctual_sim::Sim;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

/// How an answer ended, as its client saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Complete,
    Fin,
    Rst,
    StreamReset(h2::Reason),
    /// Nothing came for as long as the client cared to wait.
    Silent,
}

/// Everything a client heard.
#[derive(Clone, Debug)]
pub(crate) struct Heard {
    pub(crate) head: String,
    /// Pieces as they were read, with their time since the request was sent; without chunk framing.
    pub(crate) pieces: Vec<(Duration, Vec<u8>)>,
    pub(crate) end: End,
    pub(crate) took: Duration,
}

impl Heard {
    pub(crate) fn status(&self) -> u16 {
        let code = self
            .head
            .split_whitespace()
            .nth(1)
            .and_then(|c| c.parse().ok());
        code.unwrap_or_default()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|l| l.split_once(": "));
        lines
            .find(|(n, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, v)| v)
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.pieces
            .iter()
            .flat_map(|(_, p)| p.iter().copied())
            .collect()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes()).into_owned()
    }

    /// The payloads of the `data:` lines.
    pub(crate) fn data(&self) -> Vec<String> {
        self.text()
            .lines()
            .filter_map(|l| l.strip_prefix("data: "))
            .map(str::to_owned)
            .collect()
    }

    /// When the nth occurrence (from 0) of the text had been read.
    pub(crate) fn when(&self, text: &str, nth: usize) -> Option<Duration> {
        let mut so_far = String::new();
        for (at, piece) in &self.pieces {
            so_far.push_str(&String::from_utf8_lossy(piece));
            if so_far.matches(text).count() > nth {
                return Some(*at);
            }
        }
        None
    }

    pub(crate) fn count(&self, text: &str) -> usize {
        self.text().matches(text).count()
    }
}

pub(crate) trait Io: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Io for T {}

/// A connection that can be left by RST.
pub(crate) struct Line {
    pub(crate) io: Box<dyn Io>,
    reset: std::os::fd::OwnedFd,
}

impl Line {
    pub(crate) async fn open(sim: &Sim, http2: bool) -> Line {
        let tcp = TcpStream::connect(sim.addr()).await.unwrap();
        tcp.set_nodelay(true).unwrap();
        let reset = std::os::fd::AsFd::as_fd(&tcp).try_clone_to_owned().unwrap();
        if sim.ca_pem().is_empty() {
            return Line {
                io: Box::new(tcp),
                reset,
            };
        }
        let name = ServerName::try_from("localhost").unwrap();
        let stream = connector(sim, http2).connect(name, tcp).await.unwrap();
        Line {
            io: Box::new(stream),
            reset,
        }
    }

    /// Arms RST: the drop of the line sends it.
    pub(crate) fn arm(&self) {
        socket2::SockRef::from(&self.reset)
            .set_linger(Some(Duration::ZERO))
            .unwrap();
    }

    /// From now on the system takes little for who does not read.
    pub(crate) fn narrow(&self) {
        let socket = socket2::SockRef::from(&self.reset);
        socket.set_recv_buffer_size(4096).unwrap();
    }

    /// Sends the FIN and keeps the socket: closing it with unread bytes (TLS tickets, say) would be an RST.
    pub(crate) fn fin(&self) {
        socket2::SockRef::from(&self.reset)
            .shutdown(std::net::Shutdown::Write)
            .unwrap();
    }

    pub(crate) async fn send(&mut self, request: &str) {
        self.io.write_all(request.as_bytes()).await.unwrap();
        self.io.flush().await.unwrap();
    }
}

fn connector(sim: &Sim, http2: bool) -> tokio_rustls::TlsConnector {
    let mut roots = rustls::RootCertStore::empty();
    roots
        .add(CertificateDer::from_pem_slice(sim.ca_pem().as_bytes()).unwrap())
        .unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![if http2 {
        b"h2".to_vec()
    } else {
        b"http/1.1".to_vec()
    }];
    Arc::new(config).into()
}

pub(crate) fn body(model: &str, stream: bool) -> String {
    serde_json::json!({"model": model, "stream": stream, "messages": [{"role": "user", "content": "hi"}]}).to_string()
}

pub(crate) fn post(path: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nhost: sim\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    )
}

/// Sends a request of any method, with more header lines than `host` and the length.
pub(crate) async fn send(
    sim: &Sim,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Heard {
    let mut line = Line::open(sim, false).await;
    let mut head = format!("{method} {path} HTTP/1.1\r\nhost: sim\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let length = body.len();
    line.send(&format!("{head}content-length: {length}\r\n\r\n{body}"))
        .await;
    listen(&mut line, Duration::from_millis(500)).await
}

pub(crate) const CHAT: &str = "/v1/chat/completions";

/// Asks on a fresh HTTP/1.1 connection and listens until the end, or until nothing came for `patience`.
pub(crate) async fn ask(sim: &Sim, path: &str, body: &str, patience: Duration) -> Heard {
    let mut line = Line::open(sim, false).await;
    line.send(&post(path, body)).await;
    listen(&mut line, patience).await
}

/// A chat stream from a model.
pub(crate) async fn stream(sim: &Sim, model: &str) -> Heard {
    ask(sim, CHAT, &body(model, true), Duration::from_millis(250)).await
}

/// A unary chat answer from a model.
pub(crate) async fn unary(sim: &Sim, model: &str) -> Heard {
    ask(sim, CHAT, &body(model, false), Duration::from_millis(250)).await
}

/// Reads one answer; `patience` is the silence that ends it, and four times that the whole.
pub(crate) async fn listen(line: &mut Line, patience: Duration) -> Heard {
    let start = Instant::now();
    let mut raw = Vec::new();
    let mut cuts = Vec::new();
    let end = loop {
        if complete(&raw) {
            break End::Complete;
        }
        let mut piece = vec![0; 64 << 10];
        match timeout(patience, line.io.read(&mut piece)).await {
            Err(_) => break End::Silent,
            Ok(Ok(0)) => break End::Fin,
            Ok(Ok(n)) => {
                raw.extend_from_slice(&piece[..n]);
                cuts.push((start.elapsed(), raw.len()));
            }
            Ok(Err(error)) if error.kind() == ErrorKind::UnexpectedEof => break End::Fin,
            Ok(Err(_)) => break End::Rst,
        }
        if start.elapsed() > patience * 4 && raw.len() < 1 << 20 {
            break End::Silent;
        }
    };
    let at = raw
        .windows(4)
        .position(|w| w == b"\r\n\r\n")
        .map_or(0, |at| at + 4);
    let head = String::from_utf8_lossy(&raw[..at]).into_owned();
    let chunked = head.contains("transfer-encoding: chunked");
    let mut pieces = Vec::new();
    let mut known = 0;
    for (time, upto) in cuts {
        let so_far = &raw[at.min(upto)..upto];
        let so_far = if chunked {
            unchunk(so_far).0
        } else {
            so_far.to_vec()
        };
        pieces.push((time, so_far[known..].to_vec()));
        known = so_far.len();
    }
    Heard {
        head,
        pieces,
        end,
        took: start.elapsed(),
    }
}

fn complete(raw: &[u8]) -> bool {
    let Some(at) = raw.windows(4).position(|w| w == b"\r\n\r\n") else {
        return false;
    };
    let head = String::from_utf8_lossy(&raw[..at]).to_lowercase();
    let body = &raw[at + 4..];
    if head.contains("transfer-encoding: chunked") {
        return unchunk(body).1;
    }
    let length = head
        .lines()
        .find_map(|l| l.strip_prefix("content-length: ")?.parse::<usize>().ok());
    length.is_some_and(|n| body.len() >= n) || head.starts_with("http/1.1 204")
}

/// The payload so far, and whether the terminator came.
fn unchunk(mut raw: &[u8]) -> (Vec<u8>, bool) {
    let mut out = Vec::new();
    while let Some(at) = raw.windows(2).position(|w| w == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&raw[..at]).unwrap(), 16).unwrap();
        raw = &raw[at + 2..];
        if size == 0 {
            return (out, raw.starts_with(b"\r\n"));
        }
        out.extend_from_slice(&raw[..size.min(raw.len())]);
        raw = raw.get(size + 2..).unwrap_or_default();
    }
    (out, false)
}

/// An HTTP/2 connection of which the driver runs in a task that ends with it.
pub(crate) struct Http2 {
    pub(crate) send: h2::client::SendRequest<Bytes>,
    pub(crate) driver: tokio::task::JoinSet<()>,
    pub(crate) reset: std::os::fd::OwnedFd,
}

impl Http2 {
    pub(crate) async fn open(sim: &Sim) -> Http2 {
        let line = Line::open(sim, true).await;
        let (send, connection) = h2::client::handshake(line.io).await.unwrap();
        let mut driver = tokio::task::JoinSet::new();
        driver.spawn(async move { drop(connection.await) });
        Http2 {
            send,
            driver,
            reset: line.reset,
        }
    }

    /// Sends a request; the body of the answer is read by [`Http2::listen`].
    pub(crate) async fn post(&mut self, path: &str, body: &str) -> h2::client::ResponseFuture {
        let mut ready = self.send.clone().ready().await.unwrap();
        let request = http::Request::post(format!("https://localhost{path}"))
            .header("content-type", "application/json")
            .body(())
            .unwrap();
        let (answer, mut out) = ready.send_request(request, false).unwrap();
        out.send_data(Bytes::from(body.to_owned()), true).unwrap();
        answer
    }

    pub(crate) async fn listen(answer: h2::client::ResponseFuture, patience: Duration) -> Heard {
        let start = Instant::now();
        let mut heard = Heard {
            head: String::new(),
            pieces: Vec::new(),
            end: End::Silent,
            took: Duration::ZERO,
        };
        heard.end = match timeout(patience, answer).await {
            Err(_) => End::Silent,
            Ok(Err(error)) => end_of(&error),
            Ok(Ok(response)) => {
                let (parts, body) = response.into_parts();
                heard.head = format!("HTTP/2 {}\r\n", parts.status.as_u16());
                for (name, value) in &parts.headers {
                    heard
                        .head
                        .push_str(&format!("{name}: {}\r\n", value.to_str().unwrap()));
                }
                Self::drain(body, patience, start, &mut heard).await
            }
        };
        heard.took = start.elapsed();
        heard
    }

    async fn drain(
        mut body: h2::RecvStream,
        patience: Duration,
        start: Instant,
        heard: &mut Heard,
    ) -> End {
        loop {
            match timeout(patience, body.data()).await {
                Err(_) => return End::Silent,
                Ok(None) => return End::Complete,
                Ok(Some(Err(error))) => return end_of(&error),
                Ok(Some(Ok(piece))) => {
                    body.flow_control().release_capacity(piece.len()).unwrap();
                    heard.pieces.push((start.elapsed(), piece.to_vec()));
                }
            }
            if start.elapsed() > patience * 4 && heard.pieces.len() < 1000 {
                return End::Silent;
            }
        }
    }
}

fn end_of(error: &h2::Error) -> End {
    match (
        error.is_reset(),
        error.reason(),
        error.get_io().map(std::io::Error::kind),
    ) {
        (true, Some(reason), _) => End::StreamReset(reason),
        (_, _, Some(ErrorKind::ConnectionReset)) => End::Rst,
        _ => End::Fin,
    }
}
