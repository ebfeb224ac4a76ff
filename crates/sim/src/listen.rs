//! Where and how a simulator listens.
//!
//! The defaults are those of a test: a free loopback port, plain, both HTTP versions on it. Everything a
//! script cannot say, because it happens before any request names a model, is said here.

use std::net::{Ipv4Addr, SocketAddr};

use crate::script::Script;

/// The listener of a [`Sim`](crate::Sim).
#[derive(Clone, Debug)]
pub struct Listen {
    pub(crate) addr: SocketAddr,
    pub(crate) tls: bool,
    pub(crate) http2: bool,
    pub(crate) max_streams: u32,
    pub(crate) accept: Script,
}

impl Listen {
    /// 127.0.0.1, a free port, plain HTTP/1.1 and HTTP/2 with prior knowledge.
    pub fn loopback() -> Self {
        Self::at((Ipv4Addr::LOCALHOST, 0).into())
    }

    /// An address of the caller's choice; port 0 means a free one.
    pub fn at(addr: SocketAddr) -> Self {
        Self {
            addr,
            tls: false,
            http2: true,
            max_streams: 250,
            accept: Script::plain(),
        }
    }

    /// TLS with a certificate made at start for `localhost`, 127.0.0.1 and ::1; ALPN `h2` and `http/1.1`.
    pub fn tls(mut self) -> Self {
        self.tls = true;
        self
    }

    /// HTTP/1.1 only: `h2` is not offered by ALPN and the preface is not recognised.
    pub fn http1_only(mut self) -> Self {
        self.http2 = false;
        self
    }

    /// `SETTINGS_MAX_CONCURRENT_STREAMS` of each HTTP/2 connection; 250 unless said.
    pub fn max_streams(mut self, streams: u32) -> Self {
        self.max_streams = streams;
        self
    }

    /// What happens to accepted connections, as [`Sim::set_accept`](crate::Sim::set_accept).
    pub fn accept(mut self, script: Script) -> Self {
        self.accept = script;
        self
    }
}
