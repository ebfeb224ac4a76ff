//! The classes, and the rules that tell them apart.
//!
//! The status decides, and words refine it where providers hide something else behind it: money
//! behind 400 and 429, a prompt that is too long behind 400 and 413, a policy behind 400 and 403.
//! Without a status (inside a 200) the words decide alone. A word that nobody knows changes
//! nothing.

use super::said::Said;

/// What kind of failure, by the contract's failure table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Too many requests or tokens for now (429).
    RateLimited,
    /// The account has no money or quota left (402 and hidden forms).
    QuotaExhausted,
    /// The upstream is out of capacity (503, 529).
    Overloaded,
    /// Every other 5xx, 408, 425, and 424 (Bedrock's model errors).
    ServerError,
    /// The credential is not accepted (401).
    Unauthorized,
    /// The credential may not do this (403).
    Forbidden,
    /// No such model or path (404).
    NotFound,
    /// The request is at fault (other 4xx).
    InvalidRequest,
    /// The prompt does not fit the model's context.
    ContextLengthExceeded,
    /// The provider's policy refuses the request.
    ContentRefused,
    /// Not the dialect: a redirect, or a 200 that cannot be read.
    Malformed,
    /// An error inside a stream that does not say what kind.
    StreamError,
}

impl Class {
    /// The code in errors, spans and metrics (the contract's failure table).
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RateLimited => "rate_limited",
            Self::QuotaExhausted => "quota_exhausted",
            Self::Overloaded => "overloaded",
            Self::ServerError => "server_error",
            Self::Unauthorized | Self::Forbidden => "unauthorized",
            Self::NotFound => "not_found",
            Self::InvalidRequest => "invalid_request",
            Self::ContextLengthExceeded => "context_length_exceeded",
            Self::ContentRefused => "content_refused",
            Self::Malformed => "malformed_response",
            Self::StreamError => "stream_error",
        }
    }

    /// Whether waiting can help, so that a hint in the body means something.
    pub(super) const fn is_temporary(self) -> bool {
        matches!(
            self,
            Self::RateLimited | Self::QuotaExhausted | Self::Overloaded | Self::ServerError
        )
    }
}

const QUOTA: [&str; 9] = [
    "insufficientquota",
    "billinghardlimitreached",
    "billingnotactive",
    "billingerror",
    "insufficientbalance",
    "insufficientcredits",
    "insufficientuserquota",
    "exceededcurrentquotaerror",
    "paymentrequired",
];
/// Anthropic, DeepSeek, OpenRouter.
const QUOTA_TEXTS: [&str; 4] = [
    "credit balance is too low",
    "insufficient balance",
    "insufficient credits",
    "requires more credits",
];

const CONTEXT: [&str; 4] = [
    "contextlengthexceeded",
    "exceedcontextsizeerror",
    "contextwindowexceeded",
    "contextwindowexceedederror",
];
/// OpenAI and vLLM; xAI; vLLM; SGLang; llama.cpp; Anthropic (two); Gemini; Groq and Responses; TGI; Bedrock;
/// Moonshot; DashScope.
const CONTEXT_TEXTS: [&str; 14] = [
    "maximum context length",
    "maximum prompt length",
    "maximum model length",
    "model's context length",
    "exceeds the available context size",
    "prompt is too long",
    "exceed context limit",
    "exceeds the maximum number of tokens allowed",
    "context window",
    "context length exceeded",
    "`inputs` tokens + `max_new_tokens` must be",
    "input is too long for requested model",
    "exceeded model token limit",
    "range of input length should be",
];

const REFUSED: [&str; 8] = [
    "contentpolicyviolation",
    "contentpolicyviolationerror",
    "contentfilter",
    "contentfilterederror",
    "responsibleaipolicyviolation",
    "moderationblocked",
    "datainspectionfailed",
    "safetyviolation",
];

/// OpenAI's `invalid_prompt`, a code that also stands for a prompt that cannot be read; Anthropic; xAI.
const REFUSED_TEXTS: [&str; 3] = [
    "violating our usage polic",
    "content filtering policy",
    "violates usage guidelines",
];

const OVERLOADED: [&str; 7] = [
    "overloadederror",
    "overloaded",
    "engineoverloaded",
    "engineoverloadederror",
    "serviceunavailable",
    "serviceunavailableerror",
    "unavailable",
];

