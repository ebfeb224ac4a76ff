//! The socket in an `Arc`, so that it can be watched and lingered on while hyper owns the connection.
//!
//! tokio's own `TcpStream` reads through `&mut`; this does the same through `&`. As tokio does, a read that
//! came short clears the readiness: the socket is empty, and one system call is saved at each request.

use super::Activity;
use socket2::SockRef;
use std::{
    io::{self, IoSlice, Read},
    net::Shutdown,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};
use tokio::{
    io::{AsyncRead, AsyncWrite, Interest, ReadBuf},
    net::TcpStream,
};

/// Read at a time, in bytes.
const STEP: usize = 64 << 10;

#[derive(Debug)]
pub(super) struct Io {
    socket: Arc<TcpStream>,
    activity: Arc<Activity>,
    blocked: bool,
}

impl Io {
    pub(super) fn new(socket: Arc<TcpStream>, activity: Arc<Activity>) -> Self {
        Self {
            socket,
            activity,
            blocked: false,
        }
    }

    pub(super) fn socket(&self) -> &TcpStream {
        &self.socket
    }
}

/// Bytes read, and whether the socket was emptied by it.
fn read(socket: &TcpStream, into: &mut [u8]) -> io::Result<usize> {
    let mut short = None;
    let done = socket.try_io(Interest::READABLE, || {
        let n = (&*SockRef::from(socket)).read(into)?;
        if n > 0 && n < into.len() && cfg!(unix) {
            short = Some(n);
            return Err(io::ErrorKind::WouldBlock.into());
        }
        Ok(n)
    });
    match short {
        Some(n) => Ok(n),
        None => done,
    }
}

impl AsyncRead for Io {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            ready!(self.socket.poll_read_ready(cx))?;
            let room = buf.remaining().min(STEP);
            match read(&self.socket, buf.initialize_unfilled_to(room)) {
                Ok(n) => {
                    buf.advance(n);
                    self.activity.heard();
                    return Poll::Ready(Ok(()));
                }
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {}
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Poll::Ready(Err(e)),
            }
        }
    }
}

impl Io {
    fn poll_with(
        &mut self,
        cx: &mut Context<'_>,
        mut write: impl FnMut(&TcpStream) -> io::Result<usize>,
    ) -> Poll<io::Result<usize>> {
        let done = loop {
            match self.socket.poll_write_ready(cx) {
                Poll::Pending => break Poll::Pending,
                Poll::Ready(Err(e)) => break Poll::Ready(Err(e)),
                Poll::Ready(Ok(())) => match write(&self.socket) {
                    Err(e) if e.kind() == io::ErrorKind::WouldBlock => {}
                    done => break Poll::Ready(done),
                },
            }
        };
        if matches!(done, Poll::Ready(Ok(n)) if n > 0) {
            self.activity.wrote();
        }
        if done.is_pending() != self.blocked {
            self.blocked = done.is_pending();
            self.activity.blocked(self.blocked);
        }
        done
    }
}

impl AsyncWrite for Io {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_with(cx, |socket| socket.try_write(buf))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.poll_with(cx, |socket| socket.try_write_vectored(bufs))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(SockRef::from(&*self.socket).shutdown(Shutdown::Write))
    }
}

impl Drop for Io {
    fn drop(&mut self) {
        // the socket itself may live on in a linger; the caller must not wait for that
        let _ = SockRef::from(&*self.socket).shutdown(Shutdown::Write);
    }
}
