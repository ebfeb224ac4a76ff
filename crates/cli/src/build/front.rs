//! From the configuration's `server` and `keys` to the server's settings.

use punctual_config::{Config, Tls};
use punctual_server::{Key, Keys, Settings, server_config};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};
use secrecy::ExposeSecret;
use std::{collections::HashMap, net::IpAddr, path::Path, sync::Arc, time::Duration};

/// Where the configuration says "no limit", the server waits for this long.
const UNLIMITED: Duration = Duration::from_secs(365 * 24 * 3600);

pub(super) fn settings(config: &Config) -> Result<Settings, String> {
    let s = &config.server;
    let reached = config.targets.iter().filter(|t| t.passthrough);
    let networks = s.trusted_peers.clone();
    Ok(Settings {
        request_deadline: s.request_deadline,
        compat: s.agent_proxy,
        sdk_timeouts: s.sdk_timeouts,
        affinity_header: s.affinity_header.clone(),
        hosts: s.hosts.clone(),
        origins: s.origins.clone(),
        passthrough: reached.map(|t| t.name.clone()).collect(),
        trusted: Arc::new(move |peer: IpAddr| {
            networks.iter().any(|n| n.contains(&peer.to_canonical()))
        }),
        header_timeout: s.header_timeout.unwrap_or(UNLIMITED),
        idle_timeout: s.keep_alive.unwrap_or(UNLIMITED),
        receive_timeout: s.receive_timeout.unwrap_or(UNLIMITED),
        max_body_bytes: s.max_body_bytes,
        max_connections: s.max_connections,
        max_in_flight: s.max_in_flight,
        max_memory_bytes: s.memory_budget,
        tls: s.tls.as_ref().map(tls).transpose()?,
        lame_duck: s.lame_duck,
        drain_timeout: s.drain_timeout,
    })
}

fn tls(files: &Tls) -> Result<Arc<rustls::ServerConfig>, String> {
    let wrong = |field: &str, file: &Path, why: String| {
        format!("server.tls.{field}: {}: {why}", file.display())
    };
    let (cert, key) = (&files.cert_file, &files.key_file);
    let chain = CertificateDer::pem_file_iter(cert)
        .and_then(|certs| certs.collect::<Result<Vec<_>, _>>())
        .map_err(|e| wrong("cert_file", cert, e.to_string()))?;
    if chain.is_empty() {
        return Err(wrong(
            "cert_file",
            cert,
            "there is no PEM certificate in it".to_owned(),
        ));
    }
    let private = PrivateKeyDer::from_pem_file(key).map_err(|e| {
        let none = matches!(e, rustls::pki_types::pem::Error::NoItemsFound);
        let why = if none {
            "there is no PEM private key in it".to_owned()
        } else {
            e.to_string()
        };
        wrong("key_file", key, why)
    })?;
    server_config(chain, private).map_err(|e| wrong("key_file", key, e.to_string()))
}

pub(super) fn keys(config: &Config) -> Keys {
    if config.keys.is_empty() {
        return Keys::Open;
    }
    let key = |k: &punctual_config::Key| Key {
        name: k.name.clone(),
        deadline: k.deadline,
        routes: k
            .routes
            .as_ref()
            .map(|r| r.iter().map(|name| name.as_str().into()).collect()),
        passthrough: Some(k.passthrough),
        heartbeat: k.heartbeat_interval,
    };
    let known: HashMap<Arc<str>, Arc<Key>> = config
        .keys
        .iter()
        .map(|k| (k.name.clone(), Arc::new(key(k))))
        .collect();
    let ring = config.keys.clone();
    let ring = Arc::new(move |presented: &str| known.get(&ring.verify(presented)?.name).cloned());
    // where nobody needs one, one that is sent must still not go to an upstream
    match config.server.open {
        true => Keys::Optional(ring),
        false => Keys::Required(ring),
    }
}

/// The administrative listener asks for its token; on loopback there may be none.
pub(super) fn admin_keys(config: &Config) -> Keys {
    let Some(token) = config.server.admin.as_ref().and_then(|a| a.token.as_ref()) else {
        return Keys::Open;
    };
    let expected = punctual_config::sum(token.expose_secret());
    let admin = Arc::new(Key {
        name: "admin".into(),
        ..Key::default()
    });
    // digests are compared: how much of a guess was right takes no measurable time to find out
    Keys::Required(Arc::new(move |presented: &str| {
        (punctual_config::sum(presented) == expected).then(|| admin.clone())
    }))
}
