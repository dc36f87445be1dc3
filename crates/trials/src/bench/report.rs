//! What was measured, as a table and as JSON.

use std::time::Duration;

use comfy_table::{Cell, CellAlignment, Table, presets::UTF8_FULL_CONDENSED};
use serde::Serialize;
use serde_json::{Value, json};

/// What a relay took for a token on the machine that the goals are from, CPU µs: the middle of the 23 to 27 that were
/// measured there. It was another program than our floor, so that this says about how slow a machine is and no more.
const TOKEN_OF_THE_GOALS: f64 = 25.0;

/// Which way is good.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "value")]
pub enum Goal {
    AtMost(f64),
    AtLeast(f64),
    /// For information.
    None,
}

/// What the figure is compared with.
#[derive(Debug, Clone, Serialize)]
pub struct Reference {
    pub name: String,
    pub figure: f64,
}

/// One measured figure.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// Number of the goal.
    pub goal: u8,
    pub what: String,
    pub unit: &'static str,
    pub ours: f64,
    /// Measured in the same run.
    pub reference: Option<Reference>,
    pub limit: Goal,
    /// `limit` is one of the ratio to the reference, not of the figure.
    pub of_ratio: bool,
    /// CPU time of each process per piece of the work, µs.
    pub cpu: Vec<(String, f64)>,
    pub note: String,
}

impl Row {
    #[must_use]
    pub fn new(goal: u8, what: impl Into<String>, unit: &'static str, ours: f64) -> Self {
        Self {
            goal,
            what: what.into(),
            unit,
            ours,
            reference: None,
            limit: Goal::None,
            of_ratio: false,
            cpu: Vec::new(),
            note: String::new(),
        }
    }

    #[must_use]
    pub fn beside(mut self, name: impl Into<String>, figure: f64) -> Self {
        self.reference = Some(Reference { name: name.into(), figure });
        self
    }

    #[must_use]
    pub fn at_most(mut self, limit: f64) -> Self {
        self.limit = Goal::AtMost(limit);
        self
    }

    #[must_use]
    pub fn at_least(mut self, limit: f64) -> Self {
        self.limit = Goal::AtLeast(limit);
        self
    }

    /// The goal is one of the ratio.
    #[must_use]
    pub fn of_ratio(mut self) -> Self {
        self.of_ratio = true;
        self
    }

    /// Which process took how much of the processors for a piece of the work, µs.
    #[must_use]
    pub fn cpu(mut self, parts: &[(String, f64)]) -> Self {
        self.cpu = parts.to_vec();
        self
    }

    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        self.reference.as_ref().filter(|r| r.figure > 0.0).map(|r| self.ours / r.figure)
    }

    /// `None` where there is nothing to hold. As the goal is written with a slowness of 1; else times may be so many times
    /// as long.
    #[must_use]
    pub fn holds(&self, slowness: f64) -> Option<bool> {
        // A ratio that cannot be told holds nothing.
        let figure = if self.of_ratio { self.ratio().unwrap_or(f64::NAN) } else { self.ours };
        match self.limit {
            Goal::AtMost(limit) if self.is_time() => Some(figure <= limit * slowness),
            Goal::AtMost(limit) => Some(figure <= limit),
            Goal::AtLeast(limit) => Some(figure >= limit),
            Goal::None => None,
        }
    }

    /// A time, and not how many times another one.
    fn is_time(&self) -> bool {
        !self.of_ratio && matches!(self.unit, "ms" | "µs")
    }

    /// What is to be said below the table: CPU time by process, where it is not nothing, and the note.
    fn told(&self) -> String {
        let parts: Vec<String> = self
            .cpu
            .iter()
            .filter(|(_, used)| *used >= 1.0)
            .map(|(name, used)| format!("{name} {used:.0}"))
            .collect();
        let cpu = if parts.is_empty() { String::new() } else { format!("µs: {}", parts.join(", ")) };
        [cpu, self.note.clone()].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
    }

    /// The row as a program reads it: with the ratio, and whether it holds, as far as there is something to hold.
    fn json(&self) -> serde_json::Result<Value> {
        let mut row = serde_json::to_value(self)?;
        row["ratio"] = json!(self.ratio());
        row["holds"] = json!(self.holds(1.0));
        Ok(row)
    }

    fn goal_text(&self, slowness: f64) -> String {
        let unit = if self.of_ratio { "×".to_owned() } else { format!(" {}", self.unit) };
        match self.limit {
            Goal::AtMost(limit) if self.is_time() && slowness > 1.0 => {
                format!("≤ {}{unit} × {}", short(limit), short(slowness))
            }
            Goal::AtMost(limit) => format!("≤ {}{unit}", short(limit)),
            Goal::AtLeast(limit) => format!("≥ {}{unit}", short(limit)),
            Goal::None => String::new(),
        }
    }
}

