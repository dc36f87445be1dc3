//! What runs the house, each file judged by a program that would refuse a wrong one. Needs no container engine.

use std::process::Command;

use crate::{
    Outcome, edge, inside,
    instance::{Instance, root},
    progress, python, tools,
};

const WORKFLOWS: [&str; 2] = [".github/workflows/ci.yml", ".github/workflows/release.yml"];

/// Envoy, the Dockerfile, Compose and the workflows.
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

fn run(command: &mut Command, complaint: &str) -> Outcome {
    let ended = command.current_dir(root()).output().map_err(|e| format!("{complaint}: {e}"))?;
    if ended.status.success() {
        return Ok(());
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    Err(format!("{complaint}:\n{}\n{}", text(&ended.stdout), text(&ended.stderr)).trim().to_owned())
}
