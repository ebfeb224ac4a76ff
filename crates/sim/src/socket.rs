//! A TCP connection that counts what it reads, can be cut on order, and can be watched without reading.
//!
//! The socket is shared behind an `Arc` because three parties need it at once: the reader and writer of
//! the protocol above (perhaps inside TLS), the script that resets it, and the watch that must see the
//! client leave although unread bytes are waiting in front of its FIN.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::log::Line;
use crate::seen::Close;

/// How a script ends a connection or a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// TCP FIN at once, without TLS `close_notify`.
    Fin,
    /// TCP RST.
    Rst,
    /// The message ends without its terminator: HTTP/1.1 closes politely, HTTP/2 resets the stream.
    Truncate,
    /// HTTP/2: `RST_STREAM(INTERNAL_ERROR)`; HTTP/1.1: RST.
    Reset,
    /// HTTP/2: `RST_STREAM(REFUSED_STREAM)`; HTTP/1.1: RST.
    Refuse,
}

impl Close {
    /// What an I/O error says about how the peer left.
    pub(crate) fn of(error: &io::Error) -> Self {
        use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset};
        match error.kind() {
            ConnectionReset | ConnectionAborted | BrokenPipe => Close::Rst,
            _ => Close::Fin,
        }
    }
}

/// The part of a socket that stays reachable while a protocol owns the stream.
#[derive(Clone)]
pub(crate) struct Handle {
    tcp: Arc<TcpStream>,
    /// A read or write has failed on a reset; the system says so only once, to whoever asks first.
    reset: Arc<AtomicBool>,
}

impl Handle {
    /// Arms a reset (it leaves when the last handle is dropped) or sends the FIN now.
    pub(crate) fn cut(&self, reset: bool) {
        let socket = SockRef::from(&*self.tcp);
        // a peer that is gone already makes either call fail, and is cut all the same
        let _ = match reset {
            true => socket.set_linger(Some(std::time::Duration::ZERO)),
            false => socket.shutdown(std::net::Shutdown::Write),
        };
    }

    /// How the client left, once it is known that it did.
    pub(crate) fn close(&self) -> Close {
        match self.reset.load(Ordering::Acquire) {
            true => Close::Rst,
            false => Close::Fin,
        }
    }

    fn note(&self, error: &io::Error) {
        if Close::of(error) == Close::Rst {
            self.reset.store(true, Ordering::Release);
        }
    }

    /// Resolves when the client has left, without reading what it sent before.
    #[cfg(target_os = "linux")]
    pub(crate) async fn left(&self) -> Close {
        use tokio::io::Interest;
        let gone = self.tcp.ready(Interest::ERROR | Interest::PRIORITY).await;
        match (gone, self.tcp.take_error()) {
            (Ok(_), Ok(None)) => Close::Fin,
            _ => Close::Rst,
        }
    }

    /// Elsewhere there is no readiness for a close alone: what was sent is read and discarded.
    #[cfg(not(target_os = "linux"))]
    pub(crate) async fn left(&self) -> Close {
        let mut sink = [0; 4096];
        loop {
            let read = match self.tcp.readable().await {
                Ok(()) => self.tcp.try_read(&mut sink),
                Err(error) => Err(error),
            };
            match read {
                Ok(0) => return Close::Fin,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Close::of(&error),
            }
        }
    }
}

/// The stream a protocol reads and writes.
pub(crate) struct Socket {
    handle: Handle,
    line: Line,
}

impl Socket {
    pub(crate) fn new(tcp: TcpStream, line: Line) -> Self {
        let handle = Handle {
            tcp: Arc::new(tcp),
            reset: Arc::default(),
        };
        Self { handle, line }
    }

    pub(crate) fn handle(&self) -> Handle {
        self.handle.clone()
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            ready!(self.handle.tcp.poll_read_ready(cx))?;
            match self.handle.tcp.try_read(buf.initialize_unfilled()) {
                Ok(n) => {
                    buf.advance(n);
                    self.line.read(n);
                    return Poll::Ready(Ok(()));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => {
                    self.handle.note(&error);
                    return Poll::Ready(Err(error));
                }
            }
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        loop {
            ready!(self.handle.tcp.poll_write_ready(cx))?;
            match self.handle.tcp.try_write(buf) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Ok(n) => return Poll::Ready(Ok(n)),
                Err(error) => {
                    self.handle.note(&error);
                    return Poll::Ready(Err(error));
                }
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(SockRef::from(&*self.handle.tcp).shutdown(std::net::Shutdown::Write))
    }
}
