//! Writing handles on the record: one per connection, one per request.
//!
//! A handle names its record by number and finds it anew for each change, so that a reset or an eviction
//! in between takes nothing but the record.

use std::sync::Arc;

use bytes::Bytes;
use tokio::time::Instant;

use super::Log;
use crate::seen::{Close, Conn, Ended, Protocol, Seen};

impl Log {
    /// Opens the record of a connection.
    pub(crate) fn connect(self: &Arc<Self>, tls: bool) -> Line {
        let id = self.change(|s| {
            let id = s.next_conn;
            s.next_conn += 1;
            s.conns.push_back(Conn {
                id,
                accepted: Instant::now(),
                tls,
                protocol: None,
                bytes_read: 0,
                requests: 0,
                closed: None,
            });
            s.evict();
            id
        });
        Line {
            log: self.clone(),
            id,
        }
    }
}

/// The handle of one connection's record.
#[derive(Clone)]
pub(crate) struct Line {
    log: Arc<Log>,
    id: u64,
}

impl Line {
    fn edit(&self, f: impl FnOnce(&mut Conn)) {
        self.log.change(|s| {
            let at = s.conns.binary_search_by_key(&self.id, |c| c.id);
            if let Some(conn) = at.ok().and_then(|i| s.conns.get_mut(i)) {
                f(conn);
            }
        });
    }

    pub(crate) fn read(&self, bytes: usize) {
        self.edit(|c| c.bytes_read = c.bytes_read.saturating_add(bytes as u64));
    }

    pub(crate) fn speaks(&self, protocol: Protocol) {
        self.edit(|c| c.protocol = Some(protocol));
    }

    /// The first word on how a connection ended is the one that counts.
    pub(crate) fn ended(&self, how: Ended) {
        let now = Instant::now();
        self.edit(|c| {
            c.closed.get_or_insert((now, how));
        });
    }

    /// Opens the record of a request whose head has been read.
    pub(crate) fn request(&self, head: RequestHead) -> Entry {
        self.edit(|c| c.requests += 1);
        let seq = self.log.change(|s| {
            let seq = s.next_seq;
            s.next_seq += 1;
            let seen = head.into_seen(seq, self.id);
            s.bytes += seen.bytes();
            s.seen.push_back(seen);
            s.evict();
            seq
        });
        Entry {
            log: self.log.clone(),
            seq,
        }
    }
}

/// A request's head, whatever protocol it came in.
#[derive(Clone)]
pub(crate) struct RequestHead {
    pub(crate) protocol: Protocol,
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) arrived: Instant,
}

impl RequestHead {
    fn into_seen(self, seq: u64, conn: u64) -> Seen {
        Seen {
            seq,
            conn,
            protocol: self.protocol,
            method: self.method,
            path: self.path,
            headers: self.headers,
            body: Bytes::new(),
            model: String::new(),
            stream: false,
            arrived: self.arrived,
            received: None,
            headers_sent: None,
            first_content: None,
            finished: None,
            closed: None,
            chunks: 0,
        }
    }
}

/// The handle of one request's record.
#[derive(Clone)]
pub(crate) struct Entry {
    log: Arc<Log>,
    seq: u64,
}

impl Entry {
    pub(crate) fn seq(&self) -> u64 {
        self.seq
    }

    fn edit(&self, f: impl FnOnce(&mut Seen)) {
        self.log.change(|s| {
            let at = s.seen.binary_search_by_key(&self.seq, |r| r.seq);
            if let Some(seen) = at.ok().and_then(|i| s.seen.get_mut(i)) {
                f(seen);
            }
        });
    }

    pub(crate) fn received(&self, body: Bytes, whole: bool) {
        let now = whole.then(Instant::now);
        let weight = body.len();
        let mut kept = false;
        self.edit(|r| {
            r.body = body;
            r.received = now;
            kept = true;
        });
        let mut state = self.log.lock();
        state.bytes += if kept { weight } else { 0 };
        state.evict();
    }

    pub(crate) fn asked(&self, model: &str, stream: bool) {
        self.edit(|r| {
            r.model = model.to_owned();
            r.stream = stream;
        });
    }

    pub(crate) fn headers_sent(&self) {
        let now = Instant::now();
        self.edit(|r| r.headers_sent = Some(now));
    }

    pub(crate) fn chunk(&self, content: bool) {
        let now = Instant::now();
        self.edit(|r| {
            r.chunks = r.chunks.saturating_add(1);
            if content {
                r.first_content.get_or_insert(now);
            }
        });
    }

    pub(crate) fn finished(&self) {
        let now = Instant::now();
        self.edit(|r| r.finished = Some(now));
    }

    pub(crate) fn closed(&self, how: Close) {
        let now = Instant::now();
        self.edit(|r| {
            if r.finished.is_none() {
                r.closed.get_or_insert((now, how));
            }
        });
    }
}
