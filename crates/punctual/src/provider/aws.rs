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
}
