//! Closing so that the caller can read the answer to a request it is still sending.
//!
//! Closing a socket with unread bytes sends a reset, which can destroy an answer that is already in the
//! caller's buffer. On HTTP/2 the stream would be reset, and callers that write all of their request before
//! they read (curl 7.88, Python's httpx) report that, or wait for a window for ever, instead of the answer. So
//! the rest is read and thrown away until the caller is through, within bounds.

use http_body_util::BodyExt;
use hyper::body::Incoming;
use std::time::Duration;
use tokio::{net::TcpStream, time::timeout};

/// For how long the rest of a request is read.
const MOST_TIME: Duration = Duration::from_secs(1);
/// How many bytes of it.
const MOST_BYTES: usize = 8 << 20;

pub(super) async fn linger(socket: &TcpStream) {
    let _ = timeout(MOST_TIME, drain(socket)).await;
}

/// The rest of one request on HTTP/2, whose answer is on its way.
pub(crate) async fn rest(body: Incoming) {
    let _ = timeout(MOST_TIME, discard(body)).await;
}

async fn discard(mut body: Incoming) {
    let mut seen = 0;
    while seen < MOST_BYTES
        && let Some(Ok(frame)) = body.frame().await
    {
        seen += frame.data_ref().map_or(0, bytes::Bytes::len);
    }
}

async fn drain(socket: &TcpStream) {
    let mut rest = vec![0; 64 << 10];
    let mut seen = 0;
    while seen < MOST_BYTES && socket.readable().await.is_ok() {
        match socket.try_read(&mut rest) {
            Ok(0) => return,
            Ok(n) => seen += n,
            Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(_) => return,
        }
    }
}
