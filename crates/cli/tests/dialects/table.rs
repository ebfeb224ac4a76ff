//! The contract's table of failures, as a caller sees it, and how each row is brought about.

use crate::peers::Peer;
use punctual_sim::{Cuts, Script};

/// A row of the contract's table: what the caller is told, and who is asked next.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub code: &'static str,
    /// The status if it is the last word.
    pub status: u16,
    pub outcome: &'static str,
    pub falls_back: bool,
}

/// The rows that an upstream can cause.
const ROWS: [Row; 12] = [
    row("connect_failed", 502, "failed", true),
    row("timeout", 504, "failed", true),
    row("rate_limited", 429, "failed", true),
    row("overloaded", 503, "failed", true),
    row("server_error", 502, "failed", true),
    row("unauthorized", 502, "failed", true),
    row("not_found", 502, "failed", true),
    row("invalid_request", 400, "upstream_rejected", false),
    row("context_length_exceeded", 400, "upstream_rejected", false),
    row("content_refused", 400, "upstream_rejected", false),
    row("malformed_response", 502, "failed", true),
    row("truncated", 502, "failed", true),
];
const MORE: [Row; 4] = [
    row("quota_exhausted", 429, "failed", true),
    row("response_too_large", 502, "failed", true),
    row("stream_error", 502, "failed", true),
    row("empty_response", 502, "failed", true),
];

const fn row(code: &'static str, status: u16, outcome: &'static str, falls_back: bool) -> Row {
    Row {
        code,
        status,
        outcome,
        falls_back,
    }
}

pub fn rule(code: &str) -> Row {
    let found = ROWS.iter().chain(&MORE).find(|r| r.code == code);
    *found.unwrap_or_else(|| panic!("no row {code}"))
}

/// When it happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    Unary,
    BeforeContent,
    AfterContent,
}

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    ConnectRefused,
    SilentHeaders,
    SilentBody,
    Stall,
    RateLimited,
    Payment,
    Quota,
    ServerError,
    Timeout,
    TooEarly,
    Unavailable,
    Overloaded,
    Unauthorized,
    Forbidden,
    NotFound,
    Invalid,
    TooLong,
    Refused,
    Redirect,
    InBand,
    InBandLimit,
    InBandQuota,
    Truncated,
    Reset,
    Garbage,
    TooLarge,
    Empty,
}

pub const FAILURES: [Failure; 27] = [
    Failure::ConnectRefused,
    Failure::SilentHeaders,
    Failure::SilentBody,
    Failure::Stall,
    Failure::RateLimited,
    Failure::Payment,
    Failure::Quota,
    Failure::ServerError,
    Failure::Timeout,
    Failure::TooEarly,
    Failure::Unavailable,
    Failure::Overloaded,
    Failure::Unauthorized,
    Failure::Forbidden,
    Failure::NotFound,
    Failure::Invalid,
    Failure::TooLong,
    Failure::Refused,
    Failure::Redirect,
    Failure::InBand,
    Failure::InBandLimit,
    Failure::InBandQuota,
    Failure::Truncated,
    Failure::Reset,
    Failure::Garbage,
    Failure::TooLarge,
    Failure::Empty,
];

