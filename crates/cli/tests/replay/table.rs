//! The table of fixtures, read from the crate that owns it, and the recordings beside the repository.
//!
//! Recordings are other people's data and stay where they are; a fixture with the same oddity says what must
//! come of each. Its figures are the fixture's own, so of a recording only their presence is asked.

use std::{fs, io::Read, path::Path};

/// One answer of an upstream, and what must come of it.
#[derive(Clone, Debug)]
pub struct Case {
    pub name: String,
    pub surface: String,
    pub stream: bool,
    pub n: u32,
    pub status: u16,
    pub content_type: Option<String>,
    /// As it goes over the wire.
    pub body: Vec<u8>,
    pub gzip: bool,
    /// `ok`, or the code of the failure.
    pub class: String,
    pub finish: Option<String>,
    pub usage: [Figure; 2],
    /// Index of the first content among all events, comments included; of a recording it is searched for.
    pub first_content: Option<Option<usize>>,
}

/// A number of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    None,
    Some,
    Exactly(u64),
}

impl Figure {
    /// What is left of it for another text.
    pub fn of_another(self) -> Self {
        match self {
            Self::None => Self::None,
            _ => Self::Some,
        }
    }

    pub fn holds(self, told: Option<u64>) -> bool {
        match self {
            Self::None => told.is_none(),
            Self::Some => told.is_some(),
            Self::Exactly(wanted) => told == Some(wanted),
        }
    }
}

impl Case {
    pub fn succeeds(&self) -> bool {
        self.class == "ok"
    }

    /// What is inside the content encoding.
    pub fn plain(&self) -> Vec<u8> {
        if !self.gzip {
            return self.body.clone();
        }
        let mut plain = Vec::new();
        let mut decoder = flate2::read::GzDecoder::new(self.body.as_slice());
        decoder.read_to_end(&mut plain).unwrap();
        plain
    }
}

struct Row {
    capture: String,
    fixture: String,
    case: Case,
}

fn rows() -> Vec<Row> {
    let table = fs::read_to_string(wire().join("openai.tsv")).unwrap();
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.skip(1).map(row).collect()
}

fn wire() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../wire/fixtures"))
}

fn row(line: &str) -> Row {
    let cells: Vec<&str> = line.split('\t').collect();
    let cells: [&str; 13] = cells.try_into().unwrap();
    let [
        capture,
        fixture,
        surface,
        mode,
        n,
        status,
        content_type,
        _,
        class,
        finish,
        input,
        output,
        first,
    ] = cells;
    let given = |cell: &str| (cell != "-").then(|| cell.to_owned());
    let figure = |cell: &str| match given(cell) {
        Some(number) => Figure::Exactly(number.parse().unwrap()),
        None => Figure::None,
    };
    let case = Case {
        name: fixture.to_owned(),
        surface: surface.to_owned(),
        stream: mode == "stream",
        n: n.parse().unwrap(),
        status: status.parse().unwrap(),
        content_type: given(content_type),
        body: Vec::new(),
        gzip: fixture.ends_with(".gz"),
        class: class.to_owned(),
        finish: given(finish),
        usage: [figure(input), figure(output)],
        first_content: Some(given(first).map(|index| index.parse().unwrap())),
    };
    Row {
        capture: capture.to_owned(),
        fixture: fixture.to_owned(),
        case,
    }
}

/// Every row, with its fixture.
pub fn fixtures() -> Vec<Case> {
    let all = rows().into_iter();
    all.map(|row| Case {
        body: body(&wire().join(&row.fixture)),
        ..row.case
    })
    .collect()
}

/// Where recordings are, if anywhere.
pub const CAPTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/captures");

/// Every row that names a recording, with the recording; `None` where there are none.
pub fn captures() -> Option<Vec<Case>> {
    let folder = Path::new(CAPTURES);
    if !folder.is_dir() {
        return None;
    }
    let all = rows().into_iter().filter(|row| row.capture != "-");
    Some(
        all.map(|row| Case {
            name: row.capture.clone(),
            body: body(&folder.join(&row.capture)),
            usage: row.case.usage.map(Figure::of_another),
            first_content: None,
            ..row.case
        })
        .collect(),
    )
}

/// The names of all recordings, in order; each begins with its number.
pub fn recordings() -> Vec<String> {
    let all = fs::read_dir(CAPTURES).unwrap();
    let names = all.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names
        .filter(|name| name.starts_with(|c: char| c.is_ascii_digit()))
        .collect();
    names.sort();
    names
}

/// A file as the body it is: payloads get their framing, a head is taken off.
fn body(file: &Path) -> Vec<u8> {
    let bytes = fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    unpacked(file, bytes)
}

/// The same of what was read of it.
pub fn unpacked(file: &Path, bytes: Vec<u8>) -> Vec<u8> {
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
        _ => bytes,
    }
}
