//! The login that keys are given out for.
//!
//! It is read from its file whenever keys are fetched: whoever logs in again is noticed without a restart, and
//! whoever logs out too. A login of a shared session is renewed shortly before its end
//! (<https://docs.aws.amazon.com/singlesignon/latest/OIDCAPIReference/API_CreateToken.html>). Where the file
//! cannot be written, this process goes on with what it has in memory.

use super::saved::Saved;
use crate::{
    aside::Aside,
    auth::{
        aws::chain::fault,
        fetch::{Reach, Service},
        moment::Moment,
        refusal::Refusal,
        surroundings::Surroundings,
    },
    spec::Fault,
};
use http::{HeaderValue, Method, header};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use std::{
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// How long before its end a login is renewed, as AWS's SDK for Rust has it.
const EARLY: Duration = Duration::from_secs(300);

/// A login of this machine's user.
pub(super) struct Login {
    /// In messages.
    what: String,
    profile: String,
    file: PathBuf,
    /// Where it is renewed.
    tokens: Option<Service>,
    /// As it was last renewed here.
    renewed: Mutex<Option<Saved>>,
    aside: Aside,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Granted {
    access_token: SecretString,
    /// Seconds.
    expires_in: u64,
    #[serde(default)]
    refresh_token: Option<SecretString>,
}

impl Login {
    /// `of` names it: the session, or the start URL where there is none.
    pub(super) fn new(
        profile: &str,
        of: &str,
        tokens: Option<Service>,
        reach: &Reach<'_>,
        around: &Surroundings<'_>,
    ) -> Result<Self, Fault> {
        let folder = around.home(".aws/sso/cache").ok_or_else(|| {
            let problem = "signs on once for all, and there is no home directory with the login";
            fault(profile, problem, "set HOME")
        })?;
        Ok(Self {
            what: format!("the single sign-on of profile {profile}"),
            profile: profile.to_owned(),
            file: folder.join(Saved::file(of)),
            tokens,
            renewed: Mutex::default(),
            aside: reach.aside(),
        })
    }

    /// The login has ended, or is no longer accepted.
    pub(super) fn over(&self) -> Refusal {
        self.refusal("has ended")
    }

    /// The token of the login, renewed if need be.
    pub(super) async fn token(&self) -> Result<SecretString, Refusal> {
        let saved = self.read().await?;
        let left = saved.left();
        if left > EARLY {
            return Ok(saved.token());
        }
        match self.renew(&saved).await {
            Ok(Some(renewed)) => Ok(renewed.token()),
            _ if !left.is_zero() => Ok(saved.token()),
            Ok(None) => Err(self.over()),
            Err(refusal) => Err(refusal),
        }
    }

    /// As it is saved, or as it was renewed here if that lasts longer.
    async fn read(&self) -> Result<Saved, Refusal> {
        let text = tokio::fs::read_to_string(&self.file).await;
        let text =
            text.map_err(|why| self.refusal(format!("is not in ~/.aws/sso/cache: {}", why.kind())));
        let unfit = || self.refusal("is in ~/.aws/sso/cache, but cannot be read");
        let saved = Saved::parse(&text?).ok_or_else(unfit)?;
        let own = self.own();
        let renewed = own.as_ref().filter(|own| own.left() > saved.left());
        Ok(renewed.cloned().unwrap_or(saved))
    }

    /// `None` if it cannot be renewed without a person.
    async fn renew(&self, saved: &Saved) -> Result<Option<Saved>, Refusal> {
        let Some(tokens) = &self.tokens else {
            return Ok(None);
        };
        let names = ["clientId", "clientSecret", "refreshToken"];
        let [Some(client), Some(secret), Some(renew_with)] = names.map(|name| saved.member(name))
        else {
            return Ok(None);
        };
        let registered = saved
            .member("registrationExpiresAt")
            .and_then(Moment::parse);
        if registered.is_none_or(|end| end.left().is_zero()) {
            return Ok(None);
        }
        let body = serde_json::json!({ "grantType": "refresh_token", "clientId": client,
            "clientSecret": secret, "refreshToken": renew_with });
        let kind = HeaderValue::from_static("application/json");
        let headers = [(header::CONTENT_TYPE, kind)];
        let body = body.to_string().into();
        let reply = tokens.ask(Method::POST, "/token", &headers, body).await?;
        if reply.status.is_client_error() && reply.status.as_u16() != 429 {
            return Ok(None);
        }
        if !reply.status.is_success() {
            return Err(Refusal::status(tokens.what, reply.status, None));
        }
        let granted = serde_json::from_slice::<Granted>(&reply.body);
        let granted = granted.map_err(|_| Refusal::unusable(tokens.what))?;
        Ok(Some(self.keep(saved, &granted).await))
    }

    async fn keep(&self, saved: &Saved, granted: &Granted) -> Saved {
        let renew_with = granted.refresh_token.as_ref();
        let renew_with = renew_with.map(ExposeSecret::expose_secret);
        let token = granted.access_token.expose_secret();
        let renewed = saved.renewed(token, granted.expires_in, renew_with);
        self.own().replace(renewed.clone());
        let (copy, file) = (renewed.clone(), self.file.clone());
        // in one piece of work, so that it is done whole even if nobody waits for it any more
        let written = self.aside.run(move || copy.write(&file).is_ok()).await;
        drop(written);
        renewed
    }

    fn own(&self) -> MutexGuard<'_, Option<Saved>> {
        self.renewed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says what is wrong, and what a person must do.
    fn refusal(&self, problem: impl std::fmt::Display) -> Refusal {
        let profile = &self.profile;
        Refusal::local(
            &self.what,
            format_args!("{problem}; sign in with: aws sso login --profile {profile}"),
        )
    }
}
