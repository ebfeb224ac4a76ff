//! Accepting connections: a loop of our own, for a cap, for nodelay and for an end.
//!
//! Beyond the cap a connection is answered 503 at once instead of being left to hang, as long as those
//! answers are few; under a flood it is closed.

use crate::{connection, gateway::Gateway, load::Load};
use punctual_core::Upstream;
use std::{io, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    time::{sleep, timeout},
};

/// Connections over the cap that are still answered.
const EXCUSES: usize = 64;
/// How long the answer to one may take.
const EXCUSE_TIME: Duration = Duration::from_secs(1);
/// How long to wait when the process has no file descriptor left.
const BREATHER: Duration = Duration::from_millis(50);

const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\n\
content-type: application/json\r\nretry-after: 1\r\nconnection: close\r\ncontent-length: 134\r\n\r\n\
{\"error\":{\"message\":\"the gateway has no connection left; try again\",\"type\":\"server_error\",\"code\":\"too_many_connections\",\"param\":null}}";

/// Serves callers on `listener` for ever.
pub(crate) async fn public<U: Upstream>(gateway: Arc<Gateway<U>>, listener: TcpListener) {
    let excuses = Arc::new(Load::default());
    loop {
        let Some((socket, peer)) = next(&listener).await else {
            continue;
        };
        let settings = gateway.current().settings.clone();
        match gateway.connections.take(settings.max_connections) {
            Some(place) => {
                let connected = (gateway.hooks.connected)();
                let serve = connection::serve(gateway.clone(), settings, socket, peer.ip());
                gateway.tasks.spawn(async move {
                    serve.await;
                    drop((place, connected));
                });
            }
            None => {
                if let Some(excuse) = excuses.take(EXCUSES).filter(|_| settings.tls.is_none()) {
                    gateway.tasks.spawn(async move {
                        let _ = timeout(EXCUSE_TIME, refuse(socket)).await;
                        drop(excuse);
                    });
                }
            }
        }
    }
}

/// The next connection; `None` when there was none after all.
pub(crate) async fn next(listener: &TcpListener) -> Option<(TcpStream, std::net::SocketAddr)> {
    match listener.accept().await {
        Ok((socket, peer)) => {
            // a socket that cannot be set is gone, which its first read will tell
            let _ = socket.set_nodelay(true);
            Some((socket, peer))
        }
        Err(e) => {
            // the caller's own failures come one by one; a lack of descriptors lasts
            if !matches!(
                e.kind(),
                io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset
            ) {
                tracing::warn!(error = %e, "accepting a connection failed");
                sleep(BREATHER).await;
            }
            None
        }
    }
}

async fn refuse(mut socket: TcpStream) -> io::Result<()> {
    socket.write_all(FULL).await?;
    socket.shutdown().await?;
    let mut rest = [0; 4096];
    while socket.read(&mut rest).await? > 0 {}
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::FULL;

    #[test]
    fn the_answer_over_the_cap_says_its_own_length() {
        let text = std::str::from_utf8(FULL).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(
            head.contains(&format!("content-length: {}", body.len())),
            "{}",
            body.len()
        );
        assert!(serde_json::from_str::<serde_json::Value>(body).is_ok());
    }
}
