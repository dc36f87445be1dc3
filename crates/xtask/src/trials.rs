//! `cargo xtask bench` and `cargo xtask chaos`: programs of `crates/trials`, which has the dependencies that this
//! crate does without.

use crate::{Outcome, progress, rust, tools};

/// Optimised binaries, then the benchmark.
pub fn bench(args: &[String]) -> Outcome {
    run("bench", true, args)
}

/// The trials of faults, with the binaries that the tests use.
pub fn chaos(args: &[String]) -> Outcome {
    tools::clocks(&mut progress::silent());
    run("chaos", false, args)
}

fn run(program: &str, release: bool, args: &[String]) -> Outcome {
    let mut step = progress::step(&format!("building {program}"));
    let path = rust::build_trials(release, &mut step)?.join(program);
    step.done("");
    let ended = std::process::Command::new(&path)
        .args(args)
        .status()
        .map_err(|e| format!("{} cannot be run: {e}", path.display()))?;
    if ended.success() { Ok(()) } else { Err(format!("{program} found what must not be; it is told above")) }
}
