//! State that only its maker can continue, through the built binary: it goes back to the target that made it
//! though the route would choose another, is not failed over, and says so when that target is gone.

use crate::{
    peers::{PEERS, Peer},
    stage::{Stage, beside},
    support::{Answer, Caller, Request, ms},
    voices::{Voice, events},
};
use punctual_sim::{Cuts, Script};
use serde_json::{Value, json};

/// Two makers behind one route, told apart by the model they are asked for.
pub fn config(origin: &str, members: &[&str], more: &str) -> String {
    let (mut targets, plan) = (String::new(), members.join(", "));
    for m in members {
        let (name, dialect) = (
            m,
            match m.chars().next() {
                Some('m') => "anthropic",
                Some('b') => "bedrock, region: r, api: invoke",
                _ => "responses",
            },
        );
        targets += &format!(
            "  {name}: {{ dialect: {dialect}, base_url: \"{origin}/v1\", api_key: key-of-{name}, model: {name}{more} }}\n"
        );
    }
    format!(
        "server: {{ listen: 127.0.0.1:0, admin: {{ listen: 127.0.0.1:0 }} }}\ntargets:\n{targets}routes:\n  r: {{ plan: {{ round_robin: [ {plan} ] }} }}\n  f: {{ plan: [ {plan} ] }}\n"
    )
}

fn follows(route: &str, id: &str) -> Request {
    let mut body = Voice::Responses.body(route, false);
    body["previous_response_id"] = json!(id);
    Request::post("/v1/responses", &body.to_string())
}

/// The target that an answer is from.
pub fn maker(answer: &Answer) -> String {
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.header("x-punctual-target").unwrap().to_owned()
}

fn id(answer: &Answer) -> String {
    answer.json()["id"].as_str().unwrap().to_owned()
}

pub async fn reload(stage: &Stage, text: &str, times: usize) {
    let new = stage.gateway.config.with_extension("new");
    std::fs::write(&new, text).unwrap();
    std::fs::rename(&new, &stage.gateway.config).unwrap();
    let said = stage.gateway.said().clone();
    let found = tokio::task::spawn_blocking(move || {
        let mut n = 0;
        said.find(ms(10_000), |line| {
            n += usize::from(line.contains("configuration reloaded"));
            (n >= times).then_some(())
        })
    });
    assert!(found.await.unwrap().is_some(), "no reload");
}

#[test]
fn a_response_is_continued_by_its_maker_whatever_the_route_would_do() {
    beside(async {
        let stage = Stage::open(|origin| config(origin, &["r1", "r2", "r3"], "")).await;
        for stream in [false, true] {
            for _ in 0..3 {
                let first = stage.ask(&Voice::Responses.asks("r", stream)).await;
                // the head of a stream names who serves it as well
                let by = maker(&first);
                let id = match stream {
                    false => id(&first),
                    true => events(&first)[0].json()["response"]["id"]
                        .as_str()
                        .unwrap()
                        .to_owned(),
                };
                for route in ["r", "r", "r", "f"] {
                    let next = stage.ask(&follows(route, &id)).await;
                    assert_eq!(maker(&next), by, "{route}, stream {stream}");
                }
            }
        }
    });
}

#[test]
fn a_maker_that_failed_is_still_asked_one_call_at_a_time() {
    beside(async {
        let stage = Stage::open(|origin| config(origin, &["r1", "r2"], "")).await;
        let first = stage.ask(&Voice::Responses.asks("f", false)).await;
        let (by, id) = (maker(&first), id(&first));
        stage.plays(&by, "status=500");
        // the fifth opens its breaker
        for n in 1..=7 {
            let failed = stage.ask(&follows("f", &id)).await;
            assert_eq!(
                (failed.status, failed.code().as_str()),
                (502, "server_error")
            );
            assert_eq!(failed.header("x-punctual-target"), Some(&*by));
            assert_eq!(stage.asked(&by).len(), n + 1);
        }
        stage.plays(&by, "silent-headers");
        let mut probe = Caller::connect(stage.gateway.addr).await;
        probe.send(&follows("f", &id)).await;
        let out = |s: &punctual_sim::Seen| s.received.is_some() && s.headers_sent.is_none();
        stage.seen(&by, out).await;
        let other = stage.ask(&follows("f", &id)).await;
        assert_eq!(
            (other.status, other.code().as_str()),
            (409, "bound_state_unavailable"),
            "{}",
            other.text()
        );
        probe.leave();
        stage.seen(&by, |s| s.closed.is_some()).await;
        stage.plays(&by, "tokens=3");
        // its upstream sees a probe go a moment before the probe's place is free
        let free = async {
            loop {
                let next = stage.ask(&follows("f", &id)).await;
                if next.status != 409 {
                    break next;
                }
            }
        };
        let next = tokio::time::timeout(ms(10_000), free).await;
        assert_eq!(maker(&next.expect("its place")), by);
    });
}

