//! What a well-behaved answer contains, before it is laid out.
//!
//! Kept apart from the layout because a stream and a unary body must say the same, and because a word
//! such as `tokens=` has to act on both.

use std::time::Duration;

use super::{Fault, Kind, Part, Place, Wait};
use crate::ask::Ask;
use crate::surface::{Voice, voice};

/// The nth token.
pub(super) fn token(n: usize) -> String {
    format!("tok{n} ")
}

const REFUSAL: &str = "I cannot help with that.";

/// The contents of an answer.
pub(crate) struct Shape {
    pub(crate) tokens: usize,
    /// Deltas of reasoning before the text.
    pub(crate) reasoning: usize,
    pub(crate) tool: bool,
    /// When the tool's input comes, from the head.
    pub(crate) tool_at: Option<Duration>,
    pub(crate) refusal: bool,
    /// Texts of these sizes in bytes before the tokens.
    pub(crate) large: Vec<usize>,
    /// `finish_reason`; unset is what fits.
    pub(crate) finish: Option<String>,
    pub(crate) no_finish: bool,
    /// How often `[DONE]` is sent.
    pub(crate) done: usize,
    /// A usage chunk although not asked for.
    pub(crate) usage: bool,
    /// Overrules what the request says.
    pub(crate) stream: Option<bool>,
    /// How long a credential is good for.
    pub(crate) expires: Duration,
    /// The error to report, if a word asks for one.
    pub(crate) fault: Option<Fault>,
}

impl Default for Shape {
    fn default() -> Self {
        Self {
            tokens: 2,
            reasoning: 0,
            tool: false,
            tool_at: None,
            refusal: false,
            large: Vec::new(),
            finish: None,
            no_finish: false,
            done: 1,
            usage: false,
            stream: None,
            expires: Duration::from_secs(3_599),
            fault: None,
        }
    }
}

impl Shape {
    pub(crate) fn streamed(&self, ask: &Ask) -> bool {
        self.stream.unwrap_or(ask.stream)
    }

    /// `completion_tokens`.
    pub(crate) fn count(&self) -> usize {
        self.tokens + self.reasoning + self.large.len()
    }

    pub(crate) fn finish(&self) -> Option<&str> {
        let fitting = if self.tool { "tool_calls" } else { "stop" };
        (!self.no_finish).then(|| self.finish.as_deref().unwrap_or(fitting))
    }

    /// Blocks of reasoning and tools, which come before the text.
    pub(crate) fn before_text(&self) -> usize {
        usize::from(self.reasoning > 0) + usize::from(self.tool)
    }

    /// Whether there is any text, or a refusal in its place.
    pub(crate) fn says_text(&self) -> bool {
        self.tokens > 0 || !self.large.is_empty() || self.refusal
    }

    fn texts(&self) -> impl Iterator<Item = String> + '_ {
        let large = self.large.iter().map(|size| "x".repeat(*size));
        large.chain((0..self.tokens).map(token))
    }

    /// The whole text of a unary answer.
    pub(crate) fn text(&self) -> String {
        self.texts().collect()
    }

    /// The whole reasoning of a unary answer.
    pub(crate) fn thought(&self) -> String {
        (0..self.reasoning).map(thought).collect()
    }

    /// The events of a stream.
    pub(crate) fn events(&self, ask: &Ask) -> Vec<Part> {
        let voice = voice(ask.surface);
        let mut parts = voice.preamble(ask);
        let content = |c| Part::now(Kind::Content, c);
        if self.reasoning > 0 {
            let thoughts: Vec<String> = (0..self.reasoning).map(thought).collect();
            parts.extend(voice.reasoning(ask, &thoughts));
        }
        if self.tool {
            let at = |part: Part| match (self.tool_at, part.kind) {
                (Some(at), Kind::Tool) => Part {
                    wait: Wait::At(at),
                    ..part
                },
                _ => part,
            };
            parts.extend(voice.tool(ask, self).into_iter().map(at));
        }
        if self.says_text() {
            parts.extend(voice.opening(ask));
        }
        if self.refusal {
            parts.push(content(voice.refusal(ask, REFUSAL)));
        }
        for (i, text) in self.texts().enumerate() {
            let kind = if i < self.large.len() {
                Kind::Large
            } else {
                Kind::Content
            };
            parts.push(Part::now(kind, voice.text(ask, &text)));
        }
        if let Some(reason) = self.finish() {
            let finish = voice.finish(ask, self, reason).into_iter();
            parts.extend(finish.map(|event| Part::now(Kind::Finish, event)));
        }
        if self.usage || ask.include_usage {
            parts.push(Part::now(Kind::Usage, voice.usage(ask, self.count())));
        }
        if let Some(done) = voice.done(ask, self) {
            parts.extend(std::iter::repeat_n(Part::now(Kind::Done, done), self.done));
        }
        self.stamped(voice, parts)
    }

    fn stamped(&self, voice: &dyn Voice, mut parts: Vec<Part>) -> Vec<Part> {
        let mut contents = 0;
        for (event, part) in parts.iter_mut().enumerate() {
            contents += usize::from(matches!(part.kind, Kind::Content | Kind::Large));
            part.stamp(voice, self, Place { event, contents });
        }
        parts
    }
}

fn thought(n: usize) -> String {
    format!("think{n} ")
}
