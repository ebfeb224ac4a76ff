//! Making one connection: name, TCP, perhaps a proxy, perhaps TLS. One way for both HTTP versions.
//!
//! A dial is a future that owns everything it opens: dropping it closes it. What can not be dropped (a
//! resolver call) is bounded and shared instead. Failures name the step, never the host, the URL or a
//! credential, because they end up in errors and logs.

use crate::{
    address::Address,
    spec::{Endpoint, Fault, Tls},
};
use http::HeaderValue;
use hyper_util::rt::TokioIo;
use std::{pin::pin, sync::Arc, time::Duration};
use tokio::{
    sync::Semaphore,
    time::{Instant, timeout},
};
use tokio_rustls::{
    TlsConnector,
    rustls::{ClientConfig, pki_types::ServerName},
};
use tokio_util::task::TaskTracker;

mod error;
mod proxy;
mod resolver;
mod socket;
mod tcp;
mod tls;

pub(crate) use error::DialError;
pub(crate) use proxy::{Proxied, Proxy};
use resolver::Resolver;
pub(crate) use socket::{Gauge, Held, Reads, Socket, Wire};
pub(crate) use tls::Roots;

/// At most this many TLS handshakes at once: each costs a worker over a millisecond.
const HANDSHAKES: usize = 32;
/// One that takes longer than this waits for its peer and not for a worker: others get its turn, so that a
/// silent upstream never keeps connections to another one waiting.
const TURN: Duration = Duration::from_millis(100);

/// What every dial shares.
pub(crate) struct Dialer {
    resolver: Resolver,
    handshakes: Semaphore,
}

/// What makes one endpoint's connections as good as another's.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Identity {
    host: Arc<str>,
    port: u16,
    http2: bool,
    tls: Option<Tls>,
    proxy: Option<(Proxied, Proxy)>,
}

impl Identity {
    pub(crate) fn new(address: &Address, endpoint: &Endpoint) -> Result<Self, Fault> {
        Ok(Self {
            host: address.host.as_str().into(),
            port: address.port,
            http2: endpoint.http2,
            tls: address.tls.then(|| endpoint.tls.clone()),
            proxy: proxy::choose(endpoint.proxy.as_ref(), address, endpoint.http2)?,
        })
    }
}

/// Where a connection goes and what it must become.
pub(crate) struct Place {
    identity: Identity,
    tls: Option<(Arc<ClientConfig>, ServerName<'static>)>,
}

/// A connection, ready for HTTP.
pub(crate) struct Dialled {
    pub(crate) io: TokioIo<Socket>,
    pub(crate) wire: Arc<Wire>,
    /// Length of the TLS handshake.
    pub(crate) tls: Option<Duration>,
}

impl Place {
    pub(crate) fn new(identity: Identity, roots: &Roots) -> Result<Self, Fault> {
        let plan = |tls| tls::plan(&identity.host, tls, identity.http2, roots);
        let tls = identity.tls.as_ref().map(plan).transpose()?;
        Ok(Self { identity, tls })
    }

    pub(crate) fn is_http2(&self) -> bool {
        self.identity.http2
    }

    pub(crate) fn proxied(&self) -> Proxied {
        self.identity
            .proxy
            .as_ref()
            .map_or(Proxied::No, |(how, _)| *how)
    }

    /// What requests that a proxy forwards must carry for it.
    pub(crate) fn forward_auth(&self) -> Option<&HeaderValue> {
        match &self.identity.proxy {
            Some((Proxied::Forward, proxy)) => proxy.auth.as_ref(),
            _ => None,
        }
    }
}

impl Dialer {
    pub(crate) fn new(tasks: TaskTracker) -> Self {
        Self {
            resolver: Resolver::new(tasks),
            handshakes: Semaphore::new(HANDSHAKES),
        }
    }

    /// Opens a connection. There is no time limit here: whoever waits has one.
    pub(crate) async fn dial(&self, place: &Place, open: Gauge) -> Result<Dialled, DialError> {
        let to = &place.identity;
        let (host, port) = match &to.proxy {
            Some((_, proxy)) => (&proxy.host, proxy.port),
            None => (&to.host, to.port),
        };
        let tcp = async {
            let addresses = self.resolver.resolve(host, port).await?;
            tcp::connect(&addresses).await
        };
        let mut tcp = match &to.proxy {
            None => tcp.await?,
            Some(_) => tcp.await.map_err(DialError::at_proxy)?,
        };
        if let Some((Proxied::Tunnel, proxy)) = &to.proxy {
            tcp = proxy::tunnel(tcp, proxy, &to.host, to.port).await?;
        }
        let wire = Arc::new(Wire::new(open));
        let Some((config, name)) = &place.tls else {
            return Ok(Dialled {
                io: TokioIo::new(Socket::plain(tcp, wire.clone())),
                wire,
                tls: None,
            });
        };
        // never closed, so never refused
        let turn = self.handshakes.acquire().await;
        let started = Instant::now();
        let connector = TlsConnector::from(config.clone());
        let mut handshake = pin!(connector.connect(name.clone(), tcp));
        let stream = match timeout(TURN, handshake.as_mut()).await {
            Ok(done) => done,
            Err(_) => {
                drop(turn);
                handshake.await
            }
        };
        let stream = stream.map_err(|e| DialError::tls(&e))?;
        if to.http2 && stream.get_ref().1.alpn_protocol() != Some(tls::H2) {
            return Err(DialError::NotHttp2);
        }
        Ok(Dialled {
            io: TokioIo::new(Socket::tls(stream, wire.clone())),
            wire,
            tls: Some(started.elapsed()),
        })
    }
}
