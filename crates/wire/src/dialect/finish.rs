//! Why generation ended.
//!
//! There is no closed list: providers invent reasons. What matters is whether the model simply
//! stopped, because a stream that has no content and "just stopped" is an empty response, while
//! one that was cut by length, a filter or a tool call is a true answer without text.

/// A finish reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finish {
    /// The model was done.
    Stop,
    /// The token limit.
    Length,
    /// The model calls tools.
    ToolCalls,
    /// A policy cut it.
    ContentFilter,
    /// The legacy single tool call.
    FunctionCall,
    /// Any other word, visible ASCII, at most 64 bytes.
    Other(Box<str>),
}

impl Finish {
    /// By the word an upstream uses; `None` for an empty one.
    pub fn of(word: &str) -> Option<Self> {
        Some(match word {
            "" => return None,
            "stop" => Self::Stop,
            "length" => Self::Length,
            "tool_calls" => Self::ToolCalls,
            "content_filter" => Self::ContentFilter,
            "function_call" => Self::FunctionCall,
            other => Self::Other(
                other
                    .chars()
                    .filter(char::is_ascii_graphic)
                    .take(64)
                    .collect(),
            ),
        })
    }

    /// The word for spans and logs.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Stop => "stop",
            Self::Length => "length",
            Self::ToolCalls => "tool_calls",
            Self::ContentFilter => "content_filter",
            Self::FunctionCall => "function_call",
            Self::Other(word) => word,
        }
    }

    /// Whether the model simply stopped: `stop` and the words other servers have for it.
    pub fn is_stop(&self) -> bool {
        match self {
            Self::Stop => true,
            Self::Other(word) => {
                let synonyms = [
                    "eos",
                    "eos_token",
                    "end_turn",
                    "stop_sequence",
                    "complete",
                    "end",
                ];
                synonyms
                    .iter()
                    .chain(&["stop"])
                    .any(|s| s.eq_ignore_ascii_case(word))
            }
            _ => false,
        }
    }
}
