//! media-api: uploads, addresses of pictures, image jobs.

use std::process::ExitCode;

use clap::Parser as _;
use media::{Config, FillConfig, HashConfig, MIGRATOR, RequeueConfig, SeedConfig};

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
    Migrate(kit::db::Migrate),
    /// Draws the portraits of the seeded characters that are missing.
    Seed(SeedConfig),
    /// Fills a gallery, for load.
    Fill(FillConfig),
    /// Finds out by what copies of older pictures are known, where that is missing.
    Hash(HashConfig),
    /// Writes a ticket for every picture that waits, after the queue was lost.
    Requeue(RequeueConfig),
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
            Command::Migrate(migrate) => kit::db::migrate(&MIGRATOR, &migrate).await,
            Command::Seed(config) => media::seed::run(config).await,
            Command::Fill(config) => media::fill::run(config).await.map(drop),
            Command::Hash(config) => {
                let count = media::rehash::run(config).await?;
                tracing::info!(count, "pictures can be found by their copies");
                Ok(())
            }
            Command::Requeue(config) => {
                let count = media::requeue::run(config).await?;
                tracing::info!(count, "pictures have new tickets");
                Ok(())
            }
            Command::Healthcheck(probe) => probe.check().await,
        }
    })
}
