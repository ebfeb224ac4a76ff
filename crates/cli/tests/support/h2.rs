//! Callers over HTTP/2, through hyper's client.
//!
//! What a caller of one stream can do: ask, leave by a stream reset (drop what [`H2::start`] returned, or the
//! response), leave by closing the connection (drop the [`H2`]), stop in the middle of its upload, and stop
//! reading.

use super::{
    Answer,
    caller::{Request, tls},
};
use bytes::Bytes;
use http_body_util::{BodyExt, Full, combinators::UnsyncBoxBody};
use hyper::body::{Body, Frame, Incoming};
use hyper_util::rt::{TokioExecutor, TokioIo};
use std::{
    convert::Infallible,
    net::SocketAddr,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::{Instant, Sleep, sleep, timeout},
};

/// One HTTP/2 connection; its driver runs as long as this lives.
pub struct H2 {
    sender: hyper::client::conn::http2::SendRequest<UnsyncBoxBody<Bytes, Infallible>>,
    driver: tokio::task::JoinHandle<()>,
    base: String,
}

/// A request on its way; dropping it resets the stream.
pub type Waiting = Pin<Box<dyn Future<Output = hyper::Result<http::Response<Incoming>>> + Send>>;

impl H2 {
    pub async fn connect(addr: SocketAddr) -> Self {
        Self::connect_with(addr, None, None).await
    }

    pub async fn connect_tls(addr: SocketAddr, ca_pem: &str) -> Self {
        Self::connect_with(addr, Some(ca_pem), None).await
    }

    /// With TLS if there is something to trust, and a receive window per stream if it should be small.
    pub async fn connect_with(addr: SocketAddr, ca_pem: Option<&str>, window: Option<u32>) -> Self {
        let tcp = TcpStream::connect(addr).await.unwrap();
        tcp.set_nodelay(true).unwrap();
        let port = addr.port();
        match ca_pem {
            None => Self::over(tcp, format!("http://{addr}"), window).await,
            Some(ca) => {
                let base = format!("https://localhost:{port}");
                Self::over(tls(tcp, ca, &[b"h2"]).await, base, window).await
            }
        }
    }

    async fn over(
        io: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
        base: String,
        window: Option<u32>,
    ) -> Self {
        let (sender, conn) = hyper::client::conn::http2::Builder::new(TokioExecutor::new())
            .initial_stream_window_size(window)
            .handshake(TokioIo::new(io))
            .await
            .unwrap();
        #[expect(clippy::disallowed_methods, reason = "the test's own connection")]
        let driver = tokio::spawn(async move {
            let _ = conn.await;
        });
        Self {
            sender,
            driver,
            base,
        }
    }

    /// Starts a request; it is on its way whether or not what comes back is polled.
    pub fn start(&mut self, request: &Request) -> Waiting {
        let body = Full::new(Bytes::from(request.body.clone())).boxed_unsync();
        self.start_with(request, body)
    }

    /// Starts a request that says the first `bytes` of its body and then nothing, or one byte more at each
    /// `pace`, for ever.
    pub fn start_upload(
        &mut self,
        request: &Request,
        bytes: usize,
        pace: Option<Duration>,
    ) -> Waiting {
        let first = Bytes::copy_from_slice(&request.body[..bytes]);
        let upload = Upload {
            first: Some(first),
            pace: pace.map(|every| (every, Box::pin(sleep(every)))),
        };
        self.start_with(request, upload.boxed_unsync())
    }

    fn start_with(&mut self, request: &Request, body: UnsyncBoxBody<Bytes, Infallible>) -> Waiting {
        let mut r = http::Request::builder()
            .method(request.method)
            .uri(format!("{}{}", self.base, request.path));
        for (n, v) in &request.headers {
            r = r.header(n, v);
        }
        Box::pin(self.sender.send_request(r.body(body).unwrap()))
    }

    /// Sends a request; dropping the future or the response resets the stream.
    pub async fn send(&mut self, request: &Request) -> hyper::Result<http::Response<Incoming>> {
        self.sender.ready().await?;
        self.start(request).await
    }

    pub async fn ask(&mut self, request: &Request) -> Answer {
        let response = timeout(Duration::from_secs(30), self.send(request))
            .await
            .expect("a head in time")
            .unwrap();
        answer(response).await
    }

    /// Closes the connection: a FIN, or a RST where bytes were left unread.
    pub async fn leave(self) -> Instant {
        self.driver.abort();
        let at = Instant::now();
        // the socket goes with the task
        tokio::task::yield_now().await;
        at
    }
}

impl Drop for H2 {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

/// Reads an answer from its head on.
pub async fn answer(response: http::Response<Incoming>) -> Answer {
    let head_at = Instant::now();
    let (parts, mut body) = response.into_parts();
    let text = |v: &http::HeaderValue| String::from_utf8_lossy(v.as_bytes()).into_owned();
    let headers = parts
        .headers
        .iter()
        .map(|(n, v)| (n.to_string(), text(v)))
        .collect();
    let mut answer = Answer {
        status: parts.status.as_u16(),
        headers,
        body: Vec::new(),
        head_at,
        ended_at: head_at,
        pieces: Vec::new(),
        complete: true,
    };
    while let Some(frame) = timeout(Duration::from_secs(30), body.frame())
        .await
        .expect("a frame in time")
    {
        match frame {
            Ok(frame) => {
                let data = frame.into_data().unwrap_or_default();
                answer.body.extend_from_slice(&data);
                answer.pieces.push((Instant::now(), data.to_vec()));
            }
            Err(_) => {
                answer.complete = false;
                break;
            }
        }
    }
    answer.ended_at = Instant::now();
    answer
}

/// A request body that never ends.
struct Upload {
    first: Option<Bytes>,
    pace: Option<(Duration, Pin<Box<Sleep>>)>,
}

impl Body for Upload {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(Ok(Frame::data(first))));
        }
        let Some((every, timer)) = &mut self.pace else {
            return Poll::Pending;
        };
        if timer.as_mut().poll(cx).is_pending() {
            return Poll::Pending;
        }
        timer.set(sleep(*every));
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(b" ")))))
    }
}
