//! The table: every way a request can end, how it is brought about, and what must be said about it.
//!
//! `tree` is what stands below the request's span, in order: `wait` (with why not, if not admitted),
//! `attempt N=code/status` (N the member, `-` for no status), `pause`, `cooldown`; a part that failed says
//! its `error.type` behind a `!`.

mod cancelled;
mod deadline;
mod ending;
mod failed;
pub mod panicked;
mod refused;
mod served;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    Unary,
    Stream,
    Completion,
    CompletionStream,
    Embedding,
}

/// Where a member is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// At the simulator, which plays the script.
    Sim,
    /// At a listener that never answers a TLS hello.
    SilentTls,
    /// At a port where nobody listens.
    Nowhere,
}

/// A member of a plan.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    pub at: At,
    pub script: &'static str,
    /// More keys of its target.
    pub keys: &'static str,
}

/// A member at the simulator.
pub const fn sim(script: &'static str) -> Member {
    let at = At::Sim;
    Member {
        at,
        script,
        keys: "",
    }
}

impl Member {
    pub const fn with(mut self, keys: &'static str) -> Self {
        self.keys = keys;
        self
    }

    pub const fn at(mut self, at: At) -> Self {
        self.at = at;
        self
    }
}

/// What the caller waits for before it leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// What it sends has been sent.
    Sent,
    /// It waits in the queue.
    Queued,
    /// The upstream has its connection and nothing on it.
    Dialled,
    /// The upstream has the request.
    Asked,
    /// The upstream has sent a head and more, without content.
    Headed,
    /// An attempt has failed.
    Failed,
    /// The caller has a heartbeat.
    Beaten,
    /// The caller has content.
    Content,
    /// The caller has the last event.
    Ended,
}

/// What the caller does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// Reads the whole answer.
    Reads,
    /// Closes by FIN.
    Leaves(When),
    /// Closes by RST.
    Resets(When),
    /// Resets its HTTP/2 stream once it has content.
    ResetsStream,
    /// Reads nothing.
    Stops,
    /// Has come this far when the process is told to end.
    Drained(When),
    /// Comes when the process is draining.
    Late,
}

/// What other requests of the same route do first; each is a request with a record of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    Nothing,
    /// As many hold the lane and its queue.
    Holders(usize),
    /// One is answered.
    Answered,
}

/// One row.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Also the name of its route and its request id.
    pub name: &'static str,
    pub ask: Ask,
    pub headers: &'static [(&'static str, &'static str)],
    /// In place of the usual body.
    pub body: Option<&'static str>,
    /// Sends half of the body, once it is asked for it.
    pub half: bool,
    pub members: &'static [Member],
    /// `$N` is a member.
    pub plan: &'static str,
    /// More keys of its route.
    pub route: &'static str,
    pub before: Before,
    pub caller: Caller,
    pub sampled: bool,
    pub outcome: &'static str,
    pub status: u16,
    pub error: &'static str,
    pub reason: &'static str,
    pub phase: &'static str,
    pub tree: &'static str,
    /// Output tokens, where the upstream counts them.
    pub tokens: Option<u64>,
}

/// A request that goes well; every row says only what is different.
pub const ROW: Kind = Kind {
    name: "",
    ask: Ask::Unary,
    headers: &[],
    body: None,
    half: false,
    members: &[sim("")],
    plan: "$0",
    route: "",
    before: Before::Nothing,
    caller: Caller::Reads,
    sampled: true,
    outcome: "ok",
    status: 200,
    error: "",
    reason: "",
    phase: "streaming",
    tree: "wait, attempt 0=ok/200",
    tokens: None,
};

impl Kind {
    pub fn is_stream(&self) -> bool {
        matches!(self.ask, Ask::Stream | Ask::CompletionStream)
    }

    /// The name of a member's target, and of its model.
    pub fn target(&self, n: usize) -> String {
        format!("{}-{n}", self.name)
    }

    /// Whether it gets as far as its route; what is refused at the door has none.
    pub fn is_served(&self) -> bool {
        self.outcome == "overloaded" || self.phase != "receiving"
    }
}

/// All rows.
pub fn all() -> Vec<Kind> {
    let parts: [&[Kind]; 6] = [
        served::KINDS,
        failed::KINDS,
        refused::KINDS,
        deadline::KINDS,
        cancelled::KINDS,
        ending::KINDS,
    ];
    parts.concat()
}
