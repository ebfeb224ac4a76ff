//! What our fixtures become on each surface, as snapshots that people read.
//!
//! One snapshot a fixture, with a section for each surface that is not the upstream's own. An event is a line;
//! of the Responses API's whole objects only what differs between answers is kept.

use super::{
    dialects::{self, Played},
    inside,
    sse::blocks,
};
use bytes::Bytes;
use punctual_wire::frame::Framing;
use serde_json::Value;
use std::fmt::Write as _;

/// What a section says of a stream, or of a whole answer.
fn section(played: &Played, surface: punctual_wire::Surface) -> Option<String> {
    let body = Bytes::from(played.case.plain());
    let (api, stream) = (played.api(), played.case.stream);
    let object = body.trim_ascii_start().starts_with(b"{") && played.dialect != "ollama";
    let framing = match body.starts_with(b"[") {
        true => Framing::Array,
        false => api.framing(),
    };
    let made = match stream && !object {
        true => inside::stream(surface, api, framing, [body.as_ref()])?,
        false => match inside::whole(surface, api, &body, stream)? {
            Ok(made) => made,
            Err(verdict) => return Some(format!("{verdict:?}\n")),
        },
    };
    let mut out = match stream {
        true => events(&made.bytes),
        false => String::from_utf8(made.bytes.clone()).unwrap() + "\n",
    };
    if let Some(verdict) = &made.error {
        let _ = writeln!(out, "! {verdict:?}");
    }
    if !made.lost.is_empty() {
        let _ = writeln!(out, "lost: {}", made.lost.join(", "));
    }
    Some(out)
}

fn events(body: &[u8]) -> String {
    let lines = blocks(body).into_iter().map(|event| {
        let Ok(mut json) = serde_json::from_str::<Value>(&event.data()) else {
            return event.data() + "\n";
        };
        if let Some(response) = json.get_mut("response") {
            *response = short(response);
        }
        // the name of an event is its type, or it has none
        format!("{json}\n")
    });
    lines.collect()
}

fn short(response: &Value) -> Value {
    let kept = ["id", "status", "incomplete_details", "output", "usage"];
    let kept = kept.map(|name| (name.to_owned(), response[name].clone()));
    Value::Object(kept.into_iter().filter(|(_, v)| !v.is_null()).collect())
}

#[test]
fn what_each_fixture_becomes_on_each_surface_has_been_read() {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let _bound = settings.bind_to_scope();
    for played in dialects::fixtures() {
        if played.case.n > 1 || played.case.status != 200 {
            continue;
        }
        let mut text = String::new();
        for surface in played.surfaces() {
            if let Some(section) = section(&played, *surface) {
                let _ = writeln!(text, "## {surface}\n{section}");
            }
        }
        if !text.is_empty() {
            let name = played.name().replace(['/', '.'], "-");
            insta::assert_snapshot!(name, text);
        }
    }
}
