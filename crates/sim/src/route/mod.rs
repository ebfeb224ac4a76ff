//! Which API a path belongs to, and the model it names.
//!
//! Clients put any prefix before a route (`/v1`, `/api/v1`, a proxy's folder), so a route is told by its
//! end, and only where the end is free by a part in its middle. What no table knows is [`Surface::Other`],
//! where a script still works.

mod name;

pub(crate) use name::{field, model_in, named};

/// Which API a path belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Surface {
    Chat,
    /// Chat completions as Azure OpenAI sends them.
    Azure,
    Completions,
    Embeddings,
    Messages,
    /// `/v1/messages/count_tokens`, and Vertex's model `count-tokens`.
    MessageCount,
    Responses,
    /// One response that was made before: `/v1/responses/ID`.
    Stored,
    Images,
    Gemini,
    GeminiCount,
    GeminiEmbed,
    /// Embeddings on Vertex.
    Predict,
    OllamaChat,
    OllamaGenerate,
    OllamaEmbed,
    OllamaTags,
    Converse,
    /// Bedrock's `InvokeModel` with a Claude model.
    Invoke,
    /// The same with Amazon's text embeddings.
    TitanEmbed,
    /// The same with Cohere's embeddings.
    CohereEmbed,
    /// TypeSafe's typed questions.
    SystemOne,
    /// The image endpoint of the Vercel AI Gateway.
    ImageModel,
    Credential(Issuer),
    /// Any other path. A script may still be told there; without one it is 404.
    Other,
}

/// Who hands out credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Issuer {
    /// Google's OAuth token endpoint, and its security token service.
    Google,
    /// `generateAccessToken` of Google's IAM.
    Iam,
    /// The metadata server of Google Compute Engine.
    Gce,
    /// Microsoft Entra ID.
    Entra,
    /// Azure's instance metadata service.
    AzureMetadata,
    /// AWS's instance metadata service, version 2.
    Imds,
    /// The credential endpoint of ECS and EKS.
    Container,
    /// `AssumeRole` and `AssumeRoleWithWebIdentity` of AWS STS.
    Sts,
    /// The portal of AWS's single sign-on.
    Sso,
    /// Where its logins are renewed.
    SsoOidc,
}

impl Issuer {
    /// What takes a model's place in scripts and in the report.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Google => "google-token",
            Self::Iam => "google-iam",
            Self::Gce => "gce-metadata",
            Self::Entra => "entra-token",
            Self::AzureMetadata => "azure-metadata",
            Self::Imds => "aws-imds",
            Self::Container => "aws-container",
            Self::Sts => "aws-sts",
            Self::Sso => "aws-sso",
            Self::SsoOidc => "aws-sso-oidc",
        }
    }
}

use Surface::{
    Azure, Chat, CohereEmbed, Completions, Converse, Credential, Embeddings, Gemini, GeminiCount,
    GeminiEmbed, ImageModel, Images, Invoke, MessageCount, Messages, OllamaChat, OllamaEmbed,
    OllamaGenerate, OllamaTags, Other, Predict, Responses, Stored, SystemOne, TitanEmbed,
};

/// Ends of routes, the first that fits; what is not here takes more than an end to tell.
const ENDS: [(&str, Surface); 31] = [
    ("/chat/completions", Chat),
    ("/completions", Completions),
    ("/embeddings", Embeddings),
    ("/messages", Messages),
    ("/messages/count_tokens", MessageCount),
    ("/responses", Responses),
    ("/images/generations", Images),
    (":generateContent", Gemini),
    (":streamGenerateContent", Gemini),
    (":countTokens", GeminiCount),
    (":embedContent", GeminiEmbed),
    (":batchEmbedContents", GeminiEmbed),
    (":predict", Predict),
    (":rawPredict", Chat),
    (":streamRawPredict", Chat),
    ("/api/chat", OllamaChat),
    ("/api/generate", OllamaGenerate),
    ("/api/embed", OllamaEmbed),
    ("/api/tags", OllamaTags),
    ("/converse", Converse),
    ("/converse-stream", Converse),
    ("/invoke", Invoke),
    ("/invoke-with-response-stream", Invoke),
    ("/systemone", SystemOne),
    ("/image-model", ImageModel),
    ("/oauth2/v2.0/token", Credential(Issuer::Entra)),
    ("/latest/api/token", Credential(Issuer::Imds)),
    (
        "/metadata/identity/oauth2/token",
        Credential(Issuer::AzureMetadata),
    ),
    ("/federation/credentials", Credential(Issuer::Sso)),
    ("/credentials", Credential(Issuer::Container)),
    (":generateAccessToken", Credential(Issuer::Iam)),
];

/// Parts of routes behind which something free follows.
const PARTS: [(&str, Surface); 5] = [
    ("/responses/", Stored),
    ("/computeMetadata/v1/", Credential(Issuer::Gce)),
    (
        "/latest/meta-data/iam/security-credentials",
        Credential(Issuer::Imds),
    ),
    ("/latest/meta-data/placement/", Credential(Issuer::Imds)),
    ("/v2/credentials/", Credential(Issuer::Container)),
];

