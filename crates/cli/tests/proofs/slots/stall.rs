//! How an upstream is reached, and where it stops.

/// How the gateway reaches an upstream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Up {
    H1,
    H1Tls,
    H2,
    H2Tls,
}

pub const UPS: [Up; 4] = [Up::H1, Up::H1Tls, Up::H2, Up::H2Tls];

impl Up {
    pub fn is_tls(self) -> bool {
        matches!(self, Self::H1Tls | Self::H2Tls)
    }

    pub fn is_http2(self) -> bool {
        matches!(self, Self::H2 | Self::H2Tls)
    }

    pub fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }

    /// Both dialects have their share: one goes over HTTP/1.1, the other over HTTP/2.
    pub fn dialect(self) -> &'static str {
        if self.is_http2() { "generic" } else { "openai" }
    }
}

/// Where an upstream stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stall {
    /// After accept, nothing read.
    Accept,
    /// After the TLS hello.
    TlsHello,
    Request,
    Headers,
    Preamble,
    ThirdToken,
    /// It does not stop: a byte or token at a time, for ever.
    Generating,
    /// What [`Sim::set`] says for the model `backoff`.
    Backoff,
    /// It answers, but there is only one permit.
    Queue,
}

pub const STALLS: [Stall; 9] = [
    Stall::Accept,
    Stall::TlsHello,
    Stall::Request,
    Stall::Headers,
    Stall::Preamble,
    Stall::ThirdToken,
    Stall::Generating,
    Stall::Backoff,
    Stall::Queue,
];

impl Stall {
    pub fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }

    pub fn model(self) -> &'static str {
        match self {
            Self::Accept | Self::TlsHello => "sim",
            Self::Request | Self::Queue => "sim:silent-headers",
            Self::Headers => "sim:headers-then-silent",
            Self::Preamble => "sim:preamble-then-silent",
            Self::ThirdToken => "sim:stall-after:3",
            Self::Generating => "sim:tokens:9/trickle:20ms",
            Self::Backoff => "backoff",
        }
    }
}
