//! `cargo xtask test`: everything, in the order in which a mistake costs least time to find.

use std::{
    env,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
};

use crate::{
    Outcome, edge,
    infra::{self, Durability},
    instance::{Instance, root},
    kubernetes, platform, progress, python, recovery, rust, tools,
    up::{self, Options},
    web,
};

const PARTS: [&str; 9] = ["format", "lints", "platform", "rust", "web", "k8s", "recovery", "chaos", "e2e"];

/// How many tests ran, by part.
#[derive(Default)]
struct Count(Vec<(String, usize)>);

impl Count {
    fn add(&mut self, part: &str, tests: usize) {
        self.0.push((part.into(), tests));
    }
}

pub fn test(only: &[String]) -> Outcome {
    if let Some(unknown) = only.iter().find(|p| !PARTS.contains(&p.as_str())) {
        return Err(format!("there is no part {unknown}; the parts are {}", PARTS.join(", ")));
    }
    let wanted = |part: &str| only.is_empty() || only.iter().any(|p| p == part);
    let mut count = Count::default();

    if wanted("format") {
        let step = progress::step("formatting");
        cargo(&["fmt", "--all", "--check"], "the Rust code is not formatted; run `cargo fmt --all`")?;
        step.done("");
    }
    let instance = Instance::open(Some("test"))?;
    instance.register.stop(|_| true);
    if wanted("lints") || wanted("web") {
        let step = progress::step("the web's packages");
        web::packages(&instance)?;
        step.done("");
    }
    if wanted("lints") {
        let step = progress::step("contracts (buf lint)");
        web::npm(&instance, &["run", "lint:proto"])?;
        step.done("");
        let step = progress::step("clippy, warnings denied");
        cargo(
            &["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"],
            "clippy objects",
        )?;
        step.done("");
        let step = progress::step("what ships, with no features but its own");
        let alone: Vec<&str> = ["check", "--bins", "--quiet"].into_iter().chain(rust::SHIPPED).collect();
        cargo(&alone, "what ships does not compile without what only tests ask for")?;
        step.done("");
        deny()?;
    }
    if wanted("platform") {
        platform::judge(&instance)?;
    }
    if wanted("web") {
        for (title, script) in [
            ("the web's lints and types", "check"),
            ("the web's build", "build"),
            ("the web's first view, in bytes", "first-view"),
            ("the web's gallery of components", "gallery:build"),
        ] {
            let step = progress::step(title);
            web::npm(&instance, &["run", script])?;
            step.done("");
        }
        let step = progress::step("the web's unit tests");
        let tests = stream(npm_run("test")?, "vitest")?;
        count.add("web, unit (vitest)", tests);
        step.done("");
    }
    if wanted("rust") {
        let ran = rust_tests(&instance, &mut count);
        instance.register.stop(|_| true);
        up::remove(&instance);
        ran?;
    }
    if wanted("k8s") {
        let mut step = progress::step("building the services, for what they say of themselves");
        let binaries = rust::build(false, &mut step)?;
        step.done("");
        let mut step = progress::step("what a cluster is given");
        let python = kubernetes::tools(&mut step)?;
        let checks = stream(kubernetes::checks(&python, &binaries), "the checks of k8s")?;
        count.add("Kubernetes and Tilt, against schemas and the code", checks);
        step.done("");
    }
    if wanted("recovery") {
        count.add("a house, backed up and restored", recovery::prove()?);
    }
    if wanted("chaos") {
        let mut step = progress::step("building the trials of faults");
        let binaries = rust::build_trials(false, &mut step)?;
        tools::clocks(&mut step);
        step.done("");
        let step = progress::step("faults under load");
        let mut command = Command::new(binaries.join("chaos"));
        command.args(["--quick", "--seed", "1"]);
        rust::hand_on(&mut command);
        count.add("what holds after each fault (chaos --quick)", stream(command, "chaos --quick")?);
        step.done("");
    }
    if wanted("e2e") {
        let mut step = progress::step("a browser");
        tools::browser(&mut step)?;
        step.done("");
        let mut step = progress::step("schemathesis");
        let schemathesis = python::SCHEMATHESIS.provide(&mut step)?;
        step.done("");
        for engine in ["improv", "openai"] {
            let house = Instance::open(Some("e2e"))?;
            let ran = end_to_end(&house, engine, &schemathesis, &mut count);
            house.register.stop(|_| true);
            if ran.is_ok() {
                up::remove(&house);
            }
            ran?;
        }
    }

    println!();
    for (part, tests) in &count.0 {
        println!("{tests:>5} passed  {part}");
    }
    println!("{:>5} tests passed, 0 failed", count.0.iter().map(|(_, n)| n).sum::<usize>());
    Ok(())
}