/// Words that stand in for a status when there is none.
const WORDS: [(&str, Class); 35] = [
    ("ratelimiterror", Class::RateLimited),
    ("ratelimitexceeded", Class::RateLimited),
    ("ratelimitreached", Class::RateLimited),
    ("ratelimited", Class::RateLimited),
    ("toomanyrequests", Class::RateLimited),
    ("resourceexhausted", Class::RateLimited),
    ("throttlingexception", Class::RateLimited),
    ("apierror", Class::ServerError),
    ("servererror", Class::ServerError),
    ("internalerror", Class::ServerError),
    ("internalservererror", Class::ServerError),
    ("internal", Class::ServerError),
    ("timeouterror", Class::ServerError),
    ("timeout", Class::ServerError),
    ("gatewaytimeout", Class::ServerError),
    ("deadlineexceeded", Class::ServerError),
    ("badgateway", Class::ServerError),
    ("upstreamerror", Class::ServerError),
    ("authenticationerror", Class::Unauthorized),
    ("invalidapikey", Class::Unauthorized),
    ("unauthenticated", Class::Unauthorized),
    ("unauthorized", Class::Unauthorized),
    ("permissionerror", Class::Forbidden),
    ("permissiondenied", Class::Forbidden),
    ("permissiondeniederror", Class::Forbidden),
    ("notfounderror", Class::NotFound),
    ("modelnotfound", Class::NotFound),
    ("notfound", Class::NotFound),
    ("invalidrequesterror", Class::InvalidRequest),
    ("badrequesterror", Class::InvalidRequest),
    ("invalidargument", Class::InvalidRequest),
    ("failedprecondition", Class::InvalidRequest),
    ("outofrange", Class::InvalidRequest),
    ("validationerror", Class::InvalidRequest),
    ("toolusefailed", Class::InvalidRequest),
];

pub(super) fn of_response(status: u16, said: &Said) -> Class {
    match status {
        400..=599 => refined(Some(status), said).unwrap_or_else(|| by_status(status)),
        // 1xx, 2xx and 3xx: nothing that this dialect answers with, and never followed
        _ => Class::Malformed,
    }
}

pub(super) fn in_band(said: &Said) -> Class {
    let status = said.status.filter(|status| *status >= 400);
    refined(status, said).unwrap_or_else(|| match status {
        Some(status) => by_status(status),
        None => by_word(said),
    })
}

fn by_status(status: u16) -> Class {
    match status {
        401 => Class::Unauthorized,
        402 => Class::QuotaExhausted,
        403 => Class::Forbidden,
        404 => Class::NotFound,
        // RFC 7725: "as a consequence of a legal demand"
        451 => Class::ContentRefused,
        429 => Class::RateLimited,
        503 | 529 => Class::Overloaded,
        408 | 424 | 425 | 500.. => Class::ServerError,
        _ => Class::InvalidRequest,
    }
}

fn by_word(said: &Said) -> Class {
    let known = |word: &String| WORDS.iter().find(|(name, _)| name == word);
    said.words
        .iter()
        .find_map(known)
        .map_or(Class::StreamError, |(_, class)| *class)
}

/// What stands behind the status, where the words say so.
fn refined(status: Option<u16>, said: &Said) -> Option<Class> {
    let text = said.text();
    let word = |names: &[&str]| said.words.iter().any(|word| names.contains(&word.as_str()));
    let phrase = |texts: &[&str]| texts.iter().any(|t| text.contains(t));
    let among = |statuses: &[u16]| status.is_none_or(|s| statuses.contains(&s));

    if among(&[400, 402, 403, 429]) && (word(&QUOTA) || phrase(&QUOTA_TEXTS)) {
        return Some(Class::QuotaExhausted);
    }
    if among(&[400, 413, 422]) && (word(&CONTEXT) || phrase(&CONTEXT_TEXTS)) {
        return Some(Class::ContextLengthExceeded);
    }
    if among(&[400, 403, 422, 451]) && (word(&REFUSED) || phrase(&REFUSED_TEXTS)) {
        return Some(Class::ContentRefused);
    }
    let server = status.is_none_or(|s| s >= 500);
    (server && word(&OVERLOADED)).then_some(Class::Overloaded)
}
