//! Keys in the three forms of AWS: instance metadata, containers, and STS.
//!
//! All three say the same four things, in JSON or XML; the moment of expiry is a date and not a number of
//! seconds, so a client with a wrong clock fails here as it does there.

use super::super::json;
use super::stamp;
use crate::answer::Shape;
use crate::ask::Ask;
use crate::route::{Issuer, field};

const ROLE: &str = "sim-role";
const ZONE: &str = "eu-west-1b";
const FOLDER: &str = "/security-credentials";

/// `PUT /latest/api/token`.
pub(super) fn opens_session(ask: &Ask) -> bool {
    ask.route().0.ends_with("/latest/api/token")
}

/// Whether the answer is a document, not a bare word.
pub(super) fn is_document(ask: &Ask) -> bool {
    !opens_session(ask) && !lists_roles(ask) && !says_zone(ask)
}

fn says_zone(ask: &Ask) -> bool {
    ask.route().0.ends_with("/placement/availability-zone")
}

fn lists_roles(ask: &Ask) -> bool {
    ask.route().0.trim_end_matches('/').ends_with(FOLDER)
}

/// Status and body for a role that is asked for in half; `unsigned` as nobody.
pub(super) fn refusal(ask: &Ask, unsigned: bool) -> Option<(u16, String)> {
    let query = ask.route().1;
    let value = |name: &str| field(&ask.form, name).or_else(|| field(query, name));
    let signed = value("Action").as_deref() == Some("AssumeRole");
    if signed && unsigned {
        let said = "Request is missing Authentication Token";
        return Some((403, error("MissingAuthenticationToken", said)));
    }
    let needs = match signed {
        true => ["RoleArn", "RoleSessionName"],
        false => ["RoleArn", "WebIdentityToken"],
    };
    let lacks = needs.into_iter().find(|name| value(name).is_none())?;
    Some((
        400,
        error("ValidationError", &format!("{lacks} is missing")),
    ))
}

/// An error of the query protocol.
pub(super) fn error(code: &str, message: &str) -> String {
    let (code, message) = (escape(code), escape(message));
    format!(
        r#"<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>{code}</Code><Message>{message}</Message></Error><RequestId>sim</RequestId></ErrorResponse>"#
    )
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

pub(super) fn whole(issuer: Issuer, ask: &Ask, shape: &Shape) -> String {
    let seq = ask.seq;
    let (key, secret) = (format!("ASIASIM{seq:013}"), format!("sim-secret-{seq}"));
    let (token, until) = (super::token(ask), stamp::date(shape.expires));
    match issuer {
        Issuer::Imds if opens_session(ask) => format!("sim-session-{seq}"),
        Issuer::Imds if lists_roles(ask) => ROLE.to_owned(),
        Issuer::Imds if says_zone(ask) => ZONE.to_owned(),
        Issuer::Sts => {
            let action = field(&ask.form, "Action").or_else(|| field(ask.route().1, "Action"));
            let action = action.unwrap_or_default();
            format!(
                r#"<{action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><{action}Result><Credentials><AccessKeyId>{key}</AccessKeyId><SecretAccessKey>{secret}</SecretAccessKey><SessionToken>{token}</SessionToken><Expiration>{until}</Expiration></Credentials></{action}Result><ResponseMetadata><RequestId>sim-{seq}</RequestId></ResponseMetadata></{action}Response>"#
            )
        }
        _ => {
            let role = json(&format!("arn:aws:iam::000000000000:role/{ROLE}"));
            let now = stamp::date(std::time::Duration::ZERO);
            format!(
                r#"{{"Code":"Success","LastUpdated":"{now}","Type":"AWS-HMAC","RoleArn":{role},"AccessKeyId":"{key}","SecretAccessKey":"{secret}","Token":"{token}","Expiration":"{until}"}}"#
            )
        }
    }
}
