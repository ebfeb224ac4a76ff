//! HTP-17, HTP-18: `100 Continue` is sent when the head is good, whatever queue stands behind it; a refusal
//! takes its place.

use crate::{
    house::{Asks, House, LONG},
    support::{Caller, Request, canary::Canary, ms},
};
use tokio::time::Instant;

const CONFIG: &str = "\
keys: { callers: { value: sk-caller } }
providers: { p: { dialect: openai, base_url: \"{sim}/v1\", api_key: sk-test } }
targets:
  held: { provider: p, model: \"sim:silent-headers\", lane: one, max_concurrency: 1 }
  free: { provider: p, model: m, lane: one }
routes: { held: { plan: held }, free: { plan: free } }
";
const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

fn keyed(request: Request) -> Request {
    request.with("authorization", "Bearer sk-caller")
}

/// The head of a request with this body, and the body.
fn split(request: &Request, body: &str) -> (Vec<u8>, Vec<u8>) {
    let mut whole = request.clone().with("expect", "100-continue");
    whole.body = body.as_bytes().to_vec();
    let bytes = whole.bytes("localhost");
    let (head, body) = bytes.split_at(bytes.len() - whole.body.len());
    (head.to_vec(), body.to_vec())
}

/// 64 KiB that ask for the route `free`.
fn large() -> String {
    let text = "a".repeat(64 << 10);
    format!("{{\"model\":\"free\",\"messages\":[{{\"role\":\"user\",\"content\":\"{text}\"}}]}}")
}

#[tokio::test]
async fn a_hundred_comes_at_once_although_every_permit_is_taken() {
    let house = House::open("", CONFIG).await;
    let canary = Canary::start();
    for busy in [false, true] {
        house.sim.reset();
        let mut holder = Caller::connect(house.gateway.addr).await;
        if busy {
            holder.send(&keyed(Asks::Chat.of("held"))).await;
            house.sim.wait(LONG, |seen| seen.len() == 1).await.unwrap();
        }
        let (head, body) = split(&keyed(Request::post(Asks::Chat.path(), "")), &large());
        let mut caller = Caller::connect(house.gateway.addr).await;
        let asked = Instant::now();
        caller.write(&head).await.unwrap();
        caller.hear(CONTINUE, LONG).await;
        let took = asked.elapsed();
        assert!(took < ms(50) + canary.p99(), "busy {busy}: {took:?}");
        assert_eq!(caller.heard(), CONTINUE, "busy {busy}");
        caller.write(&body).await.unwrap();
        if busy {
            house
                .until("the upload waits", |s| s["targets"][1]["queued"] == 1)
                .await;
            assert_eq!(
                house.sim.report().len(),
                1,
                "nothing goes up while it waits"
            );
            holder.leave();
        }
        let answer = caller.answer(LONG).await;
        assert_eq!(answer.status, 200, "busy {busy}: {}", answer.text());
        let seen = house.asked("m").pop().unwrap();
        assert_eq!(seen.header("expect"), None, "busy {busy}");
        assert_eq!(
            seen.body.len(),
            body.len() - "free".len() + "m".len(),
            "busy {busy}"
        );
    }
}

#[tokio::test]
async fn a_refusal_takes_the_place_of_a_hundred() {
    let house = House::open("max_body_bytes: 64KiB", CONFIG).await;
    let chat = || Request::post(Asks::Chat.path(), "");
    let short = "{\"model\":\"free\",\"messages\":[]}";
    let plain = Request {
        headers: vec![("content-type".to_owned(), "text/plain".to_owned())],
        ..chat()
    };
    let cases = [
        ("over the limit", keyed(chat()), large(), 413),
        ("no key", chat(), short.to_owned(), 401),
        (
            "another's key",
            chat().with("authorization", "Bearer sk-no"),
            short.to_owned(),
            401,
        ),
        ("no key, over the limit", chat(), large(), 401),
        (
            "no such path",
            keyed(Request {
                path: "/v1/nowhere".to_owned(),
                ..chat()
            }),
            large(),
            404,
        ),
        ("not JSON", keyed(plain), short.to_owned(), 415),
        (
            "time that nobody can read",
            keyed(chat().with("x-request-deadline-ms", "soon")),
            short.to_owned(),
            400,
        ),
        (
            "time that is over",
            keyed(chat().with("x-request-deadline-ms", "-1")),
            short.to_owned(),
            504,
        ),
    ];
    for asks in [Asks::Chat, Asks::Completion, Asks::Embedding] {
        for (what, request, body, status) in &cases {
            let mut request = request.clone();
            request.path = request.path.replace(Asks::Chat.path(), asks.path());
            let (head, _) = split(&request, body);
            let mut caller = Caller::connect(house.gateway.addr).await;
            caller.write(&head).await.unwrap();
            caller.hear(b"\r\n\r\n", LONG).await;
            let heard = String::from_utf8_lossy(caller.heard()).into_owned();
            let line = format!("HTTP/1.1 {status} ");
            assert!(heard.starts_with(&line), "{what}: {heard}");
            let answer = caller.answer(LONG).await;
            assert!(
                answer.json()["error"]["code"].is_string(),
                "{what}: {}",
                answer.text()
            );
            assert_eq!(answer.header("connection"), Some("close"), "{what}");
            // without a word of the body
            let rest = tokio::time::timeout(LONG, caller.read_some()).await;
            assert!(rest.unwrap().is_ok_and(|rest| rest.is_empty()), "{what}");
        }
    }
    assert!(house.sim.report().is_empty());
}
