//! FBK-13, FBK-14: nothing of an attempt that failed is left in the request of the next one.

use crate::{
    house::{Asks, House, SURFACES},
    support::Request,
};

/// How the first member fails.
const FAILS: [&str; 6] = [
    "sim:status=500",
    "sim:status=429",
    "sim:rst",
    "sim:silent-headers",
    "sim:error=overloaded,error-first",
    "sim:malformed-json",
];

/// A body that no serialiser would write, with this as the model.
fn body(asks: Asks, model: &str) -> String {
    let said = match asks {
        Asks::Chat | Asks::ChatStream => {
            r#""messages":[{"content":"\ud83d na\u00efve \u2028 {\"model\":\"other\"}","role":"user"}]"#
        }
        Asks::Completion | Asks::CompletionStream => r#""prompt" : "\u0000 na\u00efve""#,
        Asks::Embedding => r#""input":["a" ,"b"]"#,
    };
    let stream = asks.streams();
    format!(
        "{{ \"stream\" :{stream},\"seed\":12345678901234567890123,\"temperature\":1.00e0,\"x\":{{\"model\":\"deep\",\"n\":[1e400,-0]}},\n\t\"mo\\u0064el\" : \"{model}\" ,{said},\"stop\":null, \"z\":{{}} }}"
    )
}

fn posted(asks: Asks, model: &str) -> Request {
    Request::post(asks.path(), &body(asks, model))
        .with("cookie", "mine=1")
        .with("x-tenant", "acme")
}

const MEMBERS: &str = "\
providers:
  first:  { dialect: openai, base_url: \"{sim}/first/v1\", api_key: sk-first-1, timeout: 150ms, usage: inject, headers: { x-first: one }, forward_headers: [ x-tenant ] }
  second: { dialect: openai, base_url: \"{sim}/second/v1\", api_key: sk-second-2 }
  third:  { dialect: generic, base_url: \"{sim}/third/v1\" }
";

/// Routes `r0`… of a first member that fails so, and the second or the third behind it.
pub fn config(fails: &[&str]) -> String {
    let (mut targets, mut routes) = (String::new(), String::new());
    for (n, fails) in fails.iter().enumerate() {
        targets += &format!("  a{n}: {{ provider: first, model: \"{fails}\" }}\n");
        let next = ["b", "c"][n % 2];
        routes += &format!("  r{n}: {{ plan: {{ fallback: [ a{n}, {next} ] }} }}\n");
    }
    format!(
        "{MEMBERS}targets:\n{targets}  b: {{ provider: second, model: llama-y }}\n  c: {{ provider: third, model: llama-z }}\nroutes:\n{routes}"
    )
}

#[tokio::test]
async fn the_next_member_gets_the_callers_own_bytes() {
    let house = House::open("", &config(&FAILS)).await;
    for (n, fails) in FAILS.iter().enumerate() {
        for asks in SURFACES {
            let what = format!("{fails} {asks:?}");
            house.sim.reset();
            let answer = house.ask(&posted(asks, &format!("r{n}"))).await;
            assert_eq!(answer.status, 200, "{what}: {}", answer.text());
            // a kept connection that is reset costs nothing: the first member is asked twice
            let [first, .., second] = &house.sim.report()[..] else {
                panic!("{what}: {:#?}", house.sim.report());
            };
            let (model, path) = [("llama-y", "/second"), ("llama-z", "/third")][n % 2];
            assert_eq!(first.header("x-first"), Some("one"), "{what}");
            assert_eq!(first.header("x-tenant"), Some("acme"), "{what}");
            assert_eq!(second.path, format!("{path}{}", asks.path()), "{what}");
            let text = std::str::from_utf8(&second.body).unwrap();
            assert_eq!(text, body(asks, model), "{what}");
            let length = second.body.len().to_string();
            assert_eq!(
                second.header("content-length"),
                Some(length.as_str()),
                "{what}"
            );
            for name in ["x-first", "x-tenant", "cookie", "transfer-encoding"] {
                assert_eq!(second.header(name), None, "{what}: {name}");
            }
        }
    }
}

#[tokio::test]
async fn every_member_has_its_own_credential_and_no_cookie() {
    let cookie = "header=set-cookie:session=first";
    let fails = [
        format!("sim:status=401,{cookie}"),
        format!("sim:status=403,{cookie}"),
        format!("sim:status=500,{cookie}"),
        format!("sim:error=rate_limit,error-first,{cookie}"),
    ];
    let fails: Vec<&str> = fails.iter().map(String::as_str).collect();
    let keys = "keys: { callers: { value: sk-caller-0 } }\n";
    let house = House::open("", &format!("{keys}{}", config(&fails))).await;
    for (n, fails) in fails.iter().enumerate() {
        let what = format!("{fails} before {}", ["b", "c"][n % 2]);
        house.sim.reset();
        let request =
            posted(Asks::ChatStream, &format!("r{n}")).with("authorization", "Bearer sk-caller-0");
        let answer = house.ask(&request).await;
        assert_eq!(answer.status, 200, "{what}: {}", answer.text());
        let [first, second] = &house.sim.report()[..] else {
            panic!("{what}: {:#?}", house.sim.report());
        };
        let own = [Some("Bearer sk-second-2"), None][n % 2];
        assert_eq!(
            first.header("authorization"),
            Some("Bearer sk-first-1"),
            "{what}"
        );
        assert_eq!(second.header("authorization"), own, "{what}");
        for seen in [first, second] {
            assert_eq!(seen.header("cookie"), None, "{what}");
            let lines = seen.headers.iter().map(|(_, value)| value.as_str());
            let ours = lines.clone().filter(|v| v.contains("sk-caller-0")).count();
            assert_eq!(ours, 0, "{what}: {:?}", seen.headers);
        }
        assert_eq!(answer.header("set-cookie"), None, "{what}");
    }
}
