//! Errors as providers report them: as the body of an error status, or inside a stream under 200.
//!
//! The in-band forms are the surface's own and those of recorded streams: an error object as data, an
//! `event: error`, an
//! `error:` line of its own, and a chunk whose `finish_reason` is `error`.

use bytes::Bytes;

use super::{Answer, Content, Kind, Part, Tail, Wire};
use crate::surface::{self, voice};

/// How an error is put into a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum FaultForm {
    /// As the surface reports errors.
    #[default]
    Surface,
    Data,
    Event,
    Field,
    Finish,
}

/// An error to report.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fault {
    /// A name of [`KNOWN`], a number, or any other text.
    pub(crate) code: Option<String>,
    pub(crate) form: FaultForm,
    /// Behind this many tokens.
    pub(crate) after: usize,
}

/// Short name, `type`, `code`, `message`.
const KNOWN: [(&str, &str, &str, &str); 7] = [
    (
        "rate_limit",
        "rate_limit_error",
        "rate_limit_exceeded",
        "Rate limit reached. Please try again later.",
    ),
    ("overloaded", "overloaded_error", "overloaded", "Overloaded"),
    (
        "insufficient_quota",
        "insufficient_quota",
        "insufficient_quota",
        "You exceeded your current quota.",
    ),
    (
        "server",
        "server_error",
        "server_error",
        "The server had an error while processing your request.",
    ),
    (
        "invalid_request",
        "invalid_request_error",
        "invalid_request",
        "Invalid request.",
    ),
    (
        "context_length",
        "invalid_request_error",
        "context_length_exceeded",
        "This model's maximum context length is 8192 tokens.",
    ),
    (
        "content_filter",
        "invalid_request_error",
        "content_policy_violation",
        "Refused by the content policy.",
    ),
];

/// An error, spelt out.
pub(crate) struct Problem {
    /// The HTTP status that goes with it.
    pub(crate) status: u16,
    pub(crate) kind: String,
    pub(crate) code: String,
    pub(crate) message: &'static str,
}

impl Problem {
    fn of(code: &str) -> Self {
        let known = KNOWN
            .iter()
            .find(|(name, _, full, _)| *name == code || *full == code);
        let (kind, code, message) = match known {
            Some((_, kind, full, message)) => (*kind, *full, *message),
            None if code.parse::<u16>().is_ok() => ("error", code, "scripted error"),
            None => (code, code, "scripted error"),
        };
        Self {
            status: code.parse().unwrap_or_else(|_| status_of(kind)),
            kind: kind.to_owned(),
            code: code.to_owned(),
            message,
        }
    }

    /// OpenAI's error object; a code of digits is a number, as gateways behind other providers send it.
    pub(crate) fn object(&self) -> String {
        let number = self.code.parse::<u16>().ok();
        serde_json::json!({
            "message": self.message,
            "type": self.kind,
            "param": null,
            "code": number.map_or(serde_json::Value::from(self.code.as_str()), serde_json::Value::from),
        })
        .to_string()
    }
}

/// The code that goes with an HTTP status, where a script names none.
pub(crate) fn code_of(status: u16) -> &'static str {
    match status {
        401 => "invalid_api_key",
        403 => "permission_denied",
        404 => "model_not_found",
        429 => "rate_limit",
        503 | 529 => "overloaded",
        500.. => "server",
        _ => "invalid_request",
    }
}

/// The HTTP status that goes with a kind of error, where none is named.
fn status_of(kind: &str) -> u16 {
    match kind {
        "rate_limit_error" | "insufficient_quota" => 429,
        "overloaded_error" => 503,
        "invalid_request_error" => 400,
        _ => 500,
    }
}

impl Answer {
    /// The body of an error status.
    pub(crate) fn refuse(&mut self, status: u16) {
        let named = self.shape.fault.take().and_then(|f| f.code);
        let problem = Problem {
            status,
            ..Problem::of(named.as_deref().unwrap_or_else(|| code_of(status)))
        };
        self.status = status;
        self.set_body(
            surface::content_type(&self.ask),
            surface::problem(&self.ask, &problem),
        );
        let marks = voice(self.ask.surface).problem_header(&problem);
        if let Some((name, Ok(value))) = marks.map(|(name, value)| (name, value.parse())) {
            self.set_header(http::HeaderName::from_static(name), value);
        }
    }

    /// Puts the error that no status has taken into the 200 answer, and ends it there.
    pub(crate) fn strike(&mut self) {
        let Some(fault) = self.shape.fault.take() else {
            return;
        };
        let problem = Problem::of(fault.code.as_deref().unwrap_or("server"));
        let voice = voice(self.ask.surface);
        if self.body().is_some() {
            self.set_body(
                surface::content_type(&self.ask),
                surface::problem(&self.ask, &problem),
            );
            return;
        }
        match fault.after {
            0 => self.parts.clear(),
            n => self.keep(n, Tail::Complete),
        }
        let error = problem.object();
        let content = match fault.form {
            FaultForm::Surface => voice.problem_event(&problem),
            FaultForm::Data => Content::data(format!(r#"{{"error":{error}}}"#)),
            FaultForm::Event => Content::event("error", &format!(r#","error":{error}"#)),
            FaultForm::Field if self.wire == Wire::Sse => {
                Content::Raw(Bytes::from(format!("error: {error}\n\n")))
            }
            FaultForm::Field => Content::Failure {
                code: problem.code.clone(),
                message: problem.message.to_owned(),
                data: voice.problem(&problem),
            },
            FaultForm::Finish => self.finish_with(&problem),
        };
        self.parts.push(Part::now(Kind::Noise, content));
        if self.wire == Wire::Array {
            self.parts.push(Part::now(Kind::Done, Content::Close));
        }
    }

    /// The finish event of reason `error` with the error object as one more member.
    fn finish_with(&self, problem: &Problem) -> Content {
        let voice = voice(self.ask.surface);
        match voice.finish(&self.ask, &self.shape, "error").pop() {
            Some(Content::Event { name, data }) if data.ends_with('}') => {
                let open = data.strip_suffix('}').unwrap_or(&data);
                let data = format!(r#"{open},"error":{}}}"#, problem.object());
                Content::Event { name, data }
            }
            _ => voice.problem_event(problem),
        }
    }
}