/// What the AI SDK sends of earlier turns, unless it is told to store nothing.
#[test]
fn an_item_by_reference_is_refused_where_nobody_stored_it() {
    beside(async {
        let stage = Stage::open(|origin| {
            let targets = PEERS.map(|peer| peer.target(&format!("{peer:?}"), origin, ""));
            let routes = PEERS.map(|peer| format!("  {peer:?}: {{ plan: {peer:?} }}\n"));
            format!("targets:\n{}routes:\n{}", targets.concat(), routes.concat())
        })
        .await;
        for peer in PEERS {
            let mut body = Voice::Responses.body(&format!("{peer:?}"), false);
            body["input"] = json!([
                { "role": "user", "content": "hi" },
                { "type": "item_reference", "id": "msg_1" },
                { "role": "user", "content": "go on" },
            ]);
            let answer = stage
                .ask(&Request::post("/v1/responses", &body.to_string()))
                .await;
            let expected = match peer {
                Peer::Responses => (200, "-"),
                _ => (400, "unsupported"),
            };
            let code = answer.code();
            assert_eq!(
                (answer.status, &*code),
                expected,
                "{peer:?}: {}",
                answer.text()
            );
        }
    });
}

#[test]
fn a_response_is_read_cancelled_and_deleted_where_it_was_made() {
    beside(async {
        let stage = Stage::open(|origin| config(origin, &["r1", "r2", "r3"], "")).await;
        for _ in 0..3 {
            let first = stage.ask(&Voice::Responses.asks("r", false)).await;
            let (by, id) = (maker(&first), id(&first));
            let at = |more: &str| format!("/v1/responses/{id}{more}");
            let read = stage.ask(&Request::get(&at(""))).await;
            assert_eq!(maker(&read), by);
            assert_eq!(read.json()["id"], id.as_str());
            let cancelled = stage.ask(&Request::post(&at("/cancel"), "")).await;
            assert_eq!(maker(&cancelled), by);
            assert_eq!(cancelled.json()["status"], "cancelled");
            let mut delete = Request::get(&at(""));
            delete.method = "DELETE";
            let deleted = stage.ask(&delete).await;
            assert_eq!(maker(&deleted), by);
            assert_eq!(deleted.json()["deleted"], true);
            let paths: Vec<_> = stage.sim.report().into_iter().map(|s| s.path).collect();
            for path in [at(""), at("/cancel")] {
                assert!(paths.contains(&path), "{paths:?}");
            }
            // the key of the maker, no other's
            let keys = stage.sim.report().into_iter().filter(|s| s.path == at(""));
            for seen in keys {
                assert_eq!(
                    seen.header("authorization").unwrap(),
                    format!("Bearer key-of-{by}")
                );
            }
        }
        let unknown = stage.ask(&Request::get("/v1/responses/resp_unknown")).await;
        assert_eq!(unknown.status, 409, "{}", unknown.text());
        assert_eq!(unknown.code(), "bound_state_unavailable");
        let odd = stage.ask(&Request::get("/v1/responses/a%2Fb")).await;
        assert_eq!(
            (odd.status, odd.code().as_str()),
            (400, "invalid_response_id")
        );
    });
}

#[test]
fn a_call_with_state_is_not_failed_over_and_says_what_became_of_its_maker() {
    beside(async {
        let stage = Stage::open(|origin| config(origin, &["r1", "r2"], "")).await;
        let first = stage.ask(&Voice::Responses.asks("f", false)).await;
        assert_eq!(maker(&first), "r1");
        let id = id(&first);
        stage.plays("r1", "status=500");
        stage.sim.reset();
        let failed = stage.ask(&follows("f", &id)).await;
        assert_eq!(
            (failed.status, failed.code().as_str()),
            (502, "server_error"),
            "{}",
            failed.text()
        );
        assert_eq!(
            (stage.asked("r1").len(), stage.asked("r2").len()),
            (1, 0),
            "{}",
            failed.text()
        );
        // without state the next member serves
        assert_eq!(
            maker(&stage.ask(&Voice::Responses.asks("f", false)).await),
            "r2"
        );
        // a maker that was asked to be left alone cannot serve either
        stage.plays("r1", "status=429,retry-after=60");
        stage.ask(&Voice::Responses.asks("f", false)).await;
        stage.sim.reset();
        let resting = stage.ask(&follows("f", &id)).await;
        assert_eq!(
            (resting.status, resting.code().as_str()),
            (409, "bound_state_unavailable"),
            "{}",
            resting.text()
        );
        assert_eq!(stage.sim.report().len(), 0);
    });
}

