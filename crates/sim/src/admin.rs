//! The simulator's own interface below `/_sim/`, for tests in any language.
//!
//! `GET /_sim/report` (with `?model=NAME` only that model's requests), `POST /_sim/reset`,
//! `POST /_sim/script {"model","script"}` (`null` unsets), `GET /_sim/words`. These requests appear in no
//! report, and scripts do not touch them.

use serde::Deserialize;

use crate::host::Host;
use crate::json;
use crate::script::Script;
use crate::seen::Seen;
use crate::words::words;

/// Where the interface lies.
pub(crate) const PREFIX: &str = "/_sim/";

#[derive(Deserialize)]
struct Order {
    model: String,
    script: Option<String>,
}

/// Status and JSON body.
pub(crate) fn answer(host: &Host, method: &str, path: &str, body: &[u8]) -> (u16, String) {
    let (route, query) = path.split_once('?').unwrap_or((path, ""));
    match (method, route.strip_prefix(PREFIX).unwrap_or(route)) {
        ("GET", "report") => (200, report(host, query)),
        ("POST", "reset") => {
            host.reset();
            (200, r#"{"ok":true}"#.to_owned())
        }
        ("POST", "script") => script(host, body),
        ("GET", "words") => {
            let all: Vec<_> = words()
                .map(|w| serde_json::json!({"word": w.name, "usage": w.usage(), "help": w.help}))
                .collect();
            (200, serde_json::json!({ "words": all }).to_string())
        }
        _ => (
            404,
            complaint("GET report, GET words, POST reset and POST script are known below /_sim/"),
        ),
    }
}

fn report(host: &Host, query: &str) -> String {
    let wanted = query
        .split('&')
        .find_map(|pair| pair.strip_prefix("model="));
    let wanted = wanted.map(|raw| percent_encoding::percent_decode_str(raw).decode_utf8_lossy());
    let mut record = host.log.record();
    let is_wanted = |s: &Seen| wanted.as_ref().is_none_or(|model| s.model == **model);
    record.seen.retain(is_wanted);
    json::report(host.started, &record).to_string()
}

fn script(host: &Host, body: &[u8]) -> (u16, String) {
    let Ok(order) = serde_json::from_slice::<Order>(body) else {
        return (
            400,
            complaint(r#"send {"model":"name","script":"tokens=3,gap=50ms"}"#),
        );
    };
    match order.script.as_deref().map(Script::from_network) {
        None => host.unset(&order.model),
        Some(Ok(script)) => host.set(order.model, script),
        Some(Err(error)) => return (400, complaint(&error.to_string())),
    }
    (200, r#"{"ok":true}"#.to_owned())
}

fn complaint(message: &str) -> String {
    serde_json::json!({"error": {"message": message}}).to_string()
}
