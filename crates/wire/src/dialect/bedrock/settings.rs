//! Everything of a request beside the conversation and the tools.

use std::collections::BTreeMap;

use serde::Serialize;

use super::claude::{self, Thinking, Thought};
use crate::middle::{Format, Json, Lost, Reasoning, Request};

/// `inferenceConfig`: what every model understands.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Inference<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_tokens: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) temperature: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) top_p: Option<&'a Json>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub(super) stop_sequences: &'a [String],
}

/// `additionalModelRequestFields`: what the models of one maker understand, in that maker's words.
#[derive(Debug, Default, Serialize)]
pub(super) struct Additional<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Thinking>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_k: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'a str>,
    /// Amazon Nova.
    #[serde(rename = "inferenceConfig", skip_serializing_if = "Option::is_none")]
    nova: Option<TopK<'a>>,
}

#[derive(Debug, Serialize)]
struct TopK<'a> {
    #[serde(rename = "topK")]
    top_k: &'a Json,
}

/// `outputConfig`.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Output<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    text_format: Option<TextFormat<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    effort: Option<String>,
}

#[derive(Debug, Serialize)]
struct TextFormat<'a> {
    r#type: &'static str,
    structure: Structure<'a>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
enum Structure<'a> {
    JsonSchema {
        /// The schema as text.
        schema: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        description: Option<&'a str>,
    },
}

/// What belongs together because thinking decides on it.
#[derive(Debug, Default)]
pub(super) struct Settings<'a> {
    pub(super) inference: Option<Inference<'a>>,
    pub(super) additional: Option<Additional<'a>>,
    pub(super) output: Option<Output<'a>>,
}

pub(super) fn write<'a>(request: &'a Request, model: &str, lost: &mut Lost) -> Settings<'a> {
    let (sampling, anthropic) = (&request.sampling, model.contains("anthropic"));
    let thought = match anthropic {
        true => claude::thinking(model, request, lost),
        false => Thought::default(),
    };
    let mut free = |value: &'a Option<Json>, name: &'static str| {
        let value = value.as_ref();
        if thought.fixed_sampling && value.is_some() {
            lost.parameter(name);
        }
        value.filter(|_| !thought.fixed_sampling)
    };
    let temperature = free(&sampling.temperature, "temperature");
    let top_p = free(&sampling.top_p, "top_p");
    let top_k = free(&sampling.top_k, "top_k");
    let inference = Inference {
        max_tokens: sampling.max_tokens.as_ref(),
        temperature,
        top_p,
        stop_sequences: &sampling.stop,
    };
    let mut additional = Additional {
        thinking: thought.thinking,
        ..Additional::default()
    };
    match top_k {
        Some(top_k) if anthropic => additional.top_k = Some(top_k),
        Some(top_k) if model.contains("amazon.nova") => additional.nova = Some(TopK { top_k }),
        Some(_) => lost.parameter("top_k"),
        None => {}
    }
    if let Some(reasoning) = request.reasoning.as_ref().filter(|_| !anthropic) {
        additional.reasoning_effort = effort(reasoning, model, lost);
    }
    let output = Output {
        text_format: text_format(request.format.as_ref(), lost),
        effort: thought.effort,
    };
    let said = [temperature, top_p, inference.max_tokens];
    let nothing = said.iter().all(Option::is_none) && sampling.stop.is_empty();
    Settings {
        inference: (!nothing).then_some(inference),
        additional: (!additional.is_empty()).then_some(additional),
        output: (output.text_format.is_some() || output.effort.is_some()).then_some(output),
    }
}

impl Additional<'_> {
    fn is_empty(&self) -> bool {
        self.thinking.is_none()
            && self.top_k.is_none()
            && self.reasoning_effort.is_none()
            && self.nova.is_none()
    }
}

/// The open models of OpenAI take an effort in its own words; others have nothing of the kind.
fn effort<'a>(reasoning: &'a Reasoning, model: &str, lost: &mut Lost) -> Option<&'a str> {
    let leveled = model.contains("gpt-oss");
    if reasoning.wanted() != Some(true) {
        // these always think
        if leveled && reasoning.wanted() == Some(false) {
            lost.parameter("reasoning_effort");
        }
        return None;
    }
    for (name, said) in [
        ("reasoning.summary", reasoning.summary.is_some()),
        ("reasoning.exclude", reasoning.include == Some(false)),
    ] {
        if said {
            lost.parameter(name);
        }
    }
    let effort = reasoning.effort().filter(|_| leveled);
    if effort.is_none() {
        lost.parameter(match reasoning.budget.is_some() {
            true => "thinking",
            false => "reasoning_effort",
        });
    }
    effort
}

fn text_format<'a>(format: Option<&'a Format>, lost: &mut Lost) -> Option<TextFormat<'a>> {
    match format? {
        Format::JsonObject => {
            lost.parameter("response_format");
            None
        }
        Format::JsonSchema {
            name,
            description,
            schema,
            ..
        } => Some(TextFormat {
            r#type: "json_schema",
            structure: Structure::JsonSchema {
                schema: schema.as_str(),
                name: name.as_deref(),
                description: description.as_deref(),
            },
        }),
    }
}

/// `requestMetadata`: up to 16 strings of plain signs, by which logs of invocations can be searched.
pub(super) fn metadata(metadata: &Json) -> Option<BTreeMap<String, String>> {
    let plain = |text: &str, least: usize| {
        let allowed = |c: char| {
            c.is_ascii_alphanumeric() || c.is_ascii_whitespace() || ":_@$#=/+,-.".contains(c)
        };
        (least..=256).contains(&text.len()) && text.chars().all(allowed)
    };
    let entries: BTreeMap<String, String> = serde_json::from_str(metadata.as_str()).ok()?;
    let fits = |(key, value): (&String, &String)| plain(key, 1) && plain(value, 0);
    ((1..=16).contains(&entries.len()) && entries.iter().all(fits)).then_some(entries)
}
