//! What the answer contains: tokens, reasoning, tools, its end marks and its in-band error.
//!
//! These act before anything is laid out, so that a stream and a unary body say the same.

use super::{Word, word};
use crate::answer::{Fault, FaultForm, Shape};
use crate::script::Form::{Choice, Count, Flag, Size, Text, Time};

/// Large texts are streamed in pieces of this size.
const BURST_PIECE: usize = 16 << 10;

fn fault(shape: &mut Shape) -> &mut Fault {
    shape.fault.get_or_insert_default()
}

pub(super) const WORDS: &[Word] = &[
    word(
        "tokens",
        Count(None),
        "N tokens of text; 0 is an answer without content",
        |a, v| a.shape.tokens = v.count(),
    ),
    word(
        "reasoning",
        Count(Some(2)),
        "N deltas of reasoning before the text",
        |a, v| a.shape.reasoning = v.count(),
    ),
    word("tool-call", Flag, "a tool call before the text", |a, _| {
        a.shape.tool = true
    }),
    word(
        "tool-at",
        Time(None),
        "a tool call whose input comes this long after the head",
        |a, v| {
            a.shape.tool = true;
            a.shape.tool_at = Some(v.time());
        },
    ),
    word("refusal", Flag, "a refusal before the text", |a, _| {
        a.shape.refusal = true
    }),
    word(
        "burst",
        Size,
        "this much text at once before the tokens, in pieces of 16 KiB",
        |a, v| {
            let (whole, rest) = (v.count() / BURST_PIECE, v.count() % BURST_PIECE);
            a.shape
                .large
                .extend(std::iter::repeat_n(BURST_PIECE, whole));
            a.shape.large.extend((rest > 0).then_some(rest));
        },
    ),
    word(
        "huge-event",
        Size,
        "one event of this size before the tokens",
        |a, v| a.shape.large.push(v.count()),
    ),
    word(
        "finish",
        Text,
        "the finish reason, such as length or content_filter",
        |a, v| {
            a.shape.finish = Some(v.text().to_owned());
        },
    ),
    word(
        "no-finish",
        Flag,
        "no finish reason, yet the last event",
        |a, _| a.shape.no_finish = true,
    ),
    word(
        "no-done",
        Flag,
        "no last event: [DONE], message_stop, response.completed",
        |a, _| a.shape.done = 0,
    ),
    word("double-done", Flag, "the last event twice", |a, _| {
        a.shape.done = 2
    }),
    word(
        "usage",
        Flag,
        "a usage chunk although none was asked for",
        |a, _| a.shape.usage = true,
    ),
    word(
        "json-for-stream",
        Flag,
        "one JSON answer although a stream was asked for",
        |a, _| {
            a.shape.stream = Some(false);
        },
    ),
    word(
        "stream-for-json",
        Flag,
        "a stream although none was asked for",
        |a, _| a.shape.stream = Some(true),
    ),
    word(
        "expires-in",
        Time(None),
        "how long a credential is good for, in whole seconds; 3599 s unless said",
        |a, v| a.shape.expires = v.time(),
    ),
    word(
        "error",
        Text,
        "an error in a 200 answer, or the code of an error status: rate_limit, overloaded, insufficient_quota, \
         server, invalid_request, context_length, content_filter, a number, any text",
        |a, v| fault(&mut a.shape).code = Some(v.text().to_owned()),
    ),
    word(
        "error-first",
        Flag,
        "an error as the first event of the stream",
        |a, _| fault(&mut a.shape).after = 0,
    ),
    word(
        "error-after",
        Count(None),
        "an error behind N tokens",
        |a, v| fault(&mut a.shape).after = v.count(),
    ),
    word(
        "error-form",
        Choice(&["surface", "data", "event", "field", "finish"], false),
        "as the surface does, a data object, an `event: error`, an `error:` line, or beside finish_reason error",
        |a, v| {
            fault(&mut a.shape).form = match v.text() {
                "data" => FaultForm::Data,
                "event" => FaultForm::Event,
                "field" => FaultForm::Field,
                "finish" => FaultForm::Finish,
                _ => FaultForm::Surface,
            };
        },
    ),
];
