//! What each event of a request does to the metrics.

use super::{
    Metrics,
    handles::{RouteSeries, TargetSeries},
    labels::{Admission, Class, NO_ROUTE, RouteCode, RouteOutcome, Target, TargetOutcome},
};
use crate::words;
use punctual_core::{AttemptReport, Event, Observer, Outcome, QueueReport, Report, Usage};
use std::{sync::Arc, time::Duration};

impl Observer for Metrics {
    fn on(&self, report: &Report, event: &Event<'_>) {
        match event {
            Event::Received => {
                self.families.in_flight.inc();
            }
            Event::QueueLeft(wait) => self.waited(wait),
            Event::AttemptStarted { number, target } if *number > 1 => {
                self.again(report, target);
            }
            Event::AttemptEnded(attempt) => self.attempted(report, attempt),
            Event::Finished => self.finished(report),
            _ => {}
        }
    }
}

impl Metrics {
    fn target(&self, name: &str) -> Arc<TargetSeries> {
        self.targets
            .get(name, |name| TargetSeries::new(&self.families, name))
    }

    fn route(&self, report: &Report) -> Arc<RouteSeries> {
        let name = report.route.as_deref().unwrap_or(NO_ROUTE);
        self.routes
            .get(name, |name| RouteSeries::new(&self.families, name))
    }

    fn waited(&self, wait: &QueueReport) {
        let seconds = wait.length().as_secs_f64();
        if wait.admitted {
            self.target(&wait.target).admitted.observe(seconds);
        } else {
            let labels = Admission {
                target: wait.target.clone(),
                admitted: false,
            };
            self.families
                .queue_wait
                .get_or_create(&labels)
                .observe(seconds);
        }
        if let Some(predicted) = wait.predicted {
            let labels = Target {
                target: wait.target.clone(),
            };
            let predictions = self.families.queue_predicted.get_or_create(&labels);
            predictions.observe(predicted.as_secs_f64());
        }
    }

    /// A second or later attempt: on a target that was tried before, or on another one.
    fn again(&self, report: &Report, target: &str) {
        let series = self.target(target);
        if report.attempts.iter().any(|a| &*a.target == target) {
            series.retries.inc();
        } else {
            series.fallbacks.inc();
        }
    }

    fn attempted(&self, report: &Report, attempt: &AttemptReport) {
        let f = &self.families;
        let series = self.target(&attempt.target);
        match words::attempt_error(report, attempt) {
            None => {
                series.ok.inc();
            }
            Some(outcome) => {
                let target = attempt.target.clone();
                f.attempts
                    .get_or_create(&TargetOutcome { target, outcome })
                    .inc();
            }
        }
        series.duration.observe(attempt.length().as_secs_f64());
        if let Some(connect) = attempt.connect {
            if attempt.reused_connection {
                series.reused.inc();
            } else {
                series.dialled.inc();
                series.connect.observe(connect.as_secs_f64());
                if let Some(tls) = attempt.tls {
                    series.tls.observe(tls.as_secs_f64());
                }
            }
        }
        if let Some(headers) = attempt.headers {
            series.headers.observe(headers.as_secs_f64());
        }
        if let Some(content) = attempt.first_content {
            series.first_content.observe(content.as_secs_f64());
        }
        if attempt.failed.is_some() && attempt.retry_after.is_some() {
            series.cooldowns.inc();
        }
        if let Some(reason) = words::closed_early(report, attempt) {
            let (calls, seconds) = series.closed_early(f, reason);
            calls.inc();
            seconds.inc_by(attempt.length().as_secs_f64());
        }
        self.counted(report, attempt, &series);
    }

    fn counted(&self, report: &Report, attempt: &AttemptReport, series: &TargetSeries) {
        let usage = &attempt.usage;
        if *usage == Usage::default() {
            return;
        }
        let route = report.route.as_deref().unwrap_or(NO_ROUTE);
        let tokens = series.tokens(&self.families, route);
        for (counter, count) in [
            (&tokens.input, usage.input_tokens),
            (&tokens.output, usage.output_tokens),
            (&tokens.cached_input, usage.cached_input_tokens),
            (&tokens.reasoning, usage.reasoning_tokens),
        ] {
            counter.inc_by(count.unwrap_or(0));
        }
    }

    fn finished(&self, report: &Report) {
        let f = &self.families;
        f.in_flight.dec();
        let series = self.route(report);
        let outcome = report.outcome.unwrap_or(Outcome::Cancelled);
        if let Some(of) = series.outcome(f, outcome) {
            of.requests.inc();
            of.duration.observe(report.elapsed.as_secs_f64());
        }
        if let Some(code) = words::request_error(report) {
            let route = series.name.clone();
            f.errors.get_or_create(&RouteCode { route, code }).inc();
        }
        if report.heartbeats > 0 {
            series.heartbeats.inc_by(report.heartbeats);
        }
        if report.stream && outcome != Outcome::Rejected {
            self.streamed(report, &series, outcome);
        }
        self.deadline(report, outcome);
        for attempt in report.attempts.iter().filter(|a| a.retry_budget_empty) {
            let target = attempt.target.clone();
            f.budget_empty.get_or_create(&Target { target }).inc();
        }
    }

    /// A stream counts with its first content, or among those that had none.
    fn streamed(&self, report: &Report, series: &RouteSeries, outcome: Outcome) {
        let Some(first) = report.first_content() else {
            let labels = RouteOutcome {
                route: series.name.clone(),
                outcome: outcome.as_str(),
            };
            self.families.without_content.get_or_create(&labels).inc();
            return;
        };
        let until_first = first.saturating_duration_since(report.started);
        series.first_content.observe(until_first.as_secs_f64());
        #[expect(clippy::cast_precision_loss, reason = "at most 1 MiB or so")]
        series.held_back.observe(report.held_back_bytes as f64);
        if let Some(gap) = token_gap(report) {
            series.token_gap.observe(gap.as_secs_f64());
        }
    }

    fn deadline(&self, report: &Report, outcome: Outcome) {
        let (Some(budget), Some(source)) = (report.deadline.budget(), report.deadline.source())
        else {
            return;
        };
        let class = source.class().as_str();
        let budgets = self.families.budget.get_or_create(&Class { class });
        budgets.observe(budget.as_secs_f64());
        drop(budgets);
        if outcome == Outcome::DeadlineExceeded {
            let over = report.elapsed.saturating_sub(budget);
            self.families.overshoot.observe(over.as_secs_f64());
        }
    }
}

/// First content to the upstream's last byte, divided by the tokens: those the provider counted, or the
/// content events seen.
fn token_gap(report: &Report) -> Option<Duration> {
    let ended = report.attempts.last()?.ended;
    let tokens = report
        .summary
        .usage
        .output_tokens
        .unwrap_or(report.summary.content_events);
    let tokens = u32::try_from(tokens).ok().filter(|n| *n > 0)?;
    Some(ended.checked_duration_since(report.committed?)? / tokens)
}
