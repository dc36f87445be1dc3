//! The web app: its packages, its build, its types.

use std::{
    fs,
    path::PathBuf,
    process::{Command, Stdio},
};

use crate::{
    Outcome,
    instance::{Instance, root},
    progress::{self, Step},
    rust, tools,
};

fn folder() -> PathBuf {
    root().join("web")
}

/// Runs npm in the web folder; what it says goes to the log and, when it fails, into the error.
pub fn npm(instance: &Instance, args: &[&str]) -> Outcome {
    let name = format!("npm-{}", args.join("-").replace(['/', ':', ' '], "-"));
    let log = instance.log(&name);
    let parent = log.parent().expect("a log has a folder");
    fs::create_dir_all(parent).map_err(|e| e.to_string())?;
    let run = Command::new(tools::need("npm")?)
        .args(args)
        .current_dir(folder())
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("npm cannot be run: {e}"))?;
    let mut said = String::from_utf8_lossy(&run.stdout).into_owned();
    said.push_str(&String::from_utf8_lossy(&run.stderr));
    fs::write(&log, &said).map_err(|e| e.to_string())?;
    if run.status.success() {
        return Ok(());
    }
    let lines: Vec<&str> = said.lines().collect();
    let end = lines[lines.len().saturating_sub(40)..].join("\n");
    Err(format!("npm {} failed:\n{end}", args.join(" ")))
}

/// Installs the packages unless they are those of the lock file already.
pub fn packages(instance: &Instance) -> Outcome {
    let lock = folder().join("package-lock.json");
    let installed = folder().join("node_modules/.package-lock.json");
    let fresh = |a: &PathBuf, b: &PathBuf| {
        let time = |p: &PathBuf| fs::metadata(p).and_then(|m| m.modified()).ok();
        matches!((time(a), time(b)), (Some(a), Some(b)) if a >= b)
    };
    if fresh(&installed, &lock) {
        return Ok(());
    }
    // Not `npm ci`: it demands entries for the platform packages of every system, which a registry that
    // serves only some of them cannot give. The versions are those of the lock file all the same.
    npm(instance, &["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"])
}

/// Builds `web/dist` unless nothing has changed.
pub fn build(instance: &Instance, step: &mut Step) -> Outcome {
    let inputs =
        ["src", "public", "scripts", "index.html", "package-lock.json", "vite.config.ts", "tsconfig.json"];
    let inputs: Vec<PathBuf> = inputs.iter().map(|i| folder().join(i)).collect();
    step.at("packages");
    packages(instance)?;
    step.at("build");
    if !folder().join("dist/index.html").exists() {
        return npm(instance, &["run", "build"]);
    }
    instance.once("web", &inputs, || npm(instance, &["run", "build"])).map(drop)
}

/// Writes `bff/openapi.json` from the handlers, and the web's types from it.
pub fn write_openapi() -> Outcome {
    progress::expect(2);
    let instance = Instance::open(None)?;
    let mut step = progress::step("building the BFF");
    let binaries = rust::build(false, &mut step)?;
    let made = Command::new(binaries.join("bff"))
        .arg("openapi")
        .output()
        .map_err(|e| format!("the BFF cannot be run: {e}"))?;
    if !made.status.success() {
        return Err(format!("the BFF does not write its OpenAPI: {}", String::from_utf8_lossy(&made.stderr)));
    }
    fs::write(root().join("bff/openapi.json"), made.stdout).map_err(|e| e.to_string())?;
    step.done("bff/openapi.json");
    let step = progress::step("the web's types");
    packages(&instance)?;
    npm(&instance, &["run", "api-types"])?;
    step.done("");
    Ok(())
}
