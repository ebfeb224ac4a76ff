//! How often each cell of a table ran, and how late things were in it.

use crate::support::{canary::percentile, ms};
use std::{collections::BTreeMap, fmt::Debug, time::Duration};

/// The runs of a table. Declared first, so that a cell nobody ran is seen.
pub struct Tally {
    table: &'static str,
    cells: BTreeMap<String, Vec<Option<Duration>>>,
}

/// Cells that share their first coordinate: the rest of their names, with how often each ran.
#[derive(Default)]
struct Row {
    counts: Vec<(String, usize)>,
    late: Vec<Duration>,
}

impl Row {
    fn line(mut self) -> String {
        let each = self.counts[0].1;
        let runs = if self.counts.len() > 4 && self.counts.iter().all(|(_, n)| *n == each) {
            format!("{each} of each of {} cells", self.counts.len())
        } else {
            let of = |(cell, n): &(String, usize)| format!("{cell} {n}");
            self.counts.iter().map(of).collect::<Vec<_>>().join(", ")
        };
        let p99 = percentile(&mut self.late, 99);
        if self.late.is_empty() {
            runs
        } else {
            format!("{runs}; p99 {p99:.1?}")
        }
    }
}

impl Tally {
    pub fn of(table: &'static str, cells: impl IntoIterator<Item = String>) -> Self {
        Self {
            table,
            cells: cells.into_iter().map(|c| (c, Vec::new())).collect(),
        }
    }

    /// One run of a cell, and how late what it waited for was, if that was measured.
    pub fn ran(&mut self, cell: &str, late: impl Into<Option<Duration>>) {
        let Some(runs) = self.cells.get_mut(cell) else {
            panic!("{}: no cell {cell:?}", self.table);
        };
        runs.push(late.into());
    }

    /// Prints the table, a line for each first coordinate, and fails on a cell that ran fewer than `least`
    /// times.
    pub fn close(&self, least: usize) {
        let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
        for (cell, runs) in &self.cells {
            let (row, rest) = cell.split_once(" / ").unwrap_or((cell, ""));
            let row = rows.entry(row).or_default();
            row.counts.push((rest.to_owned(), runs.len()));
            row.late.extend(runs.iter().flatten());
        }
        for (name, row) in rows {
            println!("{}: {name}: {}", self.table, row.line());
        }
        let mut all = self.all();
        let [p50, p99, worst] = [50, 99, 100].map(|p| percentile(&mut all, p));
        let (table, n) = (self.table, self.cells.values().map(Vec::len).sum::<usize>());
        println!(
            "{table}: {n} runs, {} measured: p50 {p50:.1?}, p99 {p99:.1?}, worst {worst:.1?}",
            all.len()
        );
        let few = |(_, runs): &(&String, &Vec<Option<Duration>>)| runs.len() < least.max(1);
        let missing: Vec<_> = self.cells.iter().filter(few).map(|(c, _)| c).collect();
        assert!(
            missing.is_empty(),
            "{table}: under {least} runs: {missing:?}"
        );
    }

    fn all(&self) -> Vec<Duration> {
        self.cells.values().flatten().flatten().copied().collect()
    }

    /// The 99th percentile over all cells.
    pub fn p99(&self) -> Duration {
        percentile(&mut self.all(), 99)
    }
}

/// What a bound allows beyond its figure on a machine that does other things too.
pub const SLACK: Duration = ms(50);

/// Names a cell by its coordinates.
pub fn cell(parts: &[&dyn Debug]) -> String {
    let word = |part: &&dyn Debug| format!("{part:?}").trim_matches('"').to_owned();
    parts.iter().map(word).collect::<Vec<_>>().join(" / ")
}
