//! Image models behind Vercel's AI Gateway.
//!
//! The gateway has no OpenAI form for images; its own is that of the AI SDK's image models: a prompt and a few
//! settings in, base64 pictures out. The model stands in a header.

use std::borrow::Cow;

use bytes::Bytes;
use serde::Serialize;

use super::{AnswerSummary, Durations, End};
use crate::{
    BadBody, Class, Verdict, json,
    middle::{Asked, Json, Lost},
    peek::fault::syntax,
};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Request<'a> {
    prompt: Json,
    n: Json,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    aspect_ratio: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<Json>,
    provider_options: serde_json::Map<String, serde_json::Value>,
}

/// An OpenAI request for images, for the gateway.
///
/// # Errors
/// If the body is no JSON object.
pub(crate) fn request(body: &[u8], lost: &mut Lost) -> Result<Bytes, BadBody> {
    let text = crate::peek::fault::object(body)?;
    let members = json::entries(text).ok_or_else(|| syntax(text))?;
    let mut asked = Request {
        prompt: Json::of(""),
        n: Json::of(&1),
        size: None,
        aspect_ratio: None,
        seed: None,
        provider_options: serde_json::Map::new(),
    };
    for (name, value) in &members {
        let json = || Json::parse(value);
        match name.as_str() {
            "prompt" => asked.prompt = json().unwrap_or(asked.prompt),
            "n" if *value != "null" => asked.n = json().unwrap_or(asked.n),
            "size" => asked.size = json::text(value).filter(|size| size != "auto"),
            "aspect_ratio" => asked.aspect_ratio = json(),
            "seed" => asked.seed = json(),
            // pictures always come as base64
            "response_format" if *value == "\"b64_json\"" => {}
            "model" | "n" => {}
            _ if *value == "null" => {}
            other => lost.parameter(other.to_owned()),
        }
    }
    Ok(serde_json::to_vec(&asked).unwrap_or_default().into())
}

/// The gateway's answer in OpenAI's words.
///
/// # Errors
/// The in-band verdict, or [`Class::Malformed`].
pub(crate) fn answer(body: &[u8], asked: &Asked) -> Result<(Bytes, AnswerSummary), Verdict> {
    let text = std::str::from_utf8(body).unwrap_or_default();
    let Some(images) = json::member(text, "images").filter(|images| json::is_array(images)) else {
        return Err(match json::member(text, "error") {
            Some(_) => Verdict::in_band(body),
            None => Verdict::of(Class::Malformed, "the answer has no images"),
        });
    };
    let mut data = Vec::new();
    json::elements(images, |image| {
        if json::is_text(image) {
            data.push(format!("{{\"b64_json\":{image}}}"));
        }
    });
    let has_content = !data.is_empty();
    let out = format!(
        "{{\"created\":{},\"data\":[{}]}}",
        asked.now,
        data.join(",")
    );
    let summary = AnswerSummary {
        usage: None,
        finish: None,
        id: None,
        model: None,
        has_content,
        end: End::Stop,
        state: Vec::new(),
        durations: Durations::default(),
    };
    Ok((out.into(), summary))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_and_its_pictures_change_their_words_and_nothing_else() {
        let mut lost = Lost::default();
        let body =
            br#"{"model":"m","prompt":"a cat","n":2,"size":"1024x1024","quality":"hd","seed":7}"#;
        let sent = request(body, &mut lost).unwrap();
        assert_eq!(
            sent,
            r#"{"prompt":"a cat","n":2,"size":"1024x1024","seed":7,"providerOptions":{}}"#
        );
        assert_eq!(lost.names().collect::<Vec<_>>(), ["quality"]);
        let asked = Asked {
            now: 5,
            ..Asked::default()
        };
        let (out, summary) =
            answer(br#"{"images":["aGk=","eW8="],"warnings":[]}"#, &asked).unwrap();
        assert_eq!(
            out,
            r#"{"created":5,"data":[{"b64_json":"aGk="},{"b64_json":"eW8="}]}"#
        );
        assert!(summary.has_content);
        assert!(answer(b"{}", &asked).is_err());
    }

    #[test]
    fn an_address_in_place_of_the_picture_cannot_be_had_and_is_named() {
        let lost = |format: &str| {
            let mut lost = Lost::default();
            let body = format!(r#"{{"prompt":"a cat","response_format":{format}}}"#);
            request(body.as_bytes(), &mut lost).unwrap();
            lost.names().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(lost(r#""url""#), ["response_format"]);
        assert_eq!(lost(r#""b64_json""#), [""; 0]);
        assert_eq!(lost("null"), [""; 0]);
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for body in [&b"[]"[..], b"{", b"", b"\xff"] {
            assert!(request(body, &mut Lost::default()).is_err());
        }
    }
}
