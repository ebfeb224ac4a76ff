//! A service account's key, and what it signs to be given a token (RFC 7523).

use super::{super::refusal::Refusal, no_credentials};
use crate::{auth::moment::Moment, spec::Fault};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use ring::{rand::SystemRandom, rsa, signature::RSA_PKCS1_SHA256};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, pem::PemObject};

/// An assertion is good for so many seconds, the most that is taken.
const LASTS: u64 = 3600;

/// Who signs, with what, for whom.
pub(super) struct Account {
    email: String,
    key_id: Option<String>,
    key: rsa::KeyPair,
    audience: String,
}

#[derive(Deserialize)]
struct File {
    client_email: String,
    #[serde(default)]
    private_key_id: Option<String>,
    private_key: SecretString,
}

#[derive(Serialize)]
struct Head<'a> {
    alg: &'static str,
    typ: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    kid: Option<&'a str>,
}

#[derive(Serialize)]
struct Claims<'a> {
    iss: &'a str,
    scope: &'a str,
    aud: &'a str,
    iat: u64,
    exp: u64,
}

impl Account {
    /// Of the JSON of a key; `audience` is the token endpoint that the key names.
    pub(super) fn read(json: &str, audience: &str) -> Result<Self, Fault> {
        let file: File = serde_json::from_str(json).map_err(|_| no_credentials())?;
        let pem = file.private_key.expose_secret().as_bytes();
        let key = match PrivateKeyDer::from_pem_slice(pem) {
            Ok(PrivateKeyDer::Pkcs8(key)) => rsa::KeyPair::from_pkcs8(key.secret_pkcs8_der()).ok(),
            Ok(PrivateKeyDer::Pkcs1(key)) => rsa::KeyPair::from_der(key.secret_pkcs1_der()).ok(),
            _ => None,
        };
        let key = key.ok_or_else(|| {
            Fault::new(
                "auth.google",
                "",
                "holds a private_key that is not an RSA key in PEM form",
                "give the file as Google made it",
            )
        })?;
        Ok(Self {
            email: file.client_email,
            key_id: file.private_key_id,
            key,
            audience: audience.to_owned(),
        })
    }

    /// A signed wish for a token of this scope.
    pub(super) fn assertion(&self, scope: &str) -> Result<String, Refusal> {
        let now = Moment::now().0;
        let head = Head {
            alg: "RS256",
            typ: "JWT",
            kid: self.key_id.as_deref(),
        };
        let claims = Claims {
            iss: &self.email,
            scope,
            aud: &self.audience,
            iat: now,
            exp: now.saturating_add(LASTS),
        };
        let mut text = format!("{}.{}", part(&head), part(&claims));
        let mut signature = vec![0; self.key.public().modulus_len()];
        let random = SystemRandom::new();
        let signed = self
            .key
            .sign(&RSA_PKCS1_SHA256, &random, text.as_bytes(), &mut signature);
        signed.map_err(|_| Refusal::local("the service account's key", "cannot sign"))?;
        text.push('.');
        BASE64.encode_string(&signature, &mut text);
        Ok(text)
    }
}

fn part(value: &impl Serialize) -> String {
    // strings and numbers always serialise
    BASE64.encode(serde_json::to_vec(value).unwrap_or_default())
}
