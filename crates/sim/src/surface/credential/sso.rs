//! AWS's single sign-on: the portal that gives keys for a login, and the endpoint that renews the login.
//!
//! The portal names the end of its keys in Unix milliseconds, the other the life of its token in seconds; a
//! client that takes one for the other fails here as it does there.

use super::super::json;
use super::{oauth, stamp};
use crate::answer::Shape;
use crate::ask::Ask;
use crate::route::Issuer;
use serde_json::Value;

/// An error of the portal.
pub(super) fn error(code: &str, message: &str) -> String {
    let (code, message) = (json(code), json(message));
    format!(r#"{{"__type":{code},"message":{message}}}"#)
}

/// The body for a renewal that lacks something.
pub(super) fn refusal(body: &str) -> Option<String> {
    let asked: Value = serde_json::from_str(body).unwrap_or_default();
    let has = |name: &str| asked.get(name).and_then(Value::as_str).is_some();
    let whole = asked.get("grantType").and_then(Value::as_str) == Some("refresh_token")
        && ["clientId", "clientSecret", "refreshToken"]
            .into_iter()
            .all(has);
    (!whole).then(|| {
        oauth(
            "invalid_request",
            "a renewal names client, secret and token",
        )
    })
}

pub(super) fn whole(issuer: Issuer, ask: &Ask, shape: &Shape) -> String {
    let (seq, token) = (ask.seq, super::token(ask));
    match issuer {
        Issuer::SsoOidc => {
            let seconds = super::seconds(shape);
            format!(
                r#"{{"accessToken":"{token}","expiresIn":{seconds},"refreshToken":"sim-refresh-{seq}","tokenType":"Bearer"}}"#
            )
        }
        _ => {
            let until = stamp::unix(shape.expires).saturating_mul(1000);
            format!(
                r#"{{"roleCredentials":{{"accessKeyId":"ASIASIM{seq:013}","secretAccessKey":"sim-secret-{seq}","sessionToken":"{token}","expiration":{until}}}}}"#
            )
        }
    }
}