impl Surface {
    /// The API of a path with its query; `body` tells STS, which has no path of its own.
    pub(crate) fn of(path: &str, body: &[u8]) -> Self {
        let (route, query) = path.split_once('?').unwrap_or((path, ""));
        let part = || PARTS.iter().find(|(part, _)| route.contains(part));
        let found = ENDS.iter().find(|(end, _)| route.ends_with(end));
        match found.or_else(part).map(|(_, surface)| *surface) {
            Some(Chat) => chat(route),
            Some(surface) => surface,
            None if assumes_role(query.as_bytes()) || assumes_role(body) => Credential(Issuer::Sts),
            None if route.ends_with("/token") => Credential(token(body)),
            None => Other,
        }
    }

    /// Whether the request carries JSON that an answer depends on.
    pub(crate) fn reads_json(self) -> bool {
        !matches!(self, Credential(_) | OllamaTags | Stored)
    }

    /// Whether the model is what the path says, whatever the body says.
    pub(crate) fn is_named_by_path(self) -> bool {
        matches!(self, Gemini | GeminiCount | GeminiEmbed | Predict)
            || matches!(self, Converse | Invoke | TitanEmbed | CohereEmbed)
    }

    /// Whether answers can be streams.
    pub(crate) fn streams(self) -> bool {
        matches!(
            self,
            Chat | Azure | Completions | Messages | Responses | Stored | Gemini | OllamaChat
        ) || matches!(self, OllamaGenerate | Converse | Invoke | Other)
    }
}

/// Azure's two bases, and Claude on Vertex, apart from chat completions elsewhere.
fn chat(route: &str) -> Surface {
    let claude = route.contains("/publishers/anthropic/");
    match named(route).and_then(|name| route.get(name)) {
        Some("count-tokens") if claude => MessageCount,
        _ if claude => Messages,
        _ if route.contains("/openai/deployments/") || route.contains("/openai/v1/") => Azure,
        _ => Chat,
    }
}

/// Google reads forms, AWS JSON.
fn token(body: &[u8]) -> Issuer {
    match body.trim_ascii_start().starts_with(b"{") {
        true => Issuer::SsoOidc,
        false => Issuer::Google,
    }
}

fn assumes_role(form: &[u8]) -> bool {
    let actions = [
        &b"Action=AssumeRole"[..],
        b"Action=AssumeRoleWithWebIdentity",
    ];
    form.split(|b| *b == b'&')
        .any(|pair| actions.contains(&pair))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_route_is_told_by_its_end_whatever_lies_before_it() {
        for (path, surface) in [
            ("/v1/chat/completions", Chat),
            ("/api/v1/chat/completions", Chat),
            ("/v1beta/openai/chat/completions", Chat),
            (
                "/openai/deployments/d/chat/completions?api-version=1",
                Azure,
            ),
            ("/openai/v1/chat/completions", Azure),
            ("/openai/v1/responses", Responses),
            ("/openai/deployments/d/embeddings?api-version=1", Embeddings),
            ("/v1/messages/count_tokens", MessageCount),
            ("/v1/responses/resp_1", Stored),
            ("/v1/responses/resp_1/cancel", Stored),
            (
                "/x/v1beta/models/g:streamGenerateContent?alt=sse&key=k",
                Gemini,
            ),
            (
                "/v1/projects/p/locations/l/publishers/google/models/g:generateContent",
                Gemini,
            ),
            (
                "/v1/projects/p/locations/l/publishers/anthropic/models/c:streamRawPredict",
                Messages,
            ),
            (
                "/v1/projects/p/locations/l/publishers/anthropic/models/count-tokens:rawPredict",
                MessageCount,
            ),
            ("/v1beta/models/e:batchEmbedContents", GeminiEmbed),
            (
                "/v1/projects/p/locations/l/publishers/google/models/e:predict",
                Predict,
            ),
            ("/api/generate", OllamaGenerate),
            ("/model/anthropic.claude-v1%3A0/converse-stream", Converse),
            ("/model/m/invoke-with-response-stream", Invoke),
            ("/v1/systemone", SystemOne),
            ("/v1/ai/image-model", ImageModel),
            ("/token", Credential(Issuer::Google)),
            ("/v1/token", Credential(Issuer::Google)),
            (
                "/v1/projects/-/serviceAccounts/a@p.iam.gserviceaccount.com:generateAccessToken",
                Credential(Issuer::Iam),
            ),
            (
                "/computeMetadata/v1/instance/service-accounts/default/token",
                Credential(Issuer::Gce),
            ),
            ("/tenant/oauth2/v2.0/token", Credential(Issuer::Entra)),
            ("/latest/api/token", Credential(Issuer::Imds)),
            (
                "/latest/meta-data/iam/security-credentials/",
                Credential(Issuer::Imds),
            ),
            ("/v2/credentials/a-b-c", Credential(Issuer::Container)),
            (
                "/federation/credentials?role_name=r&account_id=1",
                Credential(Issuer::Sso),
            ),
            (
                "/?Action=AssumeRoleWithWebIdentity&Version=2011-06-15",
                Credential(Issuer::Sts),
            ),
            ("/v1/unheard-of", Other),
            ("/", Other),
            ("", Other),
        ] {
            assert_eq!(Surface::of(path, b""), surface, "{path}");
        }
        let form = b"Version=2011-06-15&Action=AssumeRoleWithWebIdentity&RoleArn=r";
        assert_eq!(Surface::of("/", form), Credential(Issuer::Sts));
        let form = b"Action=AssumeRole&RoleArn=r";
        assert_eq!(Surface::of("/", form), Credential(Issuer::Sts));
        let renewal = Surface::of("/token", b" {\"grantType\":\"refresh_token\"}");
        assert_eq!(renewal, Credential(Issuer::SsoOidc));
    }
}
