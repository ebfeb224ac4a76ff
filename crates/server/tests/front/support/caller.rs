//! A caller that writes HTTP/1.1 by hand and reads what comes, byte by byte if need be.

use super::LONG;
use std::{collections::HashMap, net::SocketAddr};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

/// A chat request for `model`, streamed or not, with more header lines.
pub fn chat(model: &str, stream: bool, headers: &str) -> String {
    let body = format!("{{\"model\":\"{model}\",\"stream\":{stream},\"messages\":[]}}");
    post("/v1/chat/completions", headers, &body)
}

fn post(path: &str, headers: &str, body: &str) -> String {
    let headers = format!("content-type: application/json\r\n{headers}");
    request("POST", path, &headers, body)
}

/// A request as it is; one without a body says nothing of its length.
pub fn request(method: &str, path: &str, headers: &str, body: &str) -> String {
    let length = match body.is_empty() && method != "POST" {
        true => String::new(),
        false => format!("content-length: {}\r\n", body.len()),
    };
    format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\n{headers}{length}\r\n{body}")
}

#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    headers: HashMap<String, String>,
    pub body: String,
    /// False when the body was cut before its end.
    pub complete: bool,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {:?}", self.body))
    }

    pub fn code(&self) -> String {
        self.json()["error"]["code"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }
}

pub struct Caller {
    pub socket: TcpStream,
    unread: Vec<u8>,
}

impl Caller {
    pub async fn connect(address: SocketAddr) -> Self {
        let socket = TcpStream::connect(address).await.unwrap();
        socket.set_nodelay(true).unwrap();
        Self {
            socket,
            unread: Vec::new(),
        }
    }

    pub async fn send(&mut self, text: &str) {
        self.socket.write_all(text.as_bytes()).await.unwrap();
    }

    pub async fn post(&mut self, path: &str, headers: &str, body: &str) -> Answer {
        self.ask(&post(path, headers, body)).await
    }

    pub async fn get(&mut self, path: &str) -> Answer {
        self.ask(&format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n"))
            .await
    }

    pub async fn ask(&mut self, request: &str) -> Answer {
        self.send(request).await;
        self.answer().await
    }

    /// More bytes; false at the end.
    async fn more(&mut self) -> bool {
        let read = timeout(LONG, self.socket.read_buf(&mut self.unread)).await;
        matches!(read.expect("the gateway went silent"), Ok(n) if n > 0)
    }

    /// Reads until `text` was seen.
    pub async fn see(&mut self, text: &str) {
        let found = |unread: &[u8]| String::from_utf8_lossy(unread).contains(text);
        while !found(&self.unread) {
            assert!(
                self.more().await,
                "the end came before {text:?}: {:?}",
                String::from_utf8_lossy(&self.unread)
            );
        }
    }

    /// Everything up to the end of the connection.
    pub async fn rest(&mut self) -> String {
        while self.more().await {}
        String::from_utf8_lossy(&std::mem::take(&mut self.unread)).into_owned()
    }

    /// Whether the gateway has closed the connection.
    pub async fn is_closed(&mut self) -> bool {
        !self.more().await
    }

    fn take(&mut self, end: &[u8]) -> Option<Vec<u8>> {
        let at = self.unread.windows(end.len()).position(|w| w == end)?;
        Some(self.unread.drain(..at + end.len()).collect())
    }

    async fn line(&mut self, end: &[u8]) -> Option<String> {
        loop {
            if let Some(line) = self.take(end) {
                return Some(String::from_utf8(line).unwrap());
            }
            if !self.more().await {
                return None;
            }
        }
    }

    async fn exactly(&mut self, n: usize) -> Option<Vec<u8>> {
        while self.unread.len() < n {
            if !self.more().await {
                return None;
            }
        }
        Some(self.unread.drain(..n).collect())
    }

    /// The head of the next answer.
    pub async fn head(&mut self) -> Answer {
        let head = self.line(b"\r\n\r\n").await.expect("no answer came");
        let mut lines = head.trim_end().split("\r\n");
        let status = lines
            .next()
            .unwrap()
            .split(' ')
            .nth(1)
            .unwrap()
            .parse()
            .unwrap();
        let pair = |l: &str| {
            let (name, value) = l.split_once(':').unwrap();
            (name.to_lowercase(), value.trim().to_owned())
        };
        let headers = lines.map(pair).collect();
        Answer {
            status,
            headers,
            body: String::new(),
            complete: false,
        }
    }

    /// The next answer, whole.
    pub async fn answer(&mut self) -> Answer {
        let mut answer = self.head().await;
        if answer.status == 100 {
            answer = self.head().await;
        }
        let mut body = Vec::new();
        if answer.status == 204 {
            answer.complete = true;
        } else if let Some(length) = answer.header("content-length") {
            let whole = self.exactly(length.parse().unwrap()).await;
            answer.complete = whole.is_some();
            body = whole.unwrap_or_default();
        } else {
            while let Some(size) = self.line(b"\r\n").await {
                let size = usize::from_str_radix(size.trim(), 16).unwrap();
                let Some(chunk) = self.exactly(size + 2).await else {
                    break;
                };
                body.extend_from_slice(&chunk[..size]);
                if size == 0 {
                    answer.complete = true;
                    break;
                }
            }
        }
        answer.body = String::from_utf8(body).unwrap();
        answer
    }

    /// Leaves politely.
    pub fn fin(self) {
        drop(self.socket);
    }

    /// Leaves without a word.
    pub fn rst(self) {
        socket2::SockRef::from(&self.socket)
            .set_linger(Some(std::time::Duration::ZERO))
            .unwrap();
        drop(self.socket);
    }
}
