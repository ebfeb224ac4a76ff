//! An upstream that asks for a certificate: without one that its authority signed, no handshake.

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::{
    RootCertStore, ServerConfig, ServerConnection, StreamOwned,
    pki_types::{PrivateKeyDer, pem::PemObject},
    server::WebPkiClientVerifier,
};
use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    sync::Arc,
};

const ANSWER: &str = r#"{"id":"x","object":"chat.completion","created":1,"model":"t","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}"#;

/// Starts one; writes `ca.pem`, `client.pem`, `client-key.pem` and its port as `mutual.port`.
pub fn start(dir: &Path) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    let ca = params.self_signed(&key).unwrap();
    let issuer = Issuer::new(params, key);
    let leaf = |name: &str| {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        (params.signed_by(&key, &issuer).unwrap(), key)
    };
    let (client, client_key) = leaf("client");
    let (server, server_key) = leaf("localhost");
    let write = |name: &str, text: String| std::fs::write(dir.join(name), text).unwrap();
    write("ca.pem", ca.pem());
    write("client.pem", client.pem());
    write("client-key.pem", client_key.serialize_pem());

    let mut roots = RootCertStore::empty();
    roots.add(ca.der().clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier =
        WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider.clone()).build();
    let key = PrivateKeyDer::from_pem_slice(server_key.serialize_pem().as_bytes()).unwrap();
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_client_cert_verifier(verifier.unwrap())
        .with_single_cert(vec![server.der().clone()], key)
        .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    write(
        "mutual.port",
        listener.local_addr().unwrap().port().to_string(),
    );
    let config = Arc::new(config);
    // ends with the test process
    std::thread::spawn(move || {
        for tcp in listener.incoming().flatten() {
            let _ = serve(tcp, config.clone());
        }
    });
}

fn serve(tcp: TcpStream, config: Arc<ServerConfig>) -> std::io::Result<()> {
    let tls = ServerConnection::new(config).map_err(std::io::Error::other)?;
    let mut stream = StreamOwned::new(tls, tcp);
    let (mut request, mut buffer) = (Vec::new(), [0; 4096]);
    // the body of a unary chat request ends like this
    while !request.ends_with(b"\"stream\":false}") {
        let n = stream.read(&mut buffer)?;
        if n == 0 {
            return Ok(());
        }
        request.extend_from_slice(&buffer[..n]);
    }
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{ANSWER}",
        ANSWER.len()
    )?;
    stream.conn.send_close_notify();
    stream.flush()
}
