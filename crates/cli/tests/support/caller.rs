//! Callers over HTTP/1.1: bare bytes on a socket, plain or TLS.
//!
//! A caller can leave in every way there is (FIN, RST, or a FIN behind a stray CRLF) and it can stop reading.

use super::Answer;
pub use super::h2::H2;
use std::{net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpStream,
    time::{Instant, timeout},
};

/// A request to be.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: &'static str,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    /// A chat completion of `model`.
    pub fn chat(model: &str, stream: bool) -> Self {
        Self::post("/v1/chat/completions", &serde_json::json!({ "model": model, "stream": stream, "messages": [{ "role": "user", "content": "hi" }] }).to_string())
    }

    pub fn completion(model: &str, stream: bool) -> Self {
        Self::post(
            "/v1/completions",
            &serde_json::json!({ "model": model, "stream": stream, "prompt": "hi" }).to_string(),
        )
    }

    pub fn embedding(model: &str) -> Self {
        Self::post(
            "/v1/embeddings",
            &serde_json::json!({ "model": model, "input": "hi" }).to_string(),
        )
    }

    pub fn post(path: &str, body: &str) -> Self {
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        Self {
            method: "POST",
            path: path.to_owned(),
            headers,
            body: body.as_bytes().to_vec(),
        }
    }

    pub fn get(path: &str) -> Self {
        Self {
            method: "GET",
            path: path.to_owned(),
            headers: Vec::new(),
            body: Vec::new(),
        }
    }

    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// As bytes of HTTP/1.1.
    pub fn bytes(&self, host: &str) -> Vec<u8> {
        let mut out = format!("{} {} HTTP/1.1\r\n", self.method, self.path);
        if !self
            .headers
            .iter()
            .any(|(n, _)| n.eq_ignore_ascii_case("host"))
        {
            out += &format!("host: {host}\r\n");
        }
        for (n, v) in &self.headers {
            out += &format!("{n}: {v}\r\n");
        }
        let framed = |n: &str| {
            n.eq_ignore_ascii_case("content-length") || n.eq_ignore_ascii_case("transfer-encoding")
        };
        if self.method == "POST" && !self.headers.iter().any(|(n, _)| framed(n)) {
            out += &format!("content-length: {}\r\n", self.body.len());
        }
        let mut out = (out + "\r\n").into_bytes();
        out.extend_from_slice(&self.body);
        out
    }
}

trait Socket: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Socket for T {}

/// One HTTP/1.1 connection.
pub struct Caller {
    socket: Box<dyn Socket>,
    raw: Arc<std::net::TcpStream>,
    host: String,
    unread: Vec<u8>,
}

impl Caller {
    pub async fn connect(addr: SocketAddr) -> Self {
        let (tcp, raw) = Self::tcp(addr).await;
        Self {
            socket: Box::new(tcp),
            raw,
            host: addr.to_string(),
            unread: Vec::new(),
        }
    }

    /// Over TLS, trusting only `ca_pem`; the certificate must be for `localhost`.
    pub async fn connect_tls(addr: SocketAddr, ca_pem: &str) -> Self {
        let (tcp, raw) = Self::tcp(addr).await;
        let tls = tls(tcp, ca_pem, &[b"http/1.1"]).await;
        Self {
            socket: Box::new(tls),
            raw,
            host: format!("localhost:{}", addr.port()),
            unread: Vec::new(),
        }
    }

    async fn tcp(addr: SocketAddr) -> (TcpStream, Arc<std::net::TcpStream>) {
        let tcp = TcpStream::connect(addr).await.unwrap();
        tcp.set_nodelay(true).unwrap();
        let std = tcp.into_std().unwrap();
        let raw = Arc::new(std.try_clone().unwrap());
        (TcpStream::from_std(std).unwrap(), raw)
    }

    /// Sends a request and does not wait for anything.
    pub async fn send(&mut self, request: &Request) {
        let bytes = request.bytes(&self.host);
        self.write(&bytes).await.unwrap();
    }

