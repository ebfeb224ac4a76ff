//! The ids of what stays with a provider, as answers tell them.
//!
//! A later question can name an item of a response, a container that code ran in or a file that it wrote: only
//! their provider has them. Answers go by as they are, so that this is a look beside them; events that tell no
//! ids, nearly all, cost a search for a word or two. What is created through an API that nobody here reads is
//! told by the `id` of the answer.

use super::{Carried, Made, scan};
use crate::{Surface, json};

/// Ends the type of the event that tells an item whole.
const ITEM_DONE: &str = "output_item.done";
/// What stands in an answer of Anthropic's that tells of a file or a container.
const HINTS: [&str; 2] = ["\"file_id\"", "\"container\""];

/// The ids that one answer tells.
#[derive(Clone, Debug)]
pub struct Told {
    surface: Surface,
    made: Made,
}

impl Told {
    /// For an answer in the words of `surface`; `None` where none are told.
    pub fn of(surface: Surface) -> Option<Self> {
        let tells = matches!(surface, Surface::Responses | Surface::Messages);
        tells.then(|| Self {
            surface,
            made: Made::default(),
        })
    }

    /// Looks at one event's data.
    pub fn event(&mut self, data: &[u8]) {
        let Ok(data) = std::str::from_utf8(data) else {
            return;
        };
        match self.surface {
            Surface::Responses if data.contains(ITEM_DONE) => {
                json::member(data, "item")
                    .into_iter()
                    .for_each(|item| self.item(item));
            }
            Surface::Messages if HINTS.iter().any(|hint| data.contains(hint)) => self.files(data),
            _ => {}
        }
    }

    /// Looks at a whole answer.
    pub fn answer(&mut self, body: &[u8]) {
        let Ok(body) = std::str::from_utf8(body) else {
            return;
        };
        match self.surface {
            Surface::Responses => {
                let output = json::member(body, "output").unwrap_or_default();
                json::elements(output, |item| self.item(item));
            }
            _ if HINTS.iter().any(|hint| body.contains(hint)) => self.files(body),
            _ => {}
        }
    }

    /// Fingerprints of those that have come since this was asked last.
    pub fn take(&mut self) -> Vec<u64> {
        self.made.take()
    }

    fn item(&mut self, item: &str) {
        if let Some(id) = json::member(item, "id").and_then(json::text) {
            self.made.add(&id);
        }
        self.files(item);
    }

    fn files(&mut self, text: &str) {
        let mut found = Carried::default();
        scan::all(text, &mut found);
        found
            .files
            .into_iter()
            .for_each(|print| self.made.print(print));
    }
}

/// The ids by which what was created is named, in the answer of an API that nobody here reads: its own, and that
/// of the file which an upload in parts has become. Conversations and containers are told likewise.
pub fn named(answer: &[u8]) -> Vec<u64> {
    let mut made = Made::default();
    if let Ok(answer) = std::str::from_utf8(answer) {
        let file = json::member(answer, "file").unwrap_or_default();
        let ids = [answer, file].map(|object| json::member(object, "id").and_then(json::text));
        ids.into_iter().flatten().for_each(|id| made.add(&id));
    }
    made.take()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::fingerprint;

    fn prints(ids: &[&str]) -> Vec<u64> {
        ids.iter().map(|id| fingerprint(id)).collect()
    }

    const ITEM: &str = r#"{"id":"ci_1","type":"code_interpreter_call","container_id":"cntr_1"}"#;
    const TEXT: &str = r#"{"id":"msg_1","type":"message","content":[{"type":"output_text","text":"x",
        "annotations":[{"type":"container_file_citation","file_id":"cfile_1","container_id":"cntr_1"}]}]}"#;

    #[test]
    fn an_answer_tells_its_items_and_the_files_and_containers_that_it_made() {
        let all = prints(&["ci_1", "cntr_1", "msg_1", "cfile_1"]);
        let mut whole = Told::of(Surface::Responses).unwrap();
        whole.answer(format!(r#"{{"id":"resp_1","output":[{ITEM},{TEXT}]}}"#).as_bytes());
        assert_eq!(whole.take(), all);
        let mut stream = Told::of(Surface::Responses).unwrap();
        for event in [
            format!(r#"{{"type":"response.output_item.done","item":{ITEM}}}"#),
            format!(r#"{{"type":"response.output_text.delta","delta":{TEXT}}}"#),
            format!(r#"{{"type":"response.output_item.done","item":{TEXT}}}"#),
        ] {
            stream.event(event.as_bytes());
        }
        assert_eq!(stream.take(), all);
    }

    #[test]
    fn claude_tells_the_container_and_the_files_of_its_code() {
        let block = r#"{"type":"code_execution_tool_result","content":{"type":"code_execution_result",
            "content":[{"type":"code_execution_output","file_id":"file_1"}]}}"#;
        let end = r#"{"stop_reason":"end_turn","container":{"id":"c_1","expires_at":"x"}}"#;
        let tool = r#"{"type":"tool_use","id":"toolu_1","input":{"file_id":"a"}}"#;
        let mut stream = Told::of(Surface::Messages).unwrap();
        for event in [
            format!(r#"{{"type":"content_block_start","content_block":{block}}}"#),
            format!(r#"{{"type":"content_block_start","content_block":{tool}}}"#),
            format!(r#"{{"type":"message_delta","delta":{end}}}"#),
        ] {
            stream.event(event.as_bytes());
        }
        assert_eq!(stream.take(), prints(&["file_1", "c_1"]));
        assert!(Told::of(Surface::Chat).is_none());
    }

    #[test]
    fn what_was_created_is_told_by_its_id() {
        assert_eq!(
            named(br#"{"id":"file-1","object":"file"}"#),
            prints(&["file-1"])
        );
        let upload = br#"{"id":"upload_1","file":{"id":"file-2"}}"#;
        assert_eq!(named(upload), prints(&["upload_1", "file-2"]));
        for none in ["", "{}", r#"{"id":7}"#, "[", "\u{0}"] {
            assert!(named(none.as_bytes()).is_empty(), "{none}");
        }
    }
}
