//! CPU time and memory of the processes of a house, over a stretch of work.

use std::{fs, time::Duration};

use anyhow::Result;
use xtask::process::Process;

use crate::stand::{self, cpu, resident};

const MIB: f64 = 1024.0 * 1024.0;

/// CPU time of some processes from [`Meter::begin`] on.
pub struct Meter {
    processes: Vec<(Process, Duration)>,
}

impl Meter {
    /// # Errors
    /// When one of them does not run.
    pub fn begin<'a>(processes: impl IntoIterator<Item = &'a Process>) -> Result<Self> {
        let processes = processes.into_iter().map(|p| Ok((p.clone(), cpu(p)?))).collect::<Result<_>>()?;
        Ok(Self { processes })
    }

    /// Microseconds of CPU time per piece of work, by process.
    ///
    /// # Errors
    /// When one of them has ended.
    pub fn per(&self, count: u64) -> Result<Vec<(String, f64)>> {
        let used = |(process, before): &(Process, Duration)| {
            let used = cpu(process)?.saturating_sub(*before);
            Ok((process.name.clone(), used.as_secs_f64() * 1e6 / count.max(1) as f64))
        };
        self.processes.iter().map(used).collect()
    }
}

/// What a hypervisor has given to other machines of the time of these processors, from [`Stolen::begin`] on: work that is
/// ready waits meanwhile, some milliseconds at a time.
pub struct Stolen(Ticks);

/// Ticks of all processors since the system began.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Ticks {
    stolen: u64,
    all: u64,
}

impl Ticks {
    /// From the first line of `/proc/stat` (proc(5)): user, nice, system, idle, iowait, irq, softirq, steal; what follows is
    /// part of the first two. None where there is no such file.
    fn read(stat: &str) -> Self {
        let line = stat.lines().next().unwrap_or_default();
        let ticks: Vec<u64> = line.split_whitespace().skip(1).take(8).flat_map(str::parse).collect();
        Self { stolen: ticks.get(7).copied().unwrap_or_default(), all: ticks.iter().sum() }
    }

    fn now() -> Self {
        Self::read(&fs::read_to_string("/proc/stat").unwrap_or_default())
    }

    /// Percent of what has passed since `before`.
    fn stolen_since(self, before: Self) -> f64 {
        let [stolen, all] = [self.stolen.saturating_sub(before.stolen), self.all.saturating_sub(before.all)];
        stolen as f64 / all.max(1) as f64 * 100.0
    }
}

impl Stolen {
    #[must_use]
    pub fn begin() -> Self {
        Self(Ticks::now())
    }

    /// Percent.
    #[must_use]
    pub fn percent(&self) -> f64 {
        Ticks::now().stolen_since(self.0)
    }
}

/// The sum over processes.
#[must_use]
pub fn sum(parts: &[(String, f64)]) -> f64 {
    parts.iter().map(|(_, used)| used).sum()
}

/// Memory of a process, MiB.
///
/// # Errors
/// When it does not run.
pub fn mebibytes(process: &Process) -> Result<f64> {
    Ok(resident(process)? as f64 / MIB)
}

/// The most memory that a process ever had, MiB.
///
/// # Errors
/// When it does not run.
pub fn peak_mebibytes(process: &Process) -> Result<f64> {
    Ok(stand::peak(process)? as f64 / MIB)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_took_is_a_share_of_all_that_passed() {
        let before = Ticks::read("cpu  100 0 50 800 0 0 10 40 7 0\ncpu0 50 0 25 400 0 0 5 20 7 0\n");
        assert_eq!(before, Ticks { stolen: 40, all: 1000 }, "all processors together");
        let after = Ticks::read("cpu  150 0 70 890 0 0 10 80 9 0\n");
        assert!((after.stolen_since(before) - 20.0).abs() < 1e-9);
        assert_eq!(Ticks::read("").stolen_since(Ticks::default()), 0.0, "nothing is known");
    }
}
