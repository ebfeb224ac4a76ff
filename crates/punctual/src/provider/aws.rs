//! Clients of Amazon.

use super::{Wire, client, speech};
use crate::leaf::{Key, Spec};
use punctual_upstream::Dialect;
use std::sync::Arc;

client! {
    /// The Converse API of Amazon Bedrock. The key is one of Bedrock's own; it comes from
    /// `AWS_BEARER_TOKEN_BEDROCK` unless set. With [`AwsCredentials`](crate::AwsCredentials) in its place requests
    /// are signed.
    Bedrock
}

impl Bedrock {
    /// For this model in this region.
    pub fn new(region: &str, model: impl Into<Arc<str>>) -> Self {
        let base = format!("https://bedrock-runtime.{region}.amazonaws.com");
        let (dialect, key) = (
            Dialect::Bedrock,
            Key::Env("AWS_BEARER_TOKEN_BEDROCK".into()),
        );
        let mut spec = Spec::new("bedrock", dialect, speech::CONVERSE, &base, key, model);
        spec.stream_options = false;
        spec.region = Some(region.to_owned());
        Self(Wire::new(spec))
    }

    /// Claude is asked by InvokeModel, in the words of Anthropic's own API, and not by Converse: `extra_body` is
    /// in these words then, and a header `anthropic-beta` goes into the body, where Bedrock wants it. A model
    /// whose name is another maker's makes the attempt fail before anything is sent; an ARN that names none is
    /// taken for Claude.
    #[must_use]
    pub fn invoke_model(self) -> Self {
        self.edit(|spec| {
            spec.site.invoke = true;
            spec.speech = speech::INVOKED;
        })
    }
}
