//! Building the binaries, with progress that can be seen.

use std::{
    collections::VecDeque,
    env, fs,
    io::{BufRead as _, BufReader},
    path::PathBuf,
    process::{Command, Stdio},
};

use crate::{Outcome, instance::root, progress::Step};

/// The cargo that runs us.
pub fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Builds everything that ships; answers the folder of the binaries.
pub fn build(release: bool, step: &mut Step) -> Outcome<PathBuf> {
    compile(&["--workspace", "--exclude", "xtask", "--exclude", "troupe-trials", "--bins"], release, step)
}

/// Builds the programs of `crates/trials`; answers their folder.
pub fn build_trials(release: bool, step: &mut Step) -> Outcome<PathBuf> {
    compile(&["--package", "troupe-trials", "--bins"], release, step)
}

fn compile(what: &[&str], release: bool, step: &mut Step) -> Outcome<PathBuf> {
    let packages = fs::read_to_string(root().join("Cargo.lock"))
        .map_or(0, |lock| lock.lines().filter(|l| *l == "[[package]]").count());
    let mut command = cargo();
    command.arg("build").args(what).args(["--color", "never"]);
    if release {
        command.arg("--release");
    }
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| format!("cargo cannot be run: {e}"))?;
    let mut built = 0;
    let mut last: VecDeque<String> = VecDeque::new();
    for line in BufReader::new(child.stderr.take().expect("piped")).lines().map_while(Result::ok) {
        if let Some(name) = line.trim_start().strip_prefix("Compiling ") {
            built += 1;
            step.at(&format!(
                "{built} of at most {packages} crates, {}",
                name.split(' ').next().unwrap_or(name)
            ));
        } else {
            last.push_back(line);
            if last.len() > 40 {
                last.pop_front();
            }
        }
    }
    let ended = child.wait().map_err(|e| e.to_string())?;
    if !ended.success() {
        let lines: Vec<String> = last.into();
        return Err(format!("the Rust code does not build:\n{}", lines.join("\n")));
    }
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    Ok(target.join(if release { "release" } else { "debug" }))
}
