//! Who says what, and what must come of it.

const MS: &str = "x-request-deadline-ms";
const TIMEOUT_MS: &str = "x-request-timeout-ms";
pub const AT: &str = "x-request-deadline-at";

/// Which gateway is asked: by its ceiling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Server {
    Ms400,
    S100,
    None,
    Compat,
}

pub const SERVERS: [(Server, &str, &str); 4] = [
    (Server::Ms400, "request_deadline: 400ms", ""),
    (Server::S100, "request_deadline: 100s", ""),
    (Server::None, "", ""),
    (Server::Compat, "", "compat: agent-proxy\n"),
];

#[derive(Clone, Copy, Debug)]
pub enum Expect {
    /// 504 at this many ms, by this source.
    Ends(u64, &'static str),
    Refused,
    Spent,
    Served,
}

#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub name: &'static str,
    pub server: Server,
    pub headers: &'static [(&'static str, &'static str)],
    pub expect: Expect,
}

pub const fn row(
    name: &'static str,
    server: Server,
    headers: &'static [(&'static str, &'static str)],
    expect: Expect,
) -> Row {
    Row {
        name,
        server,
        headers,
        expect,
    }
}

pub const ROWS: [Row; 20] = [
    row(
        "the server's is earlier",
        Server::Ms400,
        &[(MS, "5000")],
        Expect::Ends(400, "server"),
    ),
    row(
        "the caller's is earlier",
        Server::S100,
        &[(MS, "1000")],
        Expect::Ends(1000, "header"),
    ),
    row(
        "both names",
        Server::None,
        &[(MS, "300"), (TIMEOUT_MS, "600")],
        Expect::Ends(300, "header"),
    ),
    row(
        "both names, turned",
        Server::None,
        &[(MS, "600"), (TIMEOUT_MS, "300")],
        Expect::Ends(300, "header"),
    ),
    row(
        "two lines",
        Server::None,
        &[(MS, "600"), (MS, "300")],
        Expect::Ends(300, "header"),
    ),
    row(
        "the caller alone",
        Server::None,
        &[(MS, "300")],
        Expect::Ends(300, "header"),
    ),
    row(
        "a fraction",
        Server::None,
        &[(MS, "299.5")],
        Expect::Ends(299, "header"),
    ),
    row("nobody", Server::None, &[], Expect::Served),
    row(
        "zero is not declared",
        Server::None,
        &[(MS, "0")],
        Expect::Served,
    ),
    row("abc", Server::S100, &[(MS, "abc")], Expect::Refused),
    row("1e3", Server::S100, &[(MS, "1e3")], Expect::Refused),
    row("inf", Server::S100, &[(TIMEOUT_MS, "inf")], Expect::Refused),
    row("empty", Server::S100, &[(MS, "")], Expect::Refused),
    row("1,2", Server::S100, &[(MS, "1,2")], Expect::Refused),
    row(
        "one line is unreadable",
        Server::S100,
        &[(MS, "300"), (MS, "abc")],
        Expect::Refused,
    ),
    row(
        "seconds for ms",
        Server::S100,
        &[(AT, "1760000000")],
        Expect::Refused,
    ),
    row("negative", Server::S100, &[(MS, "-5")], Expect::Spent),
    row(
        "in the past",
        Server::S100,
        &[(AT, "1760000000000")],
        Expect::Spent,
    ),
    row(
        "junk under compat",
        Server::Compat,
        &[(MS, "abc")],
        Expect::Served,
    ),
    row(
        "1e3 under compat",
        Server::Compat,
        &[(TIMEOUT_MS, "1e3")],
        Expect::Served,
    ),
];