fn cargo(args: &[&str], complaint: &str) -> Outcome {
    let ended = rust::cargo().args(args).status().map_err(|e| format!("cargo cannot be run: {e}"))?;
    if ended.success() { Ok(()) } else { Err(complaint.into()) }
}

/// `cargo deny` where it is installed; the bans between the rooms are also a test of this crate, which
/// needs no installation.
fn deny() -> Outcome {
    if tools::find("cargo-deny").is_none() {
        return Ok(());
    }
    let step = progress::step("licences, sources and bans (cargo deny)");
    cargo(&["deny", "--workspace", "check", "bans", "licenses", "sources"], "cargo deny objects")?;
    step.done("");
    Ok(())
}

fn npm_run(script: &str) -> Outcome<Command> {
    let mut command = Command::new(tools::need("npm")?);
    command.args(["run", script]).current_dir(root().join("web"));
    Ok(command)
}

fn rust_tests(instance: &Instance, count: &mut Count) -> Outcome {
    let mut step = progress::step("building everything, for all tests");
    rust::build_everything(&mut step)?;
    step.done("");
    let mut step = progress::step("PostgreSQL, Redis and RabbitMQ for the tests");
    tools::servers(&mut step)?;
    let promtool = tools::promtool(&mut step)?;
    let infra = infra::start(instance, Durability::Forgotten, &mut step)?;
    let postgres =
        infra.postgres.ok_or("unset the *_DATABASE_URL variables: tests need a server of their own")?;
    step.done("");

    let step = progress::step("unit and integration tests of the services");
    let mut command = rust::cargo();
    command
        .args(["test", "--workspace", "--no-fail-fast"])
        .env("DATABASE_URL", postgres.admin_url())
        .env("REDIS_URL", &infra.redis_url)
        .env("PROMTOOL", promtool)
        .env("AMQP_URL", &infra.amqp_url);
    let tests = stream(command, "cargo test")?;
    count.add("Rust, unit and integration (cargo test)", tests);
    step.done("");
    Ok(())
}

