//! Processes that outlive a command: started in groups of their own, remembered in files, so that the
//! next command finds and ends them even when this one was killed.

use std::{
    fs::{self, File},
    io::{Read as _, Seek as _, SeekFrom},
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process};

use crate::{Outcome, services::session, up::SERVERS};

/// Where Linux tells and takes the niceness of a process's session; not there where it does not group by session.
const SESSION: &str = "/proc/self/autogroup";
/// Tells [`SESSION`], `$0`, the niceness `$1`, and becomes the command that follows, whether it was heard or not. Who is not
/// root may say it once in a tenth of a second, whatever the session (`proc_sched_autogroup_set_nice` of Linux).
const NICER: &str = "niceness=$1; shift; tries=0
while ! { echo \"$niceness\" > \"$0\"; } 2> /dev/null && [ $tries -lt 5 ]; do
  tries=$((tries + 1))
  sleep 0.1
done
exec \"$@\"";
const LOOK: Duration = Duration::from_millis(50);

/// A process that was started by us, known by its id and the time of its start (ids are reused).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    pub name: String,
    pid: i32,
    /// Clock ticks since boot, from `/proc/<pid>/stat`.
    started: u64,
    pub log: PathBuf,
}

/// Processes of one instance, in the order of their start.
pub struct Register {
    folder: PathBuf,
}

impl Register {
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Starts a process in a group of its own, its output in a log file, and remembers it.
    pub fn start(&self, name: &str, command: &mut Command, log: &Path) -> Outcome<Process> {
        let parent = log.parent().expect("a log has a folder");
        fs::create_dir_all(parent).map_err(|e| format!("{} cannot be made: {e}", parent.display()))?;
        let file = File::create(log).map_err(|e| format!("{} cannot be written: {e}", log.display()))?;
        let errors = file.try_clone().map_err(|e| e.to_string())?;
        let mut apart;
        let command = match session(name) {
            Some(niceness) if Path::new(SESSION).exists() => {
                apart = in_session(command, niceness);
                &mut apart
            }
            _ => command.process_group(0),
        };
        let child = command
            .stdin(Stdio::null())
            .stdout(file)
            .stderr(errors)
            .spawn()
            .map_err(|e| format!("{name} cannot be started: {e}"))?;
        let pid = i32::try_from(child.id()).map_err(|e| e.to_string())?;
        let process = Process { name: name.into(), pid, started: started(pid).unwrap_or(0), log: log.into() };
        // Reaped here, so that an ended child is seen as ended; it is not ended with this thread.
        std::thread::spawn(move || {
            let mut child = child;
            let _ = child.wait();
        });
        self.remember(&process)?;
        Ok(process)
    }

    fn remember(&self, process: &Process) -> Outcome {
        let number = self.all().last().map_or(0, |(n, _)| n + 1);
        let text = format!("{} {} {} {}", process.pid, process.started, process.name, process.log.display());
        fs::create_dir_all(&self.folder)
            .and_then(|()| fs::write(self.folder.join(format!("{number:03}")), text))
            .map_err(|e| format!("{} cannot be written: {e}", self.folder.display()))
    }

    /// All that is remembered and still runs, oldest first; forgets the rest.
    pub fn running(&self) -> Vec<Process> {
        let mut running = Vec::new();
        for (number, process) in self.all() {
            if process.runs() {
                running.push(process);
            } else {
                let _ = fs::remove_file(self.folder.join(format!("{number:03}")));
            }
        }
        running
    }

    fn all(&self) -> Vec<(u32, Process)> {
        let mut all: Vec<(u32, Process)> = fs::read_dir(&self.folder)
            .into_iter()
            .flatten()
            .filter_map(|entry| {
                let path = entry.ok()?.path();
                let number = path.file_name()?.to_str()?.parse().ok()?;
                let text = fs::read_to_string(&path).ok()?;
                let mut words = text.splitn(4, ' ');
                let process = Process {
                    pid: words.next()?.parse().ok()?,
                    started: words.next()?.parse().ok()?,
                    name: words.next()?.into(),
                    log: words.next()?.into(),
                };
                Some((number, process))
            })
            .collect();
        all.sort_by_key(|(number, _)| *number);
        all
    }

    /// Stops what `which` accepts: the house's own processes all at once, then what they stood on, the youngest first.
    pub fn stop(&self, which: impl Fn(&str) -> bool) {
        let accepted = self.running().into_iter().rev().filter(|p| which(&p.name));
        let (servers, own): (Vec<Process>, Vec<Process>) =
            accepted.partition(|p| SERVERS.contains(&p.name.as_str()));
        // Asked a second time below, which tells them that nobody is left to wait for (`kit::shutdown`).
        for process in &own {
            process.ask_to_end();
        }
        for process in own.iter().chain(&servers) {
            process.stop();
        }
        self.running();
    }
}

impl Process {
    /// Its id, for who measures it or sends it a signal.
    pub fn pid(&self) -> i32 {
        self.pid
    }

    /// SIGKILL to its whole group: what a machine does that dies.
    pub fn kill(&self) {
        if let Some(group) = Pid::from_raw(self.pid) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }

