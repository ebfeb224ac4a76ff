//! Keys that ECS and EKS hand out to a container, at an address in its environment.

use super::{Keys, lasting};
use crate::{
    auth::{
        cached::Lasting,
        fetch::{Reach, Reply, Service, is_private},
        refusal::Refusal,
        surroundings::Surroundings,
        token,
    },
    spec::Fault,
};
use http::header;
use secrecy::SecretString;
use serde::Deserialize;
use std::path::PathBuf;

const RELATIVE: &str = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI";
const FULL: &str = "AWS_CONTAINER_CREDENTIALS_FULL_URI";
const TOKEN: &str = "AWS_CONTAINER_AUTHORIZATION_TOKEN";
const TOKEN_FILE: &str = "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE";
/// ECS, EKS over IPv4 and over IPv6: the only places that are asked without TLS, beside this machine.
const KNOWN: [&str; 3] = ["169.254.170.2", "169.254.170.23", "fd00:ec2::23"];

/// The container's endpoint.
pub(super) struct Container {
    service: Service,
    proof: Option<Proof>,
}

enum Proof {
    Fixed(SecretString),
    /// Replaced from time to time.
    File(PathBuf),
}

/// What the endpoint answers, and the instance's metadata service as well.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Answer {
    access_key_id: String,
    secret_access_key: SecretString,
    #[serde(default)]
    token: Option<SecretString>,
    #[serde(default)]
    expiration: Option<String>,
}

impl Container {
    pub(super) fn find(
        reach: &Reach<'_>,
        around: &Surroundings<'_>,
    ) -> Result<Option<Self>, Fault> {
        let relative = around.variable(RELATIVE);
        let relative = relative.map(|path| format!("http://169.254.170.2{path}"));
        let Some(url) = relative.or_else(|| around.variable(FULL)) else {
            return Ok(None);
        };
        // whoever can set the environment must not have the container's token sent anywhere in the clear
        if !is_private(&url, &KNOWN) {
            return Err(Fault::new(
                FULL,
                "",
                "is neither https nor an address that containers are given",
                "use https, this machine, 169.254.170.2 or 169.254.170.23",
            ));
        }
        let file = around
            .variable(TOKEN_FILE)
            .map(|path| Proof::File(path.into()));
        let fixed = || {
            around
                .variable(TOKEN)
                .map(|token| Proof::Fixed(token.into()))
        };
        let what = "the container's credentials endpoint";
        Ok(Some(Self {
            service: Service::local(what, FULL, &url, reach)?,
            proof: file.or_else(fixed),
        }))
    }

    pub(super) async fn fetch(&self) -> Result<Lasting<Keys>, Refusal> {
        let proof = match &self.proof {
            None => None,
            Some(Proof::Fixed(token)) => Some(token.clone()),
            Some(Proof::File(path)) => {
                let text = tokio::fs::read_to_string(path).await;
                let text = text.map_err(|why| {
                    Refusal::local(TOKEN_FILE, format_args!("cannot be read: {}", why.kind()))
                })?;
                Some(SecretString::from(text.trim()))
            }
        };
        let unfit = |_| Refusal::local(TOKEN, "cannot stand in a header");
        let proof = proof.map(|token| token::sensitive("", &token, TOKEN).map_err(unfit));
        let proof = proof
            .transpose()?
            .map(|value| (header::AUTHORIZATION, value));
        let reply = self.service.get("", proof.as_slice()).await?;
        read(&self.service, &reply)
    }
}

/// Keys in a reply.
pub(super) fn read(from: &Service, reply: &Reply) -> Result<Lasting<Keys>, Refusal> {
    if !reply.status.is_success() {
        return Err(Refusal::status(from.what, reply.status, None));
    }
    let answer = serde_json::from_slice::<Answer>(&reply.body);
    let answer = answer.map_err(|_| Refusal::unusable(from.what))?;
    let keys = Keys {
        id: answer.access_key_id,
        secret: answer.secret_access_key,
        token: answer.token,
    };
    Ok(lasting(keys, answer.expiration.as_deref()))
}
