//! Serving without a file: what the environment has keys for, and model servers that answer on this machine.
//!
//! Ollama also says which models it has. Whoever does not answer in time, or says something else, is served all
//! the same: a list is a help for callers and nothing is decided by it.

use crate::Failure;
use punctual_config::{Config, Environment, Problem, zero};
use std::{
    io::{self, Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};
use tokio::time::Instant;

/// A local server that does not accept within this is not there.
const PROBE: Duration = Duration::from_millis(200);
/// How long its list of models is waited for.
const LIST: Duration = Duration::from_secs(1);
/// No list of models is longer.
const LONGEST: usize = 1 << 20;

/// The configuration, and what there is to say about it.
pub(super) fn config(environment: &Environment) -> Result<(Config, Vec<Problem>), Failure> {
    let answering: Vec<_> = zero::candidates(environment)
        .into_iter()
        .filter(|c| answers(c.address))
        .map(|server| zero::LocalServer {
            models: match server.provider {
                "ollama" => models(server.address),
                _ => Vec::new(),
            },
            ..server
        })
        .collect();
    let found = zero::config(environment, &answering);
    tracing::info!("no configuration file: serving what the environment offers");
    found.notes.iter().for_each(|line| tracing::info!("{line}"));
    found.checked.into_result().map_err(super::refuse)
}

fn answers(address: SocketAddr) -> bool {
    TcpStream::connect_timeout(&address, PROBE).is_ok()
}

/// What an Ollama says it has, at `GET /api/tags`: `{"models":[{"name":"qwen3:8b"}]}`.
fn models(address: SocketAddr) -> Vec<String> {
    let answer = tags(address).unwrap_or_default();
    let head = answer.windows(4).position(|w| w == b"\r\n\r\n");
    let body = head.and_then(|at| answer.get(at + 4..)).unwrap_or_default();
    let list: serde_json::Value = serde_json::from_slice(body).unwrap_or_default();
    let models = list.get("models").and_then(|models| models.as_array());
    let models = models.into_iter().flatten();
    let names = models.filter_map(|model| model.get("name")?.as_str());
    names.map(str::to_owned).collect()
}

/// The answer as it comes, up to its end or the end of the time. HTTP/1.0 has no chunks.
fn tags(address: SocketAddr) -> io::Result<Vec<u8>> {
    let ends = Instant::now() + LIST;
    let mut stream = TcpStream::connect_timeout(&address, PROBE)?;
    write!(
        stream,
        "GET /api/tags HTTP/1.0\r\nHost: {address}\r\nConnection: close\r\n\r\n"
    )?;
    let (mut answer, mut piece) = (Vec::new(), [0; 8192]);
    while answer.len() < LONGEST {
        let left = ends.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut piece) {
            Ok(0) | Err(_) => break,
            Ok(n) => answer.extend_from_slice(piece.get(..n).unwrap_or_default()),
        }
    }
    Ok(answer)
}
