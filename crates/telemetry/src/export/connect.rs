//! One connection to a collector, plain or TLS.
//!
//! Certificates are judged by the platform's own store. A connection's task ends with the connection.

use bytes::{Bytes, buf::Chain};
use http::Uri;
use http_body_util::Full;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use rustls::{ClientConfig, crypto::ring::default_provider, pki_types::ServerName};
use rustls_platform_verifier::BuilderVerifierExt;
use std::{io, sync::Arc};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
};
use tokio_rustls::TlsConnector;
use tokio_util::task::TaskTracker;

/// An encoded request in two parts, so that the large one is sent from where it was gathered.
pub(super) type Export = Full<Chain<Bytes, Bytes>>;
/// Sends requests on one connection.
pub(super) type Sender = SendRequest<Export>;

/// Whose certificates are believed: nobody's where no TLS is spoken.
#[derive(Clone, Default)]
pub(crate) struct Trust(Option<TlsConnector>);

impl Trust {
    /// The platform's store.
    pub(crate) fn platform() -> Result<Self, rustls::Error> {
        let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()?
            .with_platform_verifier()?
            .with_no_client_auth();
        Ok(Self(Some(TlsConnector::from(Arc::new(config)))))
    }

    /// This certificate alone.
    #[cfg(test)]
    pub(crate) fn only(root: rustls::pki_types::CertificateDer<'static>) -> Self {
        let mut roots = rustls::RootCertStore::empty();
        roots.add(root).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        Self(Some(TlsConnector::from(Arc::new(config))))
    }
}

/// Connects to the host of `uri`.
pub(super) async fn connect(uri: &Uri, trust: &Trust, tracker: &TaskTracker) -> io::Result<Sender> {
    let tls = uri.scheme_str() == Some("https");
    let host = uri.host().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let port = uri.port_u16().unwrap_or(if tls { 443 } else { 80 });
    let tcp = TcpStream::connect((bare, port)).await?;
    tcp.set_nodelay(true)?;
    let Some(connector) = trust.0.as_ref().filter(|_| tls) else {
        return start(tcp, tracker).await;
    };
    let name = ServerName::try_from(bare.to_owned()).map_err(io::Error::other)?;
    start(connector.connect(name, tcp).await?, tracker).await
}

async fn start(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    tracker: &TaskTracker,
) -> io::Result<Sender> {
    let (sender, connection) = handshake(TokioIo::new(stream))
        .await
        .map_err(io::Error::other)?;
    tracker.spawn(async move {
        // its end is seen by the sender
        let _ = connection.await;
    });
    Ok(sender)
}
