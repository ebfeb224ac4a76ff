//! What single dialects must know: which key belongs to which, where their servers are, who asks them.

use super::Desk;
use crate::{
    path::Path,
    raw::{self, BedrockApi, Dialect},
    target::{Auth, Site},
};
use punctual_wire::dialect::bedrock::Family;
use secrecy::SecretString;

/// Azure's stable version at the time of writing
/// (<https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle>).
const AZURE_VERSION: &str = "2024-10-21";

/// Keys, and the one dialect that each is for.
const KEYS: [(Dialect, &str, &[&str]); 4] = [
    (
        Dialect::Azure,
        "azure",
        &[
            "resource",
            "api_version",
            "tenant_id",
            "client_id",
            "client_secret",
        ],
    ),
    (
        Dialect::Vertex,
        "vertex",
        &[
            "project",
            "location",
            "credentials_file",
            "credentials_json",
        ],
    ),
    (
        Dialect::Bedrock,
        "bedrock",
        &[
            "region",
            "access_key_id",
            "secret_access_key",
            "session_token",
            "profile",
            "api",
        ],
    ),
    (Dialect::Ollama, "ollama", &["num_ctx"]),
];

/// Refuses keys of other dialects, and says which necessary ones are missing.
pub(super) fn check(raw: &raw::Site, dialect: Dialect, at: &Path, desk: &mut Desk<'_>) {
    check_own(raw, dialect, at, desk);
    let together = [raw.access_key_id.is_some(), raw.secret_access_key.is_some()];
    if together[0] != together[1] {
        desk.error(at, "access_key_id and secret_access_key go together")
            .hint("say both, or neither for the keys of the environment");
    }
    if dialect == Dialect::Vertex && project(raw, desk).is_none() && !desk.lost(at) {
        desk.error(at, "no project is named")
            .hint("write project: NAME, or set GOOGLE_CLOUD_PROJECT");
    }
    if raw.credentials_file.is_some() && raw.credentials_json.is_some() {
        desk.error(
            at,
            "credentials_file and credentials_json say the same thing twice",
        )
        .hint("keep one of them");
    }
}

/// Of the keys that are said, refuses those of other dialects and values that mean nothing.
pub(super) fn check_own(raw: &raw::Site, dialect: Dialect, at: &Path, desk: &mut Desk<'_>) {
    for key in raw.said() {
        let owner = KEYS.iter().find(|(_, _, keys)| keys.contains(&key));
        if let Some((_, name, _)) = owner.filter(|(owner, ..)| *owner != dialect) {
            desk.error(&at.key(key), format!("{key} is for the dialect {name}"))
                .hint(format!("write dialect: {name}, or leave {key} out"));
        }
    }
    if raw.num_ctx == Some(0) {
        desk.error(&at.key("num_ctx"), "a context of 0 tokens holds nothing")
            .hint("leave it out for the model's own");
    }
}

/// Where a dialect's servers are when nobody says.
pub(super) fn base_url(raw: &raw::Site, dialect: Dialect, desk: &Desk<'_>) -> Option<String> {
    let fixed = |url: &str| Some(url.to_owned());
    match dialect {
        Dialect::Openai | Dialect::Responses | Dialect::Images => {
            fixed("https://api.openai.com/v1")
        }
        Dialect::Openrouter => fixed("https://openrouter.ai/api/v1"),
        Dialect::Anthropic => fixed("https://api.anthropic.com/v1"),
        Dialect::Gemini => fixed("https://generativelanguage.googleapis.com/v1beta"),
        Dialect::Ollama => fixed("http://127.0.0.1:11434"),
        Dialect::VercelImages => fixed("https://ai-gateway.vercel.sh/v3/ai"),
        Dialect::Azure => match &raw.resource {
            Some(name) => Some(format!("https://{name}.openai.azure.com")),
            None => desk.env.get("AZURE_OPENAI_ENDPOINT").map(str::to_owned),
        },
        Dialect::Vertex => Some(match location(raw, desk).as_deref() {
            None | Some("global") => "https://aiplatform.googleapis.com/v1".to_owned(),
            Some(place) => format!("https://{place}-aiplatform.googleapis.com/v1"),
        }),
        Dialect::Bedrock => {
            region(raw, desk).map(|r| format!("https://bedrock-runtime.{r}.amazonaws.com"))
        }
        Dialect::Generic | Dialect::Typesafe => None,
    }
}

