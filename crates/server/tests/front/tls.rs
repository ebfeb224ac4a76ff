//! The same over TLS: protocols by ALPN, the caller's leaving, a handshake that never ends.

use crate::support::*;
use punctual_core::Outcome;
use punctual_server::{Settings, server_config};
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{PrivateKeyDer, ServerName},
};
use std::{sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::{Instant, timeout},
};
use tokio_rustls::{TlsConnector, client::TlsStream};

async fn gate() -> (Gate, Arc<ClientConfig>) {
    gate_with(ms(300)).await
}

async fn gate_with(header_timeout: Duration) -> (Gate, Arc<ClientConfig>) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let chain = vec![made.cert.der().clone()];
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(chain[0].clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let client = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let settings = Settings {
        tls: Some(server_config(chain, key).unwrap()),
        header_timeout,
        ..Setup::default().settings
    };
    (
        Gate::with(Setup {
            settings,
            ..Setup::default()
        })
        .await,
        Arc::new(client),
    )
}

async fn connect(gate: &Gate, client: &Arc<ClientConfig>, alpn: &[u8]) -> TlsStream<TcpStream> {
    let mut client = (**client).clone();
    client.alpn_protocols = vec![alpn.to_vec()];
    let socket = TcpStream::connect(gate.address).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    TlsConnector::from(Arc::new(client))
        .connect(name, socket)
        .await
        .unwrap()
}

async fn read(stream: &mut TlsStream<TcpStream>, end: &str) -> String {
    let mut all = Vec::new();
    while !String::from_utf8_lossy(&all).contains(end) {
        let n = timeout(LONG, stream.read_buf(&mut all))
            .await
            .unwrap()
            .unwrap();
        assert!(n > 0, "{}", String::from_utf8_lossy(&all));
    }
    String::from_utf8(all).unwrap()
}

#[tokio::test]
async fn both_protocols_are_served_by_alpn() {
    let (gate, client) = gate().await;
    let mut stream = connect(&gate, &client, b"http/1.1").await;
    for _ in 0..2 {
        stream
            .write_all(chat("chat", false, "").as_bytes())
            .await
            .unwrap();
        assert!(
            read(&mut stream, "{\"answer\":1}")
                .await
                .starts_with("HTTP/1.1 200")
        );
    }
    let stream = connect(&gate, &client, b"h2").await;
    let (send, connection) = h2::client::handshake(stream).await.unwrap();
    let request = http::Request::get("https://localhost/healthz")
        .body(())
        .unwrap();
    let mut send: h2::client::SendRequest<bytes::Bytes> = send;
    let (response, _) = send.send_request(request, true).unwrap();
    tokio::select! {
        response = response => assert_eq!(response.unwrap().status(), 200),
        _ = connection => panic!("the connection ended"),
    }
}

#[tokio::test]
async fn leaving_is_seen_below_tls_also_behind_unread_bytes() {
    let (gate, client) = gate().await;
    gate.fake.script("s", vec![Step::Hang]);
    for n in 1..=2 {
        let mut stream = connect(&gate, &client, b"http/1.1").await;
        stream
            .write_all(chat("sim/s", false, "").as_bytes())
            .await
            .unwrap();
        stream.flush().await.unwrap();
        until("it is sent", || gate.fake.sent() == n).await;
        if n == 2 {
            stream.write_all(b"\r\n").await.unwrap();
            stream.flush().await.unwrap();
        }
        let left = Instant::now();
        drop(stream);
        until("the exchange closes", || gate.fake.closed().len() == n).await;
        assert!(gate.fake.closed()[n - 1].saturating_duration_since(left) < SLACK);
        assert_eq!(
            gate.reports(n).await[n - 1].outcome,
            Some(Outcome::Cancelled)
        );
    }
    gate.idle().await;
}

#[tokio::test]
async fn a_handshake_that_never_ends_is_closed() {
    let (gate, _) = gate().await;
    for bytes in ["", "\u{16}\u{3}\u{1}", "GET / HTTP/1.1\r\n\r\n"] {
        let start = Instant::now();
        let mut caller = gate.caller().await;
        caller.send(bytes).await;
        caller.rest().await;
        assert!(start.elapsed() < ms(500), "{bytes:?}");
    }
}

#[tokio::test]
async fn an_early_answer_arrives_over_tls_while_the_caller_writes() {
    let (gate, client) = gate().await;
    let mut stream = connect(&gate, &client, b"http/1.1").await;
    let head = "POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 99999999\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    for _ in 0..20 {
        stream.write_all(&[b' '; 16 << 10]).await.unwrap();
    }
    stream.flush().await.unwrap();
    assert!(
        read(&mut stream, "request_too_large")
            .await
            .starts_with("HTTP/1.1 413")
    );
}

#[tokio::test]
async fn handshakes_that_stop_halfway_hold_up_nobody() {
    let (gate, client) = gate_with(LONG).await;
    let mut halfway = Vec::new();
    for _ in 0..64 {
        let mut caller = gate.caller().await;
        caller.send("\u{16}\u{3}\u{1}").await;
        halfway.push(caller);
    }
    until("all are accepted", || {
        gate.gateway.stats().connections == halfway.len()
    })
    .await;
    let start = Instant::now();
    drop(connect(&gate, &client, b"http/1.1").await);
    assert!(start.elapsed() < ms(1000), "{:?}", start.elapsed());
}
