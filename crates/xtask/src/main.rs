//! The two commands of the house, and what they are made of. `cargo xtask help` tells all.

use std::process::ExitCode;

use lexopt::prelude::*;
use xtask::{Outcome, backup, prepare, profile, run, seed, test, trials, up, web};

const HELP: &str = "\
cargo xtask up       install what is missing, build, migrate, seed, start everything, print the address
    --port N         the web address's port (default 8080)
    --detach         return once everything is healthy
    --fresh          begin with empty data
    --characters N   N characters beside the first cast, for load
    --release        optimised binaries
    --edge           Envoy before it, over HTTPS with a certificate of its own
    --replicas N     N processes of each service, behind the edge
cargo xtask down     stop what `up --detach` left running
cargo xtask seed     much data in the house that `up` started; what is there already stays
    --characters N   N characters beside the first cast
    --user NAME      whose are …
    --chat N         … a chat of N messages
    --images N       … and a gallery of N pictures
cargo xtask run SERVICE ARGS…
                     a command of a service in the house that `up` started, like
                     `cargo xtask run auth grant --username ada --role admin`
cargo xtask test     formatting, lints, unit, integration and end-to-end tests
    --only PART      one of: format, lints, platform, rust, web, k8s, recovery, chaos,
                     e2e (may be given more than once)
cargo xtask bench [--quick] [--json FILE] [GOAL…]
                     what the house costs, in release, beside bare floors measured in the same run
cargo xtask chaos [--quick] [--seed N] [--only KIND]
                     what the house survives: kills, outages, bad networks, doubled requests
cargo xtask backup FOLDER
                     write databases, pictures and secrets of the house, which must be down
cargo xtask restore FOLDER
                     fill an empty house from such a folder, and count
cargo xtask prepare  check the SQL against a real database and write each service's .sqlx folder
cargo xtask profile  let the benchmark's load show release builds what the programs do most
cargo xtask openapi  write bff/openapi.json and the web's types from the BFF's handlers";

fn main() -> ExitCode {
    xtask::raise_file_limit();
    match obey() {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("\nxtask: {sentence}");
            ExitCode::FAILURE
        }
    }
}

fn obey() -> Outcome {
    let mut args = lexopt::Parser::from_env();
    let mut command = None;
    let mut up = up::Options::default();
    let mut parts = Vec::new();
    let mut wanted = seed::Wanted::default();
    while let Some(arg) = args.next().map_err(say)? {
        match arg {
            Value(name) if command.is_none() && name == "run" => {
                let rest = args.raw_args().map_err(say)?.map(|a| a.string());
                return run::run(&rest.collect::<Result<Vec<_>, _>>().map_err(say)?);
            }
            Value(name) if command.is_none() && (name == "backup" || name == "restore") => {
                let folder = std::path::PathBuf::from(args.value().map_err(say)?);
                return if name == "backup" { backup::backup(&folder) } else { backup::restore(&folder) };
            }
            Value(name) if command.is_none() && (name == "bench" || name == "chaos") => {
                let rest = args.raw_args().map_err(say)?.map(|a| a.string());
                let rest = rest.collect::<Result<Vec<_>, _>>().map_err(say)?;
                return if name == "bench" { trials::bench(&rest) } else { trials::chaos(&rest) };
            }
            Value(name) if command.is_none() => command = Some(name.string().map_err(say)?),
            Long("port") => up.port = args.value().and_then(|v| v.parse()).map_err(say)?,
            Long("characters") => up.characters = args.value().and_then(|v| v.parse()).map_err(say)?,
            Long("chat") => wanted.chat = args.value().and_then(|v| v.parse()).map_err(say)?,
            Long("images") => wanted.images = args.value().and_then(|v| v.parse()).map_err(say)?,
            Long("user") => wanted.user = Some(args.value().and_then(|v| v.string()).map_err(say)?),
            Long("detach") => up.detach = true,
            Long("fresh") => up.fresh = true,
            Long("release") => up.release = true,
            Long("edge") => up.edge = true,
            Long("replicas") => up.replicas = args.value().and_then(|v| v.parse()).map_err(say)?,
            Long("only") => parts.push(args.value().and_then(|v| v.string()).map_err(say)?),
            Long("help") | Short('h') => command = Some("help".into()),
            other => return Err(format!("{}; see `cargo xtask help`", other.unexpected())),
        }
    }
    match command.as_deref() {
        Some("up") => up::up(&up),
        Some("down") => up::down(),
        Some("seed") => seed::seed(&seed::Wanted { characters: up.characters, ..wanted }),
        Some("test") => test::test(&parts),
        Some("prepare") => prepare::prepare(),
        Some("profile") => profile::train(),
        Some("openapi") => web::write_openapi(),
        Some("help") | None => {
            println!("{HELP}");
            Ok(())
        }
        Some(other) => Err(format!("there is no command {other}; see `cargo xtask help`")),
    }
}

fn say(error: impl std::fmt::Display) -> String {
    error.to_string()
}
