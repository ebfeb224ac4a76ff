//! The certificate of one simulator.
//!
//! Made anew at each start, so that no key lies in the repository; it is its own authority, and a client
//! that trusts [`Sim::ca_pem`](crate::Sim::ca_pem) accepts `https://localhost:PORT` and the loopback addresses.

use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use tokio_rustls::TlsAcceptor;

use crate::sim::StartError;

/// Server side of TLS with its public certificate.
pub(crate) struct Tls {
    pub(crate) acceptor: TlsAcceptor,
    pub(crate) pem: String,
}

impl Tls {
    pub(crate) fn new(http2: bool) -> Result<Self, StartError> {
        let names = ["localhost", "127.0.0.1", "::1"].map(String::from);
        let made = rcgen::generate_simple_self_signed(names)?;
        let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)?;
        let offered: &[&[u8]] = if http2 {
            &[b"h2", b"http/1.1"]
        } else {
            &[b"http/1.1"]
        };
        config.alpn_protocols = offered.iter().map(|p| p.to_vec()).collect();
        Ok(Self {
            acceptor: TlsAcceptor::from(Arc::new(config)),
            pem: made.cert.pem(),
        })
    }
}
