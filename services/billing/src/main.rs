//! billing: plans, subscriptions, entitlements, coins, checkout, payment webhooks.

use std::process::ExitCode;

use billing::{Config, MIGRATOR};
use clap::Parser as _;

#[derive(clap::Parser)]
#[command(name = "billing", about)]
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
    /// Asks a running process whether it is ready.
    Healthcheck(kit::health::Probe),
}

fn main() -> ExitCode {
    kit::start::run("billing", || async {
        match Cli::parse().command {
            Command::Serve(config) => {
                let common = config.common.clone();
                kit::start::serve("billing", &common, |l, s| billing::run(*config, l, s)).await
            }
            Command::Migrate(migrate) => kit::db::migrate(&MIGRATOR, &migrate).await,
            Command::Healthcheck(probe) => probe.check().await,
        }
    })
}
