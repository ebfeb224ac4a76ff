//! Why a connection could not be made: the step and the kind, nothing that names the place.
//!
//! The texts reach callers and logs. What libraries print may hold host names (a certificate that is for
//! another name says which), so only kinds are taken from them.

use punctual_core::{Code, Failure};
use std::io;
use tokio_rustls::rustls::{self, CertificateError};

/// The step at which a dial failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DialError {
    #[error("its name does not resolve")]
    Resolve,
    #[error("TCP: {0}")]
    Tcp(io::ErrorKind),
    #[error("the name of the egress proxy does not resolve")]
    ProxyResolve,
    #[error("the egress proxy cannot be reached: {0}")]
    ProxyTcp(io::ErrorKind),
    #[error("the egress proxy refused the tunnel with status {0}")]
    ProxyStatus(u16),
    #[error("the egress proxy does not speak HTTP")]
    ProxyAnswer,
    #[error("TLS: {0}")]
    Tls(&'static str),
    #[error("TLS: HTTP/2 is configured but the upstream did not agree to it")]
    NotHttp2,
    #[error("HTTP/2: the connection preface failed")]
    Preface,
    #[error("no connection within {0} s")]
    Timeout(u64),
    #[error("the gateway is shutting down")]
    Closed,
}

impl DialError {
    pub(crate) fn tcp(error: &io::Error) -> Self {
        Self::Tcp(error.kind())
    }

    /// The same step, on the way to a proxy.
    pub(crate) fn at_proxy(self) -> Self {
        match self {
            Self::Resolve => Self::ProxyResolve,
            Self::Tcp(kind) => Self::ProxyTcp(kind),
            other => other,
        }
    }

    pub(crate) fn tls(error: &io::Error) -> Self {
        let inner = error.get_ref().and_then(|e| e.downcast_ref());
        Self::Tls(match inner {
            Some(rustls::Error::InvalidCertificate(why)) => certificate(why),
            Some(rustls::Error::AlertReceived(_)) => "the upstream refused the handshake",
            Some(rustls::Error::InvalidMessage(_)) => "the upstream does not speak TLS",
            Some(rustls::Error::PeerIncompatible(_)) => "no common protocol version or cipher",
            Some(_) => "the handshake failed",
            None => "the upstream closed the connection during the handshake",
        })
    }

    pub(crate) fn into_failure(self) -> Box<Failure> {
        Failure::new(
            Code::ConnectFailed,
            format!("cannot connect to the upstream: {self}"),
        )
    }
}

fn certificate(why: &CertificateError) -> &'static str {
    use CertificateError as C;
    match why {
        C::UnknownIssuer => "the certificate is signed by an authority that is not trusted",
        C::Expired | C::ExpiredContext { .. } => "the certificate has expired",
        C::NotValidYet | C::NotValidYetContext { .. } => "the certificate is not valid yet",
        C::NotValidForName | C::NotValidForNameContext { .. } => {
            "the certificate is for another name"
        }
        C::Revoked => "the certificate was revoked",
        _ => "the certificate is not acceptable",
    }
}
