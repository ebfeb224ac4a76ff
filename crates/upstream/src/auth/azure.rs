//! Entra ID tokens for Azure's endpoints.
//!
//! An application proves itself by its secret, a workload by the token that its cluster gives it, a host by
//! being that host; in the order in which Azure's own libraries look for them.

use super::{
    bearer,
    cached::{Cached, Lasting},
    fetch::{Reach, Service},
    form,
    refusal::Refusal,
    spec::AzureAuth,
    surroundings::Surroundings,
    token::{self, Token},
};
use crate::spec::Fault;
use http::{HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};
use std::path::PathBuf;

const SCOPE: &str = "https://cognitiveservices.azure.com/.default";
const AUTHORITY: &str = "https://login.microsoftonline.com";
const METADATA: &str = "http://169.254.169.254";
const ASSERTION: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// A signer with Entra tokens.
pub(crate) struct Azure {
    source: Source,
    cached: Cached<Token>,
    scope: String,
}

enum Source {
    /// Tenant's token endpoint, application, what proves it.
    Application(Service, String, Proof),
    /// The host's metadata service, and which identity is meant.
    Host(Service, Option<String>),
    /// App Service and its like: the same, with a secret of the host.
    AppService(Service, Option<String>, HeaderValue),
}

enum Proof {
    Secret(SecretString),
    /// A file that holds a token, replaced from time to time.
    Workload(PathBuf),
}

impl Azure {
    pub(super) fn new(
        auth: &AzureAuth,
        reach: &Reach<'_>,
        around: &Surroundings<'_>,
    ) -> Result<Self, Fault> {
        Ok(Self {
            source: source(auth, reach, around)?,
            cached: Cached::default(),
            scope: auth.scope.clone().unwrap_or_else(|| SCOPE.to_owned()),
        })
    }

    pub(super) async fn sign(&self, headers: &mut HeaderMap) -> Result<(), Refusal> {
        let token = self.cached.get(|| self.fetch()).await?;
        bearer(headers, &token);
        Ok(())
    }

    pub(super) fn forget(&self) {
        self.cached.forget();
    }

    async fn fetch(&self) -> Result<Lasting<Token>, Refusal> {
        let resource = self.scope.strip_suffix("/.default").unwrap_or(&self.scope);
        let (service, reply) = match &self.source {
            Source::Application(service, client, proof) => {
                let mut fields = vec![
                    ("grant_type", "client_credentials"),
                    ("client_id", client),
                    ("scope", &self.scope),
                ];
                let assertion;
                match proof {
                    Proof::Secret(secret) => {
                        fields.push(("client_secret", secret.expose_secret()));
                    }
                    Proof::Workload(file) => {
                        assertion = read(file).await?;
                        fields.push(("client_assertion_type", ASSERTION));
                        fields.push(("client_assertion", assertion.expose_secret()));
                    }
                }
                (service, service.post(None, &fields).await?)
            }
            Source::Host(service, client) => {
                let query = query("2018-02-01", resource, client.as_deref());
                let name = HeaderName::from_static("metadata");
                let headers = [(name, HeaderValue::from_static("true"))];
                let path = format!("/metadata/identity/oauth2/token?{query}");
                (service, service.get(&path, &headers).await?)
            }
            Source::AppService(service, client, secret) => {
                let query = query("2019-08-01", resource, client.as_deref());
                let name = HeaderName::from_static("x-identity-header");
                let path = format!("?{query}");
                (
                    service,
                    service.get(&path, &[(name, secret.clone())]).await?,
                )
            }
        };
        token::read(service, &reply)
    }
}

fn query(version: &str, resource: &str, client: Option<&str>) -> String {
    let mut fields = vec![("api-version", version), ("resource", resource)];
    fields.extend(client.map(|client| ("client_id", client)));
    form::encode_fields(&fields)
}

async fn read(file: &PathBuf) -> Result<SecretString, Refusal> {
    let what = "the file of AZURE_FEDERATED_TOKEN_FILE";
    let text = tokio::fs::read_to_string(file).await;
    let text =
        text.map_err(|why| Refusal::local(what, format_args!("cannot be read: {}", why.kind())))?;
    Ok(SecretString::from(text.trim()))
}

fn source(auth: &AzureAuth, reach: &Reach<'_>, around: &Surroundings<'_>) -> Result<Source, Fault> {
    let said = |stated: &Option<String>, name| stated.clone().or_else(|| around.variable(name));
    let tenant = said(&auth.tenant, "AZURE_TENANT_ID");
    let client = said(&auth.client_id, "AZURE_CLIENT_ID");
    let secret = || {
        around
            .variable("AZURE_CLIENT_SECRET")
            .map(SecretString::from)
    };
    let secret = auth.client_secret.clone().or_else(secret);
    let workload = || around.variable("AZURE_FEDERATED_TOKEN_FILE");
    let proof = match secret {
        Some(secret) => Some(Proof::Secret(secret)),
        None => workload().map(|file| Proof::Workload(file.into())),
    };
    if let Some(proof) = proof {
        let needed = |value: Option<String>, field| {
            let fix = "set it beside the secret, or neither for the identity of the host";
            value.ok_or_else(|| Fault::new(field, "", "is missing", fix))
        };
        let tenant = form::encode(&needed(tenant, "auth.azure.tenant")?, b"");
        let client = needed(client, "auth.azure.client_id")?;
        let authority = said(&auth.authority_url, "AZURE_AUTHORITY_HOST");
        let authority = authority.unwrap_or_else(|| AUTHORITY.to_owned());
        let url = format!(
            "{}/{tenant}/oauth2/v2.0/token",
            authority.trim_end_matches('/')
        );
        let field = "auth.azure.authority_url";
        let service = Service::new("Entra's token endpoint", field, &url, reach)?;
        return Ok(Source::Application(service, client, proof));
    }
    let what = "Azure's metadata service";
    let endpoint = around.variable("IDENTITY_ENDPOINT");
    if let Some((url, secret)) = endpoint.zip(around.variable("IDENTITY_HEADER")) {
        let secret = token::sensitive("", &secret.into(), "IDENTITY_HEADER")?;
        let service = Service::local(what, "IDENTITY_ENDPOINT", &url, reach)?;
        return Ok(Source::AppService(service, client, secret));
    }
    let url = auth.imds_url.as_deref().unwrap_or(METADATA);
    let service = Service::local(what, "auth.azure.imds_url", url, reach)?;
    Ok(Source::Host(service, client))
}
