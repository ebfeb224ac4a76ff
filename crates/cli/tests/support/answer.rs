//! What reached a caller's socket, with the instant of each part.

use tokio::time::Instant;

#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    /// In order, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body with its transfer framing removed.
    pub body: Vec<u8>,
    /// When the head was complete.
    pub head_at: Instant,
    /// When the body (or the connection) ended.
    pub ended_at: Instant,
    /// Every piece of body as it came.
    pub pieces: Vec<(Instant, Vec<u8>)>,
    /// Whether the body ended as its framing says, rather than by a close in the middle.
    pub complete: bool,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, v)| v.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.text()))
    }

    /// The code of an error answer.
    pub fn code(&self) -> String {
        self.json()
            .pointer("/error/code")
            .and_then(|c| c.as_str())
            .unwrap_or("-")
            .to_owned()
    }

    /// The `data:` payloads of a stream.
    pub fn events(&self) -> Vec<String> {
        let text = self.text();
        let data = text.lines().filter_map(|l| l.strip_prefix("data:"));
        data.map(|l| l.trim_start().to_owned()).collect()
    }

    /// The error objects among the events.
    pub fn error_events(&self) -> Vec<serde_json::Value> {
        let parsed = self
            .events()
            .into_iter()
            .filter_map(|e| serde_json::from_str::<serde_json::Value>(&e).ok());
        parsed
            .filter_map(|v| v.get("error").filter(|e| !e.is_null()).cloned())
            .collect()
    }

    pub fn done(&self) -> bool {
        self.events().iter().any(|e| e == "[DONE]")
    }

    /// All text of a chat or completions stream, put together.
    pub fn content(&self) -> String {
        let text = |e: String| {
            let v: serde_json::Value = serde_json::from_str(&e).ok()?;
            let at = |p: &str| v.pointer(p).and_then(|t| t.as_str()).map(str::to_owned);
            at("/choices/0/delta/content").or_else(|| at("/choices/0/text"))
        };
        self.events().into_iter().filter_map(text).collect()
    }
}
