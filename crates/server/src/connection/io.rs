//! Half of a socket, used as a whole, so that the socket can be watched and lingered on while hyper owns the
//! connection.
//!
//! tokio reads through `&mut`, into memory that nobody has to clear before, and notices when the socket is
//! empty without asking it again; so reading is left to its half. Writing goes through `&`: the other half is
//! the watch's.

use super::Activity;
use socket2::SockRef;
use std::{
    io::{self, IoSlice},
    net::Shutdown,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpStream, tcp::OwnedReadHalf},
};

#[derive(Debug)]
pub(super) struct Io {
    half: OwnedReadHalf,
    activity: Arc<Activity>,
    blocked: bool,
}

impl Io {
    pub(super) fn new(half: OwnedReadHalf, activity: Arc<Activity>) -> Self {
        Self {
            half,
            activity,
            blocked: false,
        }
    }

    pub(super) fn socket(&self) -> &TcpStream {
        self.half.as_ref()
    }
}

impl AsyncRead for Io {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.half).poll_read(cx, buf))?;
        self.activity.heard();
        Poll::Ready(Ok(()))
    }
}

impl Io {
    fn poll_with(
        &mut self,
        cx: &mut Context<'_>,
        mut write: impl FnMut(&TcpStream) -> io::Result<usize>,
    ) -> Poll<io::Result<usize>> {
        let done = loop {
            match self.socket().poll_write_ready(cx) {
                Poll::Pending => break Poll::Pending,
                Poll::Ready(Err(e)) => break Poll::Ready(Err(e)),
                Poll::Ready(Ok(())) => match write(self.socket()) {
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
        Poll::Ready(SockRef::from(self.socket()).shutdown(Shutdown::Write))
    }
}

impl Drop for Io {
    fn drop(&mut self) {
        // the socket itself may live on in a linger; the caller must not wait for that
        let _ = SockRef::from(self.socket()).shutdown(Shutdown::Write);
    }
}
