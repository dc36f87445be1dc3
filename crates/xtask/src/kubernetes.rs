//! What a cluster is given (`k8s/`, `Tiltfile`), checked without one.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{Outcome, instance::root, progress::Step, python, tools::need};

/// Kustomize, the schemas and checkov: packages of npm and of PyPI, whose versions stand in `k8s/check`. Answers the
/// interpreter that finds the latter.
pub fn tools(step: &mut Step) -> Outcome<PathBuf> {
    let check = root().join("k8s/check");
    step.at("kustomize and the types of resources");
    // Not `npm ci`: docs/decisions/0008.
    let (lock, mark) = (check.join("package-lock.json"), check.join("node_modules/.installed"));
    let lock = fs::read(&lock).map_err(|e| format!("{} cannot be read: {e}", lock.display()))?;
    if fs::read(&mark).ok().as_ref() != Some(&lock) {
        let npm = ["install", "--no-save", "--ignore-scripts", "--loglevel=error"];
        run(Command::new(need("npm")?).args(npm).current_dir(&check))?;
        fs::write(&mark, lock).map_err(|e| format!("{} cannot be written: {e}", mark.display()))?;
    }
    let list = check.join("requirements.txt");
    let list = fs::read_to_string(&list).map_err(|e| format!("{} cannot be read: {e}", list.display()))?;
    Ok(python::packages("k8s", &list, step)?.join("python"))
}

/// The checks; `binaries` are asked what they read and which commands they have.
pub fn checks(python: &Path, binaries: &Path) -> Command {
    let mut command = Command::new(python);
    command.arg(root().join("k8s/check/test_manifests.py")).env("TROUPE_BINARIES", binaries);
    command
}

fn run(command: &mut Command) -> Outcome {
    let name = command.get_program().to_string_lossy().into_owned();
    let ended = command.stdin(Stdio::null()).output().map_err(|e| format!("{name} cannot be run: {e}"))?;
    if ended.status.success() {
        return Ok(());
    }
    Err(format!("{name} failed: {}", String::from_utf8_lossy(&ended.stderr).trim()))
}
