//! Who AWS says this is, proven to another: a request for `GetCallerIdentity` that is signed and not sent but
//! shown, so that whoever is shown it can ask AWS (AIP-4117, "Determining the subject token in AWS").
//!
//! What must hold: whom it is shown to is signed too, so that nobody can show it to another; and it is made anew
//! each time, because AWS takes it for minutes only.

use super::{
    Keys,
    headers::{DATE, TOKEN},
    imds::{self, Session},
    is_region,
    signature::{self, Canonical, Scope},
    source,
};
use crate::{
    auth::{fetch::Service, form, moment::Moment, refusal::Refusal, surroundings::Surroundings},
    spec::Fault,
};
use http::{HeaderMap, HeaderName, HeaderValue, Uri, header};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

const SHOWN_TO: HeaderName = HeaderName::from_static("x-goog-cloud-target-resource");
const URL: &str = "credential_source.regional_cred_verification_url";

/// What a credentials file of Google says of it.
#[derive(Deserialize)]
pub(in crate::auth) struct Places {
    /// With `{region}` in it.
    regional_cred_verification_url: String,
    #[serde(default)]
    region_url: Option<String>,
    #[serde(default)]
    url: Option<String>,
    #[serde(default)]
    imdsv2_session_token_url: Option<String>,
}

/// This machine or this process, at AWS.
pub(in crate::auth) struct Caller {
    keys: Told<Arc<Keys>>,
    region: Told<String>,
    session: Option<Service>,
    url: String,
    shown_to: String,
}

/// What the environment says, or the instance's metadata service must be asked for.
enum Told<T> {
    Here(T),
    There(Service),
}

/// A request as it is shown.
#[derive(Serialize)]
struct Shown<'a> {
    url: &'a str,
    method: &'static str,
    headers: Vec<Header<'a>>,
    body: &'static str,
}

#[derive(Serialize)]
struct Header<'a> {
    key: &'a str,
    value: &'a str,
}

impl Caller {
    /// `service` makes one that the member of the file names.
    pub(in crate::auth) fn new(
        places: Places,
        shown_to: &str,
        around: &Surroundings<'_>,
        service: impl Fn(&'static str, &str) -> Result<Service, Fault>,
    ) -> Result<Self, Fault> {
        let there = |named, url: Option<&str>| {
            let fix = "give it, or set AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY";
            let missing = || Fault::new("auth.google", named, "is missing", fix);
            service(named, url.ok_or_else(missing)?)
        };
        let region = around.first(&["AWS_REGION", "AWS_DEFAULT_REGION"]);
        let zone = || there("credential_source.region_url", places.region_url.as_deref());
        let keys = source::environment(around);
        let role = || there("credential_source.url", places.url.as_deref());
        let session = places.imdsv2_session_token_url.as_deref();
        let named = "credential_source.imdsv2_session_token_url";
        Ok(Self {
            keys: match keys {
                Some(keys) => Told::Here(Arc::new(keys)),
                None => Told::There(role()?),
            },
            region: match region {
                Some(region) => Told::Here(region),
                None => Told::There(zone()?),
            },
            session: session.map(|url| service(named, url)).transpose()?,
            url: places.regional_cred_verification_url,
            shown_to: shown_to.to_owned(),
        })
    }

    /// The request, as it is shown.
    pub(in crate::auth) async fn proof(&self) -> Result<SecretString, Refusal> {
        let asked = matches!(self.keys, Told::There(_)) || matches!(self.region, Told::There(_));
        let session = match &self.session {
            Some(service) if asked => vec![imds::session(service, "").await?],
            _ => vec![],
        };
        let region = match &self.region {
            Told::Here(region) => region.clone(),
            Told::There(service) => zone(service, &session).await?,
        };
        let keys = match &self.keys {
            Told::Here(keys) => keys.clone(),
            Told::There(service) => Arc::new(imds::keys(service, "", &session).await?.value),
        };
        if !is_region(&region) {
            return Err(Refusal::local("AWS_REGION", "is not the name of a region"));
        }
        self.signed(&region, &keys, Moment::now())
    }

    fn signed(&self, region: &str, keys: &Keys, at: Moment) -> Result<SecretString, Refusal> {
        let unfit = || Refusal::local("the AWS access key", "cannot stand in a header");
        let url = self.url.replace("{region}", region);
        let uri = url.parse::<Uri>().ok();
        let uri = uri.ok_or_else(|| Refusal::local(URL, "is not a URL"))?;
        let host = uri.authority().map(http::uri::Authority::as_str);
        let mut headers = HeaderMap::new();
        for (name, value) in [
            (header::HOST, host),
            (DATE, Some(at.compact().as_str())),
            (SHOWN_TO, Some(self.shown_to.as_str())),
            (TOKEN, keys.token.as_ref().map(SecretString::expose_secret)),
        ] {
            if let Some(value) = value {
                headers.insert(name, HeaderValue::from_str(value).map_err(|_| unfit())?);
            }
        }
        let canonical = Canonical {
            method: "POST",
            path: uri.path(),
            query: uri.query().unwrap_or_default(),
            headers: &headers,
            payload: &signature::digest(std::iter::empty()),
        };
        let scope = Scope {
            region,
            service: "sts",
            at,
        };
        let authorization = scope.authorization(&keys.id, keys.secret.expose_secret(), &canonical);
        let mut shown: Vec<Header<'_>> = headers
            .iter()
            .filter_map(|(name, value)| {
                let (key, value) = (name.as_str(), value.to_str().ok()?);
                Some(Header { key, value })
            })
            .collect();
        shown.push(Header {
            key: "Authorization",
            value: &authorization,
        });
        let shown = Shown {
            url: &url,
            method: "POST",
            headers: shown,
            body: "",
        };
        // strings always serialise
        let json = serde_json::to_string(&shown).unwrap_or_default();
        Ok(form::encode(&json, b"").into())
    }
}

/// The region of the zone that an instance is in: all but the letter at the end.
async fn zone(service: &Service, session: &[Session]) -> Result<String, Refusal> {
    let mut zone = imds::text(service, &service.get("", session).await?)?;
    zone.truncate(zone.trim_end().len());
    zone.pop();
    match is_region(&zone) {
        true => Ok(zone),
        false => Err(Refusal::unusable(service.what)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_is_signed_for_who_is_shown_it() {
        let caller = Caller {
            keys: Told::Here(Arc::new(Keys {
                id: "AKIDEXAMPLE".into(),
                secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".into(),
                token: Some("session".into()),
            })),
            region: Told::Here("us-east-2".into()),
            session: None,
            url: "https://sts.{region}.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15"
                .into(),
            shown_to: "//iam.googleapis.com/pool".into(),
        };
        let Told::Here(keys) = &caller.keys else {
            panic!("keys");
        };
        let shown = caller.signed("us-east-2", keys, Moment(1_440_938_160));
        let shown = shown.unwrap();
        let text = shown.expose_secret();
        assert!(text.starts_with("%7B%22url%22%3A%22https%3A%2F%2Fsts.us-east-2.amazonaws.com%3FAction%3DGetCallerIdentity"), "{text}");
        // the same made by Python's hmac and hashlib, step by step as AWS describes it
        let expected = "SignedHeaders%3Dhost%3Bx-amz-date%3Bx-amz-security-token%3Bx-goog-cloud-target-resource%2C%20Signature%3Da6b68d65269290d63819a591c57b6fdf51f2f0d56faee6040a67d84f93cac1d7%22";
        assert!(text.contains(expected), "{text}");
    }
}
