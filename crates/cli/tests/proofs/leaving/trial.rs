//! Who leaves, how, and where its request stands.

use crate::{
    guest::{Asks, Leaves, STREAMS, SURFACES, WAYS, Way},
    slots::{Stall, UPS, Up},
    tally::cell,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    Receiving,
    Queued,
    Connecting,
    Headers,
    Content,
    Backoff,
    Streaming,
}

pub const PHASES: [Phase; 7] = [
    Phase::Receiving,
    Phase::Queued,
    Phase::Connecting,
    Phase::Headers,
    Phase::Content,
    Phase::Backoff,
    Phase::Streaming,
];

const LEAVINGS: [Leaves; 4] = [
    Leaves::Fin,
    Leaves::Rst,
    Leaves::StreamReset,
    Leaves::FinBehindStrayLine,
];

impl Phase {
    pub fn name(self) -> &'static str {
        match self {
            Self::Receiving => "receiving",
            Self::Queued => "queued",
            Self::Connecting => "connecting",
            Self::Headers => "awaiting_headers",
            Self::Content => "awaiting_content",
            Self::Backoff => "backoff",
            Self::Streaming => "streaming",
        }
    }

    pub fn stall(self) -> Stall {
        match self {
            Self::Queued => Stall::Queue,
            Self::Connecting => Stall::TlsHello,
            Self::Receiving | Self::Headers => Stall::Request,
            Self::Content => Stall::Headers,
            Self::Backoff => Stall::Backoff,
            Self::Streaming => Stall::ThirdToken,
        }
    }

    pub fn has_exchange(self) -> bool {
        matches!(self, Self::Headers | Self::Content | Self::Streaming)
    }
}

/// One caller that leaves.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    pub leaves: Leaves,
    pub phase: Phase,
    pub stall: Stall,
    pub asks: Asks,
    pub way: Way,
    pub up: Up,
}

impl Trial {
    pub fn cell(&self) -> String {
        cell(&[&self.phase, &self.leaves])
    }

    /// The rest of the table, each with its own count.
    pub fn sides(&self) -> [String; 3] {
        [
            cell(&[&"surface", &self.asks]),
            cell(&[&"caller", &self.way]),
            cell(&[&"upstream", &self.up]),
        ]
    }

    /// `n` of each cell; surfaces, callers and upstreams take turns at different paces.
    pub fn all(n: usize) -> Vec<Self> {
        let mut out = Vec::new();
        for turn in 0..n {
            for phase in PHASES {
                for leaves in LEAVINGS {
                    let ways: Vec<Way> =
                        WAYS.into_iter().filter(|w| possible(*w, leaves)).collect();
                    let surfaces: &[Asks] = if phase == Phase::Streaming {
                        &STREAMS
                    } else {
                        &SURFACES
                    };
                    out.push(Self {
                        leaves,
                        phase,
                        stall: phase.stall(),
                        asks: surfaces[turn % surfaces.len()],
                        way: ways[turn / 2 % ways.len()],
                        up: UPS[turn / 3 % UPS.len()],
                    });
                }
            }
        }
        out
    }
}

/// Whether a caller of this kind can leave so.
pub fn possible(way: Way, leaves: Leaves) -> bool {
    match leaves {
        Leaves::Fin => true,
        Leaves::StreamReset => way.is_http2(),
        Leaves::Rst | Leaves::FinBehindStrayLine => !way.is_http2(),
    }
}
