//! No bytes that a server can send make the library panic, however they are cut: the answer is an answer, or
//! an error with a code.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use proptest::prelude::*;
use punctual::{Call, Client, Node, Timeouts, anthropic, aws, google, openai, typesafe, vercel};
use std::{sync::OnceLock, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    runtime::Runtime,
};

fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| Runtime::new().unwrap())
}

fn clients(url: &str) -> Vec<(Node, bool)> {
    let clocks = Timeouts::none().total(Duration::from_secs(5));
    let asked = |client: Node, streams| (client, streams);
    vec![
        asked(
            openai::Chat::new("m")
                .base_url(url)
                .key("k")
                .timeouts(clocks)
                .node(),
            true,
        ),
        asked(openai::Generic::new(url, "m").timeouts(clocks).node(), true),
        asked(
            openai::Responses::new("m")
                .base_url(url)
                .key("k")
                .timeouts(clocks)
                .node(),
            true,
        ),
        asked(
            openai::Azure::new(url, "m")
                .key("k")
                .timeouts(clocks)
                .node(),
            true,
        ),
        asked(
            openai::OpenRouter::new("m")
                .base_url(url)
                .key("k")
                .timeouts(clocks)
                .node(),
            true,
        ),
        asked(
            openai::Ollama::new("m")
                .base_url(url)
                .timeouts(clocks)
                .node(),
            true,
        ),
        asked(
            openai::Image::new("m")
                .base_url(url)
                .key("k")
                .timeouts(clocks)
                .node(),
            false,
        ),
        asked(
            anthropic::Messages::new("m")
                .base_url(url)
                .key("k")
                .timeouts(clocks)
                .node(),
            true,
        ),
        asked(
            google::Gemini::new("m")
                .base_url(url)
                .key("k")
                .timeouts(clocks)
                .node(),
            true,
        ),
        asked(
            google::Vertex::new("p", "l", "m")
                .base_url(url)
                .key("k")
                .timeouts(clocks)
                .node(),
            true,
        ),
        asked(
            aws::Bedrock::new("r", "m")
                .base_url(url)
                .key("k")
                .timeouts(clocks)
                .node(),
            true,
        ),
        asked(
            typesafe::SystemOne::new(url, "m")
                .key("k")
                .timeouts(clocks)
                .node(),
            false,
        ),
        asked(
            vercel::AiGatewayImage::new("m")
                .base_url(url)
                .key("k")
                .timeouts(clocks)
                .node(),
            false,
        ),
    ]
}

/// Serves one request with these bytes, cut at these places.
async fn serve(listener: TcpListener, bytes: Vec<u8>, cuts: Vec<usize>) {
    let (mut tcp, _) = listener.accept().await.unwrap();
    tcp.set_nodelay(true).unwrap();
    let mut piece = [0; 4096];
    let _ = tcp.read(&mut piece).await;
    let mut from = 0;
    for to in cuts.into_iter().chain([bytes.len()]) {
        let to = to.clamp(from, bytes.len());
        if tcp.write_all(&bytes[from..to]).await.is_err() {
            return;
        }
        tokio::task::yield_now().await;
        from = to;
    }
    let _ = tcp.shutdown().await;
    let _ = tcp.read(&mut piece).await;
}

async fn ask(index: usize, stream: bool, bytes: Vec<u8>, cuts: Vec<usize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let clients = clients(&url);
    let (client, streams) = &clients[index % clients.len()];
    let call = Call::new().user(r#"{"questions":{}}"#);
    let call = async {
        match stream && *streams {
            true => client.invoke_stream(&call).await?.collect().await,
            false => client.invoke(&call).await,
        }
    };
    let mut server = tokio::task::JoinSet::new();
    server.spawn(serve(listener, bytes, cuts));
    if let Err(error) = call.await {
        assert_ne!(error.kind(), punctual::Code::Internal, "{error}");
        assert!(!error.to_string().is_empty());
    }
}

/// Pieces that the dialects know, in any order and broken anywhere.
const WORDS: [&str; 24] = [
    "data: ",
    "\n\n",
    "\r\n",
    "event: error\n",
    "[DONE]",
    "{\"choices\":[",
    "{\"delta\":{\"content\":\"x\"}}",
    "]}",
    "\"finish_reason\":\"stop\"",
    "{\"type\":\"content_block_delta\",\"index\":",
    "0,",
    "18446744073709551616",
    "\"delta\":{\"type\":\"text_delta\",\"text\":\"\\ud800\"}}",
    "{\"candidates\":[{\"content\":{\"parts\":[",
    "null",
    "{\"message\":{\"content\":\"x\"},\"done\":true}\n",
    "{\"type\":\"response.completed\",\"response\":{}}",
    "{\"error\":{\"message\":\"",
    "\u{feff}",
    "{\"output\":{\"message\":{\"content\":[{\"text\":\"x\"}]}}}",
    "-1e999",
    "{\"data\":[{\"b64_json\":\"",
    "\"tool_calls\":[{\"index\":99999,\"function\":{\"arguments\":\"{\"}}]",
    "[[[[[[[[",
];

fn body() -> impl Strategy<Value = Vec<u8>> {
    let words = prop::collection::vec(prop::sample::select(&WORDS[..]), 0..24);
    prop_oneof![
        words.prop_map(|words| words.concat().into_bytes()),
        prop::collection::vec(any::<u8>(), 0..512),
    ]
}

const KINDS: [&str; 6] = [
    "text/event-stream",
    "application/json",
    "application/x-ndjson",
    "application/vnd.amazon.eventstream",
    "text/html",
    "\u{7f}",
];

fn head() -> impl Strategy<Value = String> {
    let status = prop_oneof![4 => Just(200_u16), 1 => 100_u16..600];
    (status, prop::sample::select(&KINDS[..]), any::<bool>()).prop_map(|(status, kind, close)| {
        let end = if close {
            "connection: close\r\n"
        } else {
            "content-length: 300\r\n"
        };
        format!("HTTP/1.1 {status} x\r\ncontent-type: {kind}\r\nretry-after: 9\r\n{end}\r\n")
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_of_a_server_make_it_panic(
        index in 0_usize..13, stream: bool, head in head(), body in body(),
        cuts in prop::collection::vec(0_usize..800, 0..4),
    ) {
        let mut cuts = cuts;
        cuts.sort_unstable();
        let bytes = [head.into_bytes(), body].concat();
        runtime().block_on(ask(index, stream, bytes, cuts));
    }

    #[test]
    fn bytes_that_are_no_http_at_all_are_a_failure(bytes in prop::collection::vec(any::<u8>(), 0..256)) {
        runtime().block_on(ask(0, true, bytes, Vec::new()));
    }
}
