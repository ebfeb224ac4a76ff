//! Closing so that the caller can read the answer to a request it is still sending.
//!
//! Closing a socket with unread bytes sends a reset, which can destroy an answer that is already in the
//! caller's buffer. So the rest is read and thrown away until the caller closes, within bounds.

use std::time::Duration;
use tokio::{net::TcpStream, time::timeout};

/// For how long the rest of a request is read.
const MOST_TIME: Duration = Duration::from_secs(1);
/// How many bytes of it.
const MOST_BYTES: usize = 8 << 20;

pub(super) async fn linger(socket: &TcpStream) {
    let _ = timeout(MOST_TIME, drain(socket)).await;
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
