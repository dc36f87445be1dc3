//! A private house: servers with their own data, the services, and what is known of each process.

use std::{fs, process::Command, time::Duration};

use anyhow::{Context as _, Result, anyhow};
use nix::{
    time::{clock_getcpuclockid, clock_gettime},
    unistd::Pid,
};
use xtask::{
    infra::{Durability, Postgres},
    instance::Instance,
    process::Process,
    progress,
    up::{self, Options},
};

/// A running house in `.run/<name>`; everything of it ends, and its data is deleted, when this is dropped.
pub struct Stand {
    /// Folder, ports and secrets.
    pub instance: Instance,
    /// Its private PostgreSQL.
    pub postgres: Postgres,
    /// Where people reach it, without a slash at its end.
    pub address: String,
    processes: Vec<Process>,
}

/// Builds the programs of a house, so that opening one is not the compiler's time.
///
/// # Errors
/// When they do not compile.
pub async fn build(release: bool) -> Result<()> {
    tokio::task::spawn_blocking(move || up::build(release)).await?.map_err(|e| anyhow!(e))?;
    Ok(())
}

impl Stand {
    /// Starts a house with empty data and the seeds. `extra` are environment variables for its services.
    ///
    /// # Errors
    /// Whatever `cargo xtask up` would refuse for.
    pub fn open(
        name: &str,
        release: bool,
        durability: Durability,
        extra: &[(String, String)],
    ) -> Result<Self> {
        Self::open_with(name, &Options { release, pages: false, ..Options::default() }, durability, extra)
    }

    /// The same with more to say about it: the edge, replicas, how many characters, whether it has the web app. Its port is
    /// its own.
    ///
    /// # Errors
    /// Whatever `cargo xtask up` would refuse for.
    pub fn open_with(
        name: &str,
        wanted: &Options,
        durability: Durability,
        extra: &[(String, String)],
    ) -> Result<Self> {
        let instance = Instance::open(Some(name)).map_err(|e| anyhow!(e))?;
        instance.register.stop(|_| true);
        let port = instance.port("web").map_err(|e| anyhow!(e))?;
        let options = Options { port, fresh: true, detach: true, ..*wanted };
        let interrupted = up::interruption().map_err(|e| anyhow!(e))?;
        let launched = up::launch(&instance, &options, durability, extra, &interrupted);
        let postgres = launched.and_then(|processes| {
            let mut step = progress::step("the servers of the house");
            let infra = xtask::infra::start(&instance, durability, &mut step)?;
            step.done("");
            let postgres =
                infra.postgres.ok_or("unset the *_DATABASE_URL variables: this needs its own servers")?;
            Ok((postgres, processes))
        });
        match postgres {
            Ok((postgres, processes)) => {
                Ok(Self { instance, postgres, address: options.address(), processes })
            }
            Err(why) => {
                instance.register.stop(|_| true);
                Err(anyhow!(why))
            }
        }
    }

    /// The services, in the order of their start.
    pub fn processes(&self) -> &[Process] {
        &self.processes
    }

    /// A process by its name, like `bff` or `media-worker`.
    ///
    /// # Errors
    /// When the house has none of that name.
    pub fn process(&self, name: &str) -> Result<&Process> {
        self.processes.iter().find(|p| p.name == name).with_context(|| format!("no process {name}"))
    }

    /// Ends a service and starts it again beside the others, which run; it is not waited for.
    ///
    /// # Errors
    /// When the house has none of that name, or it cannot be started.
    pub fn restart(&mut self, name: &str) -> Result<()> {
        self.instance.register.stop(|running| running == name);
        let mut command = self.command(name)?;
        let log = self.instance.log(name);
        let begun = self.instance.register.start(name, &mut command, &log).map_err(|e| anyhow!(e))?;
        let known = self.processes.iter_mut().find(|p| p.name == name);
        *known.with_context(|| format!("no process {name}"))? = begun;
        Ok(())
    }

    /// A service's program as this house starts it (`serve`), to be started again or once more.
    ///
    /// # Errors
    /// When the house has none of that name.
    pub fn command(&self, name: &str) -> Result<Command> {
        let mut command = xtask::run::told(&self.instance, name).map_err(|e| anyhow!(e))?;
        command.current_dir(&self.instance.run).arg("serve");
        Ok(command)
    }

    /// The answer of a service's database to one question, unaligned and without headers.
    ///
    /// # Errors
    /// What PostgreSQL says.
    pub fn sql(&self, database: &str, question: &str) -> Result<String> {
        self.postgres.sql(database, question).map_err(|e| anyhow!(e))
    }
}

impl Drop for Stand {
    fn drop(&mut self) {
        self.instance.register.stop(|_| true);
        up::remove(&self.instance);
    }
}

/// CPU time that a process has used since its start, user and system, all threads: to the nanosecond, where
/// `/proc/<pid>/stat` counts hundredths of a second.
///
/// # Errors
/// When it does not run.
pub fn cpu(process: &Process) -> Result<Duration> {
    let used = clock_getcpuclockid(Pid::from_raw(process.pid())).and_then(clock_gettime);
    Ok(used.with_context(|| format!("{} does not run", process.name))?.into())
}

/// Memory of a process that is in RAM now, bytes.
///
/// # Errors
/// When it does not run.
pub fn resident(process: &Process) -> Result<u64> {
    memory(process, "VmRSS:")
}

/// The most memory that a process ever had in RAM, bytes.
///
/// # Errors
/// When it does not run.
pub fn peak(process: &Process) -> Result<u64> {
    memory(process, "VmHWM:")
}

/// Lets [`peak`] begin again with what is in RAM now.
///
/// # Errors
/// When it does not run.
pub fn forget_peak(process: &Process) -> Result<()> {
    // proc(5): 5 resets the peak.
    fs::write(format!("/proc/{}/clear_refs", process.pid()), "5")
        .with_context(|| format!("{} does not run", process.name))
}

fn memory(process: &Process, field: &str) -> Result<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", process.pid()))
        .with_context(|| format!("{} does not run", process.name))?;
    let line = status.lines().find_map(|line| line.strip_prefix(field)).context("a line of memory")?;
    let kilobytes: u64 = line.trim().trim_end_matches(" kB").trim().parse()?;
    Ok(kilobytes * 1024)
}