/// Three figures that matter.
fn short(figure: f64) -> String {
    match figure.abs() {
        a if a >= 100.0 => format!("{figure:.0}"),
        a if a >= 10.0 => format!("{figure:.1}").trim_end_matches('0').trim_end_matches('.').into(),
        _ => format!("{figure:.3}").trim_end_matches('0').trim_end_matches('.').into(),
    }
}

/// Everything of a run.
#[derive(Debug)]
pub struct Report {
    pub machine: String,
    pub quick: bool,
    /// CPU µs per token that the floor relayed, each time it was measured.
    pub relayed: Vec<f64>,
    /// What a hypervisor gave to other machines while a goal was measured, percent of the processors' time.
    pub stolen: Vec<(u8, f64)>,
    pub rows: Vec<Row>,
    /// Goals that could not be measured, and why.
    pub unmeasured: Vec<(u8, String)>,
    /// What all of it took, once the house stood.
    pub lasted: Duration,
    /// Until the house stood, before that: what it needs is installed, and the web app built.
    pub stood_after: Duration,
}

impl Report {
    #[must_use]
    pub fn new(machine: String, quick: bool) -> Self {
        Self {
            machine,
            quick,
            relayed: Vec::new(),
            stolen: Vec::new(),
            rows: Vec::new(),
            unmeasured: Vec::new(),
            lasted: Duration::ZERO,
            stood_after: Duration::ZERO,
        }
    }

    /// How many times longer than the machine that the goals are from this one takes for the same work, 1 at the least.
    /// It is told and decides nothing: goals are held as they are written (docs/decisions/0033).
    #[must_use]
    pub fn slowness(&self) -> f64 {
        let mean = self.relayed.iter().sum::<f64>() / self.relayed.len().max(1) as f64;
        (mean / TOKEN_OF_THE_GOALS).max(1.0)
    }

    /// Goals with at least one limit, and those of them that hold. What could not be measured does not hold.
    #[must_use]
    pub fn count(&self) -> (usize, usize) {
        let mut goals: Vec<u8> = self.rows.iter().filter(|r| r.limit != Goal::None).map(|r| r.goal).collect();
        goals.extend(self.unmeasured.iter().map(|(goal, _)| *goal));
        goals.sort_unstable();
        goals.dedup();
        let holds = |goal: &u8| {
            self.rows.iter().filter(|r| r.goal == *goal).all(|r| r.holds(1.0) != Some(false))
                && !self.unmeasured.iter().any(|(g, _)| g == goal)
        };
        (goals.iter().filter(|goal| holds(goal)).count(), goals.len())
    }

    /// All of it for a program: each row with its ratio and whether it holds, and how many goals do.
    ///
    /// # Errors
    /// When a figure is none that JSON has.
    pub fn json(&self) -> serde_json::Result<Value> {
        let (holding, all) = self.count();
        let rows = self.rows.iter().map(Row::json).collect::<serde_json::Result<Vec<_>>>()?;
        Ok(json!({
            "machine": self.machine,
            "quick": self.quick,
            "seconds": self.lasted.as_secs(),
            "relayed": self.relayed,
            "stolen": self.stolen,
            "rows": rows,
            "unmeasured": self.unmeasured,
            "goals": { "hold": holding, "all": all },
        }))
    }

