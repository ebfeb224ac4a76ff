//! The body of a request: the caller's own bytes with the target's model in them, or their translation.

use crate::{spec::ModelChoice, target::Target, way::Way};
use bytes::Bytes;
use punctual_core::{Call, Code, Failure, Unsupported};
use punctual_wire::{
    Api, BadBody, error_body,
    middle::{Lost, Options},
    peek, splice, vertex,
};

/// The body for one attempt, in parts, and what the target's API had no place for.
///
/// # Errors
/// `unsupported` where the route wants nothing lost that is; `invalid_request` where the caller's body cannot
/// be read.
pub(crate) fn body(
    target: &Target,
    way: &Way,
    call: &Call,
) -> Result<(Vec<Bytes>, Lost), Box<Failure>> {
    if way.api == Api::Raw || call.body.is_empty() {
        return Ok((vec![call.body.clone()], Lost::default()));
    }
    if call.native {
        let body = match way.api {
            Api::VertexMessages => vertex::anthropic_request(&call.body),
            _ => call.body.clone(),
        };
        return Ok((vec![body], Lost::default()));
    }
    let mut lost = Lost::default();
    let options = Options {
        model: target.model(call),
        num_ctx: target.site.num_ctx,
        stream_options: target.rules.stream_options,
        plain_content: target.rules.plain_content,
    };
    let unreadable = |bad: BadBody| unreadable(way, &bad);
    let translated = way
        .via
        .request(&call.body, &options, &mut lost)
        .map_err(unreadable)?;
    let parts = match (translated, way.api) {
        (Some(body), Api::VertexMessages) => vec![vertex::anthropic_request(&body)],
        (Some(body), _) => vec![body],
        (None, Api::VertexMessages) => vec![vertex::anthropic_request(&call.body)],
        (None, _) => relayed(target, way, call),
    };
    match refused(&lost, call.policy.unsupported) {
        Some(names) => Err(unsupported(target, &names)),
        None => Ok((parts, lost)),
    }
}

/// The caller's body with the target's model, and with the usage chunk asked for where the target does.
fn relayed(target: &Target, way: &Way, call: &Call) -> Vec<Bytes> {
    let model = match &target.model {
        ModelChoice::Fixed(model) => model,
        ModelChoice::FromCaller => &call.model,
    };
    // the one place where the body is read a second time: only targets that inject pay for it
    if target.injects_usage(call, way)
        && let Ok(peek) = peek::peek(way.surface, &call.body)
    {
        return splice::request(&call.body, &peek, model, true);
    }
    splice::splice_model(&call.body, call.model_span.clone(), model).into()
}

/// What of it the route does not want to lose.
fn refused(lost: &Lost, policy: Unsupported) -> Option<String> {
    let names: Vec<&str> = match policy {
        Unsupported::Drop => return None,
        Unsupported::DropParameters => lost.content.iter().map(AsRef::as_ref).collect(),
        Unsupported::Refuse => lost.names().collect(),
    };
    (!names.is_empty()).then(|| names.join(", "))
}

fn unsupported(target: &Target, names: &str) -> Box<Failure> {
    let text = format!(
        "target {} speaks {}, which has no place for {names}; leave it out, or set unsupported: drop on the route",
        target.name,
        target.dialect.as_str(),
    );
    Failure::new(Code::Unsupported, text)
}

fn unreadable(way: &Way, bad: &BadBody) -> Box<Failure> {
    let mut failure = Failure::new(Code::InvalidRequest, bad.message.clone());
    let fields = error_body::ErrorFields {
        message: &bad.message,
        kind: "invalid_request_error",
        code: Some("invalid_request"),
        param: bad.param,
        ..error_body::ErrorFields::default()
    };
    failure.body = Some(error_body::error(way.surface, 400, &fields));
    failure
}
