//! The body of a request: the caller's own bytes with the target's model in them, or their translation.
//!
//! The bytes go through without being read, whatever their number. A translation reads and writes all of them,
//! so that a large one is made [`Aside`](crate::aside::Aside).

use crate::{
    aside::{Doing, LARGE},
    spec::ModelChoice,
    target::Target,
    way::Way,
};
use bytes::Bytes;
use http::HeaderName;
use punctual_core::{Call, Code, Failure, Unsupported};
use punctual_wire::{
    Api, BadBody, Surface, error_body, hosted,
    middle::{Lost, Options},
    peek, splice,
};
use std::sync::Arc;

/// What of Anthropic's API that is not for everyone is asked for.
pub(super) const BETA: HeaderName = HeaderName::from_static("anthropic-beta");

/// A body as it is sent.
pub(crate) struct Written {
    /// In order.
    pub(crate) parts: Vec<Bytes>,
    /// What the target's API had no place for.
    pub(crate) lost: Lost,
    /// The caller wants vectors in base64, and the answer is to be translated.
    pub(crate) base64: bool,
}

impl Written {
    fn plain(parts: Vec<Bytes>) -> Self {
        Self {
            parts,
            lost: Lost::default(),
            base64: false,
        }
    }
}

/// Whether the body is large and has to be read through to be written.
pub(crate) fn takes_long(target: &Target, way: &Way, call: &Call) -> bool {
    let spliced = way.api == Api::Raw || Api::of(way.surface) == way.api;
    call.body.len() > LARGE && (!spliced || target.injects_usage(call, way))
}

/// [`written`], where it takes long. A share of memory that the caller's body has goes with it.
pub(crate) fn written_aside(
    target: &Arc<Target>,
    way: &Way,
    call: &Call,
) -> Doing<Result<Written, Box<Failure>>> {
    let (to, way, call) = (target.clone(), way.clone(), call.clone());
    target.aside.run(move || written(&to, &way, &call))
}

/// The body for one attempt.
///
/// # Errors
/// `unsupported` where the route wants nothing lost that is; `invalid_request` where the caller's body cannot
/// be read.
pub(crate) fn written(target: &Target, way: &Way, call: &Call) -> Result<Written, Box<Failure>> {
    if way.api == Api::Raw || call.body.is_empty() {
        return Ok(Written::plain(vec![call.body.clone()]));
    }
    if call.native {
        return Ok(Written::plain(vec![hosted(target, way, call, &call.body)]));
    }
    let mut lost = Lost::default();
    let options = Options {
        model: target.model(call),
        num_ctx: target.site.num_ctx,
        stream_options: target.rules.stream_options,
        plain_content: target.rules.plain_content,
    };
    let unreadable = |bad: BadBody| unreadable(call, way, &bad);
    let translated = way
        .via
        .request(&call.body, &options, &mut lost)
        .map_err(unreadable)?;
    if let Some(why) = &lost.refusal {
        let text = format!("target {} cannot be asked: {why}", target.name);
        return Err(Failure::new(Code::Unsupported, text));
    }
    let parts = match (translated, way.api.host()) {
        (Some(body), _) => vec![hosted(target, way, call, &body)],
        (None, Some(_)) => vec![hosted(target, way, call, &call.body)],
        (None, None) => relayed(target, way, call),
    };
    match refused(&lost, call.policy.unsupported) {
        Some(names) => Err(unsupported(target, &names)),
        None => Ok(Written {
            parts,
            lost,
            base64: wants_base64(way, call),
        }),
    }
}

/// Only vectors come in two forms, and only a translation has to choose.
fn wants_base64(way: &Way, call: &Call) -> bool {
    way.surface == Surface::Embeddings && !way.via.is_relay() && peek::wants_base64(&call.body)
}

/// A body as the host of the API takes it, where that is not the API's maker. Betas are the target's own, or the
/// caller's.
fn hosted(target: &Target, way: &Way, call: &Call, body: &Bytes) -> Bytes {
    let Some(host) = way.api.host() else {
        return body.clone();
    };
    let headers = match target.headers.contains_key(BETA) {
        true => &target.headers,
        false => &call.headers,
    };
    let betas = headers.get_all(BETA).into_iter();
    hosted::request(host, body, betas.filter_map(|value| value.to_str().ok()))
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

fn unreadable(call: &Call, way: &Way, bad: &BadBody) -> Box<Failure> {
    let mut failure = Failure::new(Code::InvalidRequest, bad.message.clone());
    let fields = error_body::ErrorFields {
        message: &bad.message,
        kind: "invalid_request_error",
        code: Some("invalid_request"),
        param: bad.param,
        request_id: Some(&call.id),
        extra: Vec::new(),
    };
    failure.body = Some(error_body::error(way.surface, 400, &fields));
    failure
}
