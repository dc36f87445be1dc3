//! media-worker: draws the pictures that are queued.

use std::{process::ExitCode, time::Duration};

use clap::Parser as _;
use kit::shutdown::Shutdown;
use media::{WorkerConfig, worker};

#[derive(clap::Parser)]
#[command(name = "media-worker", about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Draws until SIGTERM, then finishes what it has begun.
    Serve(Box<WorkerConfig>),
    /// Asks a running process whether it is ready.
    Healthcheck(kit::health::Probe),
    /// Puts the dead letters back into the queue.
    Replay(Box<kit::config::Common>),
}

fn main() -> ExitCode {
    kit::start::run("media-worker", || async {
        match Cli::parse().command {
            Command::Serve(config) => {
                config.common.refuse_known_secrets()?;
                let engine = config.engine.open()?;
                worker::run(*config, engine, Shutdown::on_signal(Duration::ZERO)).await
            }
            Command::Healthcheck(probe) => probe.check().await,
            Command::Replay(common) => {
                let count = worker::replay(&common).await?;
                tracing::info!(count, "dead letters put back");
                Ok(())
            }
        }
    })
}
