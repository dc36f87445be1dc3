//! media-api: uploads, addresses of pictures, image jobs.

use std::process::ExitCode;

use clap::Parser as _;
use media::{Config, HashConfig, MIGRATOR, SeedConfig};

#[derive(clap::Parser)]
#[command(name = "media-api", about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Serves gRPC until SIGTERM.
    Serve(Box<Config>),
    /// Brings the database up to date.
    Migrate(kit::db::Target),
    /// Draws the portraits of the seeded characters that are missing.
    Seed(SeedConfig),
    /// Finds out by what copies of older pictures are known, where that is missing.
    Hash(HashConfig),
    /// Asks a running process whether it is ready.
    Healthcheck(kit::health::Probe),
}

fn main() -> ExitCode {
    kit::start::run("media-api", || async {
        match Cli::parse().command {
            Command::Serve(config) => {
                let common = config.common.clone();
                kit::start::serve("media-api", &common, |l, s| media::run(*config, l, s)).await
            }
            Command::Migrate(target) => kit::db::migrate(&MIGRATOR, &target).await,
            Command::Seed(config) => media::seed::run(config).await,
            Command::Hash(config) => {
                let count = media::rehash::run(config).await?;
                tracing::info!(count, "pictures can be found by their copies");
                Ok(())
            }
            Command::Healthcheck(probe) => probe.check().await,
        }
    })
}
