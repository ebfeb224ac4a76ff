//! The simulator as its users hold it.
//!
//! A [`Sim`] owns a listener and all that was accepted from it; when it is shut down or dropped, every
//! connection and task ends, so that a test leaves nothing behind for the next one.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::connection;
use crate::host::Host;
use crate::listen::Listen;
use crate::log::Late;
use crate::script::Script;
use crate::seen::{Conn, Seen};
use crate::tls::Tls;

/// Why a simulator could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address cannot be listened on.
    #[error("cannot listen on {addr}: {source}; choose another address, or port 0 for a free one")]
    Bind {
        /// The address as given.
        addr: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
    /// The certificate could not be made.
    #[error("cannot make a certificate: {0}")]
    Certificate(#[from] rcgen::Error),
    /// TLS refused the certificate.
    #[error("cannot set up TLS: {0}")]
    Tls(#[from] rustls::Error),
}

/// A running simulator.
pub struct Sim {
    host: Arc<Host>,
    addr: SocketAddr,
    tasks: TaskTracker,
    token: CancellationToken,
}

impl Sim {
    /// Starts listening; connections are accepted from the moment this returns.
    ///
    /// # Errors
    /// If the address is taken or not ours, or TLS cannot be set up.
    pub async fn start(listen: Listen) -> Result<Self, StartError> {
        let tls = listen.tls.then(|| Tls::new(listen.http2)).transpose()?;
        let bind = |source| StartError::Bind {
            addr: listen.addr,
            source,
        };
        let listener = TcpListener::bind(listen.addr).await.map_err(bind)?;
        let addr = listener.local_addr().map_err(bind)?;
        let host = Arc::new(Host::new(tls, &listen, addr.port()));
        let sim = Self {
            host,
            addr,
            tasks: TaskTracker::new(),
            token: CancellationToken::new(),
        };
        sim.tasks.spawn(accept(
            listener,
            sim.host.clone(),
            sim.tasks.clone(),
            sim.token.clone(),
        ));
        Ok(sim)
    }

    /// Where it listens.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// `http://127.0.0.1:PORT`, or `https://localhost:PORT` with TLS on a loopback address.
    pub fn url(&self) -> String {
        match &self.host.tls {
            None => format!("http://{}", self.addr),
            Some(_) if self.addr.ip().is_loopback() => {
                format!("https://localhost:{}", self.addr.port())
            }
            Some(_) => format!("https://{}", self.addr),
        }
    }

    /// The certificate to trust, as PEM; without TLS empty.
    pub fn ca_pem(&self) -> &str {
        self.host.tls.as_ref().map_or("", |tls| &tls.pem)
    }

    /// The behaviour for a model name, from the next request on; its `fail=` count starts anew.
    pub fn set(&self, model: impl Into<String>, script: Script) {
        self.host.set(model.into(), script);
    }

    /// What connections meet that are accepted from now on: `silent-accept`, `silent-tls`, `rst=accept`,
    /// `fin=accept`, each with `fail=N` for the first N only. [`Script::plain`] ends it.
    pub fn set_accept(&self, script: Script) {
        self.host.set_accept(script);
    }

    /// All requests so far, oldest first: the newest 10,000 are kept, and of those as many as fit into
    /// 256 MiB of heads and bodies.
    pub fn report(&self) -> Vec<Seen> {
        self.host.log.seen()
    }

    /// All accepted connections so far, oldest first; the newest 10,000 are kept.
    pub fn connections(&self) -> Vec<Conn> {
        self.host.log.conns()
    }

    /// Both as JSON, as `GET /_sim/report` gives them, with how many older ones are not kept any more.
    pub fn report_json(&self) -> serde_json::Value {
        crate::json::report(self.host.started, &self.host.log.record())
    }

    /// One request as it appears there.
    pub fn json(&self, seen: &Seen) -> serde_json::Value {
        crate::json::request(self.host.started, seen)
    }

    /// Waits until the predicate holds over the requests and returns them. It is asked at once and after
    /// each change.
    ///
    /// # Errors
    /// [`Late`] with everything seen, if it does not hold within the time.
    pub async fn wait(
        &self,
        within: Duration,
        mut holds: impl FnMut(&[Seen]) -> bool,
    ) -> Result<Vec<Seen>, Late> {
        self.host.log.wait(within, |seen, _| holds(seen)).await?;
        Ok(self.report())
    }

    /// As [`wait`](Self::wait), over the connections.
    ///
    /// # Errors
    /// As there.
    pub async fn wait_connections(
        &self,
        within: Duration,
        mut holds: impl FnMut(&[Conn]) -> bool,
    ) -> Result<Vec<Conn>, Late> {
        self.host.log.wait(within, |_, conns| holds(conns)).await?;
        Ok(self.connections())
    }

    /// Forgets what was seen, all `fail=` counts and the responses it made. Scripts and connections stay.
    pub fn reset(&self) {
        self.host.reset();
    }

    /// Ends every connection at once and waits until nothing of it is left.
    pub async fn shutdown(self) {
        self.token.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

impl Drop for Sim {
    fn drop(&mut self) {
        self.token.cancel();
    }
}

async fn accept(
    listener: TcpListener,
    host: Arc<Host>,
    tasks: TaskTracker,
    token: CancellationToken,
) {
    while let Some(accepted) = token.run_until_cancelled(listener.accept()).await {
        let Ok((tcp, _)) = accepted else {
            // out of file descriptors, mostly: accepting again at once would only spin
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        // a connection that is gone already is served and recorded like any other
        let _ = tcp.set_nodelay(true);
        let line = host.log.connect(host.tls.is_some());
        let serve = connection::serve(tcp, host.clone(), line, tasks.clone(), token.clone());
        let token = token.clone();
        tasks.spawn(async move {
            token.run_until_cancelled(serve).await;
        });
    }
}
