//! The names of all attributes, encoded once.
//!
//! Ours begin with the configured prefix; the rest are OpenTelemetry's semantic conventions for errors,
//! HTTP and generative AI (<https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/>).

use super::attributes::Key;

macro_rules! keys {
    (own { $($own:ident = $own_name:literal,)* } shared { $($shared:ident = $shared_name:literal,)* }) => {
        /// One key per attribute.
        #[derive(Debug)]
        pub(crate) struct Keys {
            $(pub(super) $own: Key,)*
            $(pub(super) $shared: Key,)*
        }

        impl Keys {
            /// The keys, ours beginning with `prefix`.
            pub(crate) fn new(prefix: &str) -> Self {
                Self {
                    $($own: Key::new(&format!("{prefix}.{}", $own_name)),)*
                    $($shared: Key::new($shared_name),)*
                }
            }
        }
    };
}

keys! {
    own {
        admitted = "queue.admitted",
        predicted = "queue.predicted_ms",
        attempt = "attempt",
        target = "target",
        reason = "reason",
        cooldown = "cooldown",
        request_id = "request_id",
        route = "route",
        key = "key",
        stream = "stream",
        outcome = "outcome",
        attempt_count = "attempt_count",
        served_by = "served_by",
        fallback_index = "fallback_index",
        committed = "committed",
        committed_by = "committed_by",
        dropped = "dropped",
        phase = "phase",
        receive_ms = "receive_ms",
        queue_ms = "queue_ms",
        attempt_ms = "attempt_ms",
        backoff_ms = "backoff_ms",
        send_ms = "send_ms",
        budget_ms = "deadline.budget_ms",
        source = "deadline.source",
        source_class = "deadline.source_class",
        source_header = "deadline.header",
        billed = "possibly_billed_attempts",
        heartbeats = "heartbeats",
        delivered = "delivered_bytes",
        content_events = "content_events",
        budget_empty = "retry_budget_empty",
        timeout_type = "timeout_type",
        limit_ms = "limit_ms",
        sent = "request_sent",
        ambiguous = "ambiguous",
        reused = "connection.reused",
        connect_ms = "connect_ms",
        tls_ms = "tls_ms",
        headers_ms = "headers_ms",
        content_ms = "first_content_ms",
        upstream_request_id = "upstream_request_id",
        retry_after_ms = "retry_after_ms",
    }
    shared {
        status = "http.response.status_code",
        error = "error.type",
        operation = "gen_ai.operation.name",
        request_model = "gen_ai.request.model",
        response_model = "gen_ai.response.model",
        response_id = "gen_ai.response.id",
        finish = "gen_ai.response.finish_reasons",
        input_tokens = "gen_ai.usage.input_tokens",
        output_tokens = "gen_ai.usage.output_tokens",
        cached_tokens = "gen_ai.usage.cache_read.input_tokens",
        reasoning_tokens = "gen_ai.usage.reasoning.output_tokens",
    }
}
