//! Programs that are needed, found or installed.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{
    Outcome,
    progress::{self, Step},
};

/// A program and the Debian package that brings it.
struct Need {
    program: &'static str,
    package: &'static str,
}

const SERVERS: [Need; 3] = [
    Need { program: "postgres", package: "postgresql" },
    Need { program: "redis-server", package: "redis-server" },
    Need { program: "rabbitmq-server", package: "rabbitmq-server" },
];
const PROMTOOL: Need = Need { program: "promtool", package: "prometheus" };
const BROWSER: Need = Need { program: "chromium", package: "chromium" };
const PACKER: Need = Need { program: "xz", package: "xz-utils" };
const CERTIFICATES: Need = Need { program: "openssl", package: "openssl" };
const CLOCKS: Need = Need { program: "faketime", package: "faketime" };

/// What must be there to run the house.
pub fn servers(step: &mut Step) -> Outcome {
    node()?;
    provide(&SERVERS.iter().collect::<Vec<_>>(), step)
}

/// What must be there to test it.
pub fn browser(step: &mut Step) -> Outcome {
    provide(&[&BROWSER], step)
}

/// What makes a certificate for the edge.
pub fn certificates(step: &mut Step) -> Outcome {
    provide(&[&CERTIFICATES], step)
}

/// What unpacks the profile of a release build.
pub fn packer() -> Outcome<PathBuf> {
    provide(&[&PACKER], &mut progress::silent())?;
    need(PACKER.program)
}

/// What makes the clock of one process jump. Where it cannot be had, the trial of that is left out and says so.
pub fn clocks(step: &mut Step) {
    let _ = provide(&[&CLOCKS], step);
}

/// What tries the alerts.
pub fn promtool(step: &mut Step) -> Outcome<PathBuf> {
    provide(&[&PROMTOOL], step)?;
    need(PROMTOOL.program)
}

/// Where a program is; PostgreSQL and RabbitMQ of Debian are not on the path.
pub fn find(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = vec!["/usr/lib/rabbitmq/bin".into()];
    let mut versions: Vec<PathBuf> = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .filter_map(|e| Some(e.ok()?.path().join("bin")))
        .collect();
    versions.sort();
    versions.reverse();
    folders.extend(versions);
    folders.extend(env::split_paths(&path));
    folders.push("/usr/sbin".into());
    folders.into_iter().map(|f| f.join(program)).find(|p| p.is_file())
}

/// The program, which was made sure of before.
pub fn need(program: &str) -> Outcome<PathBuf> {
    find(program).ok_or_else(|| format!("{program} is missing"))
}

fn node() -> Outcome {
    if find("node").is_some() && find("npm").is_some() {
        return Ok(());
    }
    Err("Node.js is missing: install Node.js 20 or newer with npm".into())
}

fn provide(needs: &[&Need], step: &mut Step) -> Outcome {
    let missing: Vec<&str> = needs.iter().filter(|n| find(n.program).is_none()).map(|n| n.package).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let advice = format!("install these packages and try again: {}", missing.join(" "));
    let Some(mut apt) = apt() else { return Err(advice) };
    step.at(&format!("installing {}", missing.join(", ")));
    let installed = apt
        .arg(format!(
            "apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends {}",
            missing.join(" ")
        ))
        // Debian starts a server as soon as it is installed, which would take the usual ports; this
        // house starts its own.
        .env("RUNLEVEL", "1")
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("apt-get cannot be run: {e}"))?;
    if !installed.status.success() {
        let said = String::from_utf8_lossy(&installed.stderr).lines().last().unwrap_or_default().to_owned();
        return Err(format!("apt-get failed ({said}); {advice}"));
    }
    match needs.iter().find(|n| find(n.program).is_none()) {
        Some(n) => Err(format!("{} was installed but {} is not found", n.package, n.program)),
        None => Ok(()),
    }
}

/// A shell that may use `apt-get`, if there is one.
fn apt() -> Option<Command> {
    find("apt-get")?;
    if rustix::process::geteuid().is_root() {
        let mut shell = Command::new("sh");
        shell.arg("-c");
        return Some(shell);
    }
    let sudo = Command::new("sudo").args(["-n", "true"]).stderr(Stdio::null()).status().ok()?;
    sudo.success().then(|| {
        let mut shell = Command::new("sudo");
        shell.args(["-n", "sh", "-c"]);
        shell
    })
}

/// User and group ids of a system user, when this runs as root; servers refuse to run as root.
pub fn server_user(name: &str) -> Outcome<Option<(u32, u32)>> {
    if !rustix::process::geteuid().is_root() {
        return Ok(None);
    }
    let passwd = fs::read_to_string("/etc/passwd").map_err(|e| format!("/etc/passwd: {e}"))?;
    let entry = passwd.lines().find_map(|line| {
        let fields: Vec<&str> = line.split(':').collect();
        (fields.first() == Some(&name))
            .then(|| Some((fields.get(2)?.parse().ok()?, fields.get(3)?.parse().ok()?)))?
    });
    entry.map(Some).ok_or_else(|| format!("there is no user {name}, as whom the server would run"))
}

/// Makes a folder that belongs to the server's user.
pub fn folder_for(user: Option<(u32, u32)>, folder: &Path) -> Outcome {
    let made = fs::create_dir_all(folder).and_then(|()| match user {
        Some((uid, gid)) => std::os::unix::fs::chown(folder, Some(uid), Some(gid)),
        None => Ok(()),
    });
    made.map_err(|e| format!("{} cannot be made: {e}", folder.display()))
}
