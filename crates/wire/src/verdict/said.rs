//! What an error body says, whoever wrote it.
//!
//! The envelope differs: OpenAI `{"error":{message,type,code,param}}`, Google
//! `{"error":{code,message,status}}` (streams: in an array), OpenRouter with the provider's own
//! error as text in `metadata.raw`, Azure with `innererror`, vLLM `{"object":"error",…}`, FastAPI
//! `{"detail":…}`, a bare string. Text is cut and cleaned here, once.

use crate::json;

const MESSAGE_LIMIT: usize = 2_048;
const WORD_LIMIT: usize = 128;

#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) message: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) code: Option<String>,
    /// 100 to 599, wherever it stands.
    pub(super) status: Option<u16>,
    /// Every type, code and status word of this error and those inside it, folded.
    pub(super) words: Vec<String>,
    /// This is what stands inside another error, whose own `metadata` is not followed.
    inner: bool,
}

impl Said {
    pub(super) fn read(body: &[u8]) -> Self {
        Self::read_at(body, false)
    }

    fn read_at(body: &[u8], inner: bool) -> Self {
        let mut said = Self {
            inner,
            ..Self::default()
        };
        if let Ok(text) = std::str::from_utf8(body) {
            said.body(text.trim());
        }
        said
    }

    /// The message in lower case, for looking things up in it.
    pub(super) fn text(&self) -> String {
        self.message.as_deref().unwrap_or_default().to_lowercase()
    }

    fn body(&mut self, body: &str) {
        if json::is_array(body) {
            let mut first = None;
            json::elements(body, |element| first = first.or(Some(element)));
            return self.body(first.filter(|f| json::is_object(f)).unwrap_or_default());
        }
        let Some([error, errors, detail]) = json::members(body, &["error", "errors", "detail"])
        else {
            return;
        };
        match error {
            Some(error) if json::is_object(error) => self.error(error),
            Some(error) if json::is_string(error) => {
                // beside the text, some put type and code at the top
                self.error(body);
                self.say(json::text(error).as_deref());
            }
            _ => self.error(body),
        }
        self.fallback(errors.or(detail));
    }

    fn error(&mut self, error: &str) {
        const NAMES: [&str; 9] = [
            "message",
            "msg",
            "type",
            "code",
            "status",
            "status_code",
            "innererror",
            "metadata",
            "param",
        ];
        let Some(
            [
                message,
                msg,
                kind,
                code,
                status,
                status_code,
                inner,
                metadata,
                _,
            ],
        ) = json::members(error, &NAMES)
        else {
            return;
        };
        self.say(message.or(msg).and_then(json::text).as_deref());
        for number in [status_code, code, status].into_iter().flatten() {
            self.status = self.status.or_else(|| status_number(number));
        }
        let (kind, code) = (word(kind), word(code));
        self.note(kind.as_deref());
        self.note(code.as_deref());
        self.note(word(status).as_deref());
        self.kind = self.kind.take().or(kind);
        self.code = self.code.take().or(code);
        if let Some(inner) = inner {
            let inner = word(json::member(inner, "code"));
            self.note(inner.as_deref());
        }
        self.provider(metadata.filter(|_| !self.inner));
    }

    /// OpenRouter: `metadata.raw` is what the provider said, JSON or text.
    fn provider(&mut self, metadata: Option<&str>) {
        let Some([raw, reasons]) = metadata.and_then(|m| json::members(m, &["raw", "reasons"]))
        else {
            return;
        };
        if reasons.is_some() {
            self.note(Some("content_filter"));
        }
        let raw = raw.and_then(|raw| match json::is_object(raw) {
            true => Some(raw.into()),
            false => json::text(raw),
        });
        let Some(raw) = raw else { return };
        let inner = Self::read_at(raw.as_bytes(), true);
        match inner.message {
            Some(message) => self.add(&message),
            None if !raw.trim_start().starts_with(['<', '{', '[']) => self.add(&raw),
            None => {}
        }
        self.words.extend(inner.words);
    }

    /// Cloudflare's `errors`, FastAPI's `detail`: text, or a list of objects with a message.
    fn fallback(&mut self, value: Option<&str>) {
        let Some(value) = value.filter(|_| self.message.is_none()) else {
            return;
        };
        self.say(json::text(value).as_deref());
        let mut first = None;
        json::elements(value, |element| first = first.or(Some(element)));
        let object = if json::is_object(value) {
            Some(value)
        } else {
            first
        };
        if let Some([message, msg]) = object.and_then(|o| json::members(o, &["message", "msg"])) {
            self.say(message.or(msg).and_then(json::text).as_deref());
        }
    }

    fn say(&mut self, message: Option<&str>) {
        if let Some(message) = message
            .map(|m| clean(m, MESSAGE_LIMIT))
            .filter(|m| !m.is_empty())
        {
            self.message = self.message.take().or(Some(message));
        }
    }

    fn add(&mut self, message: &str) {
        let both = match self.message.take() {
            Some(outer) => format!("{outer}: {message}"),
            None => message.to_owned(),
        };
        self.message = Some(clean(&both, MESSAGE_LIMIT));
    }

    fn note(&mut self, word: Option<&str>) {
        self.words.extend(word.map(fold).filter(|w| !w.is_empty()));
    }
}

/// `RateLimitError`, `rate_limit_error` and `rate limit error` are one word.
pub(super) fn fold(word: &str) -> String {
    word.chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect()
}

/// A string or a number, as a short word.
fn word(value: Option<&str>) -> Option<String> {
    let value = value?;
    let text = match json::text(value) {
        Some(text) => text,
        None => value
            .starts_with(|c: char| c.is_ascii_digit())
            .then(|| value.into())?,
    };
    Some(clean(&text, WORD_LIMIT)).filter(|word| !word.is_empty())
}

fn status_number(value: &str) -> Option<u16> {
    let text = json::text(value).unwrap_or(value.into());
    text.parse()
        .ok()
        .filter(|status| (100..600).contains(status))
}

/// `text` without control characters, cut at a character before `limit` bytes.
fn clean(text: &str, limit: usize) -> String {
    let mut out = String::with_capacity(text.len().min(limit));
    for character in text.trim().chars() {
        if out.len() + character.len_utf8() > limit {
            break;
        }
        out.push(if character.is_control() {
            ' '
        } else {
            character
        });
    }
    out
}