    pub fn print(&self) {
        let mut table = Table::new();
        table.load_style(UTF8_FULL_CONDENSED);
        table.set_header(["goal", "what", "ours", "beside", "ratio", "goal", "holds"]);
        for row in &self.rows {
            let beside =
                row.reference.as_ref().map_or(String::new(), |r| format!("{} {}", short(r.figure), r.name));
            let holds = match row.holds(1.0) {
                Some(true) => "yes",
                Some(false) => "NO",
                None => "",
            };
            table.add_row([
                Cell::new(row.goal).set_alignment(CellAlignment::Right),
                Cell::new(&row.what),
                Cell::new(format!("{} {}", short(row.ours), row.unit)).set_alignment(CellAlignment::Right),
                Cell::new(beside),
                Cell::new(row.ratio().map_or(String::new(), short)).set_alignment(CellAlignment::Right),
                Cell::new(row.goal_text(1.0)),
                Cell::new(holds),
            ]);
        }
        println!("\n{}\n{table}", self.machine);
        for (row, told) in self.rows.iter().map(|row| (row, row.told())).filter(|(_, told)| !told.is_empty())
        {
            println!("{:>4}  {}: {told}", row.goal, row.what);
        }
        for (goal, why) in &self.unmeasured {
            println!("{goal:>4}  not measured: {why}");
        }
        let slowness = self.slowness();
        for row in &self.rows {
            if row.holds(1.0) == Some(false) && row.holds(slowness) == Some(true) {
                println!(
                    "{:>4}  {}: not held; this slow machine has {}",
                    row.goal,
                    row.what,
                    row.goal_text(slowness)
                );
            }
        }
        let stolen: Vec<String> = self
            .stolen
            .iter()
            .filter(|(_, percent)| *percent >= 1.0)
            .map(|(goal, percent)| format!("{goal}: {percent:.0} %"))
            .collect();
        if !stolen.is_empty() {
            println!(
                "of the processors' time, other machines on this hardware took, by goal: {}",
                stolen.join(", ")
            );
        }
        println!(
            "Peers, where one is named, do more or different work; their figures were measured elsewhere, where a row does not say in this run."
        );
        let (holding, all) = self.count();
        let [stood, lasted] = [self.stood_after, self.lasted].map(|time| {
            let seconds = time.as_secs();
            format!("{}:{:02}", seconds / 60, seconds % 60)
        });
        println!(
            "measured in {lasted} minutes, once the house stood ({stood} after the build of the services)"
        );
        println!("{holding} of {all} goals hold");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_holds_when_all_of_its_figures_do() {
        let mut report = Report::new(String::new(), true);
        report.rows.push(Row::new(1, "a", "ms", 1.0).at_most(1.2));
        report.rows.push(Row::new(1, "b", "ms", 9.0));
        assert_eq!(report.count(), (1, 1), "what has no limit decides nothing");
        report.rows.push(Row::new(1, "c", "ms", 9.0).beside("floor", 4.0).at_most(2.0).of_ratio());
        assert_eq!(report.count(), (0, 1));
        report.rows.push(Row::new(2, "d", "/s", 9.0).beside("bare", 10.0).at_least(0.9).of_ratio());
        report.unmeasured.push((3, "no browser".into()));
        assert_eq!(report.count(), (1, 3));
    }

    #[test]
    fn a_slower_machine_is_allowed_more_time_and_nothing_else() {
        let time = Row::new(1, "a", "ms", 1.9).at_most(1.0);
        assert_eq!((time.holds(1.0), time.holds(2.0)), (Some(false), Some(true)));
        assert_eq!((time.goal_text(1.0), time.goal_text(2.0)), ("≤ 1 ms".into(), "≤ 1 ms × 2".into()));
        let memory = Row::new(1, "b", "MiB", 1.9).at_most(1.0);
        let ratio = Row::new(1, "c", "ms", 1.9).beside("floor", 1.0).at_most(1.0).of_ratio();
        let rate = Row::new(1, "d", "/s", 0.9).at_least(1.0);
        for row in [memory, ratio, rate] {
            assert_eq!(row.holds(2.0), Some(false), "{}", row.what);
        }
    }

    #[test]
    fn how_slow_a_machine_is_is_what_the_floor_says_of_it() {
        let mut report = Report::new(String::new(), true);
        assert_eq!(report.slowness(), 1.0, "nothing is known");
        report.relayed.push(20.0);
        assert_eq!(report.slowness(), 1.0, "a quicker one is asked for no more");
        report.relayed.push(60.0);
        assert_eq!(report.slowness(), 1.6, "the mean of both");
    }

    #[test]
    fn a_program_reads_what_the_table_says() {
        let mut report = Report::new(String::new(), true);
        let parts = [("bff".to_owned(), 210.4), ("mail".to_owned(), 0.2)];
        report
            .rows
            .push(Row::new(1, "a", "ms", 1.5).beside("floor", 0.5).at_most(1.2).cpu(&parts).note("so"));
        report.rows.push(Row::new(2, "b", "ms", 1.0).at_most(1.2));
        report.rows.push(Row::new(2, "c", "ms", 1.0));
        let told = report.json().expect("figures");
        let [a, b, c] = [0, 1, 2].map(|n| &told["rows"][n]);
        assert_eq!((&a["ratio"], &a["holds"]), (&json!(3.0), &json!(false)));
        assert_eq!((&b["ratio"], &b["holds"], &c["holds"]), (&Value::Null, &json!(true), &Value::Null));
        assert_eq!(told["goals"], json!({ "hold": 1, "all": 2 }));
        assert_eq!(a["cpu"][0], json!(["bff", 210.4]));
        assert_eq!(report.rows[0].told(), "µs: bff 210; so", "what took nothing is not told");
    }

    #[test]
    fn a_ratio_to_nothing_holds_nothing() {
        let row = Row::new(1, "a", "ms", 0.0).beside("floor", 0.0).at_most(2.0).of_ratio();
        assert_eq!(row.holds(1.0), Some(false));
    }
}
