//! The APIs that are no conversation: pictures, and TypeSafe's objects.
//!
//! A call is a conversation all the same, so its last text is what is asked for: the prompt, or the object.
//! What they answer becomes parts: pictures, or the object as text. Neither of them streams.

use bytes::Bytes;
use punctual_wire::{
    Class, Usage, Verdict,
    dialect::Finish,
    frame::Frame,
    middle::{
        Answer, Choice, Decode, Delta, Json, Lost, Options, Part, Request, Seen, Source,
        UpstreamCodec,
    },
};
use serde::Deserialize;
use serde_json::{Map, Value};

/// Prompt in, pictures out, in the words of OpenAI's images.
pub(super) const CODEC: UpstreamCodec = UpstreamCodec {
    request: picture_request,
    answer: pictures,
    stream: |_| Box::new(Nothing),
};

/// One object in, one out.
pub(super) const OBJECT: UpstreamCodec = UpstreamCodec {
    request: object_request,
    answer: object,
    stream: |_| Box::new(Nothing),
};

/// There is no stream to read.
struct Nothing;

impl Decode for Nothing {
    fn decode(&mut self, _: &Frame, _: &mut dyn FnMut(Delta<'_>)) -> Seen {
        Seen::Unparsed
    }
}

fn prompt(request: &Request) -> &str {
    let messages = request.messages.iter().rev();
    let mut parts = messages.flat_map(|message| &message.parts);
    match parts.find(|part| matches!(part, Part::Text { .. })) {
        Some(Part::Text { text, .. }) => text,
        _ => "",
    }
}

fn picture_request(request: &Request, options: &Options<'_>, _: &mut Lost) -> Bytes {
    let mut body = serde_json::json!({"model": options.model, "prompt": prompt(request)});
    if let (Some(n), Value::Object(body)) = (&request.sampling.n, &mut body) {
        body.insert("n".to_owned(), serde_json::to_value(n).unwrap_or_default());
    }
    Bytes::from(body.to_string())
}

#[derive(Deserialize)]
struct Pictures {
    #[serde(default)]
    created: Option<u64>,
    data: Vec<Picture>,
    #[serde(default)]
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
struct Picture {
    #[serde(default)]
    url: Option<String>,
    #[serde(default)]
    b64_json: Option<String>,
}

#[derive(Deserialize)]
struct Tokens {
    #[serde(default)]
    input_tokens: Option<u64>,
    #[serde(default)]
    output_tokens: Option<u64>,
}

impl Picture {
    fn part(self) -> Option<Part> {
        let source = match (self.b64_json, self.url) {
            (Some(data), _) => Source::Inline {
                media_type: "image/png".to_owned(),
                data,
            },
            (None, Some(url)) => Source::Url(url),
            (None, None) => return None,
        };
        Some(Part::Image {
            source,
            detail: None,
            cache: None,
        })
    }
}

fn pictures(body: &[u8]) -> Result<Answer, Verdict> {
    let unreadable = |_| Verdict::of(Class::Malformed, "the answer holds no pictures");
    let pictures: Pictures = serde_json::from_slice(body).map_err(unreadable)?;
    let choice = Choice {
        parts: pictures
            .data
            .into_iter()
            .filter_map(Picture::part)
            .collect(),
        finish: Some(Finish::Stop),
        ..Choice::default()
    };
    Ok(Answer {
        created: pictures.created,
        choices: vec![choice],
        usage: pictures.usage.map(usage),
        ..Answer::default()
    })
}

fn usage(tokens: Tokens) -> Usage {
    Usage {
        input: tokens.input_tokens,
        output: tokens.output_tokens,
        ..Usage::default()
    }
}

/// The object that is asked, with the model put first.
fn object_request(request: &Request, options: &Options<'_>, lost: &mut Lost) -> Bytes {
    let asked: Option<Map<String, Value>> = serde_json::from_str(prompt(request)).ok();
    let Some(mut asked) = asked else {
        lost.content("messages[].content that is no JSON object");
        return Bytes::new();
    };
    asked.remove("model");
    let rest = Json::of(&asked);
    let rest = rest.as_str().trim_start_matches('{');
    let comma = if rest == "}" { "" } else { "," };
    let model = Json::of(options.model);
    Bytes::from(format!("{{\"model\":{}{comma}{rest}", model.as_str()))
}

fn object(body: &[u8]) -> Result<Answer, Verdict> {
    #[derive(Deserialize)]
    struct Told {
        #[serde(default)]
        model: Option<String>,
        #[serde(default)]
        usage: Option<Tokens>,
    }
    let unreadable = |_| Verdict::of(Class::Malformed, "the answer is not a JSON object");
    let told: Told = serde_json::from_slice(body).map_err(unreadable)?;
    let choice = Choice {
        parts: vec![Part::text(String::from_utf8_lossy(body))],
        finish: Some(Finish::Stop),
        ..Choice::default()
    };
    Ok(Answer {
        model: told.model,
        choices: vec![choice],
        usage: told.usage.map(usage),
        ..Answer::default()
    })
}
