//! Building the binaries, with progress that can be seen.

use std::{
    collections::VecDeque,
    env, fs,
    io::{BufRead as _, BufReader},
    path::PathBuf,
    process::{Command, Stdio},
    sync::OnceLock,
};

use crate::{Outcome, instance::root, profile, progress::Step};

/// The cargo that runs us.
pub fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Everything that ships. With other packages beside these, what they stand on has other features, and the profile of a
/// release build does not know it.
pub const SHIPPED: [&str; 5] = ["--workspace", "--exclude", "xtask", "--exclude", "troupe-trials"];
/// Names a folder of binaries that are taken as they are.
const BINARIES: &str = "TROUPE_BINARIES";
/// Where everything is, once this process has built it.
static EVERYTHING: OnceLock<PathBuf> = OnceLock::new();

/// Builds what ships, the trials and all tests, unoptimised and with the features that `cargo test --workspace` asks for.
/// Whoever asks for a part of it afterwards gets these: alone, each part has other features, and Cargo would make all of
/// our own code and sixty libraries again for what ships, and once more for the trials.
pub fn build_everything(step: &mut Step) -> Outcome {
    if EVERYTHING.get().is_none() {
        let folder = compile(&["--workspace", "--tests"], false, step)?;
        EVERYTHING.get_or_init(|| folder);
    }
    Ok(())
}

/// Builds everything that ships; answers the folder of the binaries.
pub fn build(release: bool, step: &mut Step) -> Outcome<PathBuf> {
    if let Some(folder) = env::var_os(BINARIES) {
        return Ok(folder.into());
    }
    part(&SHIPPED, release, step)
}

/// Builds the programs of `crates/trials`; answers their folder.
pub fn build_trials(release: bool, step: &mut Step) -> Outcome<PathBuf> {
    part(&["--package", "troupe-trials"], release, step)
}

/// Lets a program of ours take what this process has built, if it has built everything.
pub fn hand_on(command: &mut Command) {
    if let Some(folder) = EVERYTHING.get() {
        command.env(BINARIES, folder);
    }
}

fn part(what: &[&str], release: bool, step: &mut Step) -> Outcome<PathBuf> {
    match EVERYTHING.get() {
        Some(folder) if !release => Ok(folder.clone()),
        _ => compile(what, release, step),
    }
}

fn compile(what: &[&str], release: bool, step: &mut Step) -> Outcome<PathBuf> {
    let mut command = cargo();
    command.arg("build").args(what).args(["--bins", "--color", "never"]);
    if release {
        command.arg("--release");
        profile::used_by(&mut command)?;
    }
    let strange = run(command, step)?;
    if strange > 0 {
        // Once more each time: Cargo repeats what a compiler said of a part that is built already.
        eprintln!(
            "      {strange} functions are not as the profile has them; `cargo xtask profile` makes it anew"
        );
    }
    if let Some(unknown) = release.then(profile::does_not_know).flatten() {
        eprintln!("      {unknown}");
    }
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    Ok(target.join(if release { "release" } else { "debug" }))
}

/// Runs a build and tells how far it is; answers of how many functions of our own it has a profile that does not fit.
pub fn run(mut command: Command, step: &mut Step) -> Outcome<usize> {
    let packages = fs::read_to_string(root().join("Cargo.lock"))
        .map_or(0, |lock| lock.lines().filter(|l| *l == "[[package]]").count());
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| format!("cargo cannot be run: {e}"))?;
    let (mut built, mut strange) = (0, 0);
    let mut last: VecDeque<String> = VecDeque::new();
    for line in BufReader::new(child.stderr.take().expect("piped")).lines().map_while(Result::ok) {
        if let Some(name) = line.trim_start().strip_prefix("Compiling ") {
            built += 1;
            step.at(&format!(
                "{built} of at most {packages} crates, {}",
                name.split(' ').next().unwrap_or(name)
            ));
        } else if is_strange(&line) {
            strange += 1;
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
    Ok(strange)
}

/// Whether a compiler says that it has let go of what a profile counted of a function, which has changed since.
fn is_strange(line: &str) -> bool {
    line.starts_with("warning: ") && line.contains("(hash mismatch)")
}

#[cfg(test)]
mod tests {
    use super::is_strange;

    #[test]
    fn functions_that_have_changed_since_the_profile_are_counted() {
        let said = "warning: bff.b2e33a-cgu.2: function control flow change detected (hash mismatch) _ZN3bff6routes5group17h06E \
                    Hash = 96213851039766300 up to 319955 count discarded";
        assert!(is_strange(said));
        assert!(!is_strange("warning: `bff` (bin \"bff\") generated 135 warnings"));
        assert!(!is_strange("error: no hash mismatch here"));
    }
}
