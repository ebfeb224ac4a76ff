//! What upstreams of every dialect send, and what must come of it: the table of this folder and that of the
//! OpenAI family, each row with a fixture of our own and most with a recording of the same shape.
//!
//! A recording's figures are its own, so only their presence is asked of it.

use super::{
    foreign,
    table::{self, Case, Figure},
};
use punctual_wire::{Api, Surface};
use std::{fs, path::Path};

/// An answer, and who gives it.
#[derive(Clone, Debug)]
pub struct Played {
    pub dialect: String,
    /// `surface` is the one that the dialect shares, if any.
    pub case: Case,
    /// Where the recorder's reads ended.
    pub reads: Vec<usize>,
}

impl Played {
    pub fn name(&self) -> &str {
        &self.case.name
    }

    /// What is spoken with the upstream for a conversation.
    pub fn api(&self) -> Api {
        match self.dialect.as_str() {
            "responses" => Api::Responses,
            "anthropic" => Api::Messages,
            "gemini" | "vertex" => Api::Gemini,
            "bedrock" => Api::Converse,
            "invoke" => Api::InvokeMessages,
            "ollama" if self.case.surface == "completions" => Api::OllamaGenerate,
            "ollama" => Api::Ollama,
            _ if self.case.surface == "completions" => Api::Completions,
            _ => Api::Chat,
        }
    }

    /// The surfaces through which it can be asked for.
    pub fn surfaces(&self) -> &'static [Surface] {
        match self.case.surface.as_str() {
            "completions" => &[Surface::Completions],
            "embeddings" => &[],
            _ => &[Surface::Chat, Surface::Responses, Surface::Messages],
        }
    }
}

/// Every fixture of our own.
pub fn fixtures() -> Vec<Played> {
    let folder = Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../wire/tests/fixtures"
    ));
    let ours = rows().into_iter().map(|row| row.read(folder, false));
    ours.chain(table::fixtures().into_iter().map(of_openai))
        .collect()
}

/// Every recording; `None` where there are none.
pub fn captures() -> Option<Vec<Played>> {
    let openai = table::captures()?;
    let folder = Path::new(table::CAPTURES);
    let recorded = rows().into_iter().filter(|row| row.capture != "-");
    let ours = recorded.map(|row| row.read(folder, true));
    Some(ours.chain(openai.into_iter().map(of_openai)).collect())
}

fn of_openai(case: Case) -> Played {
    let spoken = ["azure", "openrouter"].into_iter();
    let named = |word: &&str| case.name.contains(*word);
    let dialect = spoken.into_iter().find(named).unwrap_or("openai");
    Played {
        dialect: dialect.to_owned(),
        case,
        reads: Vec::new(),
    }
}

struct Row {
    capture: String,
    fixture: String,
    dialect: String,
    case: Case,
}

fn rows() -> Vec<Row> {
    let text = include_str!("dialects.tsv");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.skip(1).map(row).collect()
}

fn row(line: &str) -> Row {
    let cells: Vec<&str> = line.split('\t').collect();
    let [
        capture,
        fixture,
        dialect,
        surface,
        status,
        content_type,
        _,
        class,
        finish,
        input,
        output,
    ] = cells.try_into().expect("eleven cells");
    let figure = |cell: &str| match cell {
        "-" => Figure::None,
        number => Figure::Exactly(number.parse().unwrap()),
    };
    Row {
        capture: capture.to_owned(),
        fixture: fixture.to_owned(),
        dialect: dialect.to_owned(),
        case: Case {
            name: String::new(),
            surface: surface.to_owned(),
            stream: status == "200",
            n: 1,
            status: status.parse().unwrap(),
            content_type: Some(content_type.to_owned()),
            body: Vec::new(),
            gzip: false,
            class: class.to_owned(),
            finish: (finish != "-").then(|| finish.to_owned()),
            usage: [figure(input), figure(output)],
            first_content: None,
        },
    }
}

impl Row {
    fn read(self, folder: &Path, recorded: bool) -> Played {
        let name = if recorded {
            &self.capture
        } else {
            &self.fixture
        };
        let (mut case, mut reads) = (self.case, Vec::new());
        case.name.clone_from(name);
        for part in name.split('+') {
            let file = folder.join(part);
            let bytes = fs::read(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
            let body = foreign::body(&file, bytes);
            reads.push(body.len());
            case.body.extend(body);
        }
        if recorded {
            case.usage = case.usage.map(Figure::of_another);
        }
        Played {
            dialect: self.dialect,
            case,
            reads,
        }
    }
}