    /// Sends any bytes.
    pub async fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.socket.write_all(bytes).await?;
        self.socket.flush().await
    }

    /// Reads some bytes of whatever comes; empty at the end.
    pub async fn read_some(&mut self) -> std::io::Result<Vec<u8>> {
        let mut buffer = vec![0; 64 * 1024];
        let n = self.socket.read(&mut buffer).await?;
        buffer.truncate(n);
        Ok(buffer)
    }

    /// Sends a request and reads its answer.
    pub async fn ask(&mut self, request: &Request) -> Answer {
        self.send(request).await;
        self.answer(Duration::from_secs(30)).await
    }

    /// Reads until `what` has come, or fails after `within`. What was read stays for [`Caller::answer`].
    pub async fn hear(&mut self, what: &[u8], within: Duration) {
        let all = async { while find(&self.unread, what).is_none() && self.more().await {} };
        let in_time = timeout(within, all).await.is_ok();
        assert!(
            in_time && find(&self.unread, what).is_some(),
            "{:?} did not come, but {:?}",
            String::from_utf8_lossy(what),
            String::from_utf8_lossy(&self.unread)
        );
    }

    /// What has been heard and not been taken as an answer yet.
    pub fn heard(&self) -> &[u8] {
        &self.unread
    }

    /// Reads one answer, or fails after `within`.
    pub async fn answer(&mut self, within: Duration) -> Answer {
        timeout(within, self.read_answer())
            .await
            .expect("an answer in time")
    }

    /// Reads one answer while these bytes are written at each `pace`, until the answer comes.
    pub async fn answer_while_writing(mut self, bytes: &'static [u8], pace: Duration) -> Answer {
        let (reader, mut writer) = tokio::io::split(self.socket);
        self.socket = Box::new(tokio::io::join(reader, tokio::io::empty()));
        let writing = async {
            loop {
                tokio::time::sleep(pace).await;
                if writer.write_all(bytes).await.is_err() || writer.flush().await.is_err() {
                    std::future::pending::<()>().await;
                }
            }
        };
        tokio::select! {
            answer = self.answer(Duration::from_secs(30)) => answer,
            () = writing => unreachable!(),
        }
    }

    async fn read_answer(&mut self) -> Answer {
        let head_end = loop {
            if let Some(at) = find(&self.unread, b"\r\n\r\n") {
                break at;
            }
            assert!(
                self.more().await,
                "the connection ended before a head: {:?}",
                String::from_utf8_lossy(&self.unread)
            );
        };
        let head_at = Instant::now();
        let head: Vec<u8> = self.unread.drain(..head_end + 4).collect();
        let head = String::from_utf8_lossy(&head).into_owned();
        let status: u16 = head[9..12].parse().unwrap();
        let split = |line: &str| {
            line.split_once(':')
                .map(|(n, v)| (n.trim().to_ascii_lowercase(), v.trim().to_owned()))
        };
        let headers: Vec<_> = head.lines().skip(1).filter_map(split).collect();
        if status == 100 {
            return Box::pin(self.read_answer()).await;
        }
        let mut answer = Answer {
            status,
            headers,
            body: Vec::new(),
            head_at,
            ended_at: head_at,
            pieces: Vec::new(),
            complete: false,
        };
        if answer.header("transfer-encoding").is_some() {
            self.chunked(&mut answer).await;
        } else {
            self.sized(&mut answer).await;
        }
        answer.ended_at = Instant::now();
        answer
    }

    async fn more(&mut self) -> bool {
        let bytes = self.read_some().await.unwrap_or_default();
        self.unread.extend_from_slice(&bytes);
        !bytes.is_empty()
    }

    async fn sized(&mut self, answer: &mut Answer) {
        let length: usize = answer
            .header("content-length")
            .and_then(|l| l.parse().ok())
            .unwrap_or(0);
        while self.unread.len() < length && self.more().await {}
        answer.complete = self.unread.len() >= length;
        answer.body = self.unread.drain(..length.min(self.unread.len())).collect();
        answer.pieces.push((Instant::now(), answer.body.clone()));
    }

    async fn chunked(&mut self, answer: &mut Answer) {
        loop {
            let Some(line_end) = find(&self.unread, b"\r\n") else {
                if !self.more().await {
                    return;
                }
                continue;
            };
            let size = std::str::from_utf8(&self.unread[..line_end]).unwrap();
            let size = usize::from_str_radix(size.split(';').next().unwrap().trim(), 16).unwrap();
            while self.unread.len() < line_end + 2 + size + 2 {
                if !self.more().await {
                    return;
                }
            }
            let piece = self.unread[line_end + 2..line_end + 2 + size].to_vec();
            self.unread.drain(..line_end + 2 + size + 2);
            if size == 0 {
                answer.complete = true;
                return;
            }
            answer.body.extend_from_slice(&piece);
            answer.pieces.push((Instant::now(), piece));
        }
    }

    /// Closes by FIN; the instant it was sent.
    pub fn leave(self) -> Instant {
        let _ = self.raw.shutdown(std::net::Shutdown::Both);
        Instant::now()
    }

    /// Closes by RST.
    pub fn reset(self) -> Instant {
        let _ = socket2::SockRef::from(&*self.raw).set_linger(Some(Duration::ZERO));
        let Self { socket, raw, .. } = self;
        drop(raw);
        drop(socket);
        Instant::now()
    }

    /// Closes by FIN with bytes left unread behind the request.
    pub async fn leave_behind_a_stray_line(mut self) -> Instant {
        let _ = self.write(b"\r\n").await;
        self.leave()
    }

    /// The size of the receive buffer, for callers that stop reading.
    pub fn receive_buffer(&self, bytes: usize) {
        socket2::SockRef::from(&*self.raw)
            .set_recv_buffer_size(bytes)
            .unwrap();
    }
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|w| w == needle)
}

/// A TLS connection that trusts only `ca_pem` and offers these protocols.
pub async fn tls(
    tcp: TcpStream,
    ca_pem: &str,
    alpn: &[&[u8]],
) -> tokio_rustls::client::TlsStream<TcpStream> {
    use rustls::pki_types::{CertificateDer, pem::PemObject};
    let mut roots = rustls::RootCertStore::empty();
    for cert in CertificateDer::pem_slice_iter(ca_pem.as_bytes()) {
        roots.add(cert.unwrap()).unwrap();
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = alpn.iter().map(|p| p.to_vec()).collect();
    let name = rustls::pki_types::ServerName::try_from("localhost").unwrap();
    tokio_rustls::TlsConnector::from(Arc::new(config))
        .connect(name, tcp)
        .await
        .unwrap()
}
