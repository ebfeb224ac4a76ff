//! All that was told of the requests of the table, judged once the process has ended.

use crate::{
    counts, line,
    play::Played,
    stage::{LONG, Stage},
    support::{collector::attribute, ms},
    tree::{self, Tree},
    verdict::Verdict,
};
use opentelemetry_proto::tonic::{
    collector::metrics::v1::ExportMetricsServiceRequest, trace::v1::Span,
};
use punctual_sim::Seen;
use serde_json::Value;
use std::{collections::HashMap, time::Duration};

pub struct Told {
    lines: Vec<Value>,
    /// By trace.
    spans: HashMap<String, Vec<Span>>,
    /// The last export of metrics.
    export: ExportMetricsServiceRequest,
    /// What the upstream's socket saw, if there was one.
    upstream: Option<Vec<Seen>>,
}

impl Told {
    /// Everything that was delivered before the process ended, which must be soon.
    pub async fn before_the_end_of(mut stage: Stage, requests: usize) -> Self {
        let ended = async {
            loop {
                if let Some(status) = stage.gateway.wait(ms(1)) {
                    return status;
                }
                tokio::time::sleep(ms(10)).await;
            }
        };
        let status = tokio::time::timeout(LONG, ended).await;
        assert!(
            status.is_ok_and(|s| s.success()),
            "the process does not end well"
        );
        let export = stage.collector.metrics().pop().expect("metrics at the end");
        let (lines, spans) = (stage.gateway.log(requests), stage.collector.spans());
        Self::of(lines, spans, export, Some(stage.sim.report()))
    }

    pub fn of(
        lines: Vec<Value>,
        all: Vec<Span>,
        export: ExportMetricsServiceRequest,
        upstream: Option<Vec<Seen>>,
    ) -> Self {
        let mut spans = HashMap::<_, Vec<_>>::new();
        for span in all {
            spans
                .entry(tree::hex(&span.trace_id))
                .or_default()
                .push(span);
        }
        Self {
            lines,
            spans,
            export,
            upstream,
        }
    }

    /// Complaints about all of them, on a machine whose timers are `worst` late.
    pub fn judge(mut self, played: &[Played], worst: Duration) -> Vec<String> {
        let mut all = Verdict::about("all");
        all.is("lines", self.lines.len(), played.len());
        counts::compare(
            &counts::exported(&self.export),
            &counts::of_lines(&self.lines),
            &mut all,
        );
        let mut complaints = std::mem::take(&mut all.complaints);
        for one in played {
            let mut verdict = Verdict::about(&one.id).on_a_machine_as_late_as(worst);
            self.judge_one(one, &mut verdict);
            complaints.append(&mut verdict.complaints);
        }
        for (trace, spans) in &self.spans {
            complaints.push(format!(
                "{} spans of trace {trace} are nobody's",
                spans.len()
            ));
        }
        complaints
    }

    fn judge_one(&mut self, one: &Played, verdict: &mut Verdict) {
        let mine: Vec<_> = self
            .lines
            .iter()
            .filter(|l| l["request_id"] == one.id)
            .cloned()
            .collect();
        verdict.is("log lines", mine.len(), 1);
        let Some(line) = mine.first() else { return };
        line::as_the_caller_saw(line, one, verdict);
        let trace = line["trace_id"].as_str().unwrap_or_default();
        let (given, parent) = match &one.trace {
            Some((trace, parent)) => (trace.as_str(), Some(parent.as_str())),
            None => (trace, None),
        };
        verdict.is("the trace", trace, given);
        let spans = self.spans.remove(trace).unwrap_or_default();
        let mut written = String::new();
        let unsampled = one.kind.is_some_and(|k| !k.sampled && k.tree.is_empty());
        if unsampled {
            verdict.is("spans of an unsampled success", spans.len(), 0);
        } else if let Some(tree) = tree::grow(spans, parent, verdict) {
            line::as_the_spans_say(line, &tree, verdict);
            self.as_the_upstream_saw(&tree, trace, one, verdict);
            written = tree.written(one.route);
        }
        if let Some(kind) = &one.kind {
            line::as_the_row_says(line, kind, verdict);
            verdict.is("the tree", written.as_str(), kind.tree);
        }
    }

    /// The context of each exchange went upstream with it, and so did the caller's state.
    fn as_the_upstream_saw(&self, tree: &Tree, trace: &str, one: &Played, verdict: &mut Verdict) {
        let flag = u8::from(one.kind.is_none_or(|k| k.sampled));
        for part in &tree.parts {
            let Some(upstream) = &part.upstream else {
                continue;
            };
            let parent = format!("00-{trace}-{}-{flag:02x}", tree::hex(&upstream.span_id));
            let seen = |s: &&Seen| s.header("traceparent") == Some(parent.as_str());
            let Some(upstreams) = &self.upstream else {
                return;
            };
            let seen: Vec<_> = upstreams.iter().filter(seen).collect();
            let sent = attribute(&upstream.attributes, "punctual.request_sent");
            // a pooled connection that turned out dead is replaced within the attempt
            let there = !seen.is_empty() || sent.as_deref() == Some("no");
            verdict.holds("no request upstream has this context", there);
            let state = one.trace.as_ref().map(|_| "vendor=1");
            for request in seen {
                verdict.is("the state upstream", request.header("tracestate"), state);
            }
            verdict.is(
                "the state",
                upstream.trace_state.as_str(),
                state.unwrap_or_default(),
            );
        }
    }
}
