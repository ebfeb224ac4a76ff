//! SSE-07, HTP-08: images go up and large tool arguments come down; what is over the cap is a failure that
//! says so, and takes no more memory than the cap.

use crate::{
    house::{Asks, House, LONG, SURFACES, delta, stream},
    support::{Caller, Request},
};
use punctual_sim::Cuts;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

const PASS: &str = "providers: { p: { dialect: openai, base_url: \"{sim}/v1\", api_key: sk-test } }\nroutes: { \"*\": { plan: { pass: p } } }\n";
const MIB: usize = 1 << 20;

/// One event of arguments this long.
fn arguments(length: usize) -> String {
    let call = "\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"ARGUMENTS\"}}]";
    delta(call).replace("ARGUMENTS", &"a".repeat(length))
}

#[tokio::test]
async fn an_event_of_sixteen_mebibytes_is_relayed() {
    let house = House::open("", PASS).await;
    let end = "data: [DONE]\n\n";
    let small = delta("\"content\":\"seen\"");
    for length in [64 << 10, MIB, 16 * MIB] {
        let large = arguments(length + 1);
        for body in [
            format!("{large}{end}"),
            format!("{small}{large}{small}{end}"),
        ] {
            house.sim.set("m", stream(body.clone(), Cuts::Whole));
            let answer = house.ask(&Asks::ChatStream.of("m")).await;
            let same = answer.body == body.as_bytes();
            assert!(
                answer.complete && same,
                "{length}: {} bytes",
                answer.body.len()
            );
        }
    }
}

/// An upstream whose event never ends; how much of it could be written before the connection was closed.
async fn endless(listener: &TcpListener, before: &str) -> usize {
    let (mut tcp, _) = listener.accept().await.unwrap();
    let mut request = [0; 4096];
    let _ = tcp.read(&mut request).await.unwrap();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n{before}data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\""
    );
    tcp.write_all(head.as_bytes()).await.unwrap();
    let (piece, mut written) = (vec![b'a'; 64 << 10], 0);
    while written < ENDLESS && tcp.write_all(&piece).await.is_ok() {
        written += piece.len();
    }
    written
}

/// What an upstream would send of one event, far beyond what anybody may hold of it.
const ENDLESS: usize = 512 * MIB;
const CAP: usize = 4 * MIB;
/// What the kernel may hold between the two of them.
const SOCKETS: usize = 12 * MIB;
/// What an allocator may keep of sixteen events at the cap.
const ALLOCATOR: u64 = 160 << 20;

#[tokio::test]
async fn an_event_over_the_cap_is_a_failure_and_memory_is_bounded() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let config = PASS.replace("api_key", "max_event_bytes: 4MiB, api_key");
    let addr = listener.local_addr().unwrap();
    let house = House::open("", &config.replace("{sim}", &format!("http://{addr}"))).await;
    let (before, seen) = (house.memory(), delta("\"content\":\"seen\""));
    for begun in ["", &*seen].repeat(8) {
        let mut caller = Caller::connect(house.gateway.addr).await;
        caller.send(&Asks::ChatStream.of("m")).await;
        let (written, answer) = tokio::join!(endless(&listener, begun), caller.answer(LONG));
        assert!(written < CAP + SOCKETS, "{written} bytes were taken");
        let text = answer.text();
        if begun.is_empty() {
            let told = (answer.status, answer.code());
            assert_eq!(told, (502, "response_too_large".to_owned()), "{text}");
            assert!(text.contains("max_event_bytes"), "{text}");
        } else {
            let errors = answer.error_events();
            let told = (answer.status, errors.len(), answer.done());
            assert_eq!(told, (200, 1, false), "{text}");
            assert_eq!(errors[0]["code"], "response_too_large", "{text}");
            assert!(text.starts_with(begun), "{text}");
        }
    }
    let held = house.memory().saturating_sub(before);
    assert!(held < ALLOCATOR, "{held} bytes more");
}

#[tokio::test]
async fn images_of_three_and_of_thirty_megabytes_go_up_untouched() {
    let house = House::open("", PASS).await;
    for bytes in [3_000_000, 30_000_000] {
        for asks in SURFACES {
            let image = "QUJD".repeat(bytes / 4);
            let url = format!("data:image/png;base64,{image}");
            let body = match asks {
                Asks::Chat | Asks::ChatStream => format!(
                    "{{\"model\":\"m\",\"stream\":{},\"messages\":[{{\"role\":\"user\",\"content\":[{{\"type\":\"image_url\",\"image_url\":{{\"url\":\"{url}\"}}}}]}}]}}",
                    asks.streams()
                ),
                Asks::Embedding => format!("{{\"input\":\"{url}\",\"model\":\"m\"}}"),
                _ => format!(
                    "{{\"prompt\":\"{url}\",\"stream\":{},\"model\":\"m\"}}",
                    asks.streams()
                ),
            };
            house.sim.reset();
            let answer = house.ask(&Request::post(asks.path(), &body)).await;
            assert_eq!(answer.status, 200, "{bytes} {asks:?}: {}", answer.text());
            let [seen] = &house.sim.report()[..] else {
                panic!("{bytes} {asks:?}: asked more than once");
            };
            assert!(
                seen.body == body.as_bytes(),
                "{bytes} {asks:?}: {} of {}",
                seen.body.len(),
                body.len()
            );
            let length = body.len().to_string();
            assert_eq!(seen.header("content-length"), Some(length.as_str()));
        }
    }
}
