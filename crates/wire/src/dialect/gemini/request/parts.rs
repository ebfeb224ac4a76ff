//! The parts of a message.

use std::{borrow::Cow, collections::HashMap};

use serde::Serialize;

use super::{
    media::{Blob, File},
    model::Generation,
};
use crate::middle::{self, Json, Lost, Message, Role, Source, ToolCall, ToolResult};

/// A part; which member is there tells what it is.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Part<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thought: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inline_data: Option<Blob<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file_data: Option<File<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function_call: Option<Call<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function_response: Option<Reply<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thought_signature: Option<&'a str>,
}

#[derive(Serialize)]
struct Call<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    id: &'a str,
    name: &'a str,
    args: Json,
}

#[derive(Serialize)]
struct Reply<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    id: &'a str,
    name: &'a str,
    response: Response,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<Part<'a>>,
}

/// An object in any case. The keys are those that Google gives as examples.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Response {
    Output(String),
    Error(String),
    #[serde(untagged)]
    Object(Json),
}

/// Stands for the signature of a call that has none, because another model made it. Gemini 3 refuses a call
/// without one; Google documents this word for histories that it did not write.
const UNSIGNED: &str = "skip_thought_signature_validator";

/// Writes parts.
pub(super) struct Writer<'m, 'l> {
    pub(super) generation: Generation,
    /// The tools by the ids of their calls.
    pub(super) names: HashMap<&'m str, &'m str>,
    pub(super) lost: &'l mut Lost,
}

impl<'m> Writer<'m, '_> {
    /// The parts of a message; none if there is nothing that can be said.
    pub(super) fn parts(&mut self, message: &'m Message) -> Vec<Part<'m>> {
        let mut parts = Vec::new();
        for part in &message.parts {
            self.part(part, &mut parts);
        }
        if message.role == Role::User && parts.is_empty() && !message.parts.is_empty() {
            // an empty text is refused, which tells the caller more than a message that is gone
            parts.push(text(""));
        }
        parts
    }

    fn part(&mut self, part: &'m middle::Part, out: &mut Vec<Part<'m>>) {
        use middle::Part as P;
        match part {
            P::Text {
                text: words,
                citations,
                cache,
            } => {
                self.lost.cache(cache.as_ref());
                if citations.is_some() {
                    self.lost.parameter("messages[].content[].annotations");
                }
                out.extend((!words.is_empty()).then(|| text(words)));
            }
            P::Refusal { text: words } => out.extend((!words.is_empty()).then(|| text(words))),
            P::Image {
                source,
                detail,
                cache,
            } => {
                self.lost.cache(cache.as_ref());
                self.lost.detail(detail.as_deref());
                let picture = sourced(source, "image/png");
                out.extend(self.or_lost(picture, "image_url"));
            }
            P::File {
                source,
                name,
                cache,
            } => {
                self.lost.cache(cache.as_ref());
                if name.is_some() {
                    self.lost.parameter("messages[].content[].file.filename");
                }
                let file = sourced(source, "application/pdf");
                out.extend(self.or_lost(file, "file"));
            }
            P::Audio { data, format } => out.push(Part {
                inline_data: Some(Blob {
                    mime_type: Cow::Owned(format!("audio/{format}")),
                    data,
                }),
                ..Part::default()
            }),
            P::Reasoning {
                text: words,
                signature,
                opaque,
                ..
            } => {
                if opaque.is_some() {
                    self.lost.thought();
                }
                out.extend((!words.is_empty()).then(|| Part {
                    thought: Some(true),
                    thought_signature: signature.as_deref(),
                    ..text(words)
                }));
            }
            P::ToolCall(call) => {
                let call = self.call(call, out);
                out.push(call);
            }
            P::ToolResult(result) => self.result(result, out),
            P::Other { kind, .. } => {
                self.lost.content(format!("messages[].content[].{kind}"));
            }
        }
    }

    fn or_lost(&mut self, part: Option<Part<'m>>, kind: &str) -> Option<Part<'m>> {
        if part.is_none() {
            self.lost.content(format!("messages[].content[].{kind}"));
        }
        part
    }

    fn call(&mut self, call: &'m ToolCall, before: &[Part<'m>]) -> Part<'m> {
        let args = call.arguments(self.lost);
        // of calls made at once only the first one is signed
        let first = !before.iter().any(|part| part.function_call.is_some());
        let unsigned = first && self.generation == Generation::Late;
        let signature = call.signature.as_deref();
        Part {
            function_call: Some(Call {
                id: &call.id,
                name: &call.name,
                args,
            }),
            thought_signature: signature.or(unsigned.then_some(UNSIGNED)),
            ..Part::default()
        }
    }

    fn result(&mut self, result: &'m ToolResult, out: &mut Vec<Part<'m>>) {
        self.lost.cache(result.cache.as_ref());
        let name = result.name.as_deref();
        let known = name.or_else(|| self.names.get(result.id.as_str()).copied());
        let mut inside = Vec::new();
        let mut beside = Vec::new();
        for part in &result.parts {
            match part {
                middle::Part::Text { .. } => {}
                middle::Part::Image { source, .. } | middle::Part::File { source, .. } => {
                    let here = matches!(source, Source::Inline { .. });
                    match here && self.generation == Generation::Late {
                        true => self.part(part, &mut inside),
                        false => self.part(part, &mut beside),
                    }
                }
                other => self.part(other, &mut beside),
            }
        }
        let text = result.text();
        let object = || Json::parse(&text).filter(Json::is_object);
        let response = match (result.is_error, object()) {
            (true, _) => Response::Error(text),
            (false, Some(object)) => Response::Object(object),
            (false, None) => Response::Output(text),
        };
        out.push(Part {
            function_response: Some(Reply {
                id: &result.id,
                name: known.unwrap_or(&result.id),
                response,
                parts: inside,
            }),
            ..Part::default()
        });
        out.extend(beside);
    }
}

fn text(words: &str) -> Part<'_> {
    Part {
        text: Some(words),
        ..Part::default()
    }
}

/// `usual` is what something here is that does not say what it is. Google names an uploaded file by its address;
/// an id that is none is another provider's.
fn sourced<'a>(source: &'a Source, usual: &'static str) -> Option<Part<'a>> {
    let (inline_data, file_data) = match source {
        Source::Inline { media_type, data } => (Some(Blob::of(media_type, data, usual)), None),
        Source::Id(id) if !id.contains("://") => return None,
        Source::Url(address) | Source::Id(address) => (None, Some(File::of(address))),
    };
    Some(Part {
        inline_data,
        file_data,
        ..Part::default()
    })
}
