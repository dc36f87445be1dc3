//! CPU time and memory of the processes of a house, over a stretch of work.

use std::time::Duration;

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
