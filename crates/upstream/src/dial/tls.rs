//! Trust and identity of an endpoint, made into a rustls configuration once.
//!
//! The platform's authorities are read once per process, because that reads a few hundred files. A
//! configuration also holds the session cache, so one that lasts lets new connections resume.

use crate::spec::{Fault, Tls};
use rustls_platform_verifier::Verifier;
use std::sync::{Arc, OnceLock};
use tokio_rustls::rustls::{
    ClientConfig, Error, RootCertStore,
    client::{WebPkiServerVerifier, danger::ServerCertVerifier},
    crypto::{CryptoProvider, ring},
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, pem::PemObject},
};

pub(super) const H2: &[u8] = b"h2";
const HTTP1: &[u8] = b"http/1.1";

type Checked = Arc<dyn ServerCertVerifier>;

/// The platform's trust.
#[derive(Default)]
pub(crate) struct Roots(OnceLock<Result<Checked, Error>>);

impl Roots {
    fn platform(&self) -> Result<Checked, Fault> {
        let made = self.0.get_or_init(|| {
            let verifier = Verifier::new(provider())?;
            Ok(Arc::new(verifier) as Checked)
        });
        made.clone().map_err(|e| {
            Fault::new(
                "base_url",
                "",
                format!("needs the platform's certificate authorities: {e}"),
                "install ca-certificates, or set ca_file",
            )
        })
    }
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

/// Configuration and name for the connections to `host`.
pub(super) fn plan(
    host: &str,
    tls: &Tls,
    http2: bool,
    roots: &Roots,
) -> Result<(Arc<ClientConfig>, ServerName<'static>), Fault> {
    let verifier = trust(tls, roots)?;
    let builder = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .map_err(|e| identity(&e))?
        .dangerous()
        .with_custom_certificate_verifier(verifier);
    let mut config = match &tls.client {
        None => builder.with_no_client_auth(),
        Some(cert) => {
            let chain = certificates("client_cert", &cert.chain_pem)?;
            let key = PrivateKeyDer::from_pem_slice(&cert.key_pem).map_err(|_| {
                Fault::new(
                    "client_key",
                    "",
                    "holds no private key",
                    "give it in PEM form",
                )
            })?;
            builder
                .with_client_auth_cert(chain, key)
                .map_err(|e| identity(&e))?
        }
    };
    let protocol = if http2 { H2 } else { HTTP1 };
    config.alpn_protocols = vec![protocol.to_vec()];
    let name = tls.server_name.as_deref();
    let name = ServerName::try_from(name.unwrap_or(host).to_owned()).map_err(|_| {
        let (field, value) = match name {
            Some(name) => ("server_name", name),
            None => ("base_url", host),
        };
        let fix = "give a DNS name or an IP address";
        Fault::new(
            field,
            value,
            "is not a name that a certificate can hold",
            fix,
        )
    })?;
    Ok((Arc::new(config), name))
}

fn trust(tls: &Tls, roots: &Roots) -> Result<Checked, Fault> {
    let Some(pem) = &tls.ca_pem else {
        return roots.platform();
    };
    let unusable = |_| {
        let fix = "give certificates of authorities in PEM form";
        Fault::new(
            "ca_file",
            "",
            "holds a certificate that cannot be used",
            fix,
        )
    };
    let extra = certificates("ca_file", pem)?;
    if !tls.only_ca {
        let verifier = Verifier::new_with_extra_roots(extra, provider()).map_err(unusable)?;
        return Ok(Arc::new(verifier));
    }
    let mut store = RootCertStore::empty();
    for one in extra {
        store.add(one).map_err(unusable)?;
    }
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(store), provider());
    let verifier = verifier
        .build()
        .map_err(|e| unusable(Error::General(e.to_string())))?;
    Ok(verifier)
}

fn certificates(field: &'static str, pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, Fault> {
    let fault = |problem| {
        Fault::new(
            field,
            "",
            problem,
            "give one or more certificates in PEM form",
        )
    };
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    match all {
        Ok(all) if !all.is_empty() => Ok(all),
        Ok(_) => Err(fault("holds no certificate")),
        Err(_) => Err(fault("is not PEM")),
    }
}

fn identity(error: &Error) -> Fault {
    Fault::new(
        "client_cert",
        "",
        format!("cannot be used: {error}"),
        "give the certificate chain and the key that belongs to it",
    )
}
