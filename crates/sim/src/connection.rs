//! One accepted connection, from accept to its end.
//!
//! What the listener's script says comes first; then TLS, then a look at the first bytes, because plain
//! HTTP/1.1 and HTTP/2 with prior knowledge share a port.

use std::io::Cursor;
use std::sync::Arc;

use bytes::BytesMut;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::answer::Accept;
use crate::host::Host;
use crate::log::Line;
use crate::seen::{Close, Ended, Protocol};
use crate::socket::{Cut, Handle, Socket};
use crate::{http1, http2};

/// What a client with prior knowledge sends first (RFC 9113 §3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// What a connection has besides its stream.
#[derive(Clone)]
pub(crate) struct Peer {
    pub(crate) line: Line,
    pub(crate) host: Arc<Host>,
    pub(crate) handle: Handle,
    /// Tasks of this simulator; HTTP/2 streams need one each.
    pub(crate) tasks: TaskTracker,
    pub(crate) token: CancellationToken,
}

/// Serves a connection until either side ends it.
pub(crate) async fn serve(
    tcp: TcpStream,
    host: Arc<Host>,
    line: Line,
    tasks: TaskTracker,
    token: CancellationToken,
) {
    let mut socket = Socket::new(tcp, line.clone());
    let peer = Peer {
        line,
        host,
        handle: socket.handle(),
        tasks,
        token,
    };
    match peer.host.accept() {
        None => {}
        Some(Accept::Silent) => {
            let close = peer.handle.left().await;
            return peer.line.ended(Ended::Client(close));
        }
        Some(Accept::SilentTls) => {
            let close = discard(&mut socket).await;
            return peer.line.ended(Ended::Client(close));
        }
        Some(Accept::Cut(cut)) => {
            peer.handle.cut(cut != Cut::Fin);
            return peer.line.ended(Ended::Sim);
        }
    }
    let host = peer.host.clone();
    let Some(tls) = &host.tls else {
        return speak(socket, peer).await;
    };
    match tls.acceptor.accept(socket).await {
        Ok(stream) => speak(stream, peer).await,
        Err(error) => peer.line.ended(match error.kind() {
            // a hello we cannot agree to is ended by us
            std::io::ErrorKind::InvalidData => Ended::Sim,
            _ => Ended::Client(Close::of(&error)),
        }),
    }
}

/// Reads until the client leaves.
async fn discard(stream: &mut (impl AsyncRead + Unpin)) -> Close {
    let mut sink = [0; 4096];
    loop {
        match stream.read(&mut sink).await {
            Ok(0) => return Close::Fin,
            Ok(_) => {}
            Err(error) => return Close::of(&error),
        }
    }
}

async fn speak<S>(mut stream: S, peer: Peer)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut first = BytesMut::with_capacity(4096);
    let http2 = match is_http2(&mut stream, &mut first, peer.host.http2).await {
        Ok(http2) => http2,
        Err(close) => return peer.line.ended(Ended::Client(close)),
    };
    let (reader, writer) = tokio::io::split(stream);
    if http2 {
        peer.line.speaks(Protocol::Http2);
        let io = tokio::io::join(Cursor::new(first.freeze()).chain(reader), writer);
        http2::serve(io, peer).await;
    } else {
        peer.line.speaks(Protocol::Http1);
        http1::serve(reader, writer, first, peer).await;
    }
}

/// Reads until the first bytes are, or cannot be, the preface.
async fn is_http2(
    stream: &mut (impl AsyncRead + Unpin),
    first: &mut BytesMut,
    offered: bool,
) -> Result<bool, Close> {
    if !offered {
        return Ok(false);
    }
    loop {
        match stream.read_buf(first).await {
            Ok(0) => return Err(Close::Fin),
            Ok(_) => {}
            Err(error) => return Err(Close::of(&error)),
        }
        if first.starts_with(PREFACE) {
            return Ok(true);
        }
        if !PREFACE.starts_with(first) {
            return Ok(false);
        }
    }
}
