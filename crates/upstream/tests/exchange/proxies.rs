//! Through a proxy: tunnels, forwarded requests, refusals.

use crate::support::{Ask, Bench, HTTP1, WAYS};
use punctual_core::Code;
use punctual_sim::Listen;
use punctual_upstream::{EgressProxy, TargetSpec};
use std::sync::{Arc, Mutex};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

/// A proxy of a few lines that opens tunnels, forwards absolute-form requests to where they name, and
/// keeps the heads it saw.
struct Proxy {
    url: String,
    heads: Arc<Mutex<Vec<String>>>,
    _tasks: JoinSet<()>,
}

impl Proxy {
    async fn start(status: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://user:pass@{}", listener.local_addr().unwrap());
        let heads = Arc::new(Mutex::new(Vec::new()));
        let mut tasks = JoinSet::new();
        let seen = heads.clone();
        tasks.spawn(async move {
            let mut all = JoinSet::new();
            while let Ok((tcp, _)) = listener.accept().await {
                all.spawn(serve(tcp, status, seen.clone()));
            }
        });
        Self {
            url,
            heads,
            _tasks: tasks,
        }
    }

    fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }
}

async fn serve(mut tcp: TcpStream, status: u16, heads: Arc<Mutex<Vec<String>>>) {
    let mut head = Vec::new();
    while !head.windows(4).any(|w| w == b"\r\n\r\n") {
        let mut byte = [0];
        if tcp.read_exact(&mut byte).await.is_err() {
            return;
        }
        head.extend(byte);
    }
    let head = String::from_utf8(head).unwrap();
    heads.lock().unwrap().push(head.clone());
    let words: Vec<&str> = head.split(' ').collect();
    if status != 200 {
        let answer = format!("HTTP/1.1 {status} No\r\ncontent-length: 0\r\n\r\n");
        tcp.write_all(answer.as_bytes()).await.unwrap();
        return;
    }
    let place = words[1]
        .trim_start_matches("http://")
        .split('/')
        .next()
        .unwrap();
    let mut up = TcpStream::connect(place).await.unwrap();
    if words[0] == "CONNECT" {
        tcp.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
    } else {
        let origin = head.replacen(&format!("http://{place}"), "", 1);
        up.write_all(origin.as_bytes()).await.unwrap();
    }
    let _ = copy_bidirectional(&mut tcp, &mut up).await;
}

fn through(proxy: &Proxy) -> impl FnOnce(&mut TargetSpec) {
    let url = proxy.url.clone();
    move |spec| {
        spec.endpoint.proxy = Some(EgressProxy {
            http: url.clone(),
            https: url,
            no_proxy: String::new(),
        });
    }
}

#[tokio::test]
async fn every_way_leads_through_a_proxy_with_its_credential() {
    for way in WAYS {
        let proxy = Proxy::start(200).await;
        let bench = Bench::with(way, Listen::loopback(), through(&proxy)).await;
        bench.hear(&Ask::stream("sim:tokens=3")).await.complete();
        let heads = proxy.heads();
        let tunnelled = way.tls || way.http2;
        assert_eq!(
            heads[0].starts_with("CONNECT "),
            tunnelled,
            "{way:?} {heads:?}"
        );
        assert!(
            heads[0]
                .to_lowercase()
                .contains("proxy-authorization: basic dxnlcjpwyxnz"),
            "{heads:?}"
        );
        let seen = bench.seen(|_| true).await;
        assert_eq!(seen.path, "/v1/chat/completions");
        // a tunnel hides the credential from the upstream; a real forwarding proxy strips it
        assert_eq!(seen.header("proxy-authorization").is_none(), tunnelled);
    }
}

#[tokio::test]
async fn a_proxy_that_refuses_is_a_connection_that_failed() {
    for way in WAYS {
        let proxy = Proxy::start(407).await;
        let bench = Bench::with(way, Listen::loopback(), through(&proxy)).await;
        let failure = bench.fails(&Ask::unary("m")).await;
        assert_eq!(failure.code, Code::ConnectFailed);
        assert!(failure.message.contains("proxy"), "{}", failure.message);
        assert!(bench.sim.report().is_empty());
    }
}

#[tokio::test]
async fn no_proxy_goes_around_it() {
    let proxy = Proxy::start(500).await;
    let around = |spec: &mut TargetSpec| {
        through(&proxy)(spec);
        spec.endpoint.proxy.as_mut().unwrap().no_proxy = "127.0.0.0/8".into();
    };
    let bench = Bench::with(HTTP1, Listen::loopback(), around).await;
    bench.hear(&Ask::unary("m")).await.complete();
    assert!(proxy.heads().is_empty());
}
