//! The two halves of an HTTP/1.1 connection, with the watch for the client's leaving.
//!
//! Every wait and every write runs beside a read: what comes early (a pipelined request) is kept up to
//! [`MAX_AHEAD`], and from there on the socket is only watched, so that a FIN behind unread bytes is
//! still seen.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::StatusCode;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::{Instant, sleep_until, timeout};

use super::request::{Broken, Request};
use crate::answer::{Answer, Framing};
use crate::play::Sink;
use crate::seen::Close;
use crate::socket::{Cut, Handle};

const MAX_AHEAD: usize = 64 << 10;
/// How long a hung-up client may take to close its side before the socket goes anyway.
const LINGER: Duration = Duration::from_secs(1);

pub(super) struct Wire<R, W> {
    reader: R,
    writer: W,
    /// Read and not used yet.
    pub(super) stash: BytesMut,
    /// The body being read.
    pub(super) body: BytesMut,
    handle: Handle,
    /// The socket is not read while answering, only watched.
    pub(super) deaf: bool,
    framing: Framing,
}

/// Resolves when the client has left.
async fn left<R: AsyncRead + Unpin>(
    reader: &mut R,
    stash: &mut BytesMut,
    handle: &Handle,
    deaf: bool,
) -> Close {
    while !deaf && stash.len() < MAX_AHEAD {
        stash.reserve(4096);
        match reader.read_buf(stash).await {
            Ok(0) => return Close::Fin,
            Ok(_) => {}
            Err(error) => return Close::of(&error),
        }
    }
    handle.left().await
}

impl<R, W> Wire<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send,
{
    pub(super) fn new(reader: R, writer: W, stash: BytesMut, handle: Handle) -> Self {
        let (body, framing) = (BytesMut::new(), Framing::Chunked);
        Self {
            reader,
            writer,
            stash,
            body,
            handle,
            deaf: false,
            framing,
        }
    }

    /// Reads the next request's head.
    pub(super) async fn request(&mut self) -> Result<Request, Broken> {
        loop {
            if let Some((request, used)) = Request::parse(&self.stash)? {
                let _ = self.stash.split_to(used.min(self.stash.len()));
                return Ok(request);
            }
            self.more().await.map_err(Broken::Gone)?;
        }
    }

    /// Reads more bytes into the stash.
    pub(super) async fn more(&mut self) -> Result<(), Close> {
        self.stash.reserve(16 << 10);
        match self.reader.read_buf(&mut self.stash).await {
            Ok(0) => Err(Close::Fin),
            Ok(_) => Ok(()),
            Err(error) => Err(Close::of(&error)),
        }
    }

    /// Waits for the first bytes of another request.
    pub(super) async fn next_bytes(&mut self) -> Result<(), Close> {
        if self.stash.is_empty() {
            self.more().await
        } else {
            Ok(())
        }
    }

    pub(super) fn take_body(&mut self) -> Bytes {
        self.body.split().freeze()
    }

    /// An answer to what is no request.
    pub(super) async fn refuse(&mut self, status: &str) -> Result<(), Close> {
        self.put(
            format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
                .as_bytes(),
        )
        .await
    }

    pub(super) async fn put(&mut self, bytes: &[u8]) -> Result<(), Close> {
        let Self {
            reader,
            writer,
            stash,
            handle,
            deaf,
            ..
        } = self;
        let write = async {
            writer.write_all(bytes).await?;
            writer.flush().await
        };
        tokio::select! {
            biased;
            close = left(reader, stash, handle, *deaf) => Err(close),
            done = write => done.map_err(|error| Close::of(&error)),
        }
    }

    /// Ends the connection. A FIN is followed by reading on for a while, because closing a socket with
    /// unread bytes would make the system send a reset instead.
    pub(super) async fn hang_up(mut self, cut: Cut) {
        match cut {
            Cut::Rst | Cut::Reset | Cut::Refuse => return self.handle.cut(true),
            Cut::Fin => self.handle.cut(false),
            Cut::Truncate => {
                // a client that left meanwhile needs no goodbye
                let _ = timeout(LINGER, self.writer.shutdown()).await;
            }
        }
        let _ = timeout(LINGER, self.drain()).await;
    }

    async fn drain(&mut self) {
        while self.more().await.is_ok() {
            self.stash.clear();
        }
    }
}

impl<R, W> Sink for Wire<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send,
{
    async fn rest(&mut self, until: Option<Instant>) -> Result<(), Close> {
        let Self {
            reader,
            stash,
            handle,
            deaf,
            ..
        } = self;
        let left = left(reader, stash, handle, *deaf);
        match until {
            None => Err(left.await),
            Some(until) => tokio::select! {
                biased;
                close = left => Err(close),
                () = sleep_until(until) => Ok(()),
            },
        }
    }

    async fn head(&mut self, answer: &Answer) -> Result<(), Close> {
        self.framing = answer.framing;
        let reason = StatusCode::from_u16(answer.status)
            .ok()
            .and_then(|s| s.canonical_reason());
        let mut head = format!(
            "HTTP/1.1 {} {}\r\n",
            answer.status,
            reason.unwrap_or("Scripted")
        )
        .into_bytes();
        for (name, value) in &answer.headers {
            head.extend_from_slice(name.as_str().as_bytes());
            head.extend_from_slice(b": ");
            head.extend_from_slice(value.as_bytes());
            head.extend_from_slice(b"\r\n");
        }
        let framing = match answer.framing {
            Framing::Bodiless => String::new(),
            Framing::Length(length) => format!("content-length: {length}\r\n"),
            Framing::Chunked => "transfer-encoding: chunked\r\n".to_owned(),
            Framing::UntilClose => "connection: close\r\n".to_owned(),
        };
        head.extend_from_slice(framing.as_bytes());
        head.extend_from_slice(b"\r\n");
        self.put(&head).await
    }

    async fn data(&mut self, bytes: Bytes) -> Result<(), Close> {
        match self.framing {
            Framing::Bodiless => Ok(()),
            _ if bytes.is_empty() => Ok(()),
            Framing::Chunked => {
                let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
                chunk.reserve(bytes.len() + 2);
                chunk.extend_from_slice(&bytes);
                chunk.extend_from_slice(b"\r\n");
                self.put(&chunk).await
            }
            _ => self.put(&bytes).await,
        }
    }

    async fn end(&mut self) -> Result<(), Close> {
        match self.framing {
            Framing::Chunked => self.put(b"0\r\n\r\n").await,
            _ => Ok(()),
        }
    }
}