/// The main job in a real browser against a whole house of its own. The second engine's stands behind the edge, two
/// processes of everything: there it shows that a reply is read through Envoy, and joined again from anywhere.
fn end_to_end(house: &Instance, engine: &str, schemathesis: &Path, count: &mut Count) -> Outcome {
    let interrupted = up::interruption()?;
    let replicas = if engine == "openai" { 2 } else { 1 };
    let options =
        Options { port: house.port("web")?, fresh: true, detach: true, replicas, ..Options::default() };
    let mut extra = Vec::new();
    if engine == "openai" {
        let port = house.port("llm")?;
        let mut server = npm_run("llm-server")?;
        server.args(["--", &port.to_string()]);
        // Registered with the house, so that it ends with it; `launch` keeps it because it begins after.
        extra.push(("LLM_BASE_URL".to_owned(), format!("http://127.0.0.1:{port}/v1")));
        extra.push(("LLM_MODEL".to_owned(), "test".to_owned()));
        up::launch(house, &options, Durability::Forgotten, &extra, &interrupted)?;
        house.register.start("llm-server", &mut server, &house.log("llm-server"))?;
    } else {
        up::launch(house, &options, Durability::Forgotten, &extra, &interrupted)?;
    }
    let step = progress::step(&format!("the main job in Chromium, engine {engine}"));
    let mut command = npm_run("e2e")?;
    command
        .env("TROUPE_URL", options.address())
        .env("TROUPE_EXPECT_ENGINE", engine)
        .env("TROUPE_SCHEMATHESIS", schemathesis)
        .env("TROUPE_INSTANCE", "e2e")
        .env("TROUPE_XTASK", this_program()?)
        .env("CHROMIUM", tools::need("chromium")?);
    if let Some(plain) = house.known_port("edge-http").filter(|_| options.web().edge) {
        command
            .env("TROUPE_EDGE_PLAIN", format!("http://127.0.0.1:{plain}"))
            .env("NODE_EXTRA_CA_CERTS", edge::certificate(house));
    }
    let tests = stream(command, "end to end")
        .map_err(|why| format!("{why}; the services' logs are in {}", house.run.join("logs").display()))?;
    count.add(&format!("end to end in Chromium, engine {engine}"), tests);
    step.done("");
    Ok(())
}

/// Where this program's file stands. Building the workspace may have put a new file in the place of the one
/// that runs; Linux then gives the old one's path with a mark behind it.
fn this_program() -> Outcome<PathBuf> {
    let path = env::current_exe().map_err(|e| format!("this program's own path is not known: {e}"))?;
    let text = path.to_str().unwrap_or_default();
    Ok(text.strip_suffix(" (deleted)").map_or(path.clone(), PathBuf::from))
}

/// Runs a test runner, shows what it says, and counts what passed by its own word.
fn stream(mut command: Command, name: &str) -> Outcome<usize> {
    let mut child = command
        .env("NO_COLOR", "1")
        .env("CARGO_TERM_COLOR", "never")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| format!("{name} cannot be run: {e}"))?;
    let errors = child.stderr.take().expect("piped");
    let other = thread::spawn(move || {
        for line in BufReader::new(errors).lines().map_while(Result::ok) {
            if !is_noise(&line) {
                eprintln!("      {line}");
            }
        }
    });
    let mut passed = 0;
    for line in BufReader::new(child.stdout.take().expect("piped")).lines().map_while(Result::ok) {
        passed += passed_in(&line);
        println!("      {line}");
    }
    let _ = other.join();
    let ended = child.wait().map_err(|e| e.to_string())?;
    if !ended.success() {
        return Err(format!("{name} failed"));
    }
    if passed == 0 {
        return Err(format!("{name} ran no test at all"));
    }
    Ok(passed)
}

fn is_noise(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    matches!(word, "Compiling" | "Checking" | "Fresh" | "Downloading" | "Downloaded")
}

/// Tests that a runner's line of result says have passed: `test result: ok. 12 passed; …` (cargo),
/// `Tests  12 passed (12)` (vitest).
fn passed_in(line: &str) -> usize {
    let line = line.trim();
    if !line.starts_with("test result:") && !line.starts_with("Tests ") {
        return 0;
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    words
        .iter()
        .position(|w| w.starts_with("passed"))
        .and_then(|at| at.checked_sub(1))
        .and_then(|at| words.get(at)?.parse().ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::passed_in;

    #[test]
    fn counts_by_the_runner_s_own_word() {
        assert_eq!(passed_in("test result: ok. 12 passed; 0 failed; 1 ignored; finished in 0.1s"), 12);
        assert_eq!(passed_in("      Tests  31 passed (31)"), 31);
        assert_eq!(passed_in("Tests  1 failed | 30 passed (31)"), 30);
        assert_eq!(passed_in(" Test Files  4 passed (4)"), 0);
        assert_eq!(passed_in("running 12 tests"), 0);
    }
}
