//! Keys by a single sign-on (IAM Identity Center): a person has logged in with `aws sso login`, and the portal
//! gives out keys for that login
//! (<https://docs.aws.amazon.com/sdkref/latest/guide/feature-sso-credentials.html>).
//!
//! The login itself is never made here, as nobody sits at a browser. A profile names a shared `sso_session`,
//! whose login can be renewed, or says all by itself, which is older and has a login that just ends.

use super::{
    Keys,
    chain::fault,
    files::{Contents, Settings},
    is_region,
};
use crate::{
    auth::{
        cached::Lasting,
        fetch::{Reach, Service},
        form,
        moment::Moment,
        refusal::Refusal,
        surroundings::Surroundings,
        token,
    },
    spec::Fault,
};
use http::{HeaderName, StatusCode};
use login::Login;
use said::Said;
use secrecy::SecretString;
use serde::Deserialize;

mod login;
mod said;
mod saved;

const BEARER: HeaderName = HeaderName::from_static("x-amz-sso_bearer_token");

/// The portal, and what is wanted of it.
pub(super) struct Sso {
    portal: Service,
    login: Login,
    account: String,
    role: String,
}

/// What the portal answers.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    role_credentials: RoleCredentials,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RoleCredentials {
    access_key_id: String,
    secret_access_key: SecretString,
    session_token: SecretString,
    /// Unix milliseconds.
    expiration: u64,
}

#[derive(Deserialize)]
struct Denied {
    #[serde(rename = "__type")]
    kind: String,
}

impl Sso {
    pub(super) fn new(
        profile: &str,
        settings: &Settings,
        contents: &Contents,
        reach: &Reach<'_>,
        around: &Surroundings<'_>,
    ) -> Result<Self, Fault> {
        let said = Said::new(profile, settings, contents)?;
        let (start, region) = (said.shared("sso_start_url")?, said.shared("sso_region")?);
        if !is_region(region) {
            let problem = format!("has sso_region = {region}, which is not the name of a region");
            return Err(fault(profile, problem, "write it as us-east-1"));
        }
        let service = |what, host: &str, field| {
            let china = if region.starts_with("cn-") { ".cn" } else { "" };
            let url = around.variable(field);
            let url =
                url.unwrap_or_else(|| format!("https://{host}.{region}.amazonaws.com{china}"));
            Service::new(what, field, &url, reach)
        };
        let session = said.session();
        let tokens = session.map(|_| service("AWS SSO OIDC", "oidc", "AWS_ENDPOINT_URL_SSO_OIDC"));
        let (tokens, of) = (tokens.transpose()?, session.unwrap_or(start));
        Ok(Self {
            portal: service(
                "the portal of AWS SSO",
                "portal.sso",
                "AWS_ENDPOINT_URL_SSO",
            )?,
            login: Login::new(profile, of, tokens, reach, around)?,
            account: said.own("sso_account_id")?.to_owned(),
            role: said.own("sso_role_name")?.to_owned(),
        })
    }

    pub(super) async fn fetch(&self) -> Result<Lasting<Keys>, Refusal> {
        let unusable = || Refusal::unusable(self.portal.what);
        let token = self.login.token().await?;
        let token = token::sensitive("", &token, "").map_err(|_| self.login.over())?;
        let wanted = [
            ("role_name", self.role.as_str()),
            ("account_id", &self.account),
        ];
        let path = format!("/federation/credentials?{}", form::encode_fields(&wanted));
        let reply = self.portal.get(&path, &[(BEARER, token)]).await?;
        if reply.status == StatusCode::UNAUTHORIZED {
            return Err(self.login.over());
        }
        if !reply.status.is_success() {
            let denied = serde_json::from_slice::<Denied>(&reply.body).ok();
            // `com.amazonaws.switchboard.portal#ForbiddenException`
            let word = denied
                .as_ref()
                .and_then(|denied| denied.kind.rsplit('#').next());
            return Err(Refusal::status(self.portal.what, reply.status, word));
        }
        let answer: Answer = serde_json::from_slice(&reply.body).map_err(|_| unusable())?;
        let given = answer.role_credentials;
        Ok(Lasting {
            value: Keys {
                id: given.access_key_id,
                secret: given.secret_access_key,
                token: Some(given.session_token),
            },
            lasts: Some(Moment(given.expiration / 1000).left()),
        })
    }
}