    pub fn runs(&self) -> bool {
        Pid::from_raw(self.pid).is_some_and(|pid| test_kill_process(pid).is_ok())
            && started(self.pid) == Some(self.started)
    }

    /// SIGTERM (SIGINT for PostgreSQL, which then does not wait for its clients); SIGKILL after 30 s.
    pub fn stop(&self) {
        self.ask_to_end();
        let began = Instant::now();
        while self.runs() {
            if began.elapsed() > Duration::from_secs(30) {
                self.kill();
            }
            sleep(LOOK);
        }
    }

    fn ask_to_end(&self) {
        let signal = if self.name == "postgres" { Signal::INT } else { Signal::TERM };
        if let Some(group) = Pid::from_raw(self.pid) {
            let _ = kill_process_group(group, signal);
        }
    }

    /// The last lines of the log.
    pub fn last_lines(&self, lines: usize) -> String {
        last_lines(&self.log, lines)
    }
}

/// The same command in a session of its own, of this niceness. A session leads a group, too, so it is not put into one
/// before: `setsid` would then fork, and the process would have another id than its parent knows.
fn in_session(command: &Command, niceness: u8) -> Command {
    let mut apart = Command::new("setsid");
    apart.args(["sh", "-c", NICER, SESSION, &niceness.to_string()]);
    apart.arg(command.get_program()).args(command.get_args());
    for (key, value) in command.get_envs() {
        match value {
            Some(value) => apart.env(key, value),
            None => apart.env_remove(key),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        apart.current_dir(folder);
    }
    apart
}

/// The last lines of a file, indented.
pub fn last_lines(file: &Path, lines: usize) -> String {
    const TAIL: u64 = 16 * 1024;
    let read = || -> std::io::Result<String> {
        let mut file = File::open(file)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    let text = read().unwrap_or_default();
    let all: Vec<&str> = text.lines().collect();
    all[all.len().saturating_sub(lines)..].iter().map(|l| format!("    {l}\n")).collect()
}

/// Start time of a process that is not a zombie.
fn started(pid: i32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in brackets may hold spaces; fields are counted after it.
    let rest = stat.rsplit_once(") ")?.1;
    let mut fields = rest.split(' ');
    if fields.next()? == "Z" {
        return None;
    }
    fields.nth(18)?.parse().ok()
}

/// Waits for a condition while the process runs.
pub fn wait_for(process: &Process, limit: Duration, mut ready: impl FnMut() -> bool) -> Outcome {
    let began = Instant::now();
    while !ready() {
        if !process.runs() {
            return Err(format!(
                "{} ended while it was starting; its log ({}) ends with:\n{}",
                process.name,
                process.log.display(),
                process.last_lines(15)
            ));
        }
        if began.elapsed() > limit {
            return Err(format!(
                "{} is not ready after {} s; its log ({}) ends with:\n{}",
                process.name,
                limit.as_secs(),
                process.log.display(),
                process.last_lines(15)
            ));
        }
        sleep(LOOK);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Linux says of the session of a process: its number and its niceness.
    fn session_of(pid: i32) -> Option<String> {
        fs::read_to_string(format!("/proc/{pid}/autogroup")).ok().map(|text| text.trim().to_owned())
    }

    #[test]
    fn whoever_hashes_is_a_session_that_gives_way_and_ends_like_all() {
        let folder = tempfile::tempdir().expect("a folder");
        let register = Register::new(folder.path().join("processes"));
        let ours = session_of(i32::try_from(std::process::id()).expect("an id"));
        let start = |name: &str| {
            let mut command = Command::new("sleep");
            command.arg("60").env("TOLD", "yes").env_remove("HOME").current_dir(folder.path());
            let process = register.start(name, &mut command, &folder.path().join("log")).expect("started");
            let told = || fs::read(format!("/proc/{}/environ", process.pid())).unwrap_or_default();
            let named =
                || fs::read_to_string(format!("/proc/{}/comm", process.pid())).is_ok_and(|c| c == "sleep\n");
            // A program has its name a moment before what it is told.
            let sleeps = || named() && !told().is_empty();
            wait_for(&process, Duration::from_secs(10), sleeps)
                .expect("it runs under the id that is remembered");
            let told = String::from_utf8(told()).expect("text");
            assert!(told.split('\0').any(|v| v == "TOLD=yes"), "{told}");
            assert!(!told.split('\0').any(|v| v.starts_with("HOME=")), "{told}");
            let place = fs::read_link(format!("/proc/{}/cwd", process.pid())).expect("a folder");
            assert_eq!(place, folder.path().canonicalize().expect("a folder"));
            process
        };
        let all = ["bff", "auth", "auth-2"].map(start);
        let [bff, auth, second] = all.each_ref().map(|process| session_of(process.pid()));
        assert_eq!(bff, ours, "in the session of whoever starts it");
        for hashes in [auth, second] {
            // Where Linux does not group by session, nothing is said.
            assert!(hashes.as_ref().is_none_or(|text| text.ends_with("nice 5")), "{hashes:?}");
            assert_eq!(hashes == ours, ours.is_none());
        }
        register.stop(|_| true);
        assert!(all.iter().all(|process| !process.runs()));
    }
}
