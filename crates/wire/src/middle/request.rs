//! A question to a model.

use std::collections::HashMap;

use super::{Json, Lost, Part};

/// A request, of any conversational API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The model in the caller's words; a target puts its own in place of it.
    pub model: String,
    /// Whether a stream is asked for.
    pub stream: bool,
    /// Whether a stream should tell its token counts in a chunk of its own.
    pub include_usage: bool,
    /// The conversation, system and developer messages in their places among the others.
    pub messages: Vec<Message>,
    /// What the model may call.
    pub tools: Vec<Tool>,
    /// Whether it must.
    pub tool_choice: Option<ToolChoice>,
    /// Whether it may call several at once.
    pub parallel_tools: Option<bool>,
    /// The form of the answer.
    pub format: Option<Format>,
    /// Thinking.
    pub reasoning: Option<Reasoning>,
    /// How tokens are chosen, and how many.
    pub sampling: Sampling,
    /// The caller's name for its user (`user`, `metadata.user_id`).
    pub user: Option<String>,
    /// `service_tier`.
    pub service_tier: Option<String>,
    /// `prompt_cache_key`.
    pub cache_key: Option<String>,
    /// `store`.
    pub store: Option<bool>,
    /// `metadata`, an object of strings.
    pub metadata: Option<Json>,
    /// `verbosity` of the text.
    pub verbosity: Option<String>,
    /// Members that the middle form has no place for, by name, in the caller's spelling. A codec of the
    /// same family may pass on those it knows; every other one is lost and named.
    pub extra: Vec<(String, Json)>,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said. Under [`Role::Tool`] there are only tool results, and they are nowhere else.
    pub parts: Vec<Part>,
    /// The speaker's name.
    pub name: Option<String>,
}

impl Request {
    /// Whether a service tier is asked for other than the one that everybody gets.
    pub fn wants_tier(&self) -> bool {
        let tier = self.service_tier.as_deref();
        tier.is_some_and(|tier| !matches!(tier, "auto" | "default"))
    }

    /// The tool that each call went to, by the call's id: a result may not name it.
    pub fn called(&self) -> HashMap<&str, &str> {
        let parts = self.messages.iter().flat_map(|message| &message.parts);
        let calls = parts.filter_map(|part| match part {
            Part::ToolCall(call) => Some((call.id.as_str(), call.name.as_str())),
            _ => None,
        });
        calls.collect()
    }

    /// The member of this name that the middle form has no place for.
    pub fn own(&self, name: &str) -> Option<&Json> {
        let found = self.extra.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value)
    }
}

impl Message {
    /// One text.
    pub fn text(role: Role, text: impl Into<String>) -> Self {
        Self {
            role,
            parts: vec![Part::text(text)],
            name: None,
        }
    }
}

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Instructions.
    System,
    /// Instructions, in the newer word of OpenAI.
    Developer,
    /// The one who asks.
    User,
    /// The model.
    Assistant,
    /// Tools.
    Tool,
}

/// Something the model may call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tool {
    /// A function of the caller.
    Function {
        /// Its name.
        name: String,
        /// What it does.
        description: Option<String>,
        /// JSON schema of its input.
        parameters: Option<Json>,
        /// Whether the input must follow the schema exactly.
        strict: Option<bool>,
        /// A cache breakpoint.
        cache: Option<Json>,
    },
    /// A tool of the provider (web search, code interpreter): its `type`, and the whole value.
    Hosted {
        /// Its `type`.
        kind: String,
        /// As it came.
        value: Json,
    },
}

/// Whether the model must call a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolChoice {
    /// As it likes.
    Auto,
    /// It must not.
    None,
    /// It must, whichever.
    Required,
    /// It must, this one.
    Function(String),
}

impl ToolChoice {
    /// Whether a tool must be called.
    pub const fn is_forced(&self) -> bool {
        matches!(self, Self::Required | Self::Function(_))
    }
}

