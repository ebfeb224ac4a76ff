//! AWS STS, which hands out the keys of roles: to whoever is somebody already and signs, or to whoever shows
//! a token of a cluster.
//!
//! It speaks the query protocol: a form is sent, XML comes back
//! (<https://docs.aws.amazon.com/STS/latest/APIReference/>).

use super::{Keys, headers, in_host, lasting, signature};
use crate::{
    auth::{
        Unsigned,
        cached::Lasting,
        fetch::{Reach, Service},
        form,
        moment::Moment,
        refusal::Refusal,
        spec::AwsAuth,
        surroundings::Surroundings,
    },
    spec::Fault,
};
use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, header};

/// Where roles are handed out.
pub(super) struct Sts {
    service: Service,
    /// What requests are signed for.
    region: String,
}

impl Sts {
    /// That of the target's region unless another is said.
    pub(super) fn new(
        auth: &AwsAuth,
        region: &str,
        reach: &Reach<'_>,
        around: &Surroundings<'_>,
    ) -> Result<Self, Fault> {
        let named = || around.variable("AWS_ENDPOINT_URL_STS");
        let url = auth.sts_url.clone().or_else(named);
        let url = url.unwrap_or_else(|| {
            let china = if region.starts_with("cn-") { ".cn" } else { "" };
            format!("https://sts.{region}.amazonaws.com{china}")
        });
        // the one without a region, https://sts.amazonaws.com, is signed for the first of them
        let region = match in_host(&url).as_deref() {
            Some("sts") => "us-east-1".to_owned(),
            Some(there) => there.to_owned(),
            None => region.to_owned(),
        };
        let service = Service::new("AWS STS", "auth.aws.sts_url", &url, reach)?;
        Ok(Self { service, region })
    }

    /// Keys for `fields`, which name the action; signed by whoever asks, or by nobody.
    pub(super) async fn ask(
        &self,
        fields: &[(&str, &str)],
        signer: Option<&Keys>,
    ) -> Result<Lasting<Keys>, Refusal> {
        let mut all = vec![("Version", "2011-06-15")];
        all.extend(fields);
        let body = Bytes::from(form::encode_fields(&all));
        let kind = HeaderValue::from_static("application/x-www-form-urlencoded");
        let mut headers = match signer {
            Some(keys) => self.signed(keys, &kind, &body)?,
            None => Vec::new(),
        };
        headers.push((header::CONTENT_TYPE, kind));
        let reply = self.service.ask(Method::POST, "", &headers, body).await?;
        let text = String::from_utf8_lossy(&reply.body);
        if !reply.status.is_success() {
            let word = element(&text, "Code");
            return Err(Refusal::status(self.service.what, reply.status, word));
        }
        keys(&text).ok_or_else(|| Refusal::unusable(self.service.what))
    }

    fn signed(
        &self,
        keys: &Keys,
        kind: &HeaderValue,
        body: &Bytes,
    ) -> Result<Vec<(HeaderName, HeaderValue)>, Refusal> {
        let scope = signature::Scope {
            region: &self.region,
            service: "sts",
            at: Moment::now(),
        };
        let request = Unsigned {
            method: &Method::POST,
            uri: &self.service.uri(),
            host: self.service.authority(),
            content_type: Some(kind.clone()),
            body: std::slice::from_ref(body),
        };
        let payload = signature::digest(std::iter::once(body.as_ref()));
        let headers = headers::signed(keys, &scope, &request, &payload)?;
        let named = |(name, value): (Option<HeaderName>, _)| Some((name?, value));
        Ok(headers.into_iter().filter_map(named).collect())
    }
}

fn keys(text: &str) -> Option<Lasting<Keys>> {
    let credentials = element(text, "Credentials")?;
    let value = |name| element(credentials, name).map(str::to_owned);
    let keys = Keys {
        id: value("AccessKeyId")?,
        secret: value("SecretAccessKey")?.into(),
        token: Some(value("SessionToken")?.into()),
    };
    Some(lasting(keys, element(credentials, "Expiration")))
}

/// What stands in the first element of this name. Keys, tokens and dates hold nothing that XML escapes.
fn element<'a>(xml: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = xml.split_once(&format!("<{name}>"))?;
    let (inside, _) = rest.split_once(&format!("</{name}>"))?;
    Some(inside.trim())
}
