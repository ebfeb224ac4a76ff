//! What a call through the library costs beyond a bare call of hyper-util's client: the same bytes to the same
//! server in this process, over one kept connection, one after another. Prints both and the difference, in
//! microseconds of wall time; `cargo bench -p punctual --profile dist`. The overhead is to stay within 8 µs.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measurement prints what it measured, and serves itself"
)]

use bytes::Bytes;
use http::{Request, header};
use http_body_util::{BodyExt, Full};
use hyper::{Response, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::{
    client::legacy::{Client as Bare, connect::HttpConnector},
    rt::{TokioExecutor, TokioIo},
};
use punctual::{Call, Client, Fallback, openai};
use std::{convert::Infallible, time::Duration};
use tokio::{net::TcpListener, runtime::Builder, time::Instant};

const ANSWER: &str = r#"{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}"#;
const QUESTION: &str = r#"{"model":"m","messages":[{"role":"user","content":"hi"}]}"#;
const ROUNDS: usize = 40;
const CALLS: u32 = 500;

async fn serve(listener: TcpListener) {
    loop {
        let (tcp, _) = listener.accept().await.unwrap();
        tcp.set_nodelay(true).unwrap();
        tokio::spawn(async move {
            let answer = service_fn(|request: Request<Incoming>| async {
                request.into_body().collect().await.unwrap();
                let mut answer = Response::new(Full::new(Bytes::from_static(ANSWER.as_bytes())));
                let json = header::HeaderValue::from_static("application/json");
                answer.headers_mut().insert(header::CONTENT_TYPE, json);
                Ok::<_, Infallible>(answer)
            });
            let _ = http1::Builder::new()
                .serve_connection(TokioIo::new(tcp), answer)
                .await;
        });
    }
}

async fn bare(client: &Bare<HttpConnector, Full<Bytes>>, url: &str) {
    let request = Request::post(url)
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::AUTHORIZATION, "Bearer k")
        .body(Full::new(Bytes::from_static(QUESTION.as_bytes())));
    let answer = client.request(request.unwrap()).await.unwrap();
    answer.into_body().collect().await.unwrap();
}

fn main() {
    let server = Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let listener = server.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    server.spawn(serve(listener));
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(measure(&base));
}

async fn measure(base: &str) {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    let plain: Bare<_, Full<Bytes>> = Bare::builder(TokioExecutor::new()).build(connector);
    let url = format!("{base}/chat/completions");
    let to = |model| openai::Chat::new(model).base_url(base).key("k");
    let (ours, call) = (Fallback::new([to("m"), to("n")]), Call::new().user("hi"));
    let (mut theirs, mut own) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let started = Instant::now();
        for _ in 0..CALLS {
            bare(&plain, &url).await;
        }
        theirs.push(started.elapsed() / CALLS);
        let started = Instant::now();
        for _ in 0..CALLS {
            ours.invoke(&call).await.unwrap();
        }
        own.push(started.elapsed() / CALLS);
    }
    // the least disturbed tenth of the rounds: the machine is shared
    let best = |mut times: Vec<Duration>| {
        times.sort_unstable();
        let few = &times[..ROUNDS / 10];
        few.iter().sum::<Duration>().as_secs_f64() * 1e6 / few.len() as f64
    };
    let (theirs, own) = (best(theirs), best(own));
    println!(
        "bare {theirs:.1} µs, Fallback {own:.1} µs, overhead {:.1} µs",
        own - theirs
    );
}
