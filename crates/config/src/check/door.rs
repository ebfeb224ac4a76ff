//! The server section: addresses, who may connect, limits.

use super::{Desk, desk::limit};
use crate::{
    environment::{Meaning, VARIABLES, seconds},
    path::Path,
    problem::Severity,
    raw,
    server::{Admin, Server, Tls},
};
use http::HeaderName;
use std::{net::SocketAddr, time::Duration};

const fn secs(n: u64) -> Option<Duration> {
    Some(Duration::from_secs(n))
}

fn bytes(size: Option<crate::unit::Size>, default: u64) -> usize {
    usize::try_from(size.map_or(default, |s| s.0)).unwrap_or(usize::MAX)
}

/// The checked server section.
pub(super) fn check(file: &raw::File, desk: &mut Desk<'_>) -> Server {
    let raw = file.server.clone().unwrap_or_default();
    let at = Path::root().key("server");
    let has_keys =
        file.keys.as_ref().is_some_and(|k| !k.is_empty()) || desk.lost(&Path::root().key("keys"));
    let listen = listen(&raw, &at, desk);
    let open = open(&raw, has_keys, &listen, &at, desk);
    let (memory_budget, max_body_bytes) = (
        bytes(raw.memory_budget, 1 << 30),
        bytes(raw.max_body_bytes, 64 << 20),
    );
    if max_body_bytes > memory_budget {
        desk.warn(
            &at.key("max_body_bytes"),
            "a body of this size can never be taken: memory_budget is smaller",
        )
        .hint("lower max_body_bytes, or raise memory_budget");
    }
    let request_deadline = variable(Meaning::RequestDeadline, desk)
        .unwrap_or_else(|| limit(raw.request_deadline, None));
    Server {
        hosts: words(raw.hosts.as_ref())
            .into_iter()
            .map(|h| h.to_ascii_lowercase())
            .collect(),
        origins: words(raw.origins.as_ref()),
        trusted_peers: peers(&raw, &at, desk),
        request_deadline,
        tls: tls(raw.tls.as_ref(), &at.key("tls"), desk),
        open,
        open_to_all: matches!(raw.auth, Some(raw::ServerAuth::None)),
        admin: admin(raw.admin.as_ref(), &listen, &at.key("admin"), desk),
        listen,
        max_in_flight: desk.count(raw.max_in_flight, 4096, &at.key("max_in_flight")),
        max_connections: desk.count(raw.max_connections, 8192, &at.key("max_connections")),
        memory_budget,
        max_body_bytes,
        receive_timeout: limit(raw.receive_timeout, secs(30)),
        header_timeout: limit(raw.header_timeout, secs(10)),
        keep_alive: limit(raw.keep_alive, secs(75)),
        caller_stall_timeout: limit(raw.caller_stall_timeout, secs(60)),
        heartbeat_interval: limit(raw.heartbeat_interval, secs(20)),
        lame_duck: raw
            .lame_duck
            .map_or(Duration::from_secs(5), crate::unit::Timeout::or_zero),
        drain_timeout: raw
            .drain_timeout
            .map_or(Duration::from_secs(30), crate::unit::Timeout::or_zero),
        sdk_timeouts: raw.sdk_timeouts.is_none_or(|s| s.0),
        affinity_header: affinity(raw.affinity_header.as_deref(), &at, desk),
        workers: raw
            .workers
            .map(|w| desk.count(Some(w), 1, &at.key("workers"))),
        agent_proxy: file.compat == Some(raw::Compat::AgentProxy) || desk.env.is_agent_proxy(),
    }
}

fn words(many: Option<&raw::Many<String>>) -> Vec<String> {
    many.map(|m| m.0.clone()).unwrap_or_default()
}

/// What a variable in decimal seconds says; `None` when none of its names is set.
pub(super) fn variable(meaning: Meaning, desk: &mut Desk<'_>) -> Option<Option<Duration>> {
    let mut said: Option<Option<Duration>> = None;
    for (name, _) in VARIABLES.iter().filter(|(_, m)| *m == meaning) {
        let Some(text) = desk.env.get(name) else {
            continue;
        };
        match seconds(text) {
            // two names for one ceiling: the lower one is the ceiling
            Ok(value) => said = Some(said.flatten().into_iter().chain(value).min()),
            Err(message) => desk.variable(Severity::Error, name, message).maybe(None),
        }
    }
    said
}

fn address(text: &str, path: &Path, desk: &mut Desk<'_>) -> Option<SocketAddr> {
    let text = text.trim();
    let named = text
        .strip_prefix("localhost:")
        .map(|port| format!("127.0.0.1:{port}"));
    let parsed = named.as_deref().unwrap_or(text).parse().ok();
    if parsed.is_none() {
        let hint = match text.trim_start_matches(':').parse::<u16>() {
            Ok(port) => format!(
                "write 127.0.0.1:{port} for this machine only, 0.0.0.0:{port} for every address"
            ),
            Err(_) => {
                "write an address and a port, such as 127.0.0.1:8080 or [::1]:8080".to_owned()
            }
        };
        desk.error(path, format!("{text:?} is not an address to listen on"))
            .hint(hint);
    }
    parsed
}

