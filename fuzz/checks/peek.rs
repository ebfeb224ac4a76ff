//! A request as it is relayed: what is put in is the only thing that changes.

use std::collections::BTreeSet;

use bytes::Bytes;
use punctual_wire::{
    Surface,
    hosted::{self, Host},
    peek, splice,
};

use super::{is_json, told};

/// Peeks on every surface, puts another model in and looks again.
pub fn peek(data: &[u8]) {
    let body = Bytes::copy_from_slice(data);
    for host in [Host::Vertex, Host::Bedrock] {
        let sent = hosted::request(host, &body, ["a, \"b\""].into_iter());
        assert!(!is_json(data) || is_json(&sent), "{}", told(&sent));
    }
    let _ = peek::wants_base64(data);
    for surface in Surface::ALL {
        let Ok(found) = peek::peek(surface, &body) else {
            continue;
        };
        assert!(!found.model.is_empty() && found.n >= 1);
        each_once(&found.state.required);
        each_once(&found.state.pieces);
        assert_eq!(
            splice::request(&body, &found, &found.model, false).concat(),
            data
        );
        let model = "another \"model\"\n";
        let sent = Bytes::from(splice::request(&body, &found, model, true).concat());
        assert_eq!(
            sent,
            {
                let edit = found.usage_edit.clone();
                let model = serde_json::Value::from(model).to_string().into();
                let name = splice::Edit {
                    at: found.model_span.clone(),
                    text: model,
                };
                Bytes::from(splice::splice(&body, edit.into_iter().chain([name])).concat())
            },
            "in whatever order"
        );
        let again =
            peek::peek(surface, &sent).unwrap_or_else(|fault| panic!("{}: {fault:?}", told(&sent)));
        assert_eq!(again.model, model);
        assert!(
            again.include_usage || found.usage_edit.is_none(),
            "{}",
            told(&sent)
        );
        assert_eq!((again.stream, again.n), (found.stream, found.n));
        assert_eq!(again.prompt_cache_key, found.prompt_cache_key);
        assert_eq!(is_json(data), is_json(&sent));
    }
}

/// What a request is bound to, however often it says so, is bounded.
fn each_once(prints: &[u64]) {
    let unlike: BTreeSet<_> = prints.iter().collect();
    assert_eq!(unlike.len(), prints.len());
    assert!(prints.len() <= 1024);
}
