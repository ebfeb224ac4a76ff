//! The spans of one trace as the tree they must be.
//!
//! One `request.*` root below the caller's span; below it, in order and without overlap, `queue.wait`,
//! `resilience.attempt`, `resilience.backoff`; below each attempt one `upstream.*`, and nothing else anywhere.

use crate::{attributes, support::collector::attribute, verdict::Verdict};
use opentelemetry_proto::tonic::trace::v1::Span;
use std::collections::HashSet;

/// How far the parts may be from the whole (contract §7.2).
const GAP_MS: f64 = 5.0;
/// Times are written in microseconds.
const ROUNDING_MS: f64 = 0.05;

pub struct Tree {
    pub root: Span,
    /// The siblings below it, in order.
    pub parts: Vec<Part>,
}

pub struct Part {
    pub span: Span,
    /// The exchange below an attempt.
    pub upstream: Option<Span>,
}

impl Part {
    pub fn is(&self, name: &str) -> bool {
        self.span.name == name
    }

    pub fn says(&self, name: &str) -> Option<String> {
        attribute(&self.span.attributes, name)
    }
}

pub fn ms(span: &Span) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "minutes at the most")]
    let nanos = (span.end_time_unix_nano - span.start_time_unix_nano) as f64;
    nanos / 1e6
}

fn within(inner: &Span, outer: &Span) -> bool {
    outer.start_time_unix_nano <= inner.start_time_unix_nano
        && inner.start_time_unix_nano <= inner.end_time_unix_nano
        && inner.end_time_unix_nano <= outer.end_time_unix_nano
}

/// Grows the one tree that the spans of a trace must be.
pub fn grow(spans: Vec<Span>, parent: Option<&str>, verdict: &mut Verdict) -> Option<Tree> {
    let ids: HashSet<_> = spans.iter().map(|s| s.span_id.clone()).collect();
    verdict.is("distinct span ids", ids.len(), spans.len());
    for span in &spans {
        verdict.holds("an id is not 8 bytes", span.span_id.len() == 8);
        attributes::check(span, verdict);
    }
    let (roots, rest): (Vec<_>, Vec<_>) = spans
        .into_iter()
        .partition(|s| s.name.starts_with("request."));
    verdict.is("request spans", roots.len(), 1);
    let root = roots.into_iter().next()?;
    verdict.is(
        "the caller's span",
        hex(&root.parent_span_id),
        parent.unwrap_or_default().to_owned(),
    );
    let (mut upstream, parts): (Vec<_>, Vec<_>) = rest
        .into_iter()
        .partition(|s| s.name.starts_with("upstream."));
    let mut parts: Vec<_> = parts
        .into_iter()
        .map(|span| Part {
            upstream: upstream
                .iter()
                .position(|u| u.parent_span_id == span.span_id)
                .map(|at| upstream.swap_remove(at)),
            span,
        })
        .collect();
    for orphan in &upstream {
        verdict.complain(format!("{} hangs nowhere", orphan.name));
    }
    parts.sort_by_key(|p| (p.span.start_time_unix_nano, p.span.end_time_unix_nano));
    let tree = Tree { root, parts };
    tree.check(verdict);
    Some(tree)
}

impl Tree {
    fn check(&self, verdict: &mut Verdict) {
        let surface = self.root.name.trim_start_matches("request.");
        let mut before = self.root.start_time_unix_nano;
        for part in &self.parts {
            let (span, name) = (&part.span, &part.span.name);
            let known = ["queue.wait", "resilience.attempt", "resilience.backoff"];
            verdict.holds(format!("{name} is unknown"), known.contains(&name.as_str()));
            verdict.holds(
                format!("{name} is not below the request"),
                span.parent_span_id == self.root.span_id,
            );
            verdict.holds(
                format!("{name} is outside of the request"),
                within(span, &self.root),
            );
            verdict.holds(
                format!("{name} overlaps what is before it"),
                before <= span.start_time_unix_nano,
            );
            before = span.end_time_unix_nano;
            verdict.is(
                format!("an exchange below {name}"),
                part.upstream.is_some(),
                part.is("resilience.attempt"),
            );
            if let Some(upstream) = &part.upstream {
                verdict.is(
                    "the exchange's name",
                    upstream.name.as_str(),
                    &format!("upstream.{surface}"),
                );
                verdict.holds("an exchange outlasts its attempt", within(upstream, span));
            }
        }
        self.admissions(verdict);
        self.sums(verdict);
    }