fn listen(raw: &raw::Server, at: &Path, desk: &mut Desk<'_>) -> Vec<SocketAddr> {
    let path = at.key("listen");
    let default = SocketAddr::from(([127, 0, 0, 1], 8080));
    if let Some(text) = desk.env.get("PUNCTUAL_LISTEN").map(str::to_owned) {
        let parsed = text
            .split(',')
            .map(|t| t.trim().parse())
            .collect::<Result<Vec<SocketAddr>, _>>();
        return parsed.unwrap_or_else(|_| {
            desk.variable(
                Severity::Error,
                "PUNCTUAL_LISTEN",
                format!("{text:?} is not an address to listen on"),
            )
            .hint("write an address and a port, such as 127.0.0.1:8080");
            vec![default]
        });
    }
    let Some(many) = &raw.listen else {
        return vec![default];
    };
    if many.0.is_empty() {
        desk.error(&path, "an empty list listens nowhere");
    }
    let list = many.0.len() > 1;
    let mut out = Vec::new();
    for (i, text) in many.0.iter().enumerate() {
        let here = if list { path.item(i) } else { path.clone() };
        out.extend(address(text, &here, desk));
    }
    out
}

fn open(
    raw: &raw::Server,
    has_keys: bool,
    listen: &[SocketAddr],
    at: &Path,
    desk: &mut Desk<'_>,
) -> bool {
    let path = at.key("auth");
    match raw.auth {
        Some(raw::ServerAuth::None) if has_keys => {
            desk.warn(
                &path,
                "auth: none serves everybody; the keys are not asked for",
            );
            true
        }
        Some(raw::ServerAuth::None) => true,
        Some(raw::ServerAuth::Keys) if !has_keys => {
            desk.error(&path, "auth: keys, but there are none")
                .hint("punctual keys new makes one");
            false
        }
        _ if has_keys => false,
        _ => {
            for addr in listen.iter().filter(|a| !a.ip().is_loopback()) {
                desk.error(&at.key("listen"), format!("{addr} can be reached by others, and no key is asked for"))
                    .hint("add keys (punctual keys new makes one), listen on 127.0.0.1, or write auth: none");
            }
            true
        }
    }
}

fn peers(raw: &raw::Server, at: &Path, desk: &mut Desk<'_>) -> Vec<ipnet::IpNet> {
    let path = at.key("trusted_peers");
    let mut out = Vec::new();
    for text in words(raw.trusted_peers.as_ref()) {
        match text
            .parse()
            .or_else(|_| text.parse::<std::net::IpAddr>().map(ipnet::IpNet::from))
        {
            Ok(net) => out.push(net),
            Err(_) => desk
                .error(&path, format!("{text:?} is not a network"))
                .hint("write 10.0.0.0/8 or 10.1.2.3"),
        }
    }
    out
}

fn tls(raw: Option<&raw::Tls>, at: &Path, desk: &mut Desk<'_>) -> Option<Tls> {
    let raw = raw?;
    let mut file = |name: &Option<String>, key: &str| match name {
        Some(name) => desk.file(name, &at.key(key)),
        None => {
            if !desk.lost(at) {
                desk.error(
                    at,
                    format!("tls needs cert_file and key_file; {key} is not there"),
                );
            }
            None
        }
    };
    let (cert_file, key_file) = (
        file(&raw.cert_file, "cert_file"),
        file(&raw.key_file, "key_file"),
    );
    Some(Tls {
        cert_file: cert_file?,
        key_file: key_file?,
    })
}

fn admin(
    raw: Option<&raw::Admin>,
    listen: &[SocketAddr],
    at: &Path,
    desk: &mut Desk<'_>,
) -> Option<Admin> {
    let raw = raw.cloned().unwrap_or_default();
    let path = at.key("listen");
    let variable = desk.env.get("PUNCTUAL_ADMIN_LISTEN").map(str::to_owned);
    let listen_at = match variable.as_deref().or(raw.listen.as_deref()) {
        Some("none" | "off") => return None,
        Some(text) => address(text, &path, desk)?,
        None => SocketAddr::from(([127, 0, 0, 1], 8081)),
    };
    if listen.contains(&listen_at) && listen_at.port() != 0 {
        desk.error(&path, format!("{listen_at} is where server.listen is"))
            .hint("give admin.listen another port, or write admin: { listen: none }");
    }
    let token = match (&raw.token, &raw.token_file) {
        (Some(_), Some(_)) => {
            desk.error(at, "token and token_file say the same thing twice")
                .hint("keep one of them");
            None
        }
        (Some(token), None) => Some(token.0.clone()),
        (None, Some(name)) => desk.secret_file(name, &at.key("token_file")),
        (None, None) => None,
    };
    if token.is_none()
        && !listen_at.ip().is_loopback()
        && !desk.lost(at)
        && raw.token_file.is_none()
    {
        desk.error(
            &path,
            format!("{listen_at} can be reached by others, and no token is asked for"),
        )
        .hint("add token or token_file, or listen on 127.0.0.1");
    }
    Some(Admin {
        listen: listen_at,
        token,
    })
}

fn affinity(name: Option<&str>, at: &Path, desk: &mut Desk<'_>) -> HeaderName {
    let usual = HeaderName::from_static("x-punctual-affinity");
    let Some(name) = name else { return usual };
    HeaderName::try_from(name).unwrap_or_else(|_| {
        desk.error(
            &at.key("affinity_header"),
            format!("{name:?} is not the name of a header"),
        )
        .hint("write letters, digits and dashes, such as x-session-id");
        usual
    })
}
