//! catalog: characters, lists, search, reactions, follows, reviews.

use std::process::ExitCode;

use catalog::{Config, MIGRATOR};
use clap::Parser as _;

#[derive(clap::Parser)]
#[command(name = "catalog", about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Serves gRPC until SIGTERM.
    Serve(Box<Config>),
    /// Brings the database up to date.
    Migrate(kit::db::Migrate),
    /// Loads the sample characters, or makes many for load.
    Seed(catalog::seed::Seed),
    /// Asks a running process whether it is ready.
    Healthcheck(kit::health::Probe),
}

fn main() -> ExitCode {
    kit::start::run("catalog", || async {
        match Cli::parse().command {
            Command::Serve(config) => {
                let common = config.common.clone();
                kit::start::serve("catalog", &common, |l, s| catalog::run(*config, l, s)).await
            }
            Command::Migrate(migrate) => kit::db::migrate(&MIGRATOR, &migrate).await,
            Command::Seed(seed) => seed.run().await,
            Command::Healthcheck(probe) => probe.check().await,
        }
    })
}
