//! Who is speaking: the resource and the scope around every export, encoded once.

use crate::protobuf;
use bytes::Bytes;
use opentelemetry_proto::tonic::{
    common::v1::{AnyValue, InstrumentationScope, KeyValue, any_value::Value},
    resource::v1::Resource,
};
use prost::Message;

/// The instrumentation scope of spans and metrics.
const SCOPE: &str = "punctual";

/// The resource and scope messages.
#[derive(Clone, Debug)]
pub(crate) struct Envelope {
    pub(crate) resource: Resource,
    pub(crate) scope: InstrumentationScope,
    /// `ResourceSpans.resource` and `ScopeSpans.scope`, tag and length included.
    resource_field: Vec<u8>,
    scope_field: Vec<u8>,
}

impl Envelope {
    pub(crate) fn new(attributes: &[(String, String)]) -> Self {
        let attribute = |(key, value): &(String, String)| KeyValue {
            key: key.clone(),
            value: Some(AnyValue {
                value: Some(Value::StringValue(value.clone())),
            }),
            ..KeyValue::default()
        };
        let resource = Resource {
            attributes: attributes.iter().map(attribute).collect(),
            ..Resource::default()
        };
        let scope = InstrumentationScope {
            name: SCOPE.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            ..InstrumentationScope::default()
        };
        let field = |message: Vec<u8>| {
            let mut out = Vec::with_capacity(message.len() + 4);
            protobuf::bytes(&mut out, 1, &message);
            out
        };
        Self {
            resource_field: field(resource.encode_to_vec()),
            scope_field: field(scope.encode_to_vec()),
            resource,
            scope,
        }
    }

    /// What stands before `length` bytes of encoded spans, each a field 2 of `ScopeSpans`, in an
    /// `ExportTraceServiceRequest`; nothing stands behind them.
    pub(crate) fn before(&self, length: usize) -> Bytes {
        let scope_spans = (self.scope_field.len() + length) as u64;
        let resource_spans = self.resource_field.len() as u64 + protobuf::field_len(scope_spans);
        let mut out = Vec::with_capacity(self.resource_field.len() + self.scope_field.len() + 32);
        protobuf::message(&mut out, 1, resource_spans);
        out.extend_from_slice(&self.resource_field);
        protobuf::message(&mut out, 2, scope_spans);
        out.extend_from_slice(&self.scope_field);
        out.into()
    }
}
