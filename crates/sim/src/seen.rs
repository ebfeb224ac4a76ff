//! What the simulator's sockets saw: one record per request, one per accepted connection.
//!
//! These are the assertions of every test above this crate, so a field says what happened on the wire
//! and nothing else. All instants are `tokio::time::Instant` of the simulator's process; a client in the
//! same process may subtract its own from them.

use bytes::Bytes;
use tokio::time::Instant;

/// The HTTP version a connection turned out to speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// HTTP/1.1 (or 1.0).
    Http1,
    /// HTTP/2, by ALPN or with prior knowledge.
    Http2,
}

/// How a client ended something before it was complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Close {
    /// An orderly close: the end of the byte stream, with or without TLS `close_notify`.
    Fin,
    /// A TCP reset, or a write that found the connection gone.
    Rst,
    /// HTTP/2 `RST_STREAM`; the connection lives on.
    StreamReset,
}

/// Who ended a connection, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The client did.
    Client(Close),
    /// The simulator did, because a script or the protocol said so.
    Sim,
}

/// One request, from its head to its end.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Counts requests from 0 over the whole life of the simulator, [`reset`](crate::Sim::reset) included;
    /// the answer carries it as `x-sim-seq`.
    pub seq: u64,
    /// The [`Conn::id`] it came on.
    pub conn: u64,
    /// The protocol it came in.
    pub protocol: Protocol,
    /// The method as sent.
    pub method: String,
    /// Path and query as sent.
    pub path: String,
    /// All header lines in order, names in lower case. HTTP/2 pseudo-headers are left out, except that
    /// `:authority` is listed as `host`.
    pub headers: Vec<(String, String)>,
    /// The body, as far as it was read.
    pub body: Bytes,
    /// `model` of the body, or of the path, or of the header `ai-model-id`; the id of a request about a
    /// response; a fixed name where credentials are asked for, such as `google-token`; else empty.
    pub model: String,
    /// `stream: true` was asked for.
    pub stream: bool,
    /// When the head was complete.
    pub arrived: Instant,
    /// When the body was complete.
    pub received: Option<Instant>,
    /// When the answer's head had been handed to the socket.
    pub headers_sent: Option<Instant>,
    /// When the first content (text, refusal, reasoning, tool input, a unary body) had been handed over.
    pub first_content: Option<Instant>,
    /// When the last byte of a complete answer had been handed over. Never set for an answer that was cut.
    pub finished: Option<Instant>,
    /// When and how the client left, if that was before `finished`.
    pub closed: Option<(Instant, Close)>,
    /// Pieces of body written, comments included.
    pub chunks: u32,
}

impl Seen {
    /// What the record of it weighs, as long as its head and body are long.
    pub(crate) fn bytes(&self) -> usize {
        let lines = self
            .headers
            .iter()
            .map(|(name, value)| name.len() + value.len());
        lines.sum::<usize>() + self.path.len() + self.body.len()
    }

    /// The first value of a header; `name` in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(n, _)| n == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// One accepted connection, also one on which nothing was ever asked.
#[derive(Clone, Debug)]
pub struct Conn {
    /// Counts accepted connections from 0 over the whole life of the simulator.
    pub id: u64,
    /// When it was accepted.
    pub accepted: Instant,
    /// The listener speaks TLS.
    pub tls: bool,
    /// Known once the first bytes (after TLS) were read.
    pub protocol: Option<Protocol>,
    /// Bytes read from the socket, TLS records included.
    pub bytes_read: u64,
    /// Requests whose head was read, those to `/_sim/` not counted.
    pub requests: u32,
    /// When and by whom it was ended.
    pub closed: Option<(Instant, Ended)>,
}
