//! Servers that hand out credentials: Google, Azure and AWS.
//!
//! Each answer is a new credential that bears the number of its request (`sim-token-7`), so a test can
//! say from which request a caller's key came and how many were made. What a real server refuses because
//! the client forgot something is refused here too; nothing is verified.

mod aws;
mod sso;
mod stamp;

use super::json;
use crate::answer::{Problem, Shape};
use crate::ask::{Ask, header};
use crate::log::RequestHead;
use crate::route::{Issuer, field};

/// Seconds the credential is good for.
fn seconds(shape: &Shape) -> u64 {
    shape.expires.as_secs()
}

fn token(ask: &Ask) -> String {
    format!("sim-token-{}", ask.seq)
}

/// An OAuth error (RFC 6749 §5.2).
fn oauth(code: &str, description: &str) -> String {
    let (code, description) = (json(code), json(description));
    format!(r#"{{"error":{code},"error_description":{description}}}"#)
}

/// Status and body for a request that lacks what its server insists on.
pub(crate) fn refusal(issuer: Issuer, ask: &Ask, head: &RequestHead) -> Option<(u16, String)> {
    let lacks = |name: &str| header(head, name).is_none();
    match issuer {
        Issuer::Google => google(&ask.form).map(|body| (400, body)),
        Issuer::Iam if !header(head, "authorization").is_some_and(|v| v.starts_with("Bearer ")) => {
            Some((
                401,
                iam(401, "UNAUTHENTICATED", "Request is missing a token."),
            ))
        }
        Issuer::Entra => entra(&ask.form).map(|body| (400, body)),
        Issuer::Gce if header(head, "metadata-flavor") != Some("Google") => {
            Some((403, "Missing Metadata-Flavor:Google header.".to_owned()))
        }
        Issuer::AzureMetadata if header(head, "metadata") != Some("true") => Some((
            400,
            oauth("invalid_request", "Required metadata header not specified"),
        )),
        Issuer::Imds if aws::opens_session(ask) && ask.method != "PUT" => {
            Some((405, "PUT opens a session".to_owned()))
        }
        Issuer::Imds if !aws::opens_session(ask) && lacks("x-aws-ec2-metadata-token") => {
            Some((401, "Unauthorized".to_owned()))
        }
        Issuer::Sts => aws::refusal(ask, lacks("authorization")),
        Issuer::Sso if lacks("x-amz-sso_bearer_token") => {
            let said = "Session token not found or invalid";
            Some((401, sso::error("UnauthorizedException", said)))
        }
        Issuer::SsoOidc => sso::refusal(&ask.form).map(|body| (400, body)),
        _ => None,
    }
}

/// An error of Google's APIs (AIP-193).
fn iam(code: u16, status: &str, message: &str) -> String {
    let (status, message) = (json(status), json(message));
    format!(r#"{{"error":{{"code":{code},"message":{message},"status":{status}}}}}"#)
}

fn google(form: &str) -> Option<String> {
    let value = |name: &str| field(form, name).unwrap_or_default();
    let lacks = match value("grant_type").as_str() {
        // a signed token has three parts (RFC 7515 §3.1)
        "urn:ietf:params:oauth:grant-type:jwt-bearer" => value("assertion").split('.').count() != 3,
        "refresh_token" => value("refresh_token").is_empty(),
        // RFC 8693 §2.1
        "urn:ietf:params:oauth:grant-type:token-exchange" => {
            ["subject_token", "subject_token_type", "audience"]
                .iter()
                .any(|name| value(name).is_empty())
        }
        other => {
            let said = format!("Invalid grant_type: {other}");
            return Some(oauth("unsupported_grant_type", &said));
        }
    };
    lacks.then(|| oauth("invalid_grant", "Bad Request"))
}

fn entra(form: &str) -> Option<String> {
    let has = |name: &str| field(form, name).is_some_and(|value| !value.is_empty());
    if field(form, "grant_type").as_deref() != Some("client_credentials") {
        let said = "AADSTS70003: the grant is client_credentials";
        return Some(oauth("unsupported_grant_type", said));
    }
    let proof = has("client_secret") || has("client_assertion");
    if !has("client_id") || !has("scope") || !proof {
        let said =
            "AADSTS900144: client_id, scope and client_secret or client_assertion are required";
        return Some(oauth("invalid_request", said));
    }
    None
}

/// The credential.
pub(super) fn whole(issuer: Issuer, ask: &Ask, shape: &Shape) -> String {
    let (token, seconds) = (token(ask), seconds(shape));
    match issuer {
        Issuer::Gce if ask.route().0.ends_with("/project-id") => "sim-project".to_owned(),
        Issuer::Gce if !ask.route().0.ends_with("/token") => {
            "sim@sim.iam.gserviceaccount.com".to_owned()
        }
        Issuer::Google | Issuer::Gce => {
            format!(r#"{{"access_token":"{token}","expires_in":{seconds},"token_type":"Bearer"}}"#)
        }
        Issuer::Iam => {
            let until = stamp::date(shape.expires);
            format!(r#"{{"accessToken":"{token}","expireTime":"{until}"}}"#)
        }
        Issuer::Entra => format!(
            r#"{{"token_type":"Bearer","expires_in":{seconds},"ext_expires_in":{seconds},"access_token":"{token}"}}"#
        ),
        Issuer::AzureMetadata => {
            let until = stamp::unix(shape.expires);
            format!(
                r#"{{"access_token":"{token}","expires_in":"{seconds}","expires_on":"{until}","token_type":"Bearer"}}"#
            )
        }
        Issuer::Imds | Issuer::Container | Issuer::Sts => aws::whole(issuer, ask, shape),
        Issuer::Sso | Issuer::SsoOidc => sso::whole(issuer, ask, shape),
    }
}

/// The body of an error status.
pub(super) fn problem(issuer: Issuer, problem: &Problem) -> String {
    match issuer {
        Issuer::Google | Issuer::Gce | Issuer::Entra | Issuer::AzureMetadata => {
            oauth(&problem.code, problem.message)
        }
        Issuer::Iam => iam(problem.status, &problem.code, problem.message),
        Issuer::Imds | Issuer::Container => {
            let (code, message) = (json(&problem.code), json(problem.message));
            format!(r#"{{"code":{code},"message":{message}}}"#)
        }
        Issuer::Sts => aws::error(&problem.code, problem.message),
        Issuer::Sso => sso::error(&problem.code, problem.message),
        Issuer::SsoOidc => oauth(&problem.code, problem.message),
    }
}

pub(super) fn content_type(issuer: Issuer, ask: &Ask) -> &'static str {
    let route = ask.route().0;
    match issuer {
        Issuer::Sts => "text/xml",
        Issuer::Imds if !aws::is_document(ask) => "text/plain",
        Issuer::Gce if !route.ends_with("/token") => "application/text",
        _ => "application/json",
    }
}

/// The header by which Google's clients know a metadata server.
pub(super) fn headers(issuer: Issuer) -> &'static [(&'static str, &'static str)] {
    match issuer {
        Issuer::Gce => &[("metadata-flavor", "Google")],
        _ => &[],
    }
}
