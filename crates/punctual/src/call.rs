//! A question, and how much time there is for it.

use crate::{execution::Execution, timeouts::Timeouts};
use http::{HeaderMap, HeaderName, HeaderValue};
use punctual_core::Observer;
use punctual_wire::middle::{
    Format, Json, Message, Part, Reasoning, Request, Role, Tool, ToolChoice, ToolResult,
};
use std::{fmt, sync::Arc, time::Duration};

/// A question to a model, independent of who answers it. Cheap to clone.
///
/// ```
/// use punctual::Call;
/// use std::time::Duration;
///
/// let call = Call::new()
///     .system("Answer in one word.")
///     .user("What is the capital of Italy?")
///     .max_tokens(10)
///     .limit(Duration::from_secs(20));
/// # let _ = call;
/// ```
#[derive(Clone, Default)]
pub struct Call {
    pub(crate) request: Arc<Request>,
    pub(crate) timeouts: Option<Timeouts>,
    pub(crate) limit: Option<Duration>,
    pub(crate) deadline: Option<Execution>,
    pub(crate) headers: Arc<HeaderMap>,
    pub(crate) observer: Option<Arc<dyn Observer>>,
    pub(crate) mistake: Option<String>,
}

impl Call {
    /// An empty question.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Changes the question in its own form; the model is the client's to say.
    #[must_use]
    pub fn edit(mut self, change: impl FnOnce(&mut Request)) -> Self {
        change(Arc::make_mut(&mut self.request));
        self
    }

    /// The question in its own form.
    #[must_use]
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// One more message.
    #[must_use]
    pub fn message(self, message: Message) -> Self {
        self.edit(|request| request.messages.push(message))
    }

    /// Instructions.
    #[must_use]
    pub fn system(self, text: impl Into<String>) -> Self {
        self.message(Message::text(Role::System, text))
    }

    /// What is asked.
    #[must_use]
    pub fn user(self, text: impl Into<String>) -> Self {
        self.message(Message::text(Role::User, text))
    }

    /// What the model said before.
    #[must_use]
    pub fn assistant(self, text: impl Into<String>) -> Self {
        self.message(Message::text(Role::Assistant, text))
    }

    /// What a tool answered to the call named `id`.
    #[must_use]
    pub fn tool_result(self, id: impl Into<String>, text: impl Into<String>) -> Self {
        let result = ToolResult {
            id: id.into(),
            name: None,
            parts: vec![Part::text(text)],
            is_error: false,
            cache: None,
        };
        self.message(Message {
            role: Role::Tool,
            parts: vec![Part::ToolResult(result)],
            name: None,
        })
    }

    /// A tool that the model may call; `parameters` is the JSON schema of its input. Text that is no JSON
    /// makes the call fail before anything is sent.
    #[must_use]
    pub fn tool(
        mut self,
        name: impl Into<String>,
        description: impl Into<String>,
        parameters: &str,
    ) -> Self {
        let (name, parameters) = (name.into(), Json::parse(parameters));
        if parameters.is_none() {
            let fix = r#"write a JSON schema, such as {"type":"object"}"#;
            let text = format!("the parameters of the tool {name} are not JSON; {fix}");
            self.mistake = Some(text);
        }
        let tool = Tool::Function {
            name,
            description: Some(description.into()),
            parameters,
            strict: None,
            cache: None,
        };
        self.edit(|request| request.tools.push(tool))
    }

    /// Whether the model must call a tool.
    #[must_use]
    pub fn tool_choice(self, choice: ToolChoice) -> Self {
        self.edit(|request| request.tool_choice = Some(choice))
    }

    /// The form of the answer.
    #[must_use]
    pub fn format(self, format: Format) -> Self {
        self.edit(|request| request.format = Some(format))
    }

    /// At most so many tokens.
    #[must_use]
    pub fn max_tokens(self, tokens: u32) -> Self {
        self.edit(|request| request.sampling.max_tokens = Some(Json::of(&tokens)))
    }

    /// How freely tokens are chosen.
    #[must_use]
    pub fn temperature(self, temperature: f64) -> Self {
        self.edit(|request| request.sampling.temperature = Some(Json::of(&temperature)))
    }

    /// How hard the model thinks: `low`, `medium`, `high` and what else the provider knows.
    #[must_use]
    pub fn effort(self, effort: impl Into<String>) -> Self {
        self.edit(|request| {
            request
                .reasoning
                .get_or_insert_with(Reasoning::default)
                .effort = Some(effort.into());
        })
    }

    /// These clocks instead of the clients' own, for this call and every client that it reaches.
    #[must_use]
    pub fn timeouts(mut self, timeouts: impl Into<Timeouts>) -> Self {
        self.timeouts = Some(timeouts.into());
        self
    }

    /// How long the whole call may take: all attempts, all pauses, the whole stream. Zero is no limit.
    #[must_use]
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = (!limit.is_zero()).then_some(limit);
        self
    }

    /// The end of the run that the call belongs to, from an [`Execution`] or an instant. It can only tighten
    /// what binds already.
    #[must_use]
    pub fn deadline(mut self, ends: impl Into<Execution>) -> Self {
        let ends = ends.into();
        self.deadline = Some(self.deadline.map_or(ends, |old| old.earlier(ends)));
        self
    }

    /// A header for clients that pass it on (see `forward_header` of a client). What is no header makes the
    /// call fail before anything is sent.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        match (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            (Ok(name), Ok(value)) => {
                Arc::make_mut(&mut self.headers).append(name, value);
            }
            _ => self.mistake = Some(unsendable(&format!("the header {name:?} of the call"))),
        }
        self
    }

    /// Who is told what happens to the call.
    #[must_use]
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = Some(observer);
        self
    }
}

/// What is wrong with a header, and what one is.
pub(crate) fn unsendable(header: &str) -> String {
    format!(
        "{header} cannot be sent; a name has letters, digits and -, a value no line ends and no control characters"
    )
}

impl From<&str> for Call {
    fn from(text: &str) -> Self {
        Self::new().user(text)
    }
}

impl From<Request> for Call {
    fn from(request: Request) -> Self {
        Self {
            request: Arc::new(request),
            ..Self::default()
        }
    }
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("messages", &self.request.messages.len())
            .field("timeouts", &self.timeouts)
            .field("limit", &self.limit)
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}