impl Failure {
    /// The code of the contract, where this can happen at that time.
    pub const fn code(self, when: When) -> Option<&'static str> {
        use When::{AfterContent, BeforeContent, Unary};
        Some(match (self, when) {
            (Self::Stall, AfterContent) => "timeout",
            (Self::Stall, _) => return None,
            (Self::InBand, _) => "overloaded",
            (Self::InBandLimit, BeforeContent | AfterContent) => "rate_limited",
            (Self::InBandQuota, BeforeContent | AfterContent) => "quota_exhausted",
            (Self::Truncated | Self::Reset, _) => "truncated",
            (_, AfterContent) | (Self::InBandLimit | Self::InBandQuota, Unary) => return None,
            (Self::ConnectRefused, _) => "connect_failed",
            (Self::SilentHeaders | Self::SilentBody, _) => "timeout",
            (Self::RateLimited, _) => "rate_limited",
            (Self::Payment | Self::Quota, _) => "quota_exhausted",
            (Self::ServerError | Self::Timeout | Self::TooEarly, _) => "server_error",
            (Self::Unavailable | Self::Overloaded, _) => "overloaded",
            (Self::Unauthorized | Self::Forbidden, _) => "unauthorized",
            (Self::NotFound, _) => "not_found",
            (Self::Invalid, _) => "invalid_request",
            (Self::TooLong, _) => "context_length_exceeded",
            (Self::Refused, _) => "content_refused",
            (Self::Garbage | Self::Redirect, _) => "malformed_response",
            (Self::TooLarge, _) => "response_too_large",
            (Self::Empty, _) => "empty_response",
        })
    }

    /// Clocks and bounds that a target needs for it.
    pub const fn clocks(self) -> &'static str {
        match self {
            Self::SilentHeaders | Self::SilentBody => {
                ", unary_timeout: 300ms, first_token_timeout: 300ms"
            }
            Self::Stall => ", stream_token_timeout: 300ms",
            Self::TooLarge => ", max_response_bytes: 64KiB, max_event_bytes: 64KiB",
            _ => "",
        }
    }

    /// The clock that fires, if one does.
    pub const fn clock(self, when: When) -> Option<&'static str> {
        match (self, when) {
            (Self::Stall, _) => Some("stream_token_timeout"),
            (Self::SilentHeaders | Self::SilentBody, When::Unary) => Some("unary_timeout"),
            (Self::SilentHeaders | Self::SilentBody, _) => Some("first_token_timeout"),
            _ => None,
        }
    }

    /// What the upstream does.
    pub fn script(self, peer: Peer, when: When) -> Script {
        let after = when == When::AfterContent;
        let words = match self {
            // nobody is there to play it
            Self::ConnectRefused => "tokens=1",
            Self::SilentHeaders => "silent-headers",
            Self::SilentBody => match when {
                When::Unary => "headers-then-silent",
                _ => "preamble-then-silent",
            },
            Self::Stall => "tokens=5,stall-after=3",
            Self::RateLimited => "status=429,retry-after=7",
            Self::Payment => "status=402",
            Self::Quota => "status=429,error=insufficient_quota",
            Self::ServerError => "status=500",
            Self::Timeout => "status=408",
            Self::TooEarly => "status=425",
            Self::Unavailable => "status=503",
            Self::Overloaded => "status=529",
            Self::Unauthorized => "status=401",
            Self::Forbidden => "status=403",
            Self::NotFound => "status=404",
            Self::Redirect => "status=302,header=location:http://127.0.0.1:9/",
            Self::Invalid => "status=400",
            Self::TooLong => "status=400,error=context_length",
            Self::Refused => {
                let said = peer.error(400, "Output blocked by content filtering policy");
                return raw(400, &said);
            }
            Self::InBand if after => "tokens=5,error=overloaded,error-after=3",
            Self::InBand => "error=overloaded,error-first",
            Self::InBandLimit if after => "tokens=5,error=rate_limit,error-after=3",
            Self::InBandLimit => "error=rate_limit,error-first",
            Self::InBandQuota if after => "tokens=5,error=insufficient_quota,error-after=3",
            Self::InBandQuota => "error=insufficient_quota,error-first",
            Self::Truncated if after => "tokens=5,fin-after=3",
            Self::Truncated => "fin=headers",
            Self::Reset if after => "tokens=5,rst-after=3",
            Self::Reset => "rst=headers",
            Self::Garbage => return raw(200, "no answer that anybody knows"),
            Self::TooLarge => match when {
                When::Unary => "tokens=20000",
                _ => "huge-event=128KiB",
            },
            Self::Empty => "tokens=0",
        };
        words.parse().unwrap_or_else(|e| panic!("{words}: {e}"))
    }
}

fn raw(status: u16, body: &str) -> Script {
    Script::raw(
        status,
        "application/json",
        &[],
        body.to_owned(),
        Cuts::Whole,
    )
}
