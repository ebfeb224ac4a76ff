//! Seeing the caller leave, also behind bytes that nobody has read.
//!
//! hyper reads ahead only while it has nothing buffered, so a FIN behind a pipelined request or a stray
//! CRLF is invisible to it. Linux reports FIN and RST apart from data: waiting for urgent data or an error
//! wakes for nothing else. A half-closed connection counts as gone.

use std::io;
use tokio::{io::Interest, net::TcpStream};

/// Resolves when the caller has closed its side or the connection broke.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) async fn gone(socket: &TcpStream) {
    loop {
        match socket.ready(Interest::PRIORITY | Interest::ERROR).await {
            Ok(ready) if ready.is_read_closed() || ready.is_error() => return,
            // urgent data means nothing here; unless it is taken note of it wakes for ever
            Ok(_) => {
                let none = || Err::<(), _>(io::ErrorKind::WouldBlock.into());
                let _ = socket.try_io(Interest::PRIORITY, none);
            }
            Err(_) => return,
        }
    }
}

/// Resolves when the caller has closed its side or the connection broke, at most 100 ms late.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) async fn gone(socket: &TcpStream) {
    let interval = std::time::Duration::from_millis(100);
    loop {
        match socket.ready(Interest::READABLE | Interest::ERROR).await {
            Ok(ready) if ready.is_read_closed() || ready.is_error() => return,
            Ok(_) => tokio::time::sleep(interval).await,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}
