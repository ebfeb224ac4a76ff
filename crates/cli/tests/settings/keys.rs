//! `keys`: who may call, what they may name, and for how long.

use crate::{
    row::{ROW, Row, rows},
    stage::{HASHED, Stage, expired},
    support::Request,
};

macro_rules! keyed {
    ($key:literal) => {
        concat!(
            "providers: { sim: { dialect: openai, base_url: \"{upstream}/v1\", api_key: sk-test } }\n",
            "targets: { silent: { provider: sim, model: \"sim:silent-headers\" }, a: { provider: sim, model: a } }\n",
            "routes: { silent: { plan: silent }, a: { plan: a } }\n",
            "keys: { k: { ", $key, " } }\n",
        )
    };
}

fn asks(s: &Stage, key: &str, request: Request) -> crate::support::Answer {
    s.ask(&request.with("authorization", &format!("Bearer {key}")))
}

fn opens(s: &Stage, key: &str) -> bool {
    asks(s, key, Request::chat("a", false)).status == 200
        && asks(s, "a-key-that-nobody-has", Request::chat("a", false)).status == 401
}

rows! {
    both_values_are_the_key: Row {
        covers: &["keys.*.value"],
        config: keyed!("value: [ first-key-0123456789«, second-key-0123456789» ]"),
        look: |s| opens(s, "first-key-0123456789") && opens(s, "second-key-0123456789"),
        ..ROW
    };
    a_hash_is_the_key_it_was_made_of: Row {
        covers: &["keys.*.hash"],
        config: keyed!("value: first-key-0123456789, «hash: {hash}»"),
        look: |s| opens(s, HASHED),
        ..ROW
    };
    a_value_may_stand_in_a_file: Row {
        covers: &["keys.*.value_file"],
        config: keyed!("value: first-key-0123456789, «value_file: {dir}/key»"),
        files: |dir| std::fs::write(dir.join("key"), "key-in-a-file-0123456789\n").unwrap(),
        look: |s| opens(s, "key-in-a-file-0123456789"),
        ..ROW
    };
    requests_of_a_key_end_at_its_deadline: Row {
        covers: &["keys.*.deadline"],
        config: keyed!("value: first-key-0123456789, «deadline: 300ms»"),
        look: |s| expired(&asks(s, "first-key-0123456789", Request::chat("silent", false)), "key"),
        ..ROW
    };
    a_key_names_only_its_routes: Row {
        covers: &["keys.*.routes"],
        config: keyed!("value: first-key-0123456789, «routes: [ silent ]»"),
        look: |s| asks(s, "first-key-0123456789", Request::chat("a", false)).status == 403,
        ..ROW
    };
    a_key_that_is_bound_to_routes_passes_on_where_it_says_so: Row {
        covers: &["keys.*.passthrough"],
        config: concat!(
            "providers: { sim: { dialect: openai, base_url: \"{upstream}/v1\", api_key: sk-test, passthrough: true } }\n",
            "targets: { a: { provider: sim, model: a } }\n",
            "routes: { a: { plan: a } }\n",
            "keys: { k: { value: first-key-0123456789, routes: [ a ], «passthrough: true» } }\n",
        ),
        look: |s| asks(s, "first-key-0123456789", Request::get("/passthrough/a/models")).status == 200,
        ..ROW
    };
    streams_of_a_key_beat_as_it_says: Row {
        covers: &["keys.*.heartbeat_interval"],
        config: keyed!("value: first-key-0123456789, «heartbeat_interval: 200ms»"),
        look: |s| {
            let request = Request::chat("silent", true);
            let mut caller = s.begin(&request.with("authorization", "Bearer first-key-0123456789"));
            s.hear(&mut caller).is_some_and(|text| text.starts_with("HTTP/1.1 200"))
        },
        ..ROW
    };
}
