//! How often each cell of a table ran, and how late things were in it.

use crate::support::{canary::percentile, ms};
use std::{collections::BTreeMap, fmt::Debug, time::Duration};

/// The runs of a table. Declared first, so that a cell nobody ran is seen.
pub struct Tally {
    table: &'static str,
    cells: BTreeMap<String, Vec<Option<Duration>>>,
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

    /// Prints the table, cells that differ in their last coordinate on one line, and fails on a cell that ran
    /// fewer than `least` times.
    pub fn close(&self, least: usize) {
        let mut rows: BTreeMap<&str, (Vec<String>, Vec<Duration>)> = BTreeMap::new();
        for (cell, runs) in &self.cells {
            let (row, last) = cell.rsplit_once(" / ").unwrap_or(("", cell));
            let (counts, late) = rows.entry(row).or_default();
            counts.push(format!("{last} {}", runs.len()));
            late.extend(runs.iter().flatten());
        }
        for (row, (counts, mut late)) in rows {
            let p99 = percentile(&mut late, 99);
            println!(
                "{}: {row}: {}; p99 {p99:.1?}",
                self.table,
                counts.join(", ")
            );
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