#[test]
fn bonds_survive_a_reload_and_a_maker_that_is_gone_is_said_to_be() {
    beside(async {
        let mut origin = String::new();
        let stage = Stage::open(|o| {
            origin = o.to_owned();
            config(o, &["r1", "r2", "r3"], "")
        })
        .await;
        let first = stage.ask(&Voice::Responses.asks("f", false)).await;
        assert_eq!(maker(&first), "r1");
        let id = id(&first);
        // in another order, with other clocks: the same endpoint and credential
        let text = config(&origin, &["r2", "r3", "r1"], ", timeout: 30s");
        reload(&stage, &text, 1).await;
        for _ in 0..3 {
            assert_eq!(maker(&stage.ask(&follows("r", &id)).await), "r1");
        }
        reload(&stage, &config(&origin, &["r2", "r3"], ""), 2).await;
        stage.sim.reset();
        for route in ["r", "f"] {
            let gone = stage.ask(&follows(route, &id)).await;
            let text = gone.text();
            assert_eq!(gone.status, 409, "{text}");
            assert_eq!(gone.code(), "bound_state_unavailable", "{text}");
            let message = gone.json()["error"]["message"].as_str().unwrap().to_owned();
            assert!(message.len() > 30 && !message.contains(&id), "{message}");
        }
        assert_eq!(stage.sim.report().len(), 0);
        let line = stage.gateway.log(6).pop().unwrap();
        assert_eq!(line["outcome"], "failed", "{line:#}");
    });
}

fn thinks(route: &str, signature: &str) -> Request {
    let body = json!({ "model": route, "max_tokens": 64, "messages": [
        { "role": "user", "content": "hi" },
        { "role": "assistant", "content": [
            { "type": "thinking", "thinking": "hm", "signature": signature },
            { "type": "text", "text": "yes" },
        ] },
        { "role": "user", "content": "and?" },
    ] });
    Request::post("/v1/messages", &body.to_string())
}

fn signed(signature: &str) -> Script {
    let body = json!({ "id": "msg_1", "type": "message", "role": "assistant", "model": "m",
        "content": [
            { "type": "thinking", "thinking": "hm", "signature": signature },
            { "type": "text", "text": "yes" },
        ],
        "stop_reason": "end_turn", "stop_sequence": null,
        "usage": { "input_tokens": 1, "output_tokens": 1 } });
    Script::raw(200, "application/json", &[], body.to_string(), Cuts::Whole)
}

#[test]
fn signed_thoughts_go_back_to_who_signed_them() {
    beside(async {
        for makers in [["m1", "m2", "m3"], ["b1", "b2", "b3"]] {
            let stage = Stage::open(|origin| config(origin, &makers, "")).await;
            for m in makers {
                stage.sim.set(m, signed(&format!("c2lnbmVk-{m}")));
            }
            let mut signers = Vec::new();
            for _ in 0..3 {
                signers.push(maker(&stage.ask(&Voice::Messages.asks("r", false)).await));
            }
            signers.sort();
            assert_eq!(signers, makers);
            for m in makers.into_iter().cycle().take(9) {
                let next = stage.ask(&thinks("r", &format!("c2lnbmVk-{m}"))).await;
                assert_eq!(maker(&next), m);
            }
            // what nobody here signed binds to nobody
            assert_eq!(stage.ask(&thinks("r", "elsewhere")).await.status, 200);
        }
    });
}

fn encrypted(state: &str) -> Value {
    json!([
        { "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": state },
        { "type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
          "content": [{ "type": "output_text", "text": "yes", "annotations": [] }] },
    ])
}

#[test]
fn encrypted_reasoning_goes_back_to_who_encrypted_it() {
    beside(async {
        let stage = Stage::open(|origin| config(origin, &["r1", "r2"], "")).await;
        for m in ["r1", "r2"] {
            let body = json!({ "id": format!("resp_{m}"), "object": "response", "created_at": 1,
                "status": "completed", "model": m, "output": encrypted(&format!("gAAA-{m}")),
                "usage": { "input_tokens": 1, "output_tokens": 1, "total_tokens": 2 } });
            let script = Script::raw(200, "application/json", &[], body.to_string(), Cuts::Whole);
            stage.sim.set(m, script);
        }
        for _ in 0..2 {
            stage.ask(&Voice::Responses.asks("r", false)).await;
        }
        for m in ["r1", "r1", "r1", "r2", "r2", "r2"] {
            let mut body = Voice::Responses.body("r", false);
            let mut input = encrypted(&format!("gAAA-{m}"));
            let list = input.as_array_mut().unwrap();
            list.push(json!({ "role": "user", "content": "and?" }));
            body["input"] = input;
            let request = Request::post("/v1/responses", &body.to_string());
            assert_eq!(maker(&stage.ask(&request).await), m);
        }
    });
}

#[test]
fn calls_with_one_affinity_find_the_maker_of_what_was_forgotten() {
    beside(async {
        let stage = Stage::open(|origin| config(origin, &["r1", "r2", "r3"], "")).await;
        let header = "x-punctual-affinity";
        let asks = Voice::Responses.asks("r", false).with(header, "run-7");
        let by = maker(&stage.ask(&asks).await);
        for _ in 0..6 {
            // an id that this process never saw
            let request = follows("r", "resp_of_yesterday").with(header, "run-7");
            assert_eq!(maker(&stage.ask(&request).await), by);
        }
        let other = follows("r", "resp_of_yesterday").with(header, "run-8");
        let lost = stage.ask(&other).await;
        assert_eq!(
            (lost.status, lost.code().as_str()),
            (409, "bound_state_unavailable"),
            "{}",
            lost.text()
        );
    });
}
