//! What was done to the house and how it bore it: one line per fault while they run, one table at the end.

use std::time::{Duration, Instant};

use comfy_table::{ContentArrangement, Table, presets};

/// What came of one kind of fault.
#[derive(Debug, Clone)]
pub struct Row {
    pub fault: String,
    pub times: usize,
    /// The longest of all times.
    pub recovery: Option<Duration>,
    /// How many things were found as they have to be.
    pub checked: u64,
    /// What was not.
    pub broken: Vec<String>,
    /// What a reader of the table must know.
    pub note: String,
    /// Whether it was not done at all, because this machine lacks something; the note says what.
    pub left_out: bool,
}

impl Row {
    #[must_use]
    pub fn new(fault: impl Into<String>) -> Self {
        Self {
            fault: fault.into(),
            times: 0,
            recovery: None,
            checked: 0,
            broken: Vec::new(),
            note: String::new(),
            left_out: false,
        }
    }

    /// Says that it is not done here, and why.
    pub fn leave_out(&mut self, why: &str) {
        self.left_out = true;
        self.note = format!("LEFT OUT: {why}");
    }

    /// One more time, and how long until all was well again.
    pub fn recovered(&mut self, after: Duration) {
        self.recovery = Some(self.recovery.map_or(after, |longest| longest.max(after)));
    }

    /// Something that had to be so.
    pub fn expect(&mut self, so: bool, otherwise: impl FnOnce() -> String) {
        if so {
            self.checked += 1;
        } else {
            self.broken.push(otherwise());
        }
    }

    /// What an examination found: how much stood, and what did not.
    pub fn found(&mut self, (checked, broken): (u64, Vec<String>)) {
        self.checked += checked;
        self.broken.extend(broken);
    }
}

/// Rows in the order of what was done.
#[derive(Debug)]
pub struct Report {
    rows: Vec<Row>,
    /// When the last one was told of.
    told: Instant,
}

impl Default for Report {
    fn default() -> Self {
        Self { rows: Vec::new(), told: Instant::now() }
    }
}

impl Report {
    /// Tells of a row, and keeps it.
    pub fn add(&mut self, row: Row) {
        let seconds = |d: Duration| format!(", well again after {:.1} s", d.as_secs_f32());
        eprintln!(
            "      {} ×{}{}: {} checks, {:.0} s{}",
            row.fault,
            row.times,
            row.recovery.map_or_else(String::new, seconds),
            row.checked,
            std::mem::replace(&mut self.told, Instant::now()).elapsed().as_secs_f32(),
            if row.broken.is_empty() { String::new() } else { format!(", {} BROKEN", row.broken.len()) },
        );
        if row.left_out {
            eprintln!("        - {}", row.note);
        }
        for why in row.broken.iter().take(SHOWN) {
            eprintln!("        - {why}");
        }
        self.rows.push(row);
    }

    /// All that was found as it has to be.
    #[must_use]
    pub fn checked(&self) -> u64 {
        self.rows.iter().map(|row| row.checked).sum()
    }

    /// How many kinds were not done here.
    #[must_use]
    pub fn left_out(&self) -> usize {
        self.rows.iter().filter(|row| row.left_out).count()
    }

    /// Whether nothing broke.
    #[must_use]
    pub fn whole(&self) -> bool {
        self.rows.iter().all(|row| row.broken.is_empty())
    }

    /// The table.
    #[must_use]
    pub fn table(&self) -> Table {
        let mut table = Table::new();
        table.load_style(presets::ASCII_MARKDOWN).set_content_arrangement(ContentArrangement::Disabled);
        table.set_header(["fault", "times", "recovery, s", "checked", "broken", "note"]);
        for row in &self.rows {
            table.add_row([
                row.fault.clone(),
                row.times.to_string(),
                row.recovery.map_or_else(|| "-".into(), |d| format!("{:.1}", d.as_secs_f32())),
                row.checked.to_string(),
                row.broken.len().to_string(),
                row.note.clone(),
            ]);
        }
        table
    }
}

/// Breaches of one row that are told; the rest is like them.
const SHOWN: usize = 8;
