//! Spans: one tree per request, exported part by part.
//!
//! `request.<surface>` is the child of the caller's span; below it stand the siblings `queue.wait`,
//! `resilience.attempt` and `resilience.backoff`, and below each attempt `upstream.<surface>`, whose context
//! went upstream. A part is exported when it closes, while the request still runs; nothing is kept per
//! request here, the engine's report is the memory. Of a trace that is not sampled nothing goes out until
//! its end, and then all of it if anything in it failed: failures are always kept.
//!
//! A span is encoded where it ends, into a buffer of the thread, and copied into the outbox: no message
//! structs, no allocation.

use crate::{
    export::outbox::{Outbox, Pushed},
    redaction::Current,
    sampler::Sampler,
    words,
};
use punctual_core::{AttemptReport, BackoffReport, Event, Observer, QueueReport, Report};
use std::{cell::RefCell, sync::Arc};
use tokio::sync::Notify;

mod attributes;
mod exchange;
mod keys;
mod request;
mod span;

pub(crate) use keys::Keys;

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = RefCell::new(Vec::with_capacity(2048));
}

/// The observer that makes spans.
pub(crate) struct Spans {
    pub(crate) keys: Keys,
    pub(crate) sampler: Sampler,
    pub(crate) outbox: Arc<Outbox>,
    /// Wakes the exporter when a batch is full.
    pub(crate) ready: Arc<Notify>,
    pub(crate) redaction: Current,
}

impl Spans {
    fn emit(&self, encode: impl FnOnce(&mut Vec<u8>)) {
        let pushed = BUFFER.with_borrow_mut(|buffer| {
            buffer.clear();
            encode(buffer);
            self.outbox.push(buffer)
        });
        if pushed == Pushed::Full {
            self.ready.notify_one();
        }
    }

    fn waited(&self, report: &Report, wait: &QueueReport) {
        self.emit(|out| request::queue_wait(out, &self.keys, report, wait));
    }

    fn paused(&self, report: &Report, pause: &BackoffReport) {
        self.emit(|out| request::backoff(out, &self.keys, report, pause));
    }

    fn attempted(&self, report: &Report, attempt: &AttemptReport) {
        let redaction = self.redaction.get();
        self.emit(|out| exchange::upstream(out, &self.keys, report, attempt, &redaction));
        self.emit(|out| exchange::attempt(out, &self.keys, report, attempt, &redaction));
    }

    fn finished(&self, report: &Report) {
        let redaction = self.redaction.get();
        self.emit(|out| request::request(out, &self.keys, report, &redaction));
    }

    fn parts(&self, report: &Report) {
        report
            .queue_waits
            .iter()
            .for_each(|w| self.waited(report, w));
        report
            .attempts
            .iter()
            .for_each(|a| self.attempted(report, a));
        report.backoffs.iter().for_each(|b| self.paused(report, b));
    }
}

impl Observer for Spans {
    fn on(&self, report: &Report, event: &Event<'_>) {
        let sampled = self.sampler.keeps(&report.trace);
        match event {
            Event::QueueLeft(wait) if sampled => self.waited(report, wait),
            Event::AttemptEnded(attempt) if sampled => self.attempted(report, attempt),
            Event::BackedOff(pause) if sampled => self.paused(report, pause),
            Event::Finished if sampled => self.finished(report),
            Event::Finished if words::worth_keeping(report) => {
                self.parts(report);
                self.finished(report);
            }
            _ => {}
        }
    }
}
