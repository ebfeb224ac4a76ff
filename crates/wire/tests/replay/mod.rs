//! The table of fixtures, and what the crate makes of one file.
//!
//! `seen` does by hand what the gateway does with sockets: take off the packing, tell a stream
//! from an object by its first bytes, split, judge, and name the outcome. The table says what
//! must come out.

use std::{fs, io::Read, path::Path, time::SystemTime};

use bytes::Bytes;
use http::HeaderMap;
use punctual_wire::{
    Surface, Usage, Verdict,
    dialect::{
        End, Judge as _, Kind,
        openai::{Judge, judge_answer, to_stream},
    },
    frame::{Framing, Splitter},
    sniff::{Sniff, sniff},
};

/// One row of the table.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) capture: Option<String>,
    pub(crate) fixture: String,
    pub(crate) surface: Surface,
    pub(crate) stream: bool,
    pub(crate) n: u32,
    pub(crate) status: u16,
    pub(crate) expected: Seen,
}

/// What came of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) outcome: String,
    pub(crate) finish: Option<String>,
    pub(crate) usage_in: Option<u64>,
    pub(crate) usage_out: Option<u64>,
    pub(crate) first_content: Option<usize>,
}

impl Seen {
    /// The same expectation for another text: figures become "some".
    pub(crate) fn kind(&self) -> (&str, Option<&str>, [bool; 3]) {
        let some = [
            self.usage_in.is_some(),
            self.usage_out.is_some(),
            self.first_content.is_some(),
        ];
        (&self.outcome, self.finish.as_deref(), some)
    }
}

/// Reads the table.
pub(crate) fn rows() -> Vec<Row> {
    let table = fs::read_to_string(fixtures().join("openai.tsv")).unwrap();
    let mut lines = table.lines().filter(|line| !line.starts_with('#'));
    let header = lines.next().unwrap();
    assert!(
        header
            .starts_with("capture\tfixture\tsurface\tmode\tn\tstatus\tcontent_type\todd\toutcome")
    );
    lines.map(row).collect()
}

fn row(line: &str) -> Row {
    let [
        capture,
        fixture,
        surface,
        mode,
        n,
        status,
        _,
        _,
        outcome,
        finish,
        usage_in,
        usage_out,
        first,
    ] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
    let given = |cell: &str| (cell != "-").then(|| cell.to_owned());
    let number = |cell: &str| given(cell).map(|cell| cell.parse::<u64>().unwrap());
    Row {
        capture: given(capture),
        fixture: fixture.to_owned(),
        surface: *Surface::ALL.iter().find(|s| s.as_str() == surface).unwrap(),
        stream: mode == "stream",
        n: n.parse().unwrap(),
        status: status.parse().unwrap(),
        expected: Seen {
            outcome: outcome.to_owned(),
            finish: given(finish),
            usage_in: number(usage_in),
            usage_out: number(usage_out),
            first_content: number(first).map(|index| usize::try_from(index).unwrap()),
        },
    }
}

pub(crate) fn fixtures() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"))
}

/// A file's body as an upstream would send it, decoded.
pub(crate) fn body(file: &Path) -> Vec<u8> {
    let bytes = fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    match file.extension().and_then(|e| e.to_str()) {
        Some("jsonl") => {
            let text = String::from_utf8(bytes).unwrap();
            text.lines()
                .map(|line| format!("data: {line}\n\n"))
                .collect::<String>()
                .into_bytes()
        }
        Some("http") => {
            let head = bytes.windows(4).position(|w| w == b"\r\n\r\n").unwrap();
            bytes[head + 4..].to_vec()
        }
        Some("gz") => {
            let mut plain = Vec::new();
            flate2::read::GzDecoder::new(bytes.as_slice())
                .read_to_end(&mut plain)
                .unwrap();
            plain
        }
        _ => bytes,
    }
}

/// Plays `body` in the pieces that `cuts` marks; also checks that no byte is lost.
pub(crate) fn seen(row: &Row, body: &[u8], cuts: &[usize]) -> Seen {
    if row.status != 200 {
        let verdict =
            Verdict::of_response(row.status, &HeaderMap::new(), body, SystemTime::UNIX_EPOCH);
        return failed(&verdict, Seen::default());
    }
    let whole = Bytes::copy_from_slice(body);
    match (row.stream, sniff(body)) {
        (false, _) => unary(row, &whole),
        (true, Sniff::Json) => match to_stream(row.surface, &whole) {
            Ok(stream) => streamed(row, &stream, cuts),
            Err(verdict) => failed(&verdict, Seen::default()),
        },
        (true, kind) => {
            assert_eq!(kind, Sniff::Sse, "{}", row.fixture);
            streamed(row, body, cuts)
        }
    }
}

fn unary(row: &Row, body: &Bytes) -> Seen {
    match judge_answer(row.surface, body) {
        Err(verdict) => failed(&verdict, Seen::default()),
        Ok(answer) => {
            let outcome = if answer.is_empty() {
                "empty_response"
            } else {
                "ok"
            };
            let finish = answer.finish.map(|finish| finish.as_str().to_owned());
            with(outcome, finish, answer.usage.unwrap_or_default(), None)
        }
    }
}

fn streamed(row: &Row, body: &[u8], cuts: &[usize]) -> Seen {
    let (mut splitter, mut events) = (Splitter::new(Framing::Sse, 1 << 20), Vec::new());
    let mut from = 0;
    for to in cuts
        .iter()
        .map(|cut| cut % (body.len() + 1))
        .chain([body.len()])
    {
        splitter.push(Bytes::copy_from_slice(
            body.get(from..to).unwrap_or_default(),
        ));
        from = from.max(to);
        while let Some(event) = splitter.next() {
            events.push(event.unwrap());
        }
    }
    while let Some(event) = splitter.finish() {
        events.push(event);
    }
    let raw: Vec<u8> = events
        .iter()
        .flat_map(|event| event.raw().to_vec())
        .collect();
    assert_eq!(
        raw, body,
        "{}: relayed bytes are the upstream's",
        row.fixture
    );

    let (mut judge, mut first, mut ends) = (Judge::new(row.surface, row.n), None, None);
    for (index, event) in events.iter().enumerate() {
        let judged = judge.judge(event);
        assert!(
            ends.is_none() || judged.ends.is_none(),
            "{}: the end is told once",
            row.fixture
        );
        ends = ends.or(judged.ends);
        match judged.kind {
            Kind::Error(verdict) => {
                return failed(
                    &verdict,
                    Seen {
                        first_content: first,
                        ..Seen::default()
                    },
                );
            }
            Kind::Content => first = first.or(Some(index)),
            _ => {}
        }
    }
    assert_eq!(
        (judge.has_content(), judge.has_ended()),
        (first.is_some(), ends.is_some())
    );
    let outcome = match (ends, first) {
        (None, _) => "truncated",
        (Some(End::Stop), None) => "empty_response",
        (Some(_), _) => "ok",
    };
    let finish = judge
        .finish_reason()
        .map(|finish| finish.as_str().to_owned());
    with(outcome, finish, judge.usage(), first)
}

fn failed(verdict: &Verdict, seen: Seen) -> Seen {
    Seen {
        outcome: verdict.class.as_str().to_owned(),
        ..seen
    }
}

fn with(outcome: &str, finish: Option<String>, usage: Usage, first: Option<usize>) -> Seen {
    Seen {
        outcome: outcome.to_owned(),
        finish,
        usage_in: usage.input,
        usage_out: usage.output,
        first_content: first,
    }
}