/// What says where a dialect's servers are, where they are at no one place.
pub(super) const fn place_of(dialect: Dialect) -> Option<&'static str> {
    match dialect {
        Dialect::Azure => Some("write resource: NAME, or base_url: https://NAME.openai.azure.com"),
        Dialect::Bedrock => Some("write region: NAME, or set AWS_REGION"),
        Dialect::Generic | Dialect::Typesafe => Some("write base_url: https://HOST/v1"),
        _ => None,
    }
}

/// What goes to the target.
pub(super) fn site(raw: &raw::Site, dialect: Dialect, base: &str, desk: &Desk<'_>) -> Site {
    let versionless = base.ends_with("/openai/v1");
    let version = || Some(AZURE_VERSION.to_owned()).filter(|_| !versionless);
    Site {
        api_version: match dialect {
            Dialect::Azure => raw.api_version.clone().or_else(version),
            _ => None,
        },
        project: project(raw, desk).filter(|_| dialect == Dialect::Vertex),
        location: location(raw, desk).filter(|_| dialect == Dialect::Vertex),
        invoke: raw.api == Some(BedrockApi::Invoke),
        num_ctx: raw.num_ctx,
    }
}

/// The keys that are a model's: a target says them beside its provider, and then they count in place of the
/// provider's.
pub(super) fn of_a_model(raw: &raw::Site) -> raw::Site {
    raw::Site {
        api: raw.api,
        num_ctx: raw.num_ctx,
        ..raw::Site::default()
    }
}

/// What a target says of its model goes over what its provider says.
pub(super) fn over(raw: &raw::Site, site: &mut Site) {
    if let Some(api) = raw.api {
        site.invoke = api == BedrockApi::Invoke;
    }
    site.num_ctx = raw.num_ctx.or(site.num_ctx);
}

/// The API that a target says must be one that its model is asked by.
pub(super) fn check_model(raw: &raw::Site, model: &str, at: &Path, desk: &mut Desk<'_>) {
    let invoked = raw.api == Some(BedrockApi::Invoke);
    let others = matches!(
        Family::of(model),
        Family::Other | Family::TitanEmbed | Family::CohereEmbed
    );
    if invoked && others {
        desk.error(
            &at.key("api"),
            format!("api: invoke is for Claude, and {model} is not Claude"),
        )
        .hint("leave api out: every other model has one API and is asked by it");
    }
}

/// Who asks, where that is neither a key nor the caller.
pub(super) fn auth(raw: &raw::Site, dialect: Dialect, at: &Path, desk: &mut Desk<'_>) -> Auth {
    let secret = |secret: &raw::Secret| SecretString::from(secret.expose().trim().to_owned());
    match dialect {
        Dialect::Bedrock => {
            let key = raw
                .access_key_id
                .clone()
                .zip(raw.secret_access_key.as_ref());
            Auth::Aws {
                region: region(raw, desk),
                keys: key
                    .map(|(id, key)| (id, secret(key), raw.session_token.as_ref().map(secret))),
                profile: raw.profile.clone(),
            }
        }
        Dialect::Vertex => Auth::Google {
            file: raw
                .credentials_file
                .as_ref()
                .and_then(|file| desk.file(file, &at.key("credentials_file"))),
            json: raw.credentials_json.as_ref().map(secret),
        },
        Dialect::Azure => Auth::Entra {
            tenant: raw.tenant_id.clone(),
            client_id: raw.client_id.clone(),
            client_secret: raw.client_secret.as_ref().map(secret),
        },
        _ => Auth::None,
    }
}

/// Whether a dialect's requests are refused without a credential.
pub(super) const fn needs_key(dialect: Dialect) -> bool {
    matches!(
        dialect,
        Dialect::Openai
            | Dialect::Responses
            | Dialect::Openrouter
            | Dialect::Anthropic
            | Dialect::Gemini
            | Dialect::Images
            | Dialect::VercelImages
            | Dialect::Typesafe
    )
}

fn project(raw: &raw::Site, desk: &Desk<'_>) -> Option<String> {
    let env = || desk.env.get("GOOGLE_CLOUD_PROJECT").map(str::to_owned);
    raw.project.clone().or_else(env)
}

fn location(raw: &raw::Site, desk: &Desk<'_>) -> Option<String> {
    let env = || desk.env.get("GOOGLE_CLOUD_LOCATION").map(str::to_owned);
    raw.location.clone().or_else(env)
}

fn region(raw: &raw::Site, desk: &Desk<'_>) -> Option<String> {
    let names = ["AWS_REGION", "AWS_DEFAULT_REGION"];
    let env = || {
        names
            .iter()
            .find_map(|name| desk.env.get(name))
            .map(str::to_owned)
    };
    raw.region.clone().or_else(env)
}
