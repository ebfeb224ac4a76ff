//! The byte stream under HTTP, counted.
//!
//! How many bytes went either way on a connection tells what an error of the HTTP layer does not: whether
//! a request was written at all, and whether a pooled connection was dead before it answered. The count
//! is shared with whoever holds the connection, because hyper takes the stream itself.
//!
//! A connection that is polled by its only user need not wake that user for what the two halves of hyper
//! tell each other: they are polled in the same turn anyway. So the socket can be told whom to wake, and
//! hyper be given another waker.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
    task::{Context, Poll, Waker},
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};
use tokio_rustls::client::TlsStream;

/// How many of something exist; whoever holds a [`Held`] is one of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gauge(Arc<AtomicUsize>);

impl Gauge {
    pub(crate) fn value(&self) -> usize {
        self.0.load(Relaxed)
    }

    pub(crate) fn hold(&self) -> Held {
        self.0.fetch_add(1, Relaxed);
        Held(self.0.clone())
    }
}

/// One of those counted by a [`Gauge`], until it is dropped.
#[derive(Debug)]
pub(crate) struct Held(Arc<AtomicUsize>);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

/// Bytes read from a connection so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reads(Arc<AtomicU64>);

impl Reads {
    pub(crate) fn bytes(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// Bytes of a connection, above TLS, and who waits for it.
#[derive(Debug)]
pub(crate) struct Wire {
    read: Reads,
    written: AtomicU64,
    /// Whom the socket wakes, if not whoever polls it.
    owner: Mutex<Option<Waker>>,
    _open: Held,
}

impl Wire {
    pub(crate) fn new(open: Gauge) -> Self {
        Self {
            read: Reads::default(),
            written: AtomicU64::new(0),
            owner: Mutex::new(None),
            _open: open.hold(),
        }
    }

    pub(crate) fn read(&self) -> u64 {
        self.read.bytes()
    }

    /// The count of what is read, for those who must not keep the connection counted as open.
    pub(crate) fn reads(&self) -> Reads {
        self.read.clone()
    }

    pub(crate) fn written(&self) -> u64 {
        self.written.load(Relaxed)
    }

    /// From now on the socket wakes `waker`, whatever it is polled with.
    pub(crate) fn belongs_to(&self, waker: &Waker) {
        let mut owner = self.owner.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *owner {
            Some(owner) if owner.will_wake(waker) => {}
            owner => *owner = Some(waker.clone()),
        }
    }

    fn wrote(&self, n: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(Ok(n)) = &n {
            self.written.fetch_add(*n as u64, Relaxed);
        }
        n
    }

    fn poll<T>(&self, cx: &mut Context<'_>, poll: impl FnOnce(&mut Context<'_>) -> T) -> T {
        let owner = self.owner.lock().unwrap_or_else(PoisonError::into_inner);
        match &*owner {
            Some(owner) => poll(&mut Context::from_waker(owner)),
            None => poll(cx),
        }
    }
}

/// A TCP or TLS stream that counts into a [`Wire`].
pub(crate) struct Socket {
    stream: Stream,
    wire: Arc<Wire>,
}

enum Stream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Socket {
    pub(crate) fn plain(stream: TcpStream, wire: Arc<Wire>) -> Self {
        Self {
            stream: Stream::Plain(stream),
            wire,
        }
    }

    pub(crate) fn tls(stream: TlsStream<TcpStream>, wire: Arc<Wire>) -> Self {
        Self {
            stream: Stream::Tls(Box::new(stream)),
            wire,
        }
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let Self { stream, wire } = &mut *self;
        let done = wire.poll(cx, |cx| match stream {
            Stream::Plain(s) => Pin::new(s).poll_read(cx, buf),
            Stream::Tls(s) => Pin::new(s).poll_read(cx, buf),
        });
        let n = buf.filled().len().saturating_sub(before);
        if n > 0 {
            wire.read.0.fetch_add(n as u64, Relaxed);
        }
        done
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let Self { stream, wire } = &mut *self;
        let n = wire.poll(cx, |cx| match stream {
            Stream::Plain(s) => Pin::new(s).poll_write(cx, buf),
            Stream::Tls(s) => Pin::new(s).poll_write(cx, buf),
        });
        wire.wrote(n)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let Self { stream, wire } = &mut *self;
        let n = wire.poll(cx, |cx| match stream {
            Stream::Plain(s) => Pin::new(s).poll_write_vectored(cx, bufs),
            Stream::Tls(s) => Pin::new(s).poll_write_vectored(cx, bufs),
        });
        wire.wrote(n)
    }

    fn is_write_vectored(&self) -> bool {
        match &self.stream {
            Stream::Plain(s) => s.is_write_vectored(),
            Stream::Tls(s) => s.is_write_vectored(),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self { stream, wire } = &mut *self;
        wire.poll(cx, |cx| match stream {
            Stream::Plain(s) => Pin::new(s).poll_flush(cx),
            Stream::Tls(s) => Pin::new(s).poll_flush(cx),
        })
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self { stream, wire } = &mut *self;
        wire.poll(cx, |cx| match stream {
            Stream::Plain(s) => Pin::new(s).poll_shutdown(cx),
            Stream::Tls(s) => Pin::new(s).poll_shutdown(cx),
        })
    }
}
