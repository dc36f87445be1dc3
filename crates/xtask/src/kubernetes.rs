//! What a cluster is given (`k8s/`, `Tiltfile`), checked without one.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{Outcome, instance::root, progress::Step, tools::need};

/// Kustomize, the schemas and checkov: packages of npm and of PyPI, whose versions stand in `k8s/check`. Answers the
/// interpreter that finds the latter.
pub fn tools(step: &mut Step) -> Outcome<PathBuf> {
    let check = root().join("k8s/check");
    step.at("kustomize and the types of resources");
    // Not `npm ci`: docs/decisions/0008.
    once(&check.join("package-lock.json"), &check.join("node_modules/.installed"), || {
        let npm = ["install", "--no-save", "--ignore-scripts", "--loglevel=error"];
        run(Command::new(need("npm")?).args(npm).current_dir(&check))
    })?;
    let folder = root().join("target/tools/k8s");
    let list = check.join("requirements.txt");
    let python = folder.join("bin/python");
    step.at("schemas of Kubernetes, checkov, Starlark");
    once(&list, &folder.join(".installed"), || {
        run(Command::new(need("python3")?).args(["-m", "venv", "--clear"]).arg(&folder))?;
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"];
        run(Command::new(&python).args(pip).arg(&list))
    })?;
    Ok(python)
}

/// The checks; `binaries` are asked what they read and which commands they have.
pub fn checks(python: &Path, binaries: &Path) -> Command {
    let mut command = Command::new(python);
    command.arg(root().join("k8s/check/test_manifests.py")).env("TROUPE_BINARIES", binaries);
    command
}

/// Does `work` unless `mark` holds what `input` holds.
fn once(input: &Path, mark: &Path, work: impl FnOnce() -> Outcome) -> Outcome {
    let now = fs::read(input).map_err(|e| format!("{} cannot be read: {e}", input.display()))?;
    if fs::read(mark).is_ok_and(|before| before == now) {
        return Ok(());
    }
    work()?;
    fs::write(mark, now).map_err(|e| format!("{} cannot be written: {e}", mark.display()))
}

fn run(command: &mut Command) -> Outcome {
    let name = command.get_program().to_string_lossy().into_owned();
    let ended = command.stdin(Stdio::null()).output().map_err(|e| format!("{name} cannot be run: {e}"))?;
    if ended.status.success() {
        return Ok(());
    }
    Err(format!("{name} failed: {}", String::from_utf8_lossy(&ended.stderr).trim()))
}
