//! `server`: the front door.

use crate::{
    row::{ROW, Row, rows},
    stage::{PATIENCE, Stage, WHILE, expired, failed, many_workers},
    support::{Request, caller::Caller},
};
use std::{path::Path, time::Duration};
use tokio::time::Instant;

/// A model that never answers, one that does, and whatever the caller names.
macro_rules! front {
    ($server:literal) => {
        front!($server, "")
    };
    ($server:literal, $more:literal) => {
        concat!(
            "server: { listen: 127.0.0.1:0, admin: { listen: 127.0.0.1:0 }, lame_duck: 0s, ",
            $server,
            " }\n",
            "providers: { sim: { dialect: openai, base_url: \"{upstream}/v1\", api_key: sk-test } }\n",
            "targets: { silent: { provider: sim, model: \"sim:silent-headers\" } }\n",
            "routes: { silent: { plan: silent }, \"*\": { plan: { pass: sim } } }\n",
            $more,
        )
    };
}

fn silent() -> Request {
    Request::chat("silent", false)
}

fn ok(s: &Stage, request: &Request) -> bool {
    s.ask(request).status == 200
}

fn token(dir: &Path) {
    std::fs::write(dir.join("token"), "admin-token-in-a-file\n").unwrap();
}

/// Refused without the token, let in with it.
fn asks_for(s: &Stage, token: &str) -> bool {
    let with = Request::get("/healthz").with("authorization", &format!("Bearer {token}"));
    s.admin(&Request::get("/healthz")).status == 401 && s.admin(&with).status == 200
}

/// A certificate for `localhost` and its key.
fn certificate(dir: &Path) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    std::fs::write(dir.join("cert.pem"), made.cert.pem()).unwrap();
    std::fs::write(dir.join("key.pem"), made.signing_key.serialize_pem()).unwrap();
}

/// Whether the gateway answers the TLS hello of `Caller::connect_tls` with its certificate.
fn speaks_tls(s: &Stage) -> bool {
    let pem = std::fs::read_to_string(s.dir.join("cert.pem")).unwrap();
    let mut plain = s.caller();
    s.block(plain.write(b"\x16\x03\x01\x00\x05hello")).unwrap();
    // HTTP would answer 400; TLS sends an alert, or closes
    let heard = s.hear(&mut plain);
    !heard.is_some_and(|text| text.starts_with("HTTP/1.1 400"))
        && s.block(async {
            let mut caller = Caller::connect_tls(s.gateway.addr, &pem).await;
            caller.ask(&Request::chat("m", false)).await.status == 200
        })
}

