//! The answer of a token endpoint (RFC 6749 §5), and of the services that copied it.

use super::{
    cached::Lasting,
    fetch::{Reply, Service},
    moment::Moment,
    refusal::Refusal,
};
use crate::spec::Fault;
use http::HeaderValue;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use std::time::Duration;

/// A bearer token, as it stands in `Authorization`.
pub(super) type Token = HeaderValue;

/// A number, or a string that is one: Azure's metadata service writes strings.
#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Whole(u64),
    Real(f64),
    Text(String),
}

impl Number {
    fn seconds(self) -> Option<u64> {
        match self {
            Self::Whole(seconds) => Some(seconds),
            // as a cast: below nothing is nothing, beyond everything is everything
            Self::Real(seconds) => Some(seconds as u64),
            Self::Text(text) => text.trim().parse().ok(),
        }
    }
}

#[derive(Deserialize)]
struct Granted {
    access_token: SecretString,
    #[serde(default)]
    expires_in: Option<Number>,
    /// Unix seconds: App Service says no more.
    #[serde(default)]
    expires_on: Option<Number>,
}

#[derive(Deserialize)]
struct Denied {
    #[serde(default)]
    error: Option<serde_json::Value>,
}

/// The token in a reply.
pub(super) fn read(from: &Service, reply: &Reply) -> Result<Lasting<Token>, Refusal> {
    if !reply.status.is_success() {
        let denied = serde_json::from_slice::<Denied>(&reply.body).ok();
        let error = denied.and_then(|denied| denied.error);
        let word = error.as_ref().and_then(serde_json::Value::as_str);
        return Err(Refusal::status(from.what, reply.status, word));
    }
    let unusable = || Refusal::unusable(from.what);
    let granted: Granted = serde_json::from_slice(&reply.body).map_err(|_| unusable())?;
    let left = || Some(Moment(granted.expires_on?.seconds()?).left());
    let lasts = granted.expires_in.and_then(Number::seconds);
    let value = sensitive("Bearer ", &granted.access_token, "").map_err(|_| unusable())?;
    Ok(Lasting {
        value,
        lasts: lasts.map(Duration::from_secs).or_else(left),
    })
}

/// A secret as the value of a header that is never shown.
pub(super) fn sensitive(
    scheme: &str,
    secret: &SecretString,
    field: &'static str,
) -> Result<HeaderValue, Fault> {
    let secret = secret.expose_secret();
    let value = HeaderValue::try_from(format!("{scheme}{secret}"));
    let unfit = || {
        let fix = "give it without line ends and control characters";
        Fault::new(field, "", "is empty or cannot stand in a header", fix)
    };
    let mut value = value.map_err(|_| unfit())?;
    if secret.is_empty() {
        return Err(unfit());
    }
    value.set_sensitive(true);
    Ok(value)
}
