//! From an accepted socket to a protocol: TLS by ALPN, plain by looking at the first bytes.
//!
//! The bytes are only peeked at, so hyper's own servers for the two protocols take over from a fresh
//! socket. The caller of [`begin`] holds the clock over all of it.

use super::io::Io;
use std::{
    io::{self, IoSlice},
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    sync::Semaphore,
    time::timeout,
};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

/// What no HTTP/1.1 request begins with (RFC 9113 §3.4).
const PREFACE: &[u8] = b"PRI ";
/// How long to wait for more when the first bytes could still become the preface.
const AGAIN: Duration = Duration::from_millis(5);
/// How long a handshake keeps its turn. Turns bound what is computed at the same time; a peer that is slow
/// to answer, or never does, must not keep others from theirs.
const TURN: Duration = Duration::from_millis(100);

/// Which of the two a connection speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    Http1,
    Http2,
}

/// A socket with or without TLS above it.
pub(super) enum Wire {
    Plain(Io),
    Tls(Box<TlsStream<Io>>),
}

/// Finds the protocol and does the handshake, if there is one.
pub(super) async fn begin(
    io: Io,
    tls: Option<Arc<rustls::ServerConfig>>,
    handshakes: &Semaphore,
) -> io::Result<(Wire, Protocol)> {
    let Some(config) = tls else {
        let protocol = look(io.socket()).await?;
        return Ok((Wire::Plain(io), protocol));
    };
    // a silent socket needs no turn
    io.socket().readable().await?;
    let turn = handshakes.acquire().await.map_err(io::Error::other)?;
    let mut handshake = pin!(TlsAcceptor::from(config).accept(io));
    let stream = match timeout(TURN, handshake.as_mut()).await {
        Ok(done) => done,
        Err(_) => {
            drop(turn);
            handshake.await
        }
    }?;
    let protocol = match stream.get_ref().1.alpn_protocol() {
        Some(b"h2") => Protocol::Http2,
        _ => Protocol::Http1,
    };
    Ok((Wire::Tls(Box::new(stream)), protocol))
}

async fn look(socket: &TcpStream) -> io::Result<Protocol> {
    let mut first = [0; PREFACE.len()];
    loop {
        let n = socket.peek(&mut first).await?;
        match first.get(..n) {
            Some([]) | None => return Err(io::ErrorKind::UnexpectedEof.into()),
            Some(PREFACE) => return Ok(Protocol::Http2),
            Some(start) if PREFACE.starts_with(start) => tokio::time::sleep(AGAIN).await,
            Some(_) => return Ok(Protocol::Http1),
        }
    }
}

macro_rules! either {
    ($self:ident, $io:ident => $call:expr) => {
        match $self.get_mut() {
            Wire::Plain(io) => {
                let $io = Pin::new(io);
                $call
            }
            Wire::Tls(io) => {
                let $io = Pin::new(io.as_mut());
                $call
            }
        }
    };
}

impl AsyncRead for Wire {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        either!(self, io => io.poll_read(cx, buf))
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        either!(self, io => io.poll_write(cx, buf))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        either!(self, io => io.poll_write_vectored(cx, bufs))
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Self::Plain(io) => io.is_write_vectored(),
            Self::Tls(io) => io.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(self, io => io.poll_flush(cx))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(self, io => io.poll_shutdown(cx))
    }
}