rows! {
    every_address_of_listen_is_listened_on: Row {
        covers: &["server.listen"],
        config: concat!(
            "server: { «listen: [ 127.0.0.1:0, 127.0.0.1:0 ]|listen: 127.0.0.1:0», admin: { listen: 127.0.0.1:0 } }\n",
            "providers: { sim: { dialect: openai, base_url: \"{upstream}/v1\", api_key: sk-test } }\n",
            "routes: { \"*\": { plan: { pass: sim } } }\n",
        ),
        look: |s| {
            let said = s.gateway.said().all();
            let said = said.iter().filter_map(|l| l.split_once("listening on http://"));
            let places: Vec<_> = said.map(|(_, a)| a.trim().parse().unwrap()).collect();
            let serves = |addr| s.block(async {
                Caller::connect(addr).await.ask(&Request::chat("m", false)).await.status == 200
            });
            places.len() == 2 && places.into_iter().all(serves)
        },
        ..ROW
    };
    a_host_is_served_when_it_is_ours: Row {
        covers: &["server.hosts"],
        config: front!("«hosts: gw.example»"),
        look: |s| ok(s, &Request::chat("m", false).with("host", "gw.example")),
        ..ROW
    };
    an_origin_is_served_when_it_is_let_in: Row {
        covers: &["server.origins"],
        config: front!("«origins: \"https://ui.example\"»"),
        look: |s| ok(s, &Request::chat("m", false).with("origin", "https://ui.example")),
        ..ROW
    };
    a_trusted_peer_may_shorten_by_a_mesh_header: Row {
        covers: &["server.trusted_peers"],
        config: front!("«trusted_peers: 127.0.0.0/8»"),
        look: |s| s.ask(&silent().with("x-envoy-expected-rq-timeout-ms", "400")).status == 504,
        ..ROW
    };
    every_request_ends_at_the_ceiling: Row {
        covers: &["server.request_deadline"],
        config: front!("«request_deadline: 300ms»"),
        look: |s| expired(&s.ask(&silent()), "server"),
        ..ROW
    };
    a_certificate_makes_it_https: Row {
        covers: &["server.tls.cert_file", "server.tls.key_file"],
        config: front!("«tls: { cert_file: {dir}/cert.pem, key_file: {dir}/key.pem }»"),
        files: certificate,
        look: speaks_tls,
        ..ROW
    };
    nobody_is_asked_for_a_key_when_auth_is_none: Row {
        covers: &["server.auth"],
        config: front!("«auth: none»", "keys: { k: { value: caller-key-0123456789 } }\n"),
        look: |s| ok(s, &Request::chat("m", false)),
        ..ROW
    };
    the_administrator_has_an_address_of_its_own: Row {
        covers: &["server.admin.listen"],
        config: concat!(
            "server: { listen: 127.0.0.1:0, admin: { «listen: \"{free}\"|listen: 127.0.0.1:0» } }\n",
            "providers: { sim: { dialect: openai, base_url: \"{upstream}/v1\", api_key: sk-test } }\n",
            "routes: { \"*\": { plan: { pass: sim } } }\n",
        ),
        look: |s| s.gateway.admin == s.free && s.admin(&Request::get("/healthz")).status == 200,
        ..ROW
    };
    the_administrator_needs_the_token: Row {
        covers: &["server.admin.token"],
        config: concat!(
            "server: { listen: 127.0.0.1:0, admin: { listen: 127.0.0.1:0, «token: admin-token» } }\n",
            "providers: { sim: { dialect: openai, base_url: \"{upstream}/v1\", api_key: sk-test } }\n",
            "routes: { \"*\": { plan: { pass: sim } } }\n",
        ),
        look: |s| asks_for(s, "admin-token"),
        ..ROW
    };
    the_token_may_stand_in_a_file: Row {
        covers: &["server.admin.token_file"],
        config: concat!(
            "server: { listen: 127.0.0.1:0, admin: { listen: 127.0.0.1:0, «token_file: {dir}/token» } }\n",
            "providers: { sim: { dialect: openai, base_url: \"{upstream}/v1\", api_key: sk-test } }\n",
            "routes: { \"*\": { plan: { pass: sim } } }\n",
        ),
        files: token,
        look: |s| asks_for(s, "admin-token-in-a-file"),
        ..ROW
    };
    more_requests_than_may_be_are_refused_at_once: Row {
        covers: &["server.max_in_flight"],
        config: front!("«max_in_flight: 1»"),
        look: |s| {
            let _running = s.begin(&silent());
            s.arrived(1) && failed(&s.chat("m", false), "too_many_requests_in_flight")
        },
        ..ROW
    };
    more_connections_than_may_be_are_refused_at_once: Row {
        covers: &["server.max_connections"],
        config: front!("«max_connections: 1»"),
        look: |s| {
            let _running = s.begin(&silent());
            s.arrived(1) && failed(&s.chat("m", false), "too_many_connections")
        },
        ..ROW
    };
    bodies_beyond_the_memory_are_refused: Row {
        covers: &["server.memory_budget"],
        config: front!("«memory_budget: 64KiB»"),
        look: |s| {
            let text = "x".repeat(200 << 10);
            let body = serde_json::json!({ "model": "m", "messages": [{ "role": "user", "content": text }] });
            failed(&s.ask(&Request::post("/v1/chat/completions", &body.to_string())), "memory_exhausted")
        },
        ..ROW
    };
    a_body_over_the_limit_is_refused: Row {
        covers: &["server.max_body_bytes"],
        config: front!("«max_body_bytes: 1KiB»"),
        look: |s| {
            let body = serde_json::json!({ "model": "m", "messages": [], "user": "x".repeat(2000) });
            s.ask(&Request::post("/v1/chat/completions", &body.to_string())).status == 413
        },
        ..ROW
    };
    an_upload_that_stops_is_ended: Row {
        covers: &["server.receive_timeout"],
        config: front!("«receive_timeout: 200ms»"),
        look: |s| {
            let mut caller = s.begin(&silent().with("content-length", "1000"));
            s.finish(&mut caller).status == 408
        },
        ..ROW
    };
    a_head_that_does_not_end_is_ended: Row {
        covers: &["server.header_timeout"],
        config: front!("«header_timeout: 200ms»"),
        look: |s| {
            let mut caller = s.caller();
            s.block(caller.write(b"POST /v1/chat/completions HTTP/1.1\r\nhost: loc")).unwrap();
            s.hear(&mut caller).is_none_or(|text| text.starts_with("HTTP/1.1 408"))
        },
        ..ROW
    };
    an_idle_connection_is_closed: Row {
        covers: &["server.keep_alive"],
        config: front!("«keep_alive: 200ms»"),
        look: |s| {
            let mut caller = s.begin(&Request::chat("m", false));
            s.finish(&mut caller).status == 200 && s.hear(&mut caller).is_none()
        },
        ..ROW
    };
    a_caller_that_takes_nothing_is_gone: Row {
        covers: &["server.caller_stall_timeout"],
        config: front!("«caller_stall_timeout: 300ms»"),
        look: |s| {
            s.sim.set("flood", "burst=64MiB".parse().unwrap());
            let caller = s.caller();
            caller.receive_buffer(4096);
            let mut caller = caller;
            s.block(caller.send(&Request::chat("flood", true)));
            s.saw(PATIENCE * 2, |seen| seen.iter().any(|r| r.closed.is_some()))
        },
        ..ROW
    };
    a_silent_stream_beats: Row {
        covers: &["server.heartbeat_interval"],
        config: front!("«heartbeat_interval: 200ms»"),
        look: |s| {
            let mut caller = s.begin(&Request::chat("silent", true));
            s.hear(&mut caller).is_some_and(|text| text.starts_with("HTTP/1.1 200"))
        },
        ..ROW
    };
    new_requests_are_served_as_a_lame_duck: Row {
        covers: &["server.lame_duck"],
        config: concat!(
            "server: { listen: 127.0.0.1:0, admin: { listen: 127.0.0.1:0 }, «lame_duck: 30s|lame_duck: 1ms» }\n",
            "providers: { sim: { dialect: openai, base_url: \"{upstream}/v1\", api_key: sk-test } }\n",
            "targets: { silent: { provider: sim, model: \"sim:silent-headers\" } }\n",
            "routes: { silent: { plan: silent }, \"*\": { plan: { pass: sim } } }\n",
        ),
        look: |s| {
            let _running = s.begin(&silent());
            let there = s.arrived(1);
            s.gateway.signal("TERM");
            let said = s.gateway.said();
            let heard = said.find(PATIENCE, |l| l.contains("draining").then_some(()));
            let until = Instant::now() + WHILE;
            let mut served = || ok(s, &Request::chat("m", false));
            let all = std::iter::from_fn(|| (Instant::now() < until).then(&mut served)).all(|ok| ok);
            there && heard.is_some() && all
        },
        ..ROW
    };
    running_requests_may_finish_within_the_drain: Row {
        covers: &["server.drain_timeout"],
        config: front!("«drain_timeout: 200ms»"),
        look: |s| {
            let mut running = s.begin(&silent());
            let there = s.arrived(1);
            s.gateway.signal("TERM");
            there && failed(&s.finish(&mut running), "shutting_down")
        },
        ..ROW
    };
    what_an_sdk_announces_need_not_count: Row {
        covers: &["server.sdk_timeouts"],
        config: front!("«sdk_timeouts: off»"),
        look: |s| {
            s.sim.set("slow", "delay=800ms".parse().unwrap());
            ok(s, &Request::chat("slow", false).with("x-stainless-timeout", "0.3"))
        },
        ..ROW
    };
    // threads are the one thing in this table that no socket sees
    there_are_as_many_workers_as_said: Row {
        covers: &["server.workers"],
        config: front!("«workers: {many}»"),
        look: |s| {
            let workers = || {
                let tasks = std::fs::read_dir(format!("/proc/{}/task", s.gateway.pid())).unwrap();
                let names = tasks.filter_map(|t| std::fs::read_to_string(t.unwrap().path().join("comm")).ok());
                names.filter(|n| n.starts_with("tokio-rt-worker")).count()
            };
            // a thread names itself once it runs
            let until = Instant::now() + Duration::from_secs(2);
            while workers() < many_workers() && Instant::now() < until {
                std::thread::yield_now();
            }
            workers() >= many_workers()
        },
        ..ROW
    };
}