    /// Exactly one wait per admission: each attempt comes right behind one that was admitted.
    fn admissions(&self, verdict: &mut Verdict) {
        for pair in self.parts.windows(2) {
            if let [before, part] = pair {
                let admitted = before.is("queue.wait")
                    && before.says("punctual.queue.admitted") == Some("true".into());
                verdict.holds(
                    "an attempt was not admitted",
                    admitted || !part.is("resilience.attempt"),
                );
                verdict.holds(
                    "an admission without attempt",
                    !admitted || part.is("resilience.attempt"),
                );
            }
        }
        let first = self.parts.first();
        verdict.holds(
            "an attempt comes first",
            !first.is_some_and(|p| p.is("resilience.attempt")),
        );
    }

    /// The parts are the whole, and the sums on the request are those of its parts.
    fn sums(&self, verdict: &mut Verdict) {
        let said = |name: &str| -> f64 {
            let said = attribute(&self.root.attributes, &format!("punctual.{name}"));
            said.and_then(|s| s.parse().ok()).unwrap_or(f64::NAN)
        };
        let mut parts = said("receive_ms") + said("send_ms");
        for (name, sum) in [
            ("queue.wait", "queue_ms"),
            ("resilience.attempt", "attempt_ms"),
            ("resilience.backoff", "backoff_ms"),
        ] {
            let spans: f64 = self
                .parts
                .iter()
                .filter(|p| p.is(name))
                .map(|p| ms(&p.span))
                .sum();
            let off = (spans - said(sum)).abs();
            verdict.holds(format!("{sum} is off by {off} ms"), off < ROUNDING_MS);
            parts += spans;
        }
        let gap = ms(&self.root) - parts;
        verdict.holds(
            format!("the parts lack {gap} ms: {}", self.timeline()),
            (-ROUNDING_MS..=GAP_MS + verdict.slack_ms).contains(&gap),
        );
    }

    /// When each part began and ended, in ms since the request did.
    fn timeline(&self) -> String {
        let since = |nanos: u64| (nanos - self.root.start_time_unix_nano) / 1_000_000;
        let one = |span: &Span| {
            let (began, ended) = (span.start_time_unix_nano, span.end_time_unix_nano);
            format!("{} {}-{}", span.name, since(began), since(ended))
        };
        let all = std::iter::once(&self.root).chain(self.parts.iter().map(|p| &p.span));
        let sums = ["punctual.receive_ms", "punctual.send_ms"];
        let sums = sums.map(|name| attribute(&self.root.attributes, name));
        format!("{} {sums:?}", all.map(one).collect::<Vec<_>>().join(", "))
    }

    /// The parts in one line, as the table of kinds writes them.
    pub fn written(&self, route: &str) -> String {
        let part = |part: &Part| {
            let said = |name: &str| part.says(&format!("punctual.{name}"));
            let error = part.says("error.type");
            let mut text = match part.span.name.as_str() {
                "queue.wait" => ["wait".to_owned(), said("reason").unwrap_or_default()]
                    .join(" ")
                    .trim()
                    .to_owned(),
                "resilience.attempt" => {
                    let target = said("target").unwrap_or_default();
                    let member = target
                        .strip_prefix(&format!("{route}-"))
                        .unwrap_or(&target)
                        .to_owned();
                    let code = error.as_deref().unwrap_or("ok");
                    let status = part.says("http.response.status_code").unwrap_or("-".into());
                    format!("attempt {member}={code}/{status}")
                }
                _ if said("cooldown") == Some("true".into()) => "cooldown".to_owned(),
                _ => "pause".to_owned(),
            };
            if let Some(error) = error {
                text += &format!("!{error}");
            }
            text
        };
        self.parts.iter().map(part).collect::<Vec<_>>().join(", ")
    }
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
