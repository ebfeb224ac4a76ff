//! Reading an HTTP/1.1 request.
//!
//! Bounded, because clients under test may be broken as well; beyond the limits the connection is refused
//! and closed.

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::Instant;

use super::wire::Wire;
use crate::log::RequestHead;
use crate::seen::{Close, Protocol};

const MAX_HEAD: usize = 256 << 10;
const MAX_HEADERS: usize = 256;
const MAX_BODY: usize = 256 << 20;

/// Why a request could not be read.
pub(super) enum Broken {
    /// The client left.
    Gone(Close),
    /// It is no request, or too large.
    Bad,
}

/// A request's head, with what HTTP/1.1 needs to know of it.
pub(super) struct Request {
    pub(super) head: RequestHead,
    /// The client lets the connection be kept.
    pub(super) keeps: bool,
    length: usize,
    chunked: bool,
    expects: bool,
}

impl Request {
    /// A request and the bytes its head takes; `None` if more are needed.
    pub(super) fn parse(bytes: &[u8]) -> Result<Option<(Self, usize)>, Broken> {
        let mut lines = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut parsed = httparse::Request::new(&mut lines);
        let used = match parsed.parse(bytes) {
            Ok(httparse::Status::Complete(used)) => used,
            Ok(httparse::Status::Partial) if bytes.len() < MAX_HEAD => return Ok(None),
            _ => return Err(Broken::Bad),
        };
        let headers: Vec<(String, String)> = parsed
            .headers
            .iter()
            .map(|h| {
                (
                    h.name.to_ascii_lowercase(),
                    String::from_utf8_lossy(h.value).into_owned(),
                )
            })
            .collect();
        let value = |name: &str| {
            headers
                .iter()
                .find(|(n, _)| n == name)
                .map(|(_, v)| v.as_str())
        };
        let says = |name: &str, what: &str| {
            value(name).is_some_and(|v| v.to_ascii_lowercase().contains(what))
        };
        let length = value("content-length")
            .map_or(Ok(0), str::parse)
            .map_err(|_| Broken::Bad)?;
        let keeps = match parsed.version {
            Some(1) => !says("connection", "close"),
            _ => says("connection", "keep-alive"),
        };
        let (chunked, expects) = (
            says("transfer-encoding", "chunked"),
            says("expect", "100-continue"),
        );
        let head = RequestHead {
            protocol: Protocol::Http1,
            method: parsed.method.unwrap_or_default().to_owned(),
            path: parsed.path.unwrap_or_default().to_owned(),
            headers,
            arrived: Instant::now(),
        };
        Ok(Some((
            Self {
                head,
                keeps,
                length,
                chunked,
                expects,
            },
            used,
        )))
    }
}

impl<R, W> Wire<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send,
{
    /// Reads the whole body into `self.body`, where it stays as far as it came if the client leaves.
    pub(super) async fn body(&mut self, request: &Request) -> Result<(), Broken> {
        if request.expects {
            self.put(b"HTTP/1.1 100 Continue\r\n\r\n")
                .await
                .map_err(Broken::Gone)?;
        }
        if !request.chunked {
            return self.take(request.length).await;
        }
        loop {
            let size = self.chunk_size().await?;
            if size == 0 {
                return self.trailers().await;
            }
            self.take(size).await?;
            self.line().await?;
        }
    }

    async fn take(&mut self, mut bytes: usize) -> Result<(), Broken> {
        if self.body.len().saturating_add(bytes) > MAX_BODY {
            return Err(Broken::Bad);
        }
        loop {
            let have = bytes.min(self.stash.len());
            let part = self.stash.split_to(have);
            self.body.extend_from_slice(&part);
            bytes -= have;
            if bytes == 0 {
                return Ok(());
            }
            self.more().await.map_err(Broken::Gone)?;
        }
    }

    async fn chunk_size(&mut self) -> Result<usize, Broken> {
        loop {
            match httparse::parse_chunk_size(&self.stash) {
                Ok(httparse::Status::Complete((used, size))) => {
                    let _ = self.stash.split_to(used.min(self.stash.len()));
                    return usize::try_from(size).map_err(|_| Broken::Bad);
                }
                Ok(httparse::Status::Partial) => self.more().await.map_err(Broken::Gone)?,
                Err(_) => return Err(Broken::Bad),
            }
        }
    }

    /// Takes a line out of the stash and returns its length without the line end.
    async fn line(&mut self) -> Result<usize, Broken> {
        loop {
            if let Some(at) = self.stash.iter().position(|b| *b == b'\n') {
                let line = self.stash.split_to(at + 1);
                return Ok(line.trim_ascii_end().len());
            }
            if self.stash.len() > MAX_HEAD {
                return Err(Broken::Bad);
            }
            self.more().await.map_err(Broken::Gone)?;
        }
    }

    async fn trailers(&mut self) -> Result<(), Broken> {
        while self.line().await? > 0 {}
        Ok(())
    }
}