/// The form of the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Format {
    /// Any JSON object.
    JsonObject,
    /// JSON by a schema.
    JsonSchema {
        /// Its name.
        name: Option<String>,
        /// What it is for.
        description: Option<String>,
        /// The schema.
        schema: Json,
        /// Whether it must be followed exactly.
        strict: Option<bool>,
    },
}

impl Format {
    /// The schema, where there is one, for a dialect that takes no more of it: what follows a schema there
    /// always follows it exactly, and its name is a label that says nothing. What it is for is lost.
    pub fn schema(&self, lost: &mut Lost) -> Option<&Json> {
        match self {
            Self::JsonObject => None,
            Self::JsonSchema {
                schema,
                description,
                ..
            } => {
                if description.is_some() {
                    lost.parameter("response_format.json_schema.description");
                }
                Some(schema)
            }
        }
    }
}

/// Thinking, as asked for. OpenAI asks by effort, Anthropic and Gemini by a budget of tokens; a codec
/// passes on what its dialect has and turns one into the other where it must (see
/// [`budget`](Self::budget) and [`effort`](Self::effort)).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reasoning {
    /// Switched on or off in so many words (`thinking.type`, `think`).
    pub enabled: Option<bool>,
    /// `none`, `minimal`, `low`, `medium`, `high`, `xhigh`.
    pub effort: Option<String>,
    /// Tokens.
    pub budget: Option<Json>,
    /// `auto`, `concise`, `detailed`: how much of it is told.
    pub summary: Option<String>,
    /// Whether the thoughts are to come back (Gemini's `includeThoughts`).
    pub include: Option<bool>,
    /// Whether encrypted thoughts are to come back (`include: ["reasoning.encrypted_content"]`).
    pub encrypted: bool,
}

/// Tokens for each effort, where only a budget can be said. The steps are those that LiteLLM and the
/// Vercel AI SDK use by default; Anthropic takes no less than 1,024.
const BUDGETS: [(&str, u64); 4] = [
    ("minimal", 1024),
    ("low", 1024),
    ("medium", 8192),
    ("high", 24576),
];

impl Reasoning {
    /// Whether thinking is wanted; `None` if nothing is said.
    pub fn wanted(&self) -> Option<bool> {
        let by_effort = || self.effort.as_deref().map(|effort| effort != "none");
        let by_budget = || self.budget.as_ref()?.as_u64().map(|tokens| tokens > 0);
        self.enabled.or_else(by_effort).or_else(by_budget)
    }

    /// Tokens: as said, or by the effort.
    pub fn budget(&self) -> Option<Json> {
        let by_effort = || {
            let effort = self.effort.as_deref()?;
            let known = BUDGETS.iter().find(|(name, _)| *name == effort);
            let most = (effort == "xhigh").then_some(32_768);
            known
                .map(|(_, tokens)| *tokens)
                .or(most)
                .map(|n| Json::of(&n))
        };
        self.budget.clone().or_else(by_effort)
    }

    /// The effort: as said, or the one whose budget is the nearest below.
    pub fn effort(&self) -> Option<&str> {
        let by_budget = || {
            let tokens = self.budget.as_ref()?.as_u64()?;
            let fits = BUDGETS.iter().rev().find(|(_, budget)| *budget <= tokens);
            fits.map(|(name, _)| *name).or(Some("low"))
        };
        self.effort.as_deref().or_else(by_budget)
    }
}

/// How tokens are chosen, and how many. Numbers as they were spelled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the parameters of the same names")]
pub struct Sampling {
    pub max_tokens: Option<Json>,
    pub temperature: Option<Json>,
    pub top_p: Option<Json>,
    pub top_k: Option<Json>,
    pub frequency_penalty: Option<Json>,
    pub presence_penalty: Option<Json>,
    pub seed: Option<Json>,
    pub stop: Vec<String>,
    pub n: Option<Json>,
    pub logprobs: Option<bool>,
    pub top_logprobs: Option<Json>,
    pub logit_bias: Option<Json>,
}
