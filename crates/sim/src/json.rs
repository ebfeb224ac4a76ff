//! The record as JSON, for `GET /_sim/report` and `punctual sim`.
//!
//! Times are whole µs since the simulator's start, on its monotonic clock; what has not happened is null.

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::log::Record;
use crate::seen::{Close, Conn, Ended, Protocol, Seen};

fn us(start: Instant, at: Option<Instant>) -> Option<u64> {
    let since = at?.saturating_duration_since(start).as_micros();
    u64::try_from(since).ok()
}

fn protocol(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Http1 => "http/1.1",
        Protocol::Http2 => "h2",
    }
}

fn close(close: Close) -> &'static str {
    match close {
        Close::Fin => "fin",
        Close::Rst => "rst",
        Close::StreamReset => "stream_reset",
    }
}

/// Requests and connections, and how many older ones there were.
pub(crate) fn report(start: Instant, record: &Record) -> Value {
    let requests: Vec<Value> = record.seen.iter().map(|s| request(start, s)).collect();
    let connections = record.conns.iter().map(|c| connection(start, c));
    let connections: Vec<Value> = connections.collect();
    json!({
        "now_us": us(start, Some(Instant::now())),
        "gone": {
            "requests": record.gone.requests,
            "connections": record.gone.connections,
        },
        "requests": requests,
        "connections": connections,
    })
}

/// One request.
pub(crate) fn request(start: Instant, s: &Seen) -> Value {
    let headers: Vec<[&str; 2]> = s
        .headers
        .iter()
        .map(|(n, v)| [n.as_str(), v.as_str()])
        .collect();
    json!({
        "seq": s.seq,
        "conn": s.conn,
        "protocol": protocol(s.protocol),
        "method": s.method,
        "path": s.path,
        "headers": headers,
        "body": String::from_utf8_lossy(&s.body),
        "model": s.model,
        "stream": s.stream,
        "arrived_us": us(start, Some(s.arrived)),
        "received_us": us(start, s.received),
        "headers_sent_us": us(start, s.headers_sent),
        "first_content_us": us(start, s.first_content),
        "finished_us": us(start, s.finished),
        "closed_us": us(start, s.closed.map(|(at, _)| at)),
        "closed": s.closed.map(|(_, how)| close(how)),
        "chunks": s.chunks,
    })
}

fn connection(start: Instant, c: &Conn) -> Value {
    let by = c.closed.map(|(_, how)| match how {
        Ended::Client(how) => ("client", close(how)),
        Ended::Sim => ("sim", "closed"),
    });
    json!({
        "id": c.id,
        "tls": c.tls,
        "protocol": c.protocol.map(protocol),
        "bytes_read": c.bytes_read,
        "requests": c.requests,
        "accepted_us": us(start, Some(c.accepted)),
        "closed_us": us(start, c.closed.map(|(at, _)| at)),
        "closed_by": by.map(|(who, _)| who),
        "closed": by.map(|(_, how)| how),
    })
}
