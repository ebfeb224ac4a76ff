//! What stays with a provider and is named by its id: files, containers, vector stores, items of a response. A
//! call that names one goes to whoever made it, and nowhere else; what nobody here saw made is looked for with one
//! maker only.

use crate::{
    bound::{config, maker, reload},
    stage::{Stage, beside},
    support::Request,
    voices::Voice,
};
use punctual_sim::{Cuts, Script};
use serde_json::{Value, json};

async fn open(members: &[&str]) -> Stage {
    Stage::open(|origin| config(origin, members, ", passthrough: true")).await
}

fn says(body: &str) -> Script {
    Script::raw(
        200,
        "application/json",
        &[],
        body.to_owned(),
        Cuts::Random(3),
    )
}

/// A question with these further members.
fn asks(voice: Voice, route: &str, members: &Value) -> Request {
    let mut body = voice.body(route, false);
    let more = members.as_object().unwrap().clone();
    body.as_object_mut().unwrap().extend(more);
    Request::post(voice.path(), &body.to_string())
}

fn file(id: &str) -> Value {
    json!({ "input": [{ "role": "user", "content": [{ "type": "input_file", "file_id": id }] }] })
}

#[test]
fn what_was_created_is_used_where_it_was_created_and_is_not_failed_over() {
    beside(async {
        let stage = open(&["r1", "r2", "r3"]).await;
        let named = |what: &str, id: &str| match what {
            "files" | "uploads/u/complete" => file(id),
            "containers" => json!({ "tools": [{ "type": "code_interpreter", "container": id }] }),
            "conversations" => json!({ "conversation": { "id": id } }),
            _ => json!({ "tools": [{ "type": "file_search", "vector_store_ids": [id] }] }),
        };
        for (what, by) in [
            ("files", "r2"),
            ("containers", "r3"),
            ("vector_stores", "r2"),
            ("conversations", "r3"),
            ("uploads/u/complete", "r3"),
        ] {
            let id = format!("{what}-1").replace('/', "-");
            let told = match what {
                "uploads/u/complete" => format!(r#"{{"id":"u","file":{{"id":"{id}"}}}}"#),
                _ => format!(r#"{{ "object": "x", "id": "{id}" }}"#),
            };
            stage.sim.set("", says(&told));
            let creates = Request::post(&format!("/passthrough/{by}/{what}"), "{}");
            let created = stage.ask(&creates).await;
            assert_eq!((created.status, created.text()), (200, told), "{what}");
            for route in ["r", "r", "r", "f"] {
                let answer = stage
                    .ask(&asks(Voice::Responses, route, &named(what, &id)))
                    .await;
                assert_eq!(maker(&answer), by, "{what} on {route}");
            }
        }
        stage.plays("r2", "status=500");
        stage.sim.reset();
        let failed = stage
            .ask(&asks(Voice::Responses, "f", &file("files-1")))
            .await;
        assert_eq!(failed.status, 502, "{}", failed.text());
        let asked = ["r1", "r2", "r3"].map(|m| stage.asked(m).len());
        assert_eq!(asked, [0, 1, 0], "{}", failed.text());
    });
}

#[test]
fn a_file_that_nobody_here_saw_made_is_looked_for_with_one_maker_only() {
    beside(async {
        for (voice, members, named) in [
            (Voice::Responses, ["r1", "r2"], file("file-of-yesterday")),
            (
                Voice::Responses,
                ["m1", "r2"],
                json!({ "input": [{ "type": "item_reference", "id": "msg_of_yesterday" }] }),
            ),
            (
                Voice::Messages,
                ["m1", "m2"],
                json!({ "container": "container_1" }),
            ),
        ] {
            let stage = open(&members).await;
            // who speaks the caller's API, whatever the order
            let by = match members[0] {
                "m1" if voice == Voice::Responses => "r2",
                first => first,
            };
            for route in ["r", "r", "r", "f"] {
                assert_eq!(
                    maker(&stage.ask(&asks(voice, route, &named)).await),
                    by,
                    "{named}"
                );
            }
            stage.plays(by, "status=500");
            stage.sim.reset();
            let failed = stage.ask(&asks(voice, "f", &named)).await;
            assert_eq!(failed.status, 502, "{named}: {}", failed.text());
            assert_eq!(stage.sim.report().len(), 1, "{named}");
        }
    });
}

#[test]
fn what_is_kept_is_said_to_be_gone_with_its_maker() {
    beside(async {
        let mut origin = String::new();
        let stage = Stage::open(|o| {
            origin = o.to_owned();
            config(o, &["r1", "r2"], ", passthrough: true")
        })
        .await;
        stage.sim.set("", says(r#"{"id":"file-9"}"#));
        stage
            .ask(&Request::post("/passthrough/r2/files", "{}"))
            .await;
        reload(&stage, &config(&origin, &["r1"], ""), 1).await;
        stage.sim.reset();
        let gone = stage
            .ask(&asks(Voice::Responses, "f", &file("file-9")))
            .await;
        assert_eq!(
            (gone.status, gone.code().as_str()),
            (409, "bound_state_unavailable"),
            "{}",
            gone.text()
        );
        assert_eq!(stage.sim.report().len(), 0);
    });
}

/// An answer of that maker's code interpreter, which wrote a file.
fn ran(by: &str) -> Value {
    json!({ "id": format!("resp_{by}"), "object": "response", "created_at": 1, "status": "completed",
        "model": by, "output": [
            { "id": format!("ci_{by}"), "type": "code_interpreter_call", "status": "completed",
              "container_id": format!("cntr_{by}"), "code": "1" },
            { "id": format!("msg_{by}"), "type": "message", "role": "assistant", "status": "completed",
              "content": [{ "type": "output_text", "text": "yes", "annotations": [
                { "type": "container_file_citation", "container_id": format!("cntr_{by}"),
                  "file_id": format!("cfile_{by}"), "filename": "a", "start_index": 0, "end_index": 1 }] }] }],
        "usage": { "input_tokens": 1, "output_tokens": 1, "total_tokens": 2 } })
}

/// The same as a stream.
fn streamed(response: &Value) -> String {
    let mut events = vec![
        json!({ "type": "response.created", "response": { "id": response["id"], "output": [] } }),
    ];
    for (at, item) in response["output"].as_array().unwrap().iter().enumerate() {
        if item["type"] == "message" {
            events.push(
                json!({ "type": "response.output_text.delta", "output_index": at, "delta": "yes" }),
            );
        }
        events
            .push(json!({ "type": "response.output_item.done", "output_index": at, "item": item }));
    }
    events.push(json!({ "type": "response.completed", "response": response }));
    crate::faults::sse(&events)
}

#[test]
fn a_container_a_file_and_an_item_are_used_where_an_answer_told_of_them() {
    beside(async {
        for stream in [false, true] {
            let stage = open(&["r1", "r2"]).await;
            for by in ["r1", "r2"] {
                let script = match stream {
                    false => says(&ran(by).to_string()),
                    true => crate::faults::streamed(
                        "text/event-stream",
                        streamed(&ran(by)),
                        Cuts::Random(5),
                    ),
                };
                stage.sim.set(by, script);
            }
            for _ in 0..2 {
                let first = stage.ask(&Voice::Responses.asks("r", stream)).await;
                assert_eq!(first.status, 200, "{}", first.text());
            }
            for by in ["r1", "r1", "r2", "r2", "r2"] {
                stage.plays(by, "tokens=2");
                for named in [
                    json!({ "tools": [{ "type": "code_interpreter", "container": format!("cntr_{by}") }] }),
                    file(&format!("cfile_{by}")),
                    json!({ "input": [{ "type": "item_reference", "id": format!("msg_{by}") }] }),
                    json!({ "input": [{ "type": "item_reference", "id": format!("ci_{by}") }] }),
                ] {
                    let next = stage.ask(&asks(Voice::Responses, "r", &named)).await;
                    assert_eq!(maker(&next), by, "{named}, stream {stream}");
                }
            }
        }
    });
}
