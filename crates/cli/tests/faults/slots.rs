//! RES-02: every path gives its place back, however it ends: twenty calls in a row under a limit of five.

use crate::{
    house::{Asks, House, SURFACES},
    support::{Caller, Request, caller::H2},
};

const CONFIG: &str = "\
keys: { callers: { value: sk-caller } }
providers:
  good:  { dialect: openai, base_url: \"{sim}/v1\", api_key: sk-1, max_concurrency: 5 }
  other: { dialect: openai, base_url: \"{sim}/v1\", api_key: sk-2, max_concurrency: 5 }
targets:
  rejected:  { provider: good, model: \"sim:status=400\" }
  broken:    { provider: other, model: \"sim:status=500\" }
  cut:       { provider: other, model: \"sim:rst-after=2\" }
  in-band:   { provider: other, model: \"sim:error=server,error-after=2\" }
  silent:    { provider: good, model: \"sim:silent-headers\" }
routes:
  \"*\": { plan: { pass: good } }
  rejected: { plan: rejected }
  broken: { plan: broken }
  cut: { plan: cut }
  in-band: { plan: in-band }
  silent: { plan: silent }
";
const CALLS: usize = 20;

/// Every path, and the status that each of its calls must have.
fn paths() -> Vec<(String, Request, u16)> {
    let mut all: Vec<(String, Request, u16)> = SURFACES
        .map(|asks| (format!("{asks:?}"), asks.of("m"), 200))
        .into();
    let chat = |model: &str| Asks::ChatStream.of(model);
    let post = |path: &str, body: &str| Request::post(path, body);
    let large = format!(
        "{{\"model\":\"m\",\"messages\":\"{}\"}}",
        "a".repeat(64 << 10)
    );
    let more = [
        ("models", Request::get("/v1/models"), 200),
        ("a model", Request::get("/v1/models/rejected"), 200),
        (
            "no such model",
            Request::get("/v1/models/nothing/here"),
            404,
        ),
        ("unknown path", Request::get("/v1/nowhere"), 404),
        ("unknown post", post("/v1/nowhere", "{}"), 404),
        ("wrong method", Request::get(Asks::Chat.path()), 405),
        ("too large", post(Asks::Chat.path(), &large), 413),
        ("not JSON", post(Asks::Chat.path(), "{"), 400),
        ("rejected upstream", chat("rejected"), 400),
        ("broken upstream", chat("broken"), 502),
        ("cut", chat("cut"), 200),
        ("an error inside", chat("in-band"), 200),
        (
            "too late",
            chat("silent").with("x-request-deadline-ms", "15"),
            504,
        ),
    ];
    all.extend(more.map(|(name, request, status)| (name.to_owned(), request, status)));
    let keyed = all.into_iter().map(|(name, request, status)| {
        (
            name,
            request.with("authorization", "Bearer sk-caller"),
            status,
        )
    });
    let mut all: Vec<_> = keyed.collect();
    all.push(("no key".to_owned(), Asks::Chat.of("m"), 401));
    all
}

async fn at_rest(house: &House, what: &str) {
    house
        .until(what, |s| {
            let targets = s["targets"].as_array().unwrap();
            s["in_flight"] == 0 && targets.iter().all(|t| t["in_use"] == 0 && t["queued"] == 0)
        })
        .await;
    let mut admin = Caller::connect(house.gateway.admin).await;
    let metrics = admin.ask(&Request::get("/metrics")).await.text();
    let gauge = metrics
        .lines()
        .find(|l| l.starts_with("punctual_requests_in_flight"));
    let value = gauge.and_then(|l| l.rsplit(' ').next());
    assert_eq!(value, Some("0"), "{what}: {gauge:?}");
}

#[tokio::test]
async fn twenty_calls_in_a_row_find_a_place_on_every_path() {
    let house = House::open("max_in_flight: 5, max_body_bytes: 32KiB", CONFIG).await;
    for (what, request, status) in paths() {
        for n in 0..CALLS {
            let answer = house.ask(&request).await;
            assert_eq!(answer.status, status, "{what}, call {n}: {}", answer.text());
        }
        at_rest(&house, &what).await;
    }
}

#[tokio::test]
async fn twenty_calls_in_a_row_find_a_place_on_one_connection() {
    let house = House::open("max_in_flight: 5, max_body_bytes: 32KiB", CONFIG).await;
    let mut h2 = H2::connect(house.gateway.addr).await;
    for (what, request, status) in paths() {
        for n in 0..CALLS {
            let answer = h2.ask(&request).await;
            assert_eq!(answer.status, status, "{what}, call {n}: {}", answer.text());
        }
        at_rest(&house, &what).await;
    }
}

#[tokio::test]
async fn twenty_callers_that_leave_take_no_place_with_them() {
    let house = House::open("max_in_flight: 5", CONFIG).await;
    for asks in SURFACES {
        for n in 0..CALLS {
            let mut caller = Caller::connect(house.gateway.addr).await;
            let request = asks.of("silent").with("authorization", "Bearer sk-caller");
            caller.send(&request).await;
            let all = n + 1;
            let seen = house
                .sim
                .wait(crate::house::LONG, |seen| seen.len() == all)
                .await;
            assert!(seen.is_ok(), "{asks:?}, call {n}");
            if n % 2 == 0 {
                caller.leave()
            } else {
                caller.reset()
            };
            house
                .until("its place is free", |s| s["in_flight"] == 0)
                .await;
        }
        at_rest(&house, &format!("{asks:?}")).await;
        house.sim.reset();
    }
}
